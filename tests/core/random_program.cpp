// SPDX-License-Identifier: Apache-2.0
#include "tests/core/random_program.hpp"

#include <random>

#include "tests/core/assembler.hpp"

namespace headstack::core::test {
namespace {

// Registers with a purpose; the others are free.
constexpr Reg kData = 8;     // a place in RAM for loads and stores, short ones included
constexpr Reg kTimer = 9;    // the timer's page, with the other blocks after it
constexpr Reg kBuffer = 10;  // the window to the buffer
constexpr Reg kNobody = 11;  // an address without a target
constexpr Reg kCount = 12;   // counter of a loop
constexpr Reg kScratch = 28;
constexpr Reg kHandler1 = 30;
constexpr Reg kHandler2 = 31;

// hdl/README.md and hdl/regs/timer.rdl.
constexpr std::uint32_t kTimerPage = 0x4000'0000;
constexpr std::uint32_t kTimeLo = 0x00;
constexpr std::uint32_t kCompareLo = 0x08;
constexpr std::uint32_t kCompareHi = 0x0C;
constexpr std::uint32_t kControl = 0x10;
constexpr std::uint32_t kIrqEnable = 0x1004;  // IRQ_CTRL.ENABLE, from the timer's page
constexpr std::uint32_t kTracePage = 0x2000;  // TRACE_PORT.EVENT[0]
constexpr std::uint32_t kWindow0 = 0x5000'0000;
constexpr std::uint32_t kWindowBytes = 0x20'0000;
constexpr std::uint32_t kNowhere = 0x6000'0000;
constexpr std::uint32_t kDataPlace = 0x8'0000;

constexpr unsigned kMstatus = 0x300, kMie = 0x304, kMscratch = 0x340, kMepc = 0x341,
                   kMcause = 0x342, kMtval = 0x343, kMip = 0x344;
// Counters and the register that stops them; cpuctrlsts, which shows exceptions.
constexpr unsigned kCounters[] = {0xB00, 0xB02, 0xB80, 0xB82, 0x320, 0x7C0};

class Generator {
 public:
  Generator(std::uint64_t seed, unsigned classes) : random_(seed), classes_(classes) {}

  std::vector<std::uint8_t> make(std::uint32_t instructions) {
    vectors();
    set_up();
    for (std::uint32_t i = 0; i < instructions; ++i) item(0);
    // Only code before a wfi must be in line with the fetch queue.
    code_.word(Assembler::j_type(4, 0));
    code_.csr(7, 0, kMstatus, 8);  // interrupts off
    code_.csr(1, 0, kMie, 0);
    code_.wfi();
    code_.word(Assembler::j_type(static_cast<std::uint32_t>(-4), 0));
    return code_.bytes();
  }

 private:
  bool has(Class what) const { return (classes_ & what) != 0; }
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  bool chance(std::uint32_t in) { return below(in) == 0; }
  Reg any() {
    static constexpr Reg kFree[] = {0,  1,  2,  3,  4,  5,  6,  7,  13, 14, 15, 16,
                                    17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27};
    // There are few registers, so that an instruction often needs the result of the one before.
    return chance(3) ? kFree[below(23)] : 13 + below(3);
  }
  Reg low() { return chance(2) ? 13 + below(3) : 13U; }  // one of x8 to x15

