// SPDX-License-Identifier: Apache-2.0
/// @file
/// Control and status registers of the drive's core: Ibex without PMP, without counters of hardware
/// events, and without debug module (ibex_cs_registers.sv).
#pragma once

#include <cstdint>
#include <optional>

#include "sim/core/cycle.hpp"

namespace headstack::core {

class Csrs {
 public:
  bool machine_mode() const { return machine_mode_; }
  /// Whether a wfi is illegal: mstatus.TW, in user mode.
  bool traps_wfi() const { return tw_ && !machine_mode_; }
  /// Whether the registers allow an interrupt to be taken.
  bool interrupts_enabled() const { return (mie_bit_ || !machine_mode_) && wakes(); }
  /// mie.MEIE: whether the interrupt ends a wfi, independent of MIE.
  bool wakes() const { return (mie_ & kExternal) != 0; }

  /// The value that an instruction reads whose last cycle in ID/EX is `done`. Nothing if it is
  /// illegal: the register does not exist, or not in this mode.
  /// @param level        level of the interrupt line in that cycle.
  /// @param one_retires  whether the instruction before it retires in that cycle.
  std::optional<std::uint32_t> read(unsigned number, Cycle done, bool level,
                                    bool one_retires) const;
  /// False for a read-only register: then the instruction is illegal.
  static bool is_writable(unsigned number) { return number >> 10 != 3; }
  /// Writes a register, after retire() for the instruction, whose last cycle in ID/EX is `done`.
  /// @param one_retires  whether the instruction before it retires in that cycle.
  void write(unsigned number, std::uint32_t value, Cycle done, bool one_retires);
  /// Whether a write of the register flushes the pipeline.
  static bool flushes(unsigned number) { return number == kMstatus || number == kMie; }

  // For a debugger: the values that a program in machine mode reads.
  std::uint32_t mstatus() const;
  std::uint32_t mie() const { return mie_; }
  std::uint32_t mtvec() const { return mtvec_; }
  std::uint32_t mscratch() const { return mscratch_; }
  std::uint32_t mepc() const { return mepc_; }
  std::uint32_t mcause() const { return mcause_; }
  std::uint32_t mtval() const { return mtval_; }

  /// Reports clock edges that the core did not get.
  void miss(Cycle edges) {
    if ((mcountinhibit_ & 1U) == 0) cycles_since_ += edges;
  }
  void retire(std::uint32_t instructions = 1) { retired_ += instructions; }

  /// Takes an exception or an interrupt. @return the address of its handler.
  std::uint32_t enter_trap(std::uint32_t cause, std::uint32_t pc, std::uint32_t value);
  /// Executes mret. @return the address at which execution continues.
  std::uint32_t leave_trap();

  static constexpr std::uint32_t kInterrupt = 1U << 31;
  static constexpr std::uint32_t kExternal = 1U << 11;
  static constexpr unsigned kMstatus = 0x300;
  static constexpr unsigned kMie = 0x304;
  static constexpr unsigned kMip = 0x344;

 private:
  std::uint64_t cycles(Cycle done) const;
  std::uint64_t instructions(std::uint64_t retired) const;
  std::uint64_t instructions_read(bool one_retires) const;
  void settle_counters(Cycle done);

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
  std::uint32_t cpuctrlsts_ = 0;
  std::uint32_t mcountinhibit_ = 0;
  // minstret was `minstret_` when `retired_` was `retired_since_`, and counts in the same way.
  std::uint64_t minstret_ = 0;
  std::uint64_t retired_ = 0;
  std::uint64_t retired_since_ = 0;
  // mcycle was `cycles_` at `cycles_since_`, and counts from there unless it is inhibited.
  std::uint64_t cycles_ = 0;
  Cycle cycles_since_ = -1;
};

}  // namespace headstack::core
