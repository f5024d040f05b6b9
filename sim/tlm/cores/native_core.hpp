// SPDX-License-Identifier: Apache-2.0
/// @file
/// The processor of the platform `native`: runs the firmware compiled for this machine, with a
/// fixed time for each register access.
///
/// Firmware runs inside an alarm of the core, from an interrupt to its next wfi. Its time passes
/// only at register accesses: the world runs for the access's price, then the access happens.
/// Firmware between two accesses takes no time. The core never takes an interrupt: a pending one
/// ends its sleep, and firmware reads the source from the controller. A sleeping core does nothing.
///
/// The time of an access is that of the edge that begins its cycle (ports.hpp). A core belongs to
/// one agenda, and an agenda runs one core, since firmware advances the agenda's time.
/// Agenda::now() may therefore be past the time that its owner requested.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/tlm/cores/processor.hpp"
#include "sim/tlm/kernel/agenda.hpp"

namespace headstack::tlm {

/// The program that runs on the core. While one of its functions runs, NativeCore::current() is its
/// core.
class Program {
 public:
  virtual ~Program() = default;
  /// Runs the code from reset to the main loop.
  virtual void start() = 0;
  /// Runs the body of the main loop, which ends with the sleep (wfi).
  virtual void step() = 0;
};

class NativeCore final : public Processor {
 public:
  /// Price of an access in clock cycles. A random read of 4 KB makes some 180 accesses: 6,600
  /// cycles, close to the 7,700 of the drive's core.
  static constexpr std::uint32_t kAccessPrice = 36;

  /// The core boots at the agenda's present time; call connect() before. Each register access takes
  /// `access_price` clock cycles. All arguments must outlive the core.
  NativeCore(Agenda& agenda, std::uint32_t access_price, Program& program);
  void connect(const Map& map) override { map_ = map; }

  /// The core whose firmware runs now; null if none does.
  static NativeCore* current() { return current_; }

  // The processor's functions for the firmware (firmware/hal/mmio.h, firmware/kernel/cpu.h).
  /// An address without a target ends the run like a trap on `rtl`, but without a program counter.
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

  static thread_local NativeCore* current_;  // one per thread: sessions in threads share nothing

  Agenda& agenda_;
  const Picoseconds access_price_;
  Program& program_;
  Map map_;
  Alarm alarm_;  // alarm of the boot, and of every wake-up

  bool started_ = false;
  bool asleep_ = false;
  bool level_ = false;  // level of the interrupt
  std::optional<std::uint32_t> exit_code_;

  std::uint64_t accesses_ = 0;
  Picoseconds awake_time_ = 0;
  Picoseconds awake_since_ = 0;
};

}  // namespace headstack::tlm