  void vectors() {
    // Handlers lie after the table of 32 and the reset vector.
    const std::uint32_t exception = 0x84;
    for (unsigned i = 0; i < 32; ++i) {
      const std::uint32_t target = i == 11 ? interrupt_at() : exception;
      code_.word(Assembler::j_type(target - code_.at(), 0));
    }
    code_.word(Assembler::j_type(start_at() - code_.at(), 0));  // 0x80
    // Steps over the instruction that trapped, by its length.
    code_.csr(2, kHandler1, kMepc, 0);
    code_.i_type(0, kHandler1, 5, kHandler2, 0x03);  // lhu
    code_.i_type(3, kHandler2, 7, kHandler2, 0x13);  // andi
    code_.addi(kHandler2, kHandler2, static_cast<std::uint32_t>(-3) & 0xFFFU);
    code_.addi(kHandler1, kHandler1, 2);
    code_.word(Assembler::b_type(8, 0, kHandler2, 1));  // short
    code_.addi(kHandler1, kHandler1, 2);
    code_.csr(1, 0, kMepc, kHandler1);
    code_.csr(2, 20, kMcause, 0);
    code_.csr(2, 21, kMtval, 0);
    // Returns to machine mode from any mode.
    code_.li(kHandler1, 0x1800);
    code_.csr(2, 0, kMstatus, kHandler1);
    code_.mret();
    while (code_.at() < interrupt_at()) code_.word(0x13);
    // Acknowledges by turning the timer off.
    code_.sw(0, kTimer, kControl);
    code_.csr(2, kHandler1, kMepc, 0);
    code_.li(kHandler2, 0x1800);
    code_.csr(2, 0, kMstatus, kHandler2);
    code_.mret();
    while (code_.at() < start_at()) code_.word(0x13);
  }
  static std::uint32_t interrupt_at() { return 0xE0; }
  static std::uint32_t start_at() { return 0x120; }

  void set_up() {
    for (Reg rd = 1; rd < 28; ++rd) code_.li(rd, static_cast<std::uint32_t>(random_()));
    code_.li(kData, kDataPlace);
    code_.li(kTimer, kTimerPage);
    code_.li(kBuffer, kWindow0 + below(kWindowBytes / 0x1000) * 0x1000);
    code_.li(kNobody, kNowhere);
    code_.lui(kHandler1, kTimerPage + 0x1000);
    code_.addi(kHandler2, 0, 0x1F);
    code_.sw(kHandler2, kHandler1, kIrqEnable & 0xFFFU);
    code_.sw(0, kTimer, kCompareHi);
    code_.lui(kHandler1, 0x1000);
    code_.i_type(1, kHandler1, 5, kHandler1, 0x13);  // srli: MEIE
    code_.csr(1, 0, kMie, kHandler1);
    code_.csr(6, 0, kMstatus, 8);  // MIE
  }

  /// Adds one item of the program. Items inside of others have no jumps.
  void item(unsigned depth) {
    switch (below(20)) {
      case 0:
      case 1:
      case 2:
        if (has(kMemory)) return memory();
        break;
      case 3:
        if (has(kMultiply)) return multiply();
        break;
      case 4:
      case 5:
        if (has(kBranches) && depth < 2) return branch(depth);
        break;
      case 6:
        if (has(kBranches) && depth < 1) return loop();
        break;
      case 7:
        if (has(kCsrs)) return csr();
        break;
      case 8:
        if (has(kRegisters)) return access_register();
        break;
      case 9:
        if (has(kWindow)) return access(kBuffer, 0x800);
        break;
      case 10:
        if (has(kFaults)) return fault();
        break;
      case 11:
        if (has(kTraps)) return trap();
        break;
      case 12:
        if (has(kInterrupts)) return arm(below(60));
        break;
      case 13:
        if (has(kSleep)) return sleep();
        break;
      case 14:
        if (has(kUserMode)) return user_mode();
        break;
      case 15:
        if (has(kFences)) return code_.word(chance(2) ? 0x0FF0'000FU : 0x0000'100FU);
        break;
      default: break;
    }
    arithmetic();
  }

