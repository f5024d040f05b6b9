// SPDX-License-Identifier: Apache-2.0
/// @file
/// Decoding of RV32IMC with Zicsr and Zifencei, in 16 or 32 bits. Sources: RISC-V unprivileged ISA;
/// privileged architecture for mret and wfi.
#pragma once

#include <cstdint>

namespace headstack::core {

enum class Op : std::uint8_t {
  kUndecoded,  // not decoded yet
  kIllegal,
  kLui,  // imm is the result
  kAuipc,
  kJal,
  kJalr,
  kBeq,
  kBne,
  kBlt,
  kBge,
  kBltu,
  kBgeu,
  kLb,
  kLh,
  kLw,
  kLbu,
  kLhu,
  kSb,
  kSh,
  kSw,
  kAddi,
  kSlti,
  kSltiu,
  kXori,
  kOri,
  kAndi,
  kSlli,
  kSrli,
  kSrai,
  kAdd,
  kSub,
  kSll,
  kSlt,
  kSltu,
  kXor,
  kSrl,
  kSra,
  kOr,
  kAnd,
  kMul,
  kMulh,
  kMulhsu,
  kMulhu,
  kDiv,
  kDivu,
  kRem,
  kRemu,
  kFence,
  kFenceI,
  kEcall,
  kEbreak,
  kMret,
  kWfi,
  kCsrrw,  // imm has the register's number in bits 11:0, and the value of the immediate forms in
           // 20:16
  kCsrrs,
  kCsrrc,
  kCsrrwi,
  kCsrrsi,
  kCsrrci,
  kMoveStack,  // only in blocks (block.hpp): an addi of the stack pointer
};

/// rs1 and rs2 are 0 if the instruction does not read them.
struct Instruction {
  Op op = Op::kUndecoded;
  std::uint8_t bytes = 0;  // 2 or 4
  std::uint8_t rd = 0;
  std::uint8_t rs1 = 0;
  std::uint8_t rs2 = 0;
  std::uint32_t imm = 0;
};

/// @param word  the 32 bits at the instruction's address; the upper half of a short instruction
///              does not matter.
Instruction decode(std::uint32_t word);

}  // namespace headstack::core
