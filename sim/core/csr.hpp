/// @file
/// Control and status registers as the drive's core has them: Ibex without PMP, counters of
/// hardware events and debug module (ibex_cs_registers.sv).
#pragma once

#include <cstdint>
#include <optional>

#include "sim/core/cycle.hpp"

namespace headstack::core {

class Csrs {
 public:
  bool machine_mode() const { return machine_mode_; }
  /// An interrupt may be taken, as far as these say.
  bool interrupts_enabled() const { return (mie_bit_ || !machine_mode_) && wakes(); }
  /// mie.MEIE: what ends a wfi, whatever MIE.
  bool wakes() const { return (mie_ & kExternal) != 0; }

  /// What an instruction reads whose last cycle in ID/EX is `done`; nothing: it is illegal, for a
  /// register that is not there or is not for this mode.
  /// @param level  of the interrupt line, in that cycle.
  std::optional<std::uint32_t> read(unsigned number, Cycle done, bool level) const;
  /// False: the register is read-only, and the instruction illegal.
  static bool is_writable(unsigned number) { return number >> 10 != 3; }
  void write(unsigned number, std::uint32_t value, Cycle done);
  /// A write of it flushes the pipeline.
  static bool flushes(unsigned number) { return number == kMstatus || number == kMie; }

  // For a debugger, what a program in machine mode reads.
  std::uint32_t mstatus() const;
  std::uint32_t mie() const { return mie_; }
  std::uint32_t mtvec() const { return mtvec_; }
  std::uint32_t mscratch() const { return mscratch_; }
  std::uint32_t mepc() const { return mepc_; }
  std::uint32_t mcause() const { return mcause_; }
  std::uint32_t mtval() const { return mtval_; }

  void retire(std::uint32_t instructions = 1) { retired_ += instructions; }

  /// An exception or an interrupt. @return the address of its handler.
  std::uint32_t enter_trap(std::uint32_t cause, std::uint32_t pc, std::uint32_t value);
  /// mret. @return where to.
  std::uint32_t leave_trap();

  static constexpr std::uint32_t kInterrupt = 1U << 31;
  static constexpr std::uint32_t kExternal = 1U << 11;
  static constexpr unsigned kMstatus = 0x300;
  static constexpr unsigned kMie = 0x304;
  static constexpr unsigned kMip = 0x344;

 private:
  std::uint64_t cycles(Cycle done) const;
  std::uint64_t instructions() const;

  bool machine_mode_ = true;
  bool mie_bit_ = false;
  bool mpie_ = true;
  bool mprv_ = false;
  bool tw_ = false;
  std::uint32_t mpp_ = 0;
  std::uint32_t mie_ = 0;
  std::uint32_t mtvec_ = 1;
  std::uint32_t mscratch_ = 0;
  std::uint32_t mepc_ = 0;
  std::uint32_t mcause_ = 0;
  std::uint32_t mtval_ = 0;
  std::uint32_t mcountinhibit_ = 0;
  // minstret is `minstret_` when `retired_` was `retired_since_`, and counts likewise.
  std::uint64_t minstret_ = 0;
  std::uint64_t retired_ = 0;
  std::uint64_t retired_since_ = 0;
  // mcycle is `cycles_` at `cycles_since_`, and counts from there unless it is inhibited.
  std::uint64_t cycles_ = 0;
  Cycle cycles_since_ = -1;
};

}  // namespace headstack::core
