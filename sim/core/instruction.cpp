// SPDX-License-Identifier: Apache-2.0
#include "sim/core/instruction.hpp"

namespace headstack::core {
namespace {

constexpr std::uint32_t bits(std::uint32_t word, unsigned high, unsigned low) {
  return word >> low & ((2U << (high - low)) - 1U);
}

constexpr std::uint32_t sign_extend(std::uint32_t value, unsigned width) {
  const std::uint32_t sign = 1U << (width - 1);
  return (value ^ sign) - sign;
}

Instruction make(Op op, unsigned bytes, unsigned rd, unsigned rs1, unsigned rs2,
                 std::uint32_t imm) {
  Instruction made;
  made.op = op;
  made.bytes = static_cast<std::uint8_t>(bytes);
  made.rd = static_cast<std::uint8_t>(rd);
  made.rs1 = static_cast<std::uint8_t>(rs1);
  made.rs2 = static_cast<std::uint8_t>(rs2);
  made.imm = imm;
  return made;
}

Instruction illegal(unsigned bytes) { return make(Op::kIllegal, bytes, 0, 0, 0, 0); }

// ------------------------------------------------------------------------------------- 32 bits

constexpr unsigned kLong = 4;

// Immediates of the formats (RISC-V unprivileged ISA, 2.3).
std::uint32_t immediate_i(std::uint32_t word) { return sign_extend(bits(word, 31, 20), 12); }
std::uint32_t immediate_s(std::uint32_t word) {
  return sign_extend(bits(word, 31, 25) << 5 | bits(word, 11, 7), 12);
}
std::uint32_t immediate_b(std::uint32_t word) {
  return sign_extend(bits(word, 31, 31) << 12 | bits(word, 7, 7) << 11 | bits(word, 30, 25) << 5 |
                         bits(word, 11, 8) << 1,
                     13);
}
std::uint32_t immediate_j(std::uint32_t word) {
  return sign_extend(bits(word, 31, 31) << 20 | bits(word, 19, 12) << 12 |
                         bits(word, 20, 20) << 11 | bits(word, 30, 21) << 1,
                     21);
}

Instruction decode_shift(std::uint32_t word, unsigned rd, unsigned rs1) {
  const std::uint32_t amount = bits(word, 24, 20);
  const std::uint32_t upper = bits(word, 31, 25);
  if (bits(word, 14, 12) == 1) {
    return upper == 0 ? make(Op::kSlli, kLong, rd, rs1, 0, amount) : illegal(kLong);
  }
  if (upper != 0 && upper != 0x20) return illegal(kLong);
  return make(upper == 0 ? Op::kSrli : Op::kSrai, kLong, rd, rs1, 0, amount);
}

Instruction decode_immediate(std::uint32_t word, unsigned rd, unsigned rs1) {
  static constexpr Op kOps[] = {Op::kAddi, Op::kIllegal, Op::kSlti, Op::kSltiu,
                                Op::kXori, Op::kIllegal, Op::kOri,  Op::kAndi};
  const std::uint32_t function = bits(word, 14, 12);
  if (function == 1 || function == 5) return decode_shift(word, rd, rs1);
  return make(kOps[function], kLong, rd, rs1, 0, immediate_i(word));
}

Instruction decode_register(std::uint32_t word, unsigned rd, unsigned rs1, unsigned rs2) {
  static constexpr Op kBase[] = {Op::kAdd, Op::kSll, Op::kSlt, Op::kSltu,
                                 Op::kXor, Op::kSrl, Op::kOr,  Op::kAnd};
  static constexpr Op kMultiply[] = {Op::kMul, Op::kMulh, Op::kMulhsu, Op::kMulhu,
                                     Op::kDiv, Op::kDivu, Op::kRem,    Op::kRemu};
  const std::uint32_t function = bits(word, 14, 12);
  switch (bits(word, 31, 25)) {
    case 0x00: return make(kBase[function], kLong, rd, rs1, rs2, 0);
    case 0x01: return make(kMultiply[function], kLong, rd, rs1, rs2, 0);
    case 0x20:
      if (function == 0) return make(Op::kSub, kLong, rd, rs1, rs2, 0);
      if (function == 5) return make(Op::kSra, kLong, rd, rs1, rs2, 0);
      return illegal(kLong);
    default: return illegal(kLong);
  }
}

Instruction decode_system(std::uint32_t word, unsigned rd, unsigned rs1) {
  static constexpr Op kCsr[] = {Op::kIllegal, Op::kCsrrw,  Op::kCsrrs,  Op::kCsrrc,
                                Op::kIllegal, Op::kCsrrwi, Op::kCsrrsi, Op::kCsrrci};
  const std::uint32_t function = bits(word, 14, 12);
  if (function > 4) return make(kCsr[function], kLong, rd, 0, 0, bits(word, 31, 20) | rs1 << 16);
  if (function != 0) return make(kCsr[function], kLong, rd, rs1, 0, bits(word, 31, 20));
  switch (word) {
    case 0x0000'0073: return make(Op::kEcall, kLong, 0, 0, 0, 0);
    case 0x0010'0073: return make(Op::kEbreak, kLong, 0, 0, 0, 0);
    case 0x3020'0073: return make(Op::kMret, kLong, 0, 0, 0, 0);
    case 0x1050'0073: return make(Op::kWfi, kLong, 0, 0, 0, 0);
    default: return illegal(kLong);
  }
}

Instruction decode_long(std::uint32_t word) {
  static constexpr Op kBranches[] = {Op::kBeq, Op::kBne, Op::kIllegal, Op::kIllegal,
                                     Op::kBlt, Op::kBge, Op::kBltu,    Op::kBgeu};
  static constexpr Op kLoads[] = {Op::kLb,  Op::kLh,  Op::kLw,      Op::kIllegal,
                                  Op::kLbu, Op::kLhu, Op::kIllegal, Op::kIllegal};
  static constexpr Op kStores[] = {Op::kSb,      Op::kSh,      Op::kSw,      Op::kIllegal,
                                   Op::kIllegal, Op::kIllegal, Op::kIllegal, Op::kIllegal};
  const unsigned rd = bits(word, 11, 7);
  const unsigned rs1 = bits(word, 19, 15);
  const unsigned rs2 = bits(word, 24, 20);
  const std::uint32_t function = bits(word, 14, 12);
  switch (bits(word, 6, 0)) {
    case 0x37: return make(Op::kLui, kLong, rd, 0, 0, word & 0xFFFF'F000U);
    case 0x17: return make(Op::kAuipc, kLong, rd, 0, 0, word & 0xFFFF'F000U);
    case 0x6F: return make(Op::kJal, kLong, rd, 0, 0, immediate_j(word));
    case 0x67:
      if (function != 0) return illegal(kLong);
      return make(Op::kJalr, kLong, rd, rs1, 0, immediate_i(word));
    case 0x63: return make(kBranches[function], kLong, 0, rs1, rs2, immediate_b(word));
    case 0x03: return make(kLoads[function], kLong, rd, rs1, 0, immediate_i(word));
    case 0x23: return make(kStores[function], kLong, 0, rs1, rs2, immediate_s(word));
    case 0x13: return decode_immediate(word, rd, rs1);
    case 0x33: return decode_register(word, rd, rs1, rs2);
    case 0x0F:
      if (function > 1) return illegal(kLong);
      return make(function == 0 ? Op::kFence : Op::kFenceI, kLong, 0, 0, 0, 0);
    case 0x73: return decode_system(word, rd, rs1);
    default: return illegal(kLong);
  }
}

// ------------------------------------------------------------------------------------- 16 bits

constexpr unsigned kShort = 2;
constexpr unsigned kRa = 1;
constexpr unsigned kSp = 2;

/// Decodes quadrant 0 (chapter "C", the quadrant's table).
Instruction decode_quadrant_0(std::uint32_t half) {
  const unsigned data = 8 + bits(half, 4, 2);
  const unsigned base = 8 + bits(half, 9, 7);
  const std::uint32_t offset =
      bits(half, 12, 10) << 3 | bits(half, 6, 6) << 2 | bits(half, 5, 5) << 6;
  switch (bits(half, 15, 13)) {
    case 0: {
      const std::uint32_t add = bits(half, 12, 11) << 4 | bits(half, 10, 7) << 6 |
                                bits(half, 6, 6) << 2 | bits(half, 5, 5) << 3;
      return add == 0 ? illegal(kShort) : make(Op::kAddi, kShort, data, kSp, 0, add);
    }
    case 2: return make(Op::kLw, kShort, data, base, 0, offset);
    case 6: return make(Op::kSw, kShort, 0, base, data, offset);
    default: return illegal(kShort);
  }
}

Instruction decode_short_arithmetic(std::uint32_t half, std::uint32_t imm) {
  static constexpr Op kRegister[] = {Op::kSub, Op::kXor, Op::kOr, Op::kAnd};
  const unsigned rd = 8 + bits(half, 9, 7);
  const unsigned rs2 = 8 + bits(half, 4, 2);
  const bool upper = bits(half, 12, 12) != 0;  // a shift's bit 5, which RV32 does not have
  switch (bits(half, 11, 10)) {
    case 0: return upper ? illegal(kShort) : make(Op::kSrli, kShort, rd, rd, 0, bits(half, 6, 2));
    case 1: return upper ? illegal(kShort) : make(Op::kSrai, kShort, rd, rd, 0, bits(half, 6, 2));
    case 2: return make(Op::kAndi, kShort, rd, rd, 0, imm);
    default:
      return upper ? illegal(kShort) : make(kRegister[bits(half, 6, 5)], kShort, rd, rd, rs2, 0);
  }
}

/// Decodes quadrant 1 (chapter "C", the quadrant's table).
Instruction decode_quadrant_1(std::uint32_t half) {
  const unsigned rd = bits(half, 11, 7);
  const unsigned tested = 8 + bits(half, 9, 7);
  const std::uint32_t imm = sign_extend(bits(half, 12, 12) << 5 | bits(half, 6, 2), 6);
  const std::uint32_t jump =
      sign_extend(bits(half, 12, 12) << 11 | bits(half, 11, 11) << 4 | bits(half, 10, 9) << 8 |
                      bits(half, 8, 8) << 10 | bits(half, 7, 7) << 6 | bits(half, 6, 6) << 7 |
                      bits(half, 5, 3) << 1 | bits(half, 2, 2) << 5,
                  12);
  const std::uint32_t branch =
      sign_extend(bits(half, 12, 12) << 8 | bits(half, 11, 10) << 3 | bits(half, 6, 5) << 6 |
                      bits(half, 4, 3) << 1 | bits(half, 2, 2) << 5,
                  9);
  switch (bits(half, 15, 13)) {
    case 0: return make(Op::kAddi, kShort, rd, rd, 0, imm);
    case 1: return make(Op::kJal, kShort, kRa, 0, 0, jump);
    case 2: return make(Op::kAddi, kShort, rd, 0, 0, imm);
    case 3: {
      if (rd == kSp) {
        const std::uint32_t add =
            sign_extend(bits(half, 12, 12) << 9 | bits(half, 6, 6) << 4 | bits(half, 5, 5) << 6 |
                            bits(half, 4, 3) << 7 | bits(half, 2, 2) << 5,
                        10);
        return add == 0 ? illegal(kShort) : make(Op::kAddi, kShort, kSp, kSp, 0, add);
      }
      return imm == 0 ? illegal(kShort) : make(Op::kLui, kShort, rd, 0, 0, imm << 12);
    }
    case 4: return decode_short_arithmetic(half, imm);
    case 5: return make(Op::kJal, kShort, 0, 0, 0, jump);
    case 6: return make(Op::kBeq, kShort, 0, tested, 0, branch);
    default: return make(Op::kBne, kShort, 0, tested, 0, branch);
  }
}

/// Decodes quadrant 2 (chapter "C", the quadrant's table).
Instruction decode_quadrant_2(std::uint32_t half) {
  const unsigned rd = bits(half, 11, 7);
  const unsigned rs2 = bits(half, 6, 2);
  const bool upper = bits(half, 12, 12) != 0;
  switch (bits(half, 15, 13)) {
    case 0: return upper ? illegal(kShort) : make(Op::kSlli, kShort, rd, rd, 0, rs2);
    case 2: {
      const std::uint32_t offset =
          bits(half, 12, 12) << 5 | bits(half, 6, 4) << 2 | bits(half, 3, 2) << 6;
      return rd == 0 ? illegal(kShort) : make(Op::kLw, kShort, rd, kSp, 0, offset);
    }
    case 4:
      if (rs2 != 0) return make(Op::kAdd, kShort, rd, upper ? rd : 0, rs2, 0);
      if (rd != 0) return make(Op::kJalr, kShort, upper ? kRa : 0, rd, 0, 0);
      return upper ? make(Op::kEbreak, kShort, 0, 0, 0, 0) : illegal(kShort);
    case 6:
      return make(Op::kSw, kShort, 0, kSp, rs2, bits(half, 12, 9) << 2 | bits(half, 8, 7) << 6);
    default: return illegal(kShort);
  }
}

}  // namespace

Instruction decode(std::uint32_t word) {
  const std::uint32_t half = word & 0xFFFFU;
  switch (word & 3U) {
    case 0: return decode_quadrant_0(half);
    case 1: return decode_quadrant_1(half);
    case 2: return decode_quadrant_2(half);
    default: return decode_long(word);
  }
}

}  // namespace headstack::core