  void arithmetic() {
    if (has(kShort) && chance(2)) return short_arithmetic();
    const Reg rd = any();
    switch (below(4)) {
      case 0: return code_.lui(rd, static_cast<std::uint32_t>(random_()));
      case 1:
        return code_.word((static_cast<std::uint32_t>(random_()) & 0xFFFF'F000U) | rd << 7 | 0x17);
      case 2: {
        static constexpr unsigned kFunctions[] = {0, 2, 3, 4, 6, 7};
        if (chance(3)) {
          const bool right = chance(2);
          const unsigned upper = right && chance(2) ? 0x20 : 0;
          return code_.r_type(upper, below(32), any(), right ? 5 : 1, rd, 0x13);
        }
        return code_.i_type(below(4096), any(), kFunctions[below(6)], rd, 0x13);
      }
      default: {
        const unsigned function = below(8);
        const bool other = (function == 0 || function == 5) && chance(2);
        return code_.r_type(other ? 0x20 : 0, any(), any(), function, rd, 0x33);
      }
    }
  }

  void short_arithmetic() {
    const Reg rd = low();
    const std::uint32_t five = below(32);
    switch (below(9)) {
      case 0:
        return code_.half(0x0001U | (any_but_0() << 7) | five << 2 | below(2) << 12);  // c.addi
      case 1: return code_.half(0x4001U | (any_but_0() << 7) | five << 2 | below(2) << 12);  // c.li
      case 2: return code_.half(0x6001U | rd << 7 | (1 + below(31)) << 2);  // c.lui
      case 3:
        return code_.half(0x8001U | (rd - 8) << 7 | below(2) << 10 | five << 2);  // c.srli, c.srai
      case 4: return code_.half(0x8801U | (rd - 8) << 7 | five << 2 | below(2) << 12);  // c.andi
      case 5: return code_.half(0x8C01U | (rd - 8) << 7 | below(4) << 5 | (low() - 8) << 2);
      case 6: return code_.half(0x8002U | any_but_0() << 7 | any_but_0() << 2);  // c.mv
      case 7: return code_.half(0x9002U | any_but_0() << 7 | any_but_0() << 2);  // c.add
      default: return code_.half(0x0002U | any_but_0() << 7 | five << 2);        // c.slli
    }
  }
  Reg any_but_0() {
    const Reg reg = any();
    return reg == 0 ? 13 : reg;
  }

  void multiply() { code_.r_type(1, chance(6) ? 0 : any(), any(), below(8), any(), 0x33); }

  void memory() {
    if (has(kShort) && chance(3)) {
      const std::uint32_t offset = below(2) << 6 | below(8) << 10 | below(2) << 5;
      return code_.half((chance(2) ? 0x4000U : 0xC000U) | offset | (kData - 8) << 7 |
                        (low() - 8) << 2);
    }
    access(kData, 0x400);
  }

  /// A load or store of any width, within `range` bytes.
  void access(Reg base, std::uint32_t range) {
    const bool stores = chance(2);
    static constexpr unsigned kLoads[] = {0, 1, 2, 4, 5};
    const unsigned function = stores ? below(3) : kLoads[below(5)];
    std::uint32_t offset = below(range);
    if (!has(kMisaligned)) offset &= ~((1U << (function & 3U)) - 1U);
    if (stores) return code_.s_type(offset, any(), base, function);
    code_.i_type(offset, base, function, any(), 0x03);
  }

  void access_register() {
    switch (below(5)) {
      case 0: return code_.lw(any(), kTimer, kTimeLo);
      case 1: return code_.sw(any(), kTimer, kCompareHi);
      case 2:
        code_.lui(kScratch, kTimerPage + kTracePage);
        return code_.sw(any(), kScratch, 4 * below(64));
      case 3: return code_.lw(any(), kTimer, kCompareLo);
      default:
        code_.sw(0, kTimer, kCompareHi);
        return code_.i_type(below(4) + kCompareLo, kTimer, chance(2) ? 4 : 0, any(),
                            0x03);  // bytes
    }
  }

  void fault() {
    if (chance(3)) {  // a register that does not exist
      return chance(2) ? code_.lw(any(), kTimer, 0x7FC) : code_.sw(any(), kTimer, 0x7FC);
    }
    access(kNobody, 0x400);
  }

  void trap() {
    switch (below(5)) {
      case 0: return code_.word(0x0000'0073);
      case 1: return code_.word(0x0010'0073);
      case 2: return code_.half(0);
      case 3: return code_.half(0x9002);                  // c.ebreak
      default: return code_.csr(2, any(), 0x7FF, any());  // a register that does not exist
    }
  }

  void csr() {
    switch (below(9)) {
      case 7: return code_.csr(2, any(), kCounters[below(6)], 0);
      case 8: return code_.csr(1 + below(3), any(), kCounters[below(6)], any());
      case 0: return code_.csr(6, 0, kMstatus, 8);
      case 1: return code_.csr(7, 0, kMstatus, 8);
      case 2: return code_.csr(2, any(), kMstatus, 0);
      case 3: return code_.csr(1 + below(3), any(), kMscratch, any());
      case 4: return code_.csr(5 + below(3), any(), kMscratch, below(32));
      case 5: return code_.csr(2, any(), kMip, 0);
      default: return code_.csr(2, any(), kMie, 0);
    }
  }

  /// Sets the timer to expire some cycles from here.
  void arm(std::uint32_t cycles) {
    code_.sw(0, kTimer, kCompareHi);
    code_.lw(kScratch, kTimer, kTimeLo);
    code_.addi(kScratch, kScratch, cycles);
    code_.sw(kScratch, kTimer, kCompareLo);
    code_.addi(kScratch, 0, 1);
    code_.sw(kScratch, kTimer, kControl);
  }

  void sleep() {
    const bool off = chance(2);
    if (off) code_.csr(7, 0, kMstatus, 8);
    arm(below(80));
    for (std::uint32_t i = below(4); i > 0; --i) arithmetic();
    // The interrupt may have been handled already: then nothing would wake the core.
    if (!off) code_.csr(7, 0, kMstatus, 8);
    code_.sw(kScratch, kTimer, kControl);
    code_.wfi();
    for (std::uint32_t i = below(3); i > 0; --i) arithmetic();
    if (!off || chance(2)) code_.csr(6, 0, kMstatus, 8);
  }

  /// Enters user mode. The next trap or interrupt returns from it.
  void user_mode() {
    code_.li(kScratch, 0x1800);
    code_.csr(3, 0, kMstatus, kScratch);
    // auipc, addi: the address after the mret.
    code_.word(kScratch << 7 | 0x17);
    code_.addi(kScratch, kScratch, 16);
    code_.csr(1, 0, kMepc, kScratch);
    code_.mret();
    for (std::uint32_t i = below(5); i > 0; --i) arithmetic();
    code_.word(0x0000'0073);  // ecall
  }

  void branch(unsigned depth) {
    const std::uint32_t from = code_.at();
    const bool jumps = chance(3);
    static constexpr unsigned kFunctions[] = {0, 1, 4, 5, 6, 7};
    const unsigned function = kFunctions[below(6)];
    const Reg a = any();
    const Reg b = any();
    const Reg link = chance(2) ? 0U : any();
    code_.word(0x13);
    for (std::uint32_t i = below(5); i > 0; --i) item(depth + 1);
    const std::uint32_t offset = code_.at() - from;
    code_.patch(
        from, jumps ? Assembler::j_type(offset, link) : Assembler::b_type(offset, b, a, function));
  }

  void loop() {
    code_.addi(kCount, 0, 1 + below(4));
    const std::uint32_t top = code_.at();
    for (std::uint32_t i = 1 + below(4); i > 0; --i) item(1);
    code_.addi(kCount, kCount, 0xFFF);
    code_.word(Assembler::b_type(top - code_.at(), 0, kCount, 1));
  }

  std::mt19937_64 random_;
  unsigned classes_;
  Assembler code_{0};
};

}  // namespace

std::vector<std::uint8_t> random_program(std::uint64_t seed, unsigned classes,
                                         std::uint32_t instructions) {
  return Generator(seed, classes).make(instructions);
}

}  // namespace headstack::core::test
