/// @file
/// Straight pieces of code whose cycles are worked out once: what every instruction takes when each
/// access is one of RAM, and nothing comes in between.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/core/cycle.hpp"
#include "sim/core/instruction.hpp"

namespace headstack::core {

/// What is to be done, as small as can be: this is what a run reads most.
struct BlockStep {
  Op op = Op::kUndecoded;  // kUndecoded ends the block
  std::uint8_t rd = 0;     // kNowhere instead of 0
  std::uint8_t rs1 = 0;
  std::uint8_t rs2 = 0;
  std::uint32_t imm = 0;  // of auipc, the result
};

/// When, in cycles from that in which the block's first instruction begins to execute.
struct BlockTiming {
  std::uint32_t pc = 0;
  std::uint16_t id = 0;    // enters ID
  std::uint16_t done = 0;  // its last cycle there
  bool uses_word = false;  // takes a word from the fetch queue
  // The last load or store before it: its `done`, and the register that it loads, 0 for none.
  std::int16_t access = -1;
  std::uint8_t loads = 0;
};

struct Block {
  static constexpr std::size_t kNowhere = 32;  // a register that nobody reads
  static constexpr std::size_t kMost = 48;     // instructions

  std::vector<BlockStep> steps;
  std::vector<BlockTiming> timing;  // one more than instructions: where the next would stand
  std::uint32_t count = 0;          // instructions; 0: the first one is not for a block
  std::uint32_t behind = 0;         // address of the next in line
  std::uint32_t target = 0;         // of the jump at its end, but for jalr
  std::uint16_t length = 0;         // cycles up to the last one's `done`
  std::uint16_t set = 0;            // of a jump that is not alone: it sets the fetch address
  std::uint8_t register_1 = 0;      // what the first one reads
  std::uint8_t register_2 = 0;
  bool leads_to_sleep = false;  // in line, without a jump, a wfi follows
  /// Words in the fetch queue behind the last, by those behind the first.
  std::array<std::uint8_t, 4> words{};

  // What comes next, once that is known.
  Block* in_line = nullptr;
  Block* jumped = nullptr;
};

/// Words in the fetch queue, three at most, behind an instruction. It enters ID `gap` cycles after
/// the one before.
constexpr unsigned words_behind(unsigned words, Cycle gap, bool uses_word) {
  const Cycle grown = gap - 1 < 3 - static_cast<Cycle>(words) ? words + gap - 1 : 3;
  return static_cast<unsigned>(grown) + (grown < 3 ? 1U : 0U) - (uses_word ? 1U : 0U);
}

/// What an instruction takes in ID/EX beyond the first cycle, when it divides by nothing that is 0.
Cycle more_cycles(Op op);

constexpr bool is_load(Op op) { return op >= Op::kLb && op <= Op::kLhu; }
constexpr bool is_store(Op op) { return op >= Op::kSb && op <= Op::kSw; }
/// jal, jalr and the branches.
constexpr bool is_jump(Op op) { return op >= Op::kJal && op <= Op::kBgeu; }
/// It does nothing but compute, access memory, or jump.
constexpr bool is_plain(Op op) { return op >= Op::kLui && op <= Op::kFence; }

/// In line from an address on, without a jump, a wfi follows: there the fetch queue decides when
/// the core's clock stops. `at` decodes an address, kIllegal where there is no code.
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

/// The cycles of plain instructions in line, by the rules of hart.hpp, with their own accesses
/// only, all of RAM: what was out before the first has been answered when that executes.
class Schedule {
 public:
  struct Times {
    std::uint16_t id = 0;
    std::uint16_t done = 0;
    std::uint16_t set = 0;  // a jump sets the fetch address
  };

  /// The next in line.
  Times add(const Instruction& in);
  /// A jump has led to what is next, which enters ID then.
  void jump(std::uint16_t next) {
    next_ = next;
    access_ = -1;
    loads_ = 0;
  }
  /// When what follows would enter ID.
  std::uint16_t next() const { return next_; }
  /// The last load or store: its `done`, -1 for none, and the register that it loads.
  std::int16_t access() const { return access_; }
  std::uint8_t loads() const { return loads_; }
  /// The last access has not been answered before what follows enters ID.
  bool access_is_out() const { return access_ >= 0 && access_ + 1 >= next_; }

 private:
  std::uint16_t next_ = 0;
  std::int16_t access_ = -1;
  std::uint8_t loads_ = 0;
};

/// Of the first of these, which follow each other from `pc` on: up to a jump, to what is not plain,
/// or to the last.
Block make_block(std::uint32_t pc, const std::vector<Instruction>& code);

}  // namespace headstack::core
