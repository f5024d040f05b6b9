// SPDX-License-Identifier: Apache-2.0
/// @file
/// The drive's core on the fast platform: it executes the firmware's ELF file, exact to the cycle
/// (sim/core/hart.hpp).
///
/// It runs inside an alarm of its own, from an interrupt to the next wfi, ahead of the agenda. The
/// world catches up when the core accesses a register, and when a change of the interrupt line may
/// affect the core. Agenda::now() may therefore be past the time that its owner requested.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "sim/core/hart.hpp"
#include "sim/soc/core_fault.hpp"
#include "sim/tlm/cores/processor.hpp"
#include "sim/tlm/kernel/agenda.hpp"

namespace headstack::tlm {

class ExactCore final : public Processor, private core::HartPort {
 public:
  /// The first clock edge is at time 0, which is the agenda's present time. The caller loads the
  /// program into hart()'s RAM before.
  explicit ExactCore(Agenda& agenda);

  core::Hart& hart() { return hart_; }
  const core::Hart& hart() const { return hart_; }
  /// The last clock edge that an awake core did not request.
  core::Cycle awake_from() const { return awake_from_; }
  bool asleep() const { return hart_.asleep(); }
  /// The first clock edge that a sleeping core did not request.
  core::Cycle asleep_from() const { return asleep_from_; }
  /// Edge after the firmware's last store, if the store ended the run; otherwise the edge of the
  /// fault.
  core::Cycle exit_edge() const { return exit_edge_; }
  /// Why the core has stopped by itself: Hart::stop_at_faults().
  const std::optional<soc::CoreFault>& fault() const { return fault_; }

  void connect(const Map& map) override { map_ = map; }
  std::optional<std::uint32_t> exit_code() const override { return exit_code_; }
  std::uint64_t accesses() const override { return accesses_; }
  Picoseconds awake_time() const override;
  /// Excludes edges after this one from awake_time(). The core may be ahead of the edge, but must
  /// not have woken since.
  void count_awake_until(core::Cycle edge);

  /// Works like soc::CoreAccess::load_register(), in a cycle that has been shown.
  std::optional<std::uint32_t> load_register(std::uint32_t address, core::Cycle cycle);

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
  /// The edges of a period awake that count.
  core::Cycle counted(core::Cycle from, core::Cycle until) const {
    return std::max<core::Cycle>(0, std::min(until, counted_until_) - from);
  }

  void run();
  void take_fault(const core::HartFault& fault);
  void catch_up(core::Cycle cycle);
  void let_world_act(Picoseconds time);
  core::Cycle reach(Owner owner, core::Cycle request);

  Agenda& agenda_;
  core::Hart hart_;
  Map map_;
  Alarm alarm_;  // alarm of the boot, and of every wake-up
  std::optional<std::uint32_t> exit_code_;
  core::Cycle exit_edge_ = 0;
  std::optional<soc::CoreFault> fault_;

  bool is_core_acting_ = false;  // the present action is the core's access, not an alarm of the
                                 // world
  std::uint64_t accesses_ = 0;
  std::int64_t awake_cycles_ = 0;
  core::Cycle counted_until_ = std::numeric_limits<core::Cycle>::max();
  core::Cycle asleep_from_ = 0;
  core::Cycle awake_from_ = -1;  // the edge after this one is the first that the core gets
};

}  // namespace headstack::tlm
