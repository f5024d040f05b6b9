// SPDX-License-Identifier: Apache-2.0
#include "sim/core/csr.hpp"

namespace headstack::core {
namespace {

enum Number : unsigned {
  kMisa = 0x301,
  kMtvec = 0x305,
  kMcounteren = 0x306,
  kMenvcfg = 0x30A,
  kMstatush = 0x310,
  kMenvcfgh = 0x31A,
  kMcountinhibit = 0x320,
  kMhpmevent3 = 0x323,
  kMhpmevent31 = 0x33F,
  kMscratch = 0x340,
  kMepc = 0x341,
  kMcause = 0x342,
  kMtval = 0x343,
  kCpuctrlsts = 0x7C0,
  kSecureseed = 0x7C1,
  kMcycle = 0xB00,
  kMinstret = 0xB02,
  kMhpmcounter3 = 0xB03,
  kMhpmcounter31 = 0xB1F,
  kMcycleh = 0xB80,
  kMinstreth = 0xB82,
  kMhpmcounter3h = 0xB83,
  kMhpmcounter31h = 0xB9F,
  kMvendorid = 0xF11,
  kMarchid = 0xF12,
  kMimpid = 0xF13,
  kMhartid = 0xF14,
  kMconfigptr = 0xF15,
};

constexpr std::uint32_t kMisaValue = 0x4010'1104;  // RV32IMC, user mode
constexpr std::uint32_t kArchitecture = 22;        // Ibex, in RISC-V International's list
constexpr std::uint32_t kMieBits = 0x7FFF'0888;
constexpr std::uint32_t kMachine = 3;
// Bits of cpuctrlsts. The others control what this core does not have, and are 0.
constexpr std::uint32_t kExceptionSeen = 1U << 6;    // set from an exception to mret
constexpr std::uint32_t kDoubleFaultSeen = 1U << 7;  // set by a double fault, until it is written

constexpr bool is_between(unsigned number, unsigned first, unsigned last) {
  return number >= first && number <= last;
}

/// The counter after a write of one half.
constexpr std::uint64_t with_half(std::uint64_t counter, std::uint32_t value, bool high) {
  return high ? std::uint64_t{value} << 32 | static_cast<std::uint32_t>(counter)
              : counter >> 32 << 32 | value;
}

}  // namespace

std::uint32_t Csrs::mstatus() const {
  return (mie_bit_ ? 1U << 3 : 0U) | (mpie_ ? 1U << 7 : 0U) | mpp_ << 11 | (mprv_ ? 1U << 17 : 0U) |
         (tw_ ? 1U << 21 : 0U);
}

std::uint64_t Csrs::cycles(Cycle done) const {
  const bool stands = (mcountinhibit_ & 1U) != 0;
  return stands ? cycles_ : cycles_ + static_cast<std::uint64_t>(done - cycles_since_);
}

std::uint64_t Csrs::instructions(std::uint64_t retired) const {
  const bool stands = (mcountinhibit_ & 4U) != 0;
  return stands ? minstret_ : minstret_ + (retired - retired_since_);
}

/// minstret as an instruction reads it before its own retire(). Ibex adds 1 for the last
/// instruction in the write-back stage. The sum ignores whether the stage still holds that
/// instruction (ibex_wb_stage.sv: perf_instr_ret_wb_spec_o has no wb_valid_q).
std::uint64_t Csrs::instructions_read(bool one_retires) const {
  const bool adds_one_more = !one_retires && retired_ > 0;
  return instructions(retired_ + (adds_one_more ? 1 : 0));
}

/// Brings the counters to the moment at which a write of the cycle `done` acts. Its instruction has
/// been counted as retired, but retires after the write.
void Csrs::settle_counters(Cycle done) {
  cycles_ = cycles(done + 1);
  cycles_since_ = done + 1;
  minstret_ = instructions(retired_ - 1);
  retired_since_ = retired_ - 1;
}

std::optional<std::uint32_t> Csrs::read(unsigned number, Cycle done, bool level,
                                        bool one_retires) const {
  if (!machine_mode_ && (number >> 8 & 3U) != 0) return std::nullopt;
  switch (number) {
    case kMstatus: return mstatus();
    case kMisa: return kMisaValue;
    case kMie: return mie_;
    case kMtvec: return mtvec_;
    case kMcountinhibit: return mcountinhibit_;
    case kMscratch: return mscratch_;
    case kMepc: return mepc_;
    case kMcause: return mcause_;
    case kMtval: return mtval_;
    case kMip: return level ? kExternal : 0;
    case kMarchid: return kArchitecture;
    case kMcycle: return static_cast<std::uint32_t>(cycles(done));
    case kMcycleh: return static_cast<std::uint32_t>(cycles(done) >> 32);
    case kMinstret: return static_cast<std::uint32_t>(instructions_read(one_retires));
    case kMinstreth: return static_cast<std::uint32_t>(instructions_read(one_retires) >> 32);
    case kCpuctrlsts: return cpuctrlsts_;
    case kSecureseed:  // used for dummy instructions, which this core does not have
    case kMcounteren:
    case kMstatush:
    case kMenvcfg:
    case kMenvcfgh:
    case kMvendorid:
    case kMimpid:
    case kMhartid:
    case kMconfigptr: return 0;
    default: break;
  }
  const bool is_event = is_between(number, kMhpmevent3, kMhpmevent31) ||
                        is_between(number, kMhpmcounter3, kMhpmcounter31) ||
                        is_between(number, kMhpmcounter3h, kMhpmcounter31h);
  return is_event ? std::optional<std::uint32_t>(0) : std::nullopt;
}

void Csrs::write(unsigned number, std::uint32_t value, Cycle done, bool one_retires) {
  switch (number) {
    case kMstatus: {
      mie_bit_ = (value >> 3 & 1U) != 0;
      mpie_ = (value >> 7 & 1U) != 0;
      const std::uint32_t mode = value >> 11 & 3U;
      mpp_ = mode == kMachine ? kMachine : 0;  // only machine and user mode exist
      mprv_ = (value >> 17 & 1U) != 0;
      tw_ = (value >> 21 & 1U) != 0;
      return;
    }
    case kMie: mie_ = value & kMieBits; return;
    case kMtvec: mtvec_ = (value & ~0xFFU) | 1U; return;
    case kMscratch: mscratch_ = value; return;
    case kMepc: mepc_ = value & ~1U; return;
    case kMcause: {
      // Two bits give the kind of the interrupt, and five its number (exc_cause_t).
      const bool internal = value >> 30 == 3;
      const bool external = value >> 30 == 2;
      mcause_ = (internal || external ? kInterrupt : 0U) | (internal ? 0x7FFF'FFE0U : 0U) |
                (value & 0x1FU);
      return;
    }
    case kMtval: mtval_ = value; return;
    case kCpuctrlsts: cpuctrlsts_ = value & (kExceptionSeen | kDoubleFaultSeen); return;
    case kMcountinhibit:
      settle_counters(done);
      mcountinhibit_ = value & 5U;
      return;
    case kMcycle:
    case kMcycleh: {
      const std::uint64_t now = cycles(done);
      settle_counters(done);
      cycles_ = with_half(now, value, number == kMcycleh);
      return;
    }
    case kMinstret:
    case kMinstreth: {
      // An instruction that retires in this very cycle is not counted.
      const std::uint64_t now = instructions(retired_ - (one_retires ? 2 : 1));
      settle_counters(done);
      minstret_ = with_half(now, value, number == kMinstreth);
      return;
    }
    default: return;  // the register has no bits that can be written
  }
}

std::uint32_t Csrs::enter_trap(std::uint32_t cause, std::uint32_t pc, std::uint32_t value) {
  mpie_ = mie_bit_;
  mie_bit_ = false;
  mpp_ = machine_mode_ ? kMachine : 0;
  machine_mode_ = true;
  mepc_ = pc;
  mcause_ = cause;
  mtval_ = value;
  if ((cause & kInterrupt) == 0) {
    if ((cpuctrlsts_ & kExceptionSeen) != 0) cpuctrlsts_ |= kDoubleFaultSeen;
    cpuctrlsts_ |= kExceptionSeen;
  }
  const std::uint32_t base = mtvec_ & ~0xFFU;
  return (cause & kInterrupt) != 0 ? base + 4 * (cause & 0x1FU) : base;
}

std::uint32_t Csrs::leave_trap() {
  mie_bit_ = mpie_;
  mpie_ = true;
  machine_mode_ = mpp_ == kMachine;
  mprv_ = mprv_ && machine_mode_;
  mpp_ = 0;
  cpuctrlsts_ &= ~kExceptionSeen;
  return mepc_;
}

}  // namespace headstack::core
