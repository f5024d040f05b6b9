// SPDX-License-Identifier: Apache-2.0
#include "sim/core/block.hpp"

namespace headstack::core {

Cycle more_cycles(Op op) {
  switch (op) {
    case Op::kMul: return 2;
    case Op::kMulh:
    case Op::kMulhsu:
    case Op::kMulhu: return 3;
    case Op::kDiv:
    case Op::kDivu:
    case Op::kRem:
    case Op::kRemu: return 36;
    default: return 0;
  }
}

Schedule::Times Schedule::add(const Instruction& in) {
  Times times;
  times.id = next_;
  Cycle execute = next_;
  bool load_use = false;
  if (access_is_out()) {
    execute = access_ + 1;
    load_use = loads_ != 0 && (loads_ == in.rs1 || loads_ == in.rs2);
    if (load_use) ++execute;
  }
  times.done = static_cast<std::uint16_t>(execute + more_cycles(in.op));
  times.set = static_cast<std::uint16_t>(load_use ? execute : times.id);
  next_ = static_cast<std::uint16_t>(times.done + 1);
  if (is_load(in.op) || is_store(in.op)) {
    access_ = static_cast<std::int16_t>(times.done);
    loads_ = is_load(in.op) ? in.rd : std::uint8_t{0};
  }
  return times;
}

namespace {

BlockStep step_of(std::uint32_t pc, const Instruction& in) {
  BlockStep step{in.op, in.rd, in.rs1, in.rs2, in.imm};
  if (in.rd == 0) step.rd = Block::kNowhere;
  if (moves_stack(in)) step.op = Op::kMoveStack;
  if (in.op == Op::kAuipc) step = {Op::kLui, step.rd, 0, 0, pc + in.imm};
  return step;
}

void count_words(Block* block) {
  for (unsigned first = 0; first < block->words.size(); ++first) {
    unsigned words = first;
    for (std::uint32_t i = 1; i < block->count; ++i) {
      const Cycle gap = block->timing[i].id - block->timing[i - 1].id;
      words = words_behind(words, gap, block->timing[i].uses_word);
    }
    block->words[first] = static_cast<std::uint8_t>(words);
  }
}

}  // namespace

Block make_block(std::uint32_t pc, const std::vector<Instruction>& code) {
  Block block;
  Schedule schedule;
  const auto timing = [&] {
    BlockTiming now;
    now.pc = pc;
    now.id = schedule.next();
    now.access = schedule.access();
    now.loads = schedule.loads();
    return now;
  };
  for (const Instruction& in : code) {
    if (!is_plain(in.op) || sets_stack(in) || block.count == Block::kMost) break;
    if (block.count == 0) {
      block.register_1 = in.rs1;
      block.register_2 = in.rs2;
    }
    block.timing.push_back(timing());
    const Schedule::Times times = schedule.add(in);
    block.timing.back().done = times.done;
    block.timing.back().uses_word = in.bytes == 4 || (pc & 2U) != 0;
    block.set = times.set;
    block.length = times.done;
    ++block.count;
    block.steps.push_back(step_of(pc, in));
    block.target = pc + in.imm;
    pc += in.bytes;
    if (is_jump(in.op)) break;
  }
  block.steps.push_back({});
  block.end_address = pc;
  block.timing.push_back(timing());
  count_words(&block);
  return block;
}

}  // namespace headstack::core
