// SPDX-License-Identifier: Apache-2.0
/// @file
/// RV32IMC, one instruction at a time, by the RISC-V unprivileged ISA: the reference for the
/// debugger's view of the pipelined core.
///
/// The test handles traps, and accesses outside RAM: see Effect.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

namespace headstack::soc::test {

using Registers = std::array<std::uint32_t, 32>;

/// The effect of an instruction, besides its registers.
struct Effect {
  std::uint32_t next_pc = 0;
  std::optional<unsigned> unknown_register;  // it gets a value that only the hardware knows
  struct Store {
    std::uint32_t address;
    std::uint32_t bytes;
    std::uint32_t value;
  };
  std::optional<Store> store;
  bool may_trap = false;  // an access outside RAM, ECALL, EBREAK, or an illegal instruction
  bool returns = false;   // MRET: next_pc is mepc
};

class ReferenceCore {
 public:
  using Load = std::function<std::optional<std::uint32_t>(std::uint32_t address, unsigned bytes)>;
  using Csr = std::function<std::optional<std::uint32_t>(unsigned number)>;

  /// `load` returns the content of RAM, low byte first; nothing outside. `csr` returns the value of
  /// a register.
  ReferenceCore(Load load, Csr csr) : load_(std::move(load)), csr_(std::move(csr)) {}

  Effect step(Registers& x, std::uint32_t pc) const {
    const std::uint32_t low = load_(pc, 2).value();
    const bool wide = (low & 3) == 3;
    Effect effect;
    effect.next_pc = pc + (wide ? 4 : 2);
    const std::uint32_t instruction = wide ? low | load_(pc + 2, 2).value() << 16 : expand(low);
    execute(x, pc, instruction, effect);
    x[0] = 0;
    return effect;
  }

 private:
  static std::uint32_t bits(std::uint32_t word, unsigned high, unsigned low) {
    return word >> low & ((2U << (high - low)) - 1);
  }
  static std::uint32_t sign(std::uint32_t value, unsigned width) {
    const std::uint32_t top = 1U << (width - 1);
    return (value ^ top) - top;
  }

  // Formats of 32-bit instructions (RISC-V unprivileged ISA, 2.2).
  static std::uint32_t i_type(unsigned op, unsigned f3, unsigned rd, unsigned rs1,
                              std::uint32_t imm) {
    return imm << 20 | rs1 << 15 | f3 << 12 | rd << 7 | op;
  }
  static std::uint32_t r_type(unsigned f7, unsigned f3, unsigned rd, unsigned rs1, unsigned rs2) {
    return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | 0x33;
  }
  static std::uint32_t s_type(unsigned rs1, unsigned rs2, std::uint32_t imm) {
    return bits(imm, 11, 5) << 25 | rs2 << 20 | rs1 << 15 | 2U << 12 | bits(imm, 4, 0) << 7 | 0x23;
  }
  static std::uint32_t j_type(unsigned rd, std::uint32_t imm) {
    return bits(imm, 20, 20) << 31 | bits(imm, 10, 1) << 21 | bits(imm, 11, 11) << 20 |
           bits(imm, 19, 12) << 12 | rd << 7 | 0x6F;
  }
  static std::uint32_t b_type(unsigned f3, unsigned rs1, std::uint32_t imm) {
    return bits(imm, 12, 12) << 31 | bits(imm, 10, 5) << 25 | rs1 << 15 | f3 << 12 |
           bits(imm, 4, 1) << 8 | bits(imm, 11, 11) << 7 | 0x63;
  }

