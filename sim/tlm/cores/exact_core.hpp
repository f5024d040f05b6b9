/// @file
/// The drive's core on the fast platform: it executes the firmware's ELF file, exact to the cycle
/// (sim/core/hart.hpp).
///
/// It runs inside an alarm of its own, from an interrupt to the next wfi, ahead of the agenda: the
/// world catches up where the core accesses a register, and where a change of the interrupt line
/// may matter to it. Agenda::now() may thus be past the time that its owner asked for.
#pragma once

#include "sim/core/hart.hpp"
#include "sim/tlm/cores/processor.hpp"
#include "sim/tlm/kernel/agenda.hpp"

namespace headstack::tlm {

class ExactCore final : public Processor, private core::HartPort {
 public:
  /// The first clock edge is at time 0, the agenda's time as it is now. The program is put into
  /// hart()'s RAM before that.
  explicit ExactCore(Agenda& agenda);

  core::Hart& hart() { return hart_; }
  /// Of a core that is awake: the last clock edge that it had not asked for.
  core::Cycle awake_from() const { return awake_from_; }
  bool asleep() const { return hart_.asleep(); }
  /// Of a core that is asleep: the first edge that it had not asked for.
  core::Cycle asleep_from() const { return asleep_from_; }
  /// The edge behind firmware's last store, if that ended the run.
  core::Cycle exit_edge() const { return exit_edge_; }

  void connect(const Map& map) override { map_ = map; }
  std::optional<std::uint32_t> exit_code() const override { return exit_code_; }
  std::uint64_t accesses() const override { return accesses_; }
  Picoseconds awake_time() const override;

  void interrupt_level(unsigned line, bool level) override;
  void firmware_exit(std::uint32_t code) override;

 private:
  friend core::Hart;
  static constexpr core::Cycle kRegisterLater = 1;
  static bool is_register(std::uint32_t address) { return Map::is_register_word(address); }
  bool read_register(std::uint32_t address, core::Cycle request, std::uint32_t* value);
  bool write_register(std::uint32_t address, core::Cycle request, std::uint32_t value,
                      std::uint32_t mask = RegisterPage::kWholeWord);
  Answer read(std::uint32_t address, std::uint32_t mask, core::Cycle request) override;
  Answer write(std::uint32_t address, std::uint32_t data, std::uint32_t mask,
               core::Cycle request) override;
  core::Cycle run_to(core::Cycle cycle) override;
  void sleeps(core::Cycle from) override;

  void run();
  void catch_up(core::Cycle cycle);
  void let_world_act(Picoseconds time);
  core::Cycle reach(Owner owner, core::Cycle request);

  Agenda& agenda_;
  core::Hart hart_;
  Map map_;
  Alarm alarm_;  // boot, and what wakes the sleeper
  std::optional<std::uint32_t> exit_code_;
  core::Cycle exit_edge_ = 0;

  bool is_core_acting_ = false;  // what happens is its access, and no alarm of the world's
  std::uint64_t accesses_ = 0;
  std::int64_t awake_cycles_ = 0;
  core::Cycle asleep_from_ = 0;
  core::Cycle awake_from_ = -1;  // the edge behind it is the first that the core gets
};

}  // namespace headstack::tlm
