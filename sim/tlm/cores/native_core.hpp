/// @file
/// The processor's place on the platform `native`: runs the firmware compiled for this machine, at
/// one price for each register access.
///
/// Firmware runs inside an alarm of the core's, from an interrupt to its next wfi, and its time
/// passes at its register accesses: the price goes by, with all that the world does meanwhile, then
/// the access happens. No interrupt is ever taken: a pending one ends a sleep, and firmware asks
/// the controller which it is. What firmware does between two accesses takes no time of its own.
/// Asleep, the core does nothing.
///
/// Time at an access is that of the edge that begins its cycle (ports.hpp). A core may be run by
/// one agenda only, and an agenda runs one core: firmware moves its agenda's time on. Agenda::now()
/// may thus be past the time that its owner asked for.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/tlm/cores/processor.hpp"
#include "sim/tlm/kernel/agenda.hpp"

namespace headstack::tlm {

/// What runs on the core. While one of its functions runs, NativeCore::current() is its core.
class Program {
 public:
  virtual ~Program() = default;
  /// Out of reset, up to the main loop.
  virtual void start() = 0;
  /// The body of the main loop; sleeping (wfi) is the last that it does.
  virtual void step() = 0;
};

class NativeCore final : public Processor {
 public:
  /// In clock cycles. A random read of 4 KB makes some 180 accesses: 6,600 cycles, of the order of
  /// the 7,700 that the drive's core takes for it.
  static constexpr std::uint32_t kAccessPrice = 36;

  /// The core boots at the agenda's time as it is now; `connect` comes before. Each register access
  /// takes `access_price` clock cycles. All must outlive it.
  NativeCore(Agenda& agenda, std::uint32_t access_price, Program& program);
  void connect(const Map& map) override { map_ = map; }

  /// The core whose firmware runs now; null between.
  static NativeCore* current() { return current_; }

  // The processor, as firmware uses it (firmware/hal/mmio.h, firmware/kernel/cpu.h).
  /// An address that nobody owns ends the run as a trap does on `rtl`, with no program counter.
  std::uint32_t read(std::uint32_t address);
  void write(std::uint32_t address, std::uint32_t value);
  void wait_for_interrupt();

  bool asleep() const { return asleep_; }
  std::optional<std::uint32_t> exit_code() const override { return exit_code_; }
  std::uint64_t accesses() const override { return accesses_; }
  Picoseconds awake_time() const override { return awake_time_; }

  void interrupt_level(unsigned line, bool level) override;
  void firmware_exit(std::uint32_t code) override { exit_code_ = code; }

 private:
  /// Unwinds the firmware when it ends the run.
  struct Ended {};

  void run();
  void boot();
  void wake();
  void pass(Picoseconds duration);
  void pass_alarms(Picoseconds duration);
  void finish_access();
  [[noreturn]] void bus_error(bool write);

  static NativeCore* current_;

  Agenda& agenda_;
  const Picoseconds access_price_;
  Program& program_;
  Map map_;
  Alarm alarm_;  // boot, and what wakes the sleeper

  bool started_ = false;
  bool asleep_ = false;
  bool level_ = false;  // the interrupt
  std::optional<std::uint32_t> exit_code_;

  std::uint64_t accesses_ = 0;
  Picoseconds awake_time_ = 0;
  Picoseconds awake_since_ = 0;
};

}  // namespace headstack::tlm