  /// The instruction that a compressed one stands for (chapter "C"); 0, which is illegal, for none.
  static std::uint32_t expand(std::uint32_t c) {
    const unsigned rd = bits(c, 11, 7);
    const unsigned rs2 = bits(c, 6, 2);
    const unsigned rd_low = 8 + bits(c, 4, 2);
    const unsigned rs1_low = 8 + bits(c, 9, 7);
    const std::uint32_t imm6 = sign(bits(c, 12, 12) << 5 | rs2, 6);
    const std::uint32_t word_offset =
        bits(c, 12, 10) << 3 | bits(c, 6, 6) << 2 | bits(c, 5, 5) << 6;
    const std::uint32_t jump = sign(
        bits(c, 12, 12) << 11 | bits(c, 11, 11) << 4 | bits(c, 10, 9) << 8 | bits(c, 8, 8) << 10 |
            bits(c, 7, 7) << 6 | bits(c, 6, 6) << 7 | bits(c, 5, 3) << 1 | bits(c, 2, 2) << 5,
        12);
    const std::uint32_t branch =
        sign(bits(c, 12, 12) << 8 | bits(c, 11, 10) << 3 | bits(c, 6, 5) << 6 | bits(c, 4, 3) << 1 |
                 bits(c, 2, 2) << 5,
             9);
    switch (bits(c, 1, 0) << 3 | bits(c, 15, 13)) {
      case 000:
        return i_type(
            0x13, 0, rd_low, 2,
            bits(c, 12, 11) << 4 | bits(c, 10, 7) << 6 | bits(c, 6, 6) << 2 | bits(c, 5, 5) << 3);
      case 002: return i_type(0x03, 2, rd_low, rs1_low, word_offset);
      case 006: return s_type(rs1_low, rd_low, word_offset);
      case 010: return i_type(0x13, 0, rd, rd, imm6);
      case 011: return j_type(1, jump);
      case 012: return i_type(0x13, 0, rd, 0, imm6);
      case 013:
        if (rd == 2) {
          return i_type(0x13, 0, 2, 2,
                        sign(bits(c, 12, 12) << 9 | bits(c, 6, 6) << 4 | bits(c, 5, 5) << 6 |
                                 bits(c, 4, 3) << 7 | bits(c, 2, 2) << 5,
                             10));
        }
        return imm6 << 12 | rd << 7 | 0x37;
      case 014: return expand_arithmetic(c, rs1_low, rd_low, rs2, imm6);
      case 015: return j_type(0, jump);
      case 016: return b_type(0, rs1_low, branch);
      case 017: return b_type(1, rs1_low, branch);
      case 020: return i_type(0x13, 1, rd, rd, rs2);
      case 022:
        return i_type(0x03, 2, rd, 2,
                      bits(c, 12, 12) << 5 | bits(c, 6, 4) << 2 | bits(c, 3, 2) << 6);
      case 024:
        if (bits(c, 12, 12) == 0) {
          return rs2 == 0 ? i_type(0x67, 0, 0, rd, 0) : r_type(0, 0, rd, 0, rs2);
        }
        if (rs2 != 0) return r_type(0, 0, rd, rd, rs2);
        return rd == 0 ? 0x0010'0073 : i_type(0x67, 0, 1, rd, 0);
      case 026: return s_type(2, rs2, bits(c, 12, 9) << 2 | bits(c, 8, 7) << 6);
      default: return 0;
    }
  }
  static std::uint32_t expand_arithmetic(std::uint32_t c, unsigned rd, unsigned rs2,
                                         unsigned amount, std::uint32_t imm) {
    switch (bits(c, 11, 10)) {
      case 0: return i_type(0x13, 5, rd, rd, amount);
      case 1: return i_type(0x13, 5, rd, rd, 0x400 | amount);
      case 2: return i_type(0x13, 7, rd, rd, imm);
      default: break;
    }
    constexpr unsigned kFunctions[] = {0, 4, 6, 7};
    const unsigned which = bits(c, 6, 5);
    return r_type(which == 0 ? 0x20 : 0, kFunctions[which], rd, rd, rs2);
  }

