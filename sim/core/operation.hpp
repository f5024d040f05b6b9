// SPDX-License-Identifier: Apache-2.0
/// @file
/// The arithmetic of instructions (RISC-V unprivileged ISA).
#pragma once

#include <cstdint>

#include "sim/core/instruction.hpp"

namespace headstack::core {

/// Extends the sign of the low `bits`, 8 or 16.
constexpr std::uint32_t sign_extend(std::uint32_t value, unsigned bits) {
  const std::uint32_t sign = 1U << (bits - 1);
  return ((value & (sign * 2U - 1U)) ^ sign) - sign;
}

/// Whether a branch is taken.
constexpr bool is_taken(Op op, std::uint32_t a, std::uint32_t b) {
  const auto sa = static_cast<std::int32_t>(a);
  const auto sb = static_cast<std::int32_t>(b);
  switch (op) {
    case Op::kBeq: return a == b;
    case Op::kBne: return a != b;
    case Op::kBlt: return sa < sb;
    case Op::kBge: return sa >= sb;
    case Op::kBltu: return a < b;
    default: return a >= b;
  }
}

/// The value that an instruction puts into rd.
constexpr std::uint32_t compute(Op op, std::uint32_t imm, std::uint32_t a, std::uint32_t b) {
  const auto sa = static_cast<std::int32_t>(a);
  const auto sb = static_cast<std::int32_t>(b);
  const bool overflows = a == 0x8000'0000U && sb == -1;  // a division that overflows
  switch (op) {
    case Op::kAddi: return a + imm;
    case Op::kSlti: return sa < static_cast<std::int32_t>(imm) ? 1 : 0;
    case Op::kSltiu: return a < imm ? 1 : 0;
    case Op::kXori: return a ^ imm;
    case Op::kOri: return a | imm;
    case Op::kAndi: return a & imm;
    case Op::kSlli: return a << imm;
    case Op::kSrli: return a >> imm;
    case Op::kSrai: return static_cast<std::uint32_t>(sa >> imm);
    case Op::kAdd: return a + b;
    case Op::kSub: return a - b;
    case Op::kSll: return a << (b & 31U);
    case Op::kSlt: return sa < sb ? 1 : 0;
    case Op::kSltu: return a < b ? 1 : 0;
    case Op::kXor: return a ^ b;
    case Op::kSrl: return a >> (b & 31U);
    case Op::kSra: return static_cast<std::uint32_t>(sa >> (b & 31U));
    case Op::kOr: return a | b;
    case Op::kAnd: return a & b;
    case Op::kMul: return a * b;
    case Op::kMulh: return static_cast<std::uint32_t>(std::int64_t{sa} * sb >> 32);
    case Op::kMulhsu: return static_cast<std::uint32_t>(std::int64_t{sa} * std::int64_t{b} >> 32);
    case Op::kMulhu: return static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32);
    case Op::kDiv: return b == 0 ? ~0U : overflows ? a : static_cast<std::uint32_t>(sa / sb);
    case Op::kDivu: return b == 0 ? ~0U : a / b;
    case Op::kRem: return b == 0 ? a : overflows ? 0 : static_cast<std::uint32_t>(sa % sb);
    case Op::kRemu: return b == 0 ? a : a % b;
    default: return 0;
  }
}

}  // namespace headstack::core
