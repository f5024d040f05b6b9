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

namespace {

/// The rules of hart.hpp, with the block's own accesses only: what was out before it has been
/// answered when the first instruction executes.
class Schedule {
 public:
  explicit Schedule(Block* block) : block_(*block) {}

  void add(std::uint32_t pc, const Instruction& in) {
    BlockTiming timing = next(pc);
    Cycle execute = timing.id;
    bool load_use = false;
    if (timing.access >= 0 && timing.access + 1 >= timing.id) {
      execute = timing.access + 1;
      load_use = timing.loads != 0 && (timing.loads == in.rs1 || timing.loads == in.rs2);
      if (load_use) ++execute;
    }
    timing.done = static_cast<std::uint16_t>(execute + more_cycles(in.op));
    timing.uses_word = in.bytes == 4 || (pc & 2U) != 0;
    block_.timing.push_back(timing);
    block_.set = static_cast<std::uint16_t>(load_use ? execute : timing.id);
    block_.length = timing.done;
    ++block_.count;
    if (is_load(in.op) || is_store(in.op)) {
      access_ = static_cast<std::int16_t>(timing.done);
      loads_ = is_load(in.op) ? in.rd : std::uint8_t{0};
    }
  }
  /// Behind the last.
  void end(std::uint32_t pc) { block_.timing.push_back(next(pc)); }

 private:
  BlockTiming next(std::uint32_t pc) const {
    BlockTiming timing;
    timing.pc = pc;
    timing.id =
        block_.count == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(block_.length + 1);
    timing.access = access_;
    timing.loads = loads_;
    return timing;
  }

  Block& block_;
  std::int16_t access_ = -1;
  std::uint8_t loads_ = 0;
};

BlockStep step_of(std::uint32_t pc, const Instruction& in) {
  BlockStep step{in.op, in.rd, in.rs1, in.rs2, in.imm};
  if (in.rd == 0) step.rd = Block::kNowhere;
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
  Schedule schedule(&block);
  for (const Instruction& in : code) {
    if (!is_plain(in.op) || block.count == Block::kMost) break;
    if (block.count == 0) {
      block.register_1 = in.rs1;
      block.register_2 = in.rs2;
    }
    schedule.add(pc, in);
    block.steps.push_back(step_of(pc, in));
    block.target = pc + in.imm;
    pc += in.bytes;
    if (is_jump(in.op)) break;
  }
  block.steps.push_back({});
  block.behind = pc;
  schedule.end(pc);
  count_words(&block);
  return block;
}

}  // namespace headstack::core