  void execute(Registers& x, std::uint32_t pc, std::uint32_t i, Effect& effect) const {
    const unsigned rd = bits(i, 11, 7);
    const unsigned f3 = bits(i, 14, 12);
    const std::uint32_t a = x[bits(i, 19, 15)];
    const std::uint32_t b = x[bits(i, 24, 20)];
    const std::uint32_t imm = sign(bits(i, 31, 20), 12);
    switch (bits(i, 6, 0)) {
      case 0x37: x[rd] = i & 0xFFFF'F000; break;
      case 0x17: x[rd] = pc + (i & 0xFFFF'F000); break;
      case 0x6F:
        x[rd] = effect.next_pc;
        effect.next_pc = pc + sign(bits(i, 31, 31) << 20 | bits(i, 19, 12) << 12 |
                                       bits(i, 20, 20) << 11 | bits(i, 30, 21) << 1,
                                   21);
        break;
      case 0x67: {
        const std::uint32_t link = effect.next_pc;
        effect.next_pc = (a + imm) & ~1U;
        x[rd] = link;
        break;
      }
      case 0x63:
        if (taken(f3, a, b)) {
          effect.next_pc = pc + sign(bits(i, 31, 31) << 12 | bits(i, 7, 7) << 11 |
                                         bits(i, 30, 25) << 5 | bits(i, 11, 8) << 1,
                                     13);
        }
        break;
      case 0x03: load(x, rd, f3, a + imm, effect); break;
      case 0x23: {
        const std::uint32_t address = a + sign(bits(i, 31, 25) << 5 | bits(i, 11, 7), 12);
        const std::uint32_t bytes = 1U << f3;
        const std::uint32_t kept = bytes == 4 ? b : b & ((1U << 8 * bytes) - 1);
        effect.store = Effect::Store{address, bytes, kept};
        effect.may_trap = !load_(address, bytes);
        break;
      }
      case 0x13: x[rd] = compute(f3, a, imm, f3 == 5 && bits(i, 30, 30) != 0); break;
      case 0x33:
        x[rd] = bits(i, 31, 25) == 1 ? multiply(f3, a, b)
                                     : compute(f3, f3 == 0 && bits(i, 30, 30) != 0 ? a - b : a,
                                               f3 == 0 && bits(i, 30, 30) != 0 ? 0 : b,
                                               f3 == 5 && bits(i, 30, 30) != 0);
        break;
      case 0x0F: break;  // FENCE
      case 0x73: system(x, rd, f3, i, effect); break;
      default: effect.may_trap = true;
    }
  }

  static bool taken(unsigned f3, std::uint32_t a, std::uint32_t b) {
    const auto sa = static_cast<std::int32_t>(a);
    const auto sb = static_cast<std::int32_t>(b);
    switch (f3) {
      case 0: return a == b;
      case 1: return a != b;
      case 4: return sa < sb;
      case 5: return sa >= sb;
      case 6: return a < b;
      default: return a >= b;
    }
  }

  void load(Registers& x, unsigned rd, unsigned f3, std::uint32_t address, Effect& effect) const {
    const unsigned bytes = 1U << (f3 & 3);
    const auto value = load_(address, bytes);
    if (!value) {
      effect.may_trap = true;
      effect.unknown_register = rd;
    } else {
      x[rd] = (f3 & 4) != 0 || bytes == 4 ? *value : sign(*value, 8 * bytes);
    }
  }

  static std::uint32_t compute(unsigned f3, std::uint32_t a, std::uint32_t b, bool arithmetic) {
    switch (f3) {
      case 0: return a + b;
      case 1: return a << (b & 31);
      case 2: return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b) ? 1 : 0;
      case 3: return a < b ? 1 : 0;
      case 4: return a ^ b;
      case 5:
        return arithmetic ? static_cast<std::uint32_t>(static_cast<std::int32_t>(a) >> (b & 31))
                          : a >> (b & 31);
      case 6: return a | b;
      default: return a & b;
    }
  }

  static std::uint32_t multiply(unsigned f3, std::uint32_t a, std::uint32_t b) {
    const auto sa = static_cast<std::int64_t>(static_cast<std::int32_t>(a));
    const auto sb = static_cast<std::int64_t>(static_cast<std::int32_t>(b));
    const bool overflow = a == 0x8000'0000 && b == 0xFFFF'FFFF;
    switch (f3) {
      case 0: return a * b;
      case 1: return static_cast<std::uint32_t>(static_cast<std::uint64_t>(sa * sb) >> 32);
      case 2:
        return static_cast<std::uint32_t>(
            static_cast<std::uint64_t>(sa * static_cast<std::int64_t>(b)) >> 32);
      case 3: return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32);
      case 4: return b == 0 ? ~0U : overflow ? a : static_cast<std::uint32_t>(sa / sb);
      case 5: return b == 0 ? ~0U : a / b;
      case 6: return b == 0 ? a : overflow ? 0 : static_cast<std::uint32_t>(sa % sb);
      default: return b == 0 ? a : a % b;
    }
  }

  void system(Registers& x, unsigned rd, unsigned f3, std::uint32_t i, Effect& effect) const {
    if (f3 != 0) {
      const auto value = csr_(bits(i, 31, 20));
      if (value) {
        x[rd] = *value;
      } else {
        effect.unknown_register = rd;
        effect.may_trap = true;
      }
    } else if (i == 0x3020'0073) {
      effect.returns = true;
    } else if (i != 0x1050'0073) {  // WFI
      effect.may_trap = true;
    }
  }

  Load load_;
  Csr csr_;
};

}  // namespace headstack::soc::test
