// SPDX-License-Identifier: Apache-2.0
/// @file
/// Blocks: straight pieces of code whose cycles are computed once. The cycles hold if each access
/// is to RAM, and neither an interrupt nor the end of the run comes in between.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/core/cycle.hpp"
#include "sim/core/instruction.hpp"

namespace headstack::core {

/// The work of one instruction. It is kept small, because a run reads it most.
struct BlockStep {
  Op op = Op::kUndecoded;  // kUndecoded ends the block
  std::uint8_t rd = 0;     // destination; kNowhere instead of 0
  std::uint8_t rs1 = 0;
  std::uint8_t rs2 = 0;
  std::uint32_t imm = 0;  // immediate; of auipc: the result
};

/// The times of one instruction, in cycles from the one in which the block's first instruction
/// begins to execute.
struct BlockTiming {
  std::uint32_t pc = 0;
  std::uint16_t id = 0;    // when it enters ID
  std::uint16_t done = 0;  // its last cycle in ID/EX
  bool uses_word = false;  // whether it takes a word from the fetch queue
  // The last load or store before it: its `done`, and the register that it loads, 0 for none.
  std::int16_t access = -1;
  std::uint8_t loads = 0;
};

struct Block {
  static constexpr std::size_t kNowhere = 32;  // a register that is never read
  static constexpr std::size_t kMost = 48;     // instructions

  std::vector<BlockStep> steps;
  std::vector<BlockTiming> timing;  // one more entry than instructions: the last is for the next
                                    // one
  std::uint32_t count = 0;          // instructions; 0: the first one cannot be in a block
  std::uint32_t end_address = 0;    // address after the last instruction
  std::uint32_t target = 0;     // address to which the jump at its end leads, unless it is a jalr
  std::uint16_t length = 0;     // cycles up to the last one's `done`
  std::uint16_t set = 0;        // cycle in which a jump after other instructions sets the fetch
                                // address
  std::uint8_t register_1 = 0;  // registers that the first instruction reads
  std::uint8_t register_2 = 0;
  bool leads_to_sleep = false;  // a wfi follows in line, without a jump
  /// Words in the fetch queue after the last instruction, indexed by those after the first.
  std::array<std::uint8_t, 4> words{};

  // The blocks that follow, once they are known.
  Block* in_line = nullptr;
  Block* jumped = nullptr;
};

/// Words in the fetch queue after an instruction, at most three. The instruction enters ID `gap`
/// cycles after the one before.
constexpr unsigned words_behind(unsigned words, Cycle gap, bool uses_word) {
  const Cycle grown = gap - 1 < 3 - static_cast<Cycle>(words) ? words + gap - 1 : 3;
  return static_cast<unsigned>(grown) + (grown < 3 ? 1U : 0U) - (uses_word ? 1U : 0U);
}

/// Cycles that an instruction spends in ID/EX after its first one, unless it divides by 0.
Cycle more_cycles(Op op);

constexpr bool is_load(Op op) { return op >= Op::kLb && op <= Op::kLhu; }
constexpr bool is_store(Op op) { return op >= Op::kSb && op <= Op::kSw; }
/// Whether the operation is jal, jalr or a branch.
constexpr bool is_jump(Op op) { return op >= Op::kJal && op <= Op::kBgeu; }
constexpr unsigned kStackPointer = 2;  // sp
/// Whether the instruction adds a constant to the stack pointer, as functions do for their frames.
constexpr bool moves_stack(const Instruction& in) {
  return in.op == Op::kAddi && in.rd == kStackPointer && in.rs1 == kStackPointer;
}
/// Whether it sets the stack pointer in another way. The interpreter steps it, to check the result.
constexpr bool sets_stack(const Instruction& in) {
  return in.rd == kStackPointer && !moves_stack(in);
}

/// Whether the instruction only computes, accesses memory, or jumps.
constexpr bool is_plain(Op op) { return op >= Op::kLui && op <= Op::kFence; }

/// Whether a wfi follows in line from an address, without a jump. The fetch queue then decides when
/// the core's clock stops. `at` decodes an address, and returns kIllegal where there is no code.
template <class At>
bool leads_to_sleep(std::uint32_t address, At at) {
  for (;;) {
    const Instruction in = at(address);
    if (in.op == Op::kWfi) return true;
    if (in.op == Op::kJal || in.op == Op::kJalr || in.op == Op::kMret || in.op == Op::kIllegal) {
      return false;
    }
    address += in.bytes;
  }
}

/// The cycles of plain instructions in line, by the rules of hart.hpp. All their accesses are to
/// RAM, and an earlier access has been answered when the first of them executes.
class Schedule {
 public:
  struct Times {
    std::uint16_t id = 0;
    std::uint16_t done = 0;
    std::uint16_t set = 0;  // cycle in which a jump sets the fetch address
  };

  /// Adds the next instruction in line.
  Times add(const Instruction& in);
  /// A jump leads to the next instruction, which enters ID in cycle `next`.
  void jump(std::uint16_t next) {
    next_ = next;
    access_ = -1;
    loads_ = 0;
  }
  /// When the next instruction would enter ID.
  std::uint16_t next() const { return next_; }
  /// The last load or store: its `done`, -1 for none, and the register that it loads.
  std::int16_t access() const { return access_; }
  std::uint8_t loads() const { return loads_; }
  /// Whether the last access is still outstanding when the next instruction enters ID.
  bool access_is_out() const { return access_ >= 0 && access_ + 1 >= next_; }

 private:
  std::uint16_t next_ = 0;
  std::int16_t access_ = -1;
  std::uint8_t loads_ = 0;
};

/// Makes a block of the first instructions of `code`, which begins at `pc`. It ends with a jump,
/// before an instruction that is not plain or that sets the stack pointer, or with the last one.
Block make_block(std::uint32_t pc, const std::vector<Instruction>& code);

}  // namespace headstack::core
