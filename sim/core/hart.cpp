// SPDX-License-Identifier: Apache-2.0
#include "sim/core/hart.hpp"

#include <algorithm>
#include <cstring>

#include "sim/assert.hpp"
#include "sim/core/operation.hpp"
#include "sim/core/translator_id.hpp"

namespace headstack::core {
namespace {

enum Cause : std::uint32_t {
  kFetchFault = 1,
  kIllegalInstruction = 2,
  kBreakpoint = 3,
  kLoadFault = 5,
  kStoreFault = 7,
  kUserCall = 8,
  kMachineCall = 11,
  kExternalInterrupt = Csrs::kInterrupt | 11,
};

/// Cycles in ID/EX beyond the first, for a division by 0.
constexpr Cycle kDivideByZeroMore = 1;

// Cycles until the next instruction enters ID. kInLine and kFlushed count from `done`. The others
// count from the cycle in which a jump sets the fetch address, a trap is taken, or the core wakes.
constexpr Cycle kInLine = 1;
constexpr Cycle kFlushed = 3;
constexpr Cycle kJumped = 2;
constexpr Cycle kTrapped = 3;
constexpr Cycle kWoken = 2;
/// Cycles from a trap until mcause, mepc and mtval have their values.
constexpr Cycle kTrapShows = 2;
/// Cycles from an instruction's retirement until its register has its value.
constexpr Cycle kResultShows = 1;
/// Cycles from an interrupt in a busy pipeline until the next instruction may enter ID.
constexpr Cycle kHeldBack = 2;

constexpr unsigned kFetchQueue = 3;  // words

/// Bytes that a load or store accesses.
unsigned access_bytes(Op op) {
  switch (op) {
    case Op::kLb:
    case Op::kLbu:
    case Op::kSb: return 1;
    case Op::kLh:
    case Op::kLhu:
    case Op::kSh: return 2;
    default: return 4;
  }
}

/// The value that a load makes of the bytes from its address on.
std::uint32_t loaded(Op op, std::uint32_t bytes) {
  switch (op) {
    case Op::kLb: return sign_extend(bytes, 8);
    case Op::kLh: return sign_extend(bytes, 16);
    case Op::kLbu: return bytes & 0xFFU;
    case Op::kLhu: return bytes & 0xFFFFU;
    default: return bytes;
  }
}

std::uint32_t lanes(unsigned bytes) { return bytes == 4 ? 0xFFFF'FFFFU : (1U << 8 * bytes) - 1U; }

std::uint32_t rotate_left(std::uint32_t value, unsigned bits) {
  return bits == 0 ? value : value << bits | value >> (32 - bits);
}

}  // namespace

Hart::Hart(std::uint32_t ram_bytes, HartPort& port)
    : port_(port), ram_bytes_(ram_bytes), ram_(ram_bytes) {
  state_.hart = this;
  state_.reach = reach;
}

// --------------------------------------------------------------------------------------- memory

void Hart::load(std::uint32_t address, const std::vector<std::uint8_t>& bytes) {
  HEADSTACK_ASSERT(address <= ram_.size() && bytes.size() <= ram_.size() - address, "inside RAM");
  std::copy(bytes.begin(), bytes.end(), ram_.begin() + address);
  if (code_end_ == 0) return;  // no code has run yet
  entries_.clear();
  std::fill(code_.begin(), code_.end(), Instruction{});
  forget_blocks();
}

bool Hart::use(const translation::Translation& translation) {
  if (translation.translator != kTranslatorId || translation.ram_bytes != ram_.size() ||
      std::memcmp(ram_.data(), translation.bytes, translation.code_end) != 0) {
    return false;
  }
  entries_.assign(translation.code_end / 2, {});
  for (std::size_t i = 0; i < translation.place_count; ++i) {
    entries_[translation.places[i].address / 2] = translation.places[i].entry;
  }
  state_.entries = entries_.data();
  state_.ram = ram_.data();
  code_end_ = std::max(code_end_, translation.code_end);
  return true;
}

void Hart::forget_blocks() {
  count_words();  // uses the line's blocks, which are about to be deleted
  blocks_.clear();
  std::fill(block_at_.begin(), block_at_.end(), 0);
}

/// The decoded instruction at an address, which must be inside RAM.
inline const Instruction& Hart::instruction_at(std::uint32_t address) {
  if (address / 2 >= code_.size()) grow_code(address);
  Instruction& in = code_[address / 2];
  if (in.op == Op::kUndecoded) decode_at(address & ~1U, &in);
  return in;
}

/// Makes room for code up to an address. It grows on demand, since most of RAM is never run.
void Hart::grow_code(std::uint32_t address) {
  const std::size_t size = std::min<std::size_t>(ram_.size() / 2, 2 * (address / 2 + 1));
  code_.resize(size);
  block_at_.resize(size);
}

void Hart::decode_at(std::uint32_t address, Instruction* in) {
  std::uint32_t word = 0;
  const std::size_t there = std::min<std::size_t>(4, ram_.size() - address);
  std::memcpy(&word, ram_.data() + address, there);
  *in = decode(word);
  code_end_ = std::max(code_end_, address + in->bytes);
}

/// Marks the code at a word that was written as not decoded.
void Hart::forget_code(std::uint32_t address) {
  entries_.clear();
  const std::uint32_t first = address < 2 ? 0 : address / 2 - 1;
  const auto end = static_cast<std::uint32_t>(std::min<std::size_t>(address / 2 + 2, code_.size()));
  for (std::uint32_t index = first; index < end; ++index) code_[index].op = Op::kUndecoded;
  forget_blocks();
}

/// Makes a request in cycle `done_`, and sets when it is answered. `address` is that of a word.
Hart::Access Hart::access_word(bool write, std::uint32_t address, std::uint32_t mask,
                               std::uint32_t data) {
  if (address < ram_.size()) {
    std::uint32_t word = 0;
    std::memcpy(&word, ram_.data() + address, 4);
    if (write) {
      const std::uint32_t merged = (word & ~mask) | (data & mask);
      std::memcpy(ram_.data() + address, &merged, 4);
      if (address < code_end_) forget_code(address);
    }
    answered_ = done_ + 1;
    return {false, word, 0};
  }
  const HartPort::Answer answer =
      write ? port_.write(address, data, mask, done_) : port_.read(address, mask, done_);
  answered_ = answer.at;
  // The access may have changed the line, or the time of the world's next event.
  known_to_ = std::min(known_to_, done_);
  quiet_to_ = -1;
  return {answer.failed, answer.data, address};
}

/// An access of a word or less: one request, or two if it crosses a word. The second is made in the
/// cycle of the first one's answer, even after a failure.
Hart::Access Hart::access(bool write, std::uint32_t address, unsigned bytes, std::uint32_t data) {
  const unsigned shift = 8 * (address & 3U);
  const std::uint32_t word = address & ~3U;
  const std::uint32_t rotated = rotate_left(data, shift);
  const std::uint64_t mask = std::uint64_t{lanes(bytes)} << shift;
  Access low = access_word(write, word, static_cast<std::uint32_t>(mask), rotated);
  if (low.failed) low.failed_at = address;
  const auto upper = static_cast<std::uint32_t>(mask >> 32);
  if (upper == 0) {
    low.value >>= shift;
    return low;
  }
  done_ = answered_;
  const Access high = access_word(write, word + 4, upper, rotated);
  const std::uint64_t both = std::uint64_t{high.value} << 32 | low.value;
  return {low.failed || high.failed, static_cast<std::uint32_t>(both >> shift),
          low.failed ? address : word + 4};
}

// ----------------------------------------------------------------------------- the interrupt line

void Hart::line_changes(Cycle cycle, bool level) {
  if (enabled_) quiet_to_ = -1;
  last_change_ = (last_change_ + 1) % kChanges;
  changes_[last_change_] = {cycle, level};
}

bool Hart::level_at(Cycle cycle) {
  if (known_to_ < cycle) known_to_ = port_.run_to(cycle);
  for (std::size_t i = 0; i < kChanges; ++i) {
    const Change& change = changes_[(last_change_ + kChanges - i) % kChanges];
    if (change.at <= cycle) return change.level;
  }
  HEADSTACK_ASSERT(false, "the line changes more often than is remembered");
}

/// Whether the line was high in any known cycle from `cycle` on.
bool Hart::was_high_since(Cycle cycle) const {
  for (std::size_t i = 0; i < kChanges; ++i) {
    const Change& change = changes_[(last_change_ + kChanges - i) % kChanges];
    if (change.level) return true;
    if (change.at <= cycle) return false;
  }
  return true;
}

/// Applies the present CSRs to interrupts from a cycle on.
void Hart::enables_change(Cycle from) {
  quiet_to_ = -1;
  was_enabled_ = enabled_;
  enabled_ = csrs_.interrupts_enabled();
  enabled_from_ = from;
}

/// Takes an interrupt, if there is one from cycle `from` on, before the instruction at pc_, which
/// would enter ID in cycle `id`. @return when an instruction enters: that one, or the handler's
/// first.
Cycle Hart::take_interrupts(Cycle id, Cycle from) {
  for (Cycle cycle = from; cycle < id; ++cycle) {
    if (!enabled_at(cycle) || !level_at(cycle)) continue;
    if (cycle == done_ || answered_ > cycle) {
      id = std::max(id, cycle + kHeldBack);  // ID or write-back is still busy
      continue;
    }
    if (level_at(cycle + 1)) {
      pc_ = csrs_.enter_trap(kExternalInterrupt, pc_, 0);
      enables_change(cycle);
      was_enabled_ = enabled_;
      begin_line(cycle + 2);
      return cycle + kTrapped;
    }
    return std::max(id, cycle + kHeldBack);
  }
  return id;
}

// -------------------------------------------------------------------------------------- the walk

/// Empties the fetch queue: the first word is under way in the cycle `at`.
inline void Hart::begin_line(Cycle at) {
  words_ = 1;
  words_at_ = at;
  line_length_ = 0;
}

/// Brings words_ up to date with the instructions on the line.
void Hart::count_words() {
  for (std::size_t i = 0; i < line_length_; ++i) {
    const Fetched& one = line_[i];
    words_ = words_behind(words_, std::max<Cycle>(1, one.id - words_at_), one.uses_word);
    words_at_ = one.id;
    if (one.done < 2) continue;
    if (one.done == one.block->count) {
      words_ = one.block->words[words_];
    } else {
      for (std::uint32_t k = 1; k < one.done; ++k) {
        const BlockTiming& timing = one.block->timing[k];
        words_ = words_behind(words_, timing.id - one.block->timing[k - 1].id, timing.uses_word);
      }
    }
    words_at_ = one.begin + one.block->timing[one.done - 1].id;
  }
  line_length_ = 0;
}

inline void Hart::note_fetched(const Fetched& one) {
  line_[line_length_++] = one;
  if (line_length_ == line_.size()) count_words();
}

/// Makes the instruction at pc_ the next one, unless an interrupt comes before it.
inline void Hart::enter(Cycle id, Cycle from) {
  if (known_to_ < id - 1) known_to_ = port_.run_to(id - 1);
  const bool may_be_enabled = enabled_ || from < enabled_from_;
  id_ = may_be_enabled && was_high_since(from) ? take_interrupts(id, from) : id;
}

/// Whether a long instruction at the address lies in two words: as a target it takes a cycle more.
inline bool Hart::is_in_two_words(std::uint32_t address) {
  if ((address & 2U) == 0) return false;
  return address >= ram_.size() || instruction_at(address).bytes == 4;
}

/// Sets the fetch address in the cycle `set`. @return when the target enters ID.
inline Cycle Hart::reach_target(std::uint32_t target, Cycle set) {
  pc_ = target;
  begin_line(set + 1);
  return std::max(done_ + kInLine, set + kJumped + (is_in_two_words(target) ? 1 : 0));
}

/// Makes a jump, or takes a branch.
void Hart::jump(std::uint32_t target) { enter(reach_target(target, load_use_ ? ex_ : id_), done_); }

void Hart::trap(std::uint32_t cause, std::uint32_t value, Cycle at) {
  if (stops_at_faults_ && !fault_) {
    fault_ = HartFault{false, cause, pc_, value, at + kTrapShows};
    stop();
  }
  pc_ = csrs_.enter_trap(cause, pc_, value);
  enables_change(at);
  was_enabled_ = enabled_;
  begin_line(at + 2);
  id_ = at + kTrapped;
  if (known_to_ < id_ - 1) known_to_ = port_.run_to(id_ - 1);
}

void Hart::illegal(const Instruction& in) {
  std::uint32_t word = 0;
  std::memcpy(&word, ram_.data() + pc_, std::min<std::size_t>(4, ram_.size() - pc_));
  trap(kIllegalInstruction, in.bytes == 2 ? word & 0xFFFFU : word, std::max(id_, answered_));
}

void Hart::load(const Instruction& in, std::uint32_t address) {
  const Access done = access(false, address, access_bytes(in.op), 0);
  if (watcher_ != nullptr) watcher_->retired(pc_, answered_);
  if (done.failed) {
    loads_ = 0;
    return trap(kLoadFault, done.failed_at, answered_);
  }
  csrs_.retire();
  state_.x[in.rd] = loaded(in.op, done.value);
  state_.x[0] = 0;
  loads_ = in.rd;
  pc_ += in.bytes;
  enter(done_ + kInLine, done_);
}

void Hart::store(const Instruction& in, std::uint32_t address) {
  loads_ = 0;
  const Access done = access(true, address, access_bytes(in.op), state_.x[in.rs2]);
  if (watcher_ != nullptr) watcher_->retired(pc_, answered_);
  if (done.failed) return trap(kStoreFault, done.failed_at, answered_);
  csrs_.retire();
  pc_ += in.bytes;
  enter(done_ + kInLine, done_);
}

// ---------------------------------------------------------------------------------------- system

void Hart::write_csr(const Instruction& in, std::uint32_t old, std::uint32_t source,
                     bool one_retires) {
  const unsigned number = in.imm & 0xFFFU;
  const bool swaps = in.op == Op::kCsrrw || in.op == Op::kCsrrwi;
  const bool sets = in.op == Op::kCsrrs || in.op == Op::kCsrrsi;
  const std::uint32_t value = swaps ? source : sets ? old | source : old & ~source;
  csrs_.write(number, value, done_, one_retires);
}

void Hart::wait_for_interrupt() {
  pc_ += 4;
  sleeps_from_ = done_;
  // No more words are fetched: the words in the queue decide when the clock stops.
  count_words();
  const Cycle full = std::min<Cycle>(kFetchQueue, words_ + (done_ + 1 - words_at_));
  const Cycle from = done_ + 3;
  if (csrs_.wakes() && level_at(from)) return wake(from);
  sleep(full == kFetchQueue ? from : from + 1);
}

void Hart::sleep(Cycle from) {
  asleep_ = true;
  clock_stops_ = from;
  if (watcher_ != nullptr) watcher_->sleeps(from);
  port_.sleeps(from);
}

void Hart::wake(Cycle at) {
  if (asleep_) csrs_.miss(at - clock_stops_);
  asleep_ = false;
  words_ = std::min<unsigned>(kFetchQueue, words_ + 1);
  words_at_ = at;
  if (known_to_ < at + 1) known_to_ = port_.run_to(at + 1);
  enter(at + kWoken, at + 1);
}

void Hart::system(const Instruction& in) {
  const Cycle traps_at = std::max(id_, answered_);
  switch (in.op) {
    case Op::kEcall: return trap(csrs_.machine_mode() ? kMachineCall : kUserCall, 0, traps_at);
    case Op::kEbreak: return trap(kBreakpoint, 0, traps_at);
    case Op::kMret:
      if (!csrs_.machine_mode()) return illegal(in);
      tell_retired();
      return leave_trap();
    case Op::kWfi:
      if (csrs_.traps_wfi()) return illegal(in);
      tell_retired();
      return wait_for_interrupt();
    default: return access_csr(in);
  }
}

void Hart::leave_trap() {
  pc_ = csrs_.leave_trap();
  enables_change(done_ + 2);
  begin_line(done_ + 2);
  const Cycle jumped = done_ + 1 + kJumped + (is_in_two_words(pc_) ? 1 : 0);
  enter(std::max(done_ + kFlushed, jumped), done_ + 2);
}

void Hart::access_csr(const Instruction& in) {
  const unsigned number = in.imm & 0xFFFU;
  const bool immediate = in.op >= Op::kCsrrwi;
  const std::uint32_t source = immediate ? in.imm >> 16 : state_.x[in.rs1];
  const bool swaps = in.op == Op::kCsrrw || in.op == Op::kCsrrwi;
  const bool writes = swaps || (immediate ? source != 0 : in.rs1 != 0);
  const bool one_retires = last_done_ + 1 == done_ || answered_ == done_;
  const auto old = csrs_.read(number, done_, number == Csrs::kMip && level_at(done_), one_retires);
  if (!old || (writes && !Csrs::is_writable(number))) return illegal(in);
  tell_retired();
  if (writes) write_csr(in, *old, source, one_retires);
  state_.x[in.rd] = *old;
  state_.x[0] = 0;
  pc_ += in.bytes;
  const bool clears = in.op == Op::kCsrrc || in.op == Op::kCsrrci;
  if (writes && Csrs::flushes(number)) enables_change(done_ + 1);
  const bool flushes = writes && !clears && Csrs::flushes(number);
  enter(done_ + (flushes ? kFlushed : kInLine), flushes ? done_ + 2 : done_);
}

// ----------------------------------------------------------------------------------- instructions

/// Reports and counts the retirement of an instruction that is no load or store.
void Hart::tell_retired() {
  if (watcher_ != nullptr) watcher_->retired(pc_, done_ + 1);
  csrs_.retire();
}

/// Sets when the instruction in ID, which reads these registers, begins to execute.
inline void Hart::execute(unsigned rs1, unsigned rs2) {
  ex_ = id_;
  load_use_ = false;
  if (answered_ < id_) return;
  load_use_ = loads_ != 0 && (loads_ == rs1 || loads_ == rs2);
  ex_ = answered_ + (load_use_ ? 1 : 0);
}

void Hart::tell_begins(const Instruction& in) {
  const bool accesses = is_load(in.op) || is_store(in.op);
  const Beginning next = {pc_,
                          id_,
                          std::max(id_, answered_),
                          done_,
                          accesses ? access_bytes(in.op) : 0,
                          is_store(in.op)};
  watcher_->begins(next);
}

std::uint32_t Hart::data_address() {
  const Instruction& in = instruction_at(pc_);
  return state_.x[in.rs1] + in.imm;
}

void Hart::step() {
  const std::uint32_t pc = pc_;
  const std::uint32_t before = state_.x[kStackPointer];
  step_one();
  if (state_.x[kStackPointer] >= stack_limit_ || before < stack_limit_ || fault_) return;
  fault_ = HartFault{true, 0, pc, stack_limit_, std::max(done_ + 1, answered_) + kResultShows};
  stop();
}

void Hart::step_one() {
  const bool is_told = watcher_ != nullptr && watcher_->steps();
  if ((pc_ & ~1U) >= ram_.size()) {
    if (is_told) tell_begins(Instruction{});
    return trap(kFetchFault, pc_, std::max(id_, answered_));
  }
  const Instruction in = instruction_at(pc_);
  note_fetched({id_, 0, nullptr, 1, in.bytes == 4 || (pc_ & 2U) != 0});
  execute(in.rs1, in.rs2);
  last_done_ = done_;
  done_ = ex_ + more_cycles(in.op);
  if (is_told) tell_begins(in);
  const std::uint32_t a = state_.x[in.rs1];
  const std::uint32_t b = state_.x[in.rs2];
  std::uint32_t result = 0;
  bool taken = false;
  switch (in.op) {
    case Op::kUndecoded:
    case Op::kIllegal: return illegal(in);
    case Op::kLui: result = in.imm; break;
    case Op::kAuipc: result = pc_ + in.imm; break;
    case Op::kJal:
    case Op::kJalr:
      taken = true;
      result = pc_ + in.bytes;
      break;
    case Op::kBeq:
    case Op::kBne:
    case Op::kBlt:
    case Op::kBge:
    case Op::kBltu:
    case Op::kBgeu: taken = is_taken(in.op, a, b); break;
    case Op::kLb:
    case Op::kLh:
    case Op::kLw:
    case Op::kLbu:
    case Op::kLhu: return load(in, a + in.imm);
    case Op::kSb:
    case Op::kSh:
    case Op::kSw: return store(in, a + in.imm);
    case Op::kDiv:
    case Op::kDivu:
    case Op::kRem:
    case Op::kRemu:
      if (b == 0) done_ = ex_ + kDivideByZeroMore;
      result = compute(in.op, in.imm, a, b);
      break;
    case Op::kFence: break;
    case Op::kFenceI: taken = true; break;
    default:
      if (!is_plain(in.op)) return system(in);
      result = compute(in.op, in.imm, a, b);
      break;
  }
  tell_retired();
  std::uint32_t target = pc_ + in.bytes;
  if (taken && in.op != Op::kFenceI) {
    target = in.op == Op::kJalr ? (a + in.imm) & ~1U : pc_ + in.imm;
  }
  if (in.rd != 0) state_.x[in.rd] = result;
  if (taken) return jump(target);
  pc_ = target;
  enter(done_ + kInLine, done_);
}

// ----------------------------------------------------------------------------------------- blocks

Block* Hart::block_at(std::uint32_t address) {
  if (address / 2 >= block_at_.size()) grow_code(address);
  const std::uint32_t place = block_at_[address / 2];
  if (place != 0) return &blocks_[place - 1];
  std::vector<Instruction> code;
  for (std::uint32_t pc = address; pc < ram_.size() && code.size() < Block::kMost;) {
    code.push_back(instruction_at(pc));
    if (!is_plain(code.back().op) || is_jump(code.back().op) || sets_stack(code.back())) break;
    pc += code.back().bytes;
  }
  blocks_.push_back(make_block(address, code));
  blocks_.back().leads_to_sleep = leads_to_sleep(address, [this](std::uint32_t pc) {
    return pc < ram_.size() ? instruction_at(pc) : Instruction{Op::kIllegal};
  });
  block_at_[address / 2] = static_cast<std::uint32_t>(blocks_.size());
  return &blocks_.back();
}

/// Whether no interrupt can come in up to a cycle, and earlier changes of the line do not matter.
inline bool Hart::is_quiet(Cycle last) { return last <= quiet_to_ || becomes_quiet(last); }

bool Hart::becomes_quiet(Cycle last) {
  if (is_shut_out(id_)) {
    // The line's level does not matter while interrupts are disabled; the world may follow later.
    quiet_to_ = std::max(last, until_);
    return true;
  }
  if (known_to_ < last) {
    // An access by the next instruction would come later than this cycle.
    known_to_ = port_.run_to(id_);
    if (known_to_ < last) return false;
  }
  const Change& change = changes_[last_change_];
  if (change.at > id_ || change.level) return false;
  quiet_to_ = known_to_;
  return true;
}

/// Executes a block's instructions. @return how many: all of them, or those before one that has to
/// be stepped, which has not begun. `target` is set for a jump that does not go on in line.
inline std::uint32_t Hart::walk(const Block& block, bool* taken, std::uint32_t* target) {
  const BlockStep* const first = block.steps.data();
  const BlockStep* step = first;
  std::uint32_t* const x = state_.x;
  std::uint8_t* const ram = ram_.data();
  const auto size = static_cast<std::uint32_t>(ram_.size());
  const auto place = [&] { return static_cast<std::uint32_t>(step - first); };
  for (;; ++step) {
    const BlockStep in = *step;
    const std::uint32_t a = x[in.rs1];
    const std::uint32_t b = x[in.rs2];
    std::uint32_t& rd = x[in.rd];
    switch (in.op) {
      case Op::kUndecoded: return block.count;
      case Op::kLui: rd = in.imm; continue;
      case Op::kJal:
        rd = block.end_address;
        *taken = true;
        break;
      case Op::kJalr:
        *target = (a + in.imm) & ~1U;
        rd = block.end_address;
        *taken = true;
        return block.count;
      case Op::kBeq: *taken = is_taken(Op::kBeq, a, b); break;
      case Op::kBne: *taken = is_taken(Op::kBne, a, b); break;
      case Op::kBlt: *taken = is_taken(Op::kBlt, a, b); break;
      case Op::kBge: *taken = is_taken(Op::kBge, a, b); break;
      case Op::kBltu: *taken = is_taken(Op::kBltu, a, b); break;
      case Op::kBgeu: *taken = is_taken(Op::kBgeu, a, b); break;
      case Op::kLb:
      case Op::kLbu: {
        const std::uint32_t address = a + in.imm;
        if (address >= size) return place();
        rd = in.op == Op::kLb ? sign_extend(ram[address], 8) : ram[address];
        continue;
      }
      case Op::kLh:
      case Op::kLhu: {
        const std::uint32_t address = a + in.imm;
        if (address >= size || (address & 1U) != 0) return place();
        std::uint16_t half = 0;
        std::memcpy(&half, ram + address, 2);
        rd = in.op == Op::kLh ? sign_extend(half, 16) : half;
        continue;
      }
      case Op::kLw: {
        const std::uint32_t address = a + in.imm;
        if (address >= size || (address & 3U) != 0) return place();
        std::memcpy(&rd, ram + address, 4);
        continue;
      }
      case Op::kSb: {
        const std::uint32_t address = a + in.imm;
        if (address - code_end_ >= size - code_end_) return place();
        ram[address] = static_cast<std::uint8_t>(b);
        continue;
      }
      case Op::kSh: {
        const std::uint32_t address = a + in.imm;
        if (address - code_end_ >= size - code_end_ || (address & 1U) != 0) return place();
        std::memcpy(ram + address, &b, 2);
        continue;
      }
      case Op::kSw: {
        const std::uint32_t address = a + in.imm;
        if (address - code_end_ >= size - code_end_ || (address & 3U) != 0) return place();
        std::memcpy(ram + address, &b, 4);
        continue;
      }
      case Op::kDiv:
      case Op::kDivu:
      case Op::kRem:
      case Op::kRemu:
        if (b == 0) return place();
        rd = compute(in.op, in.imm, a, b);
        continue;
      case Op::kMoveStack:
        if (a + in.imm < stack_limit_ && a >= stack_limit_) return place();
        rd = a + in.imm;
        continue;
      // The commonest of the rest avoid another dispatch.
      case Op::kAddi: rd = compute(Op::kAddi, in.imm, a, b); continue;
      case Op::kAndi: rd = compute(Op::kAndi, in.imm, a, b); continue;
      case Op::kSlli: rd = compute(Op::kSlli, in.imm, a, b); continue;
      case Op::kSrli: rd = compute(Op::kSrli, in.imm, a, b); continue;
      case Op::kAdd: rd = compute(Op::kAdd, in.imm, a, b); continue;
      case Op::kSub: rd = compute(Op::kSub, in.imm, a, b); continue;
      case Op::kAnd: rd = compute(Op::kAnd, in.imm, a, b); continue;
      case Op::kOr: rd = compute(Op::kOr, in.imm, a, b); continue;
      case Op::kFence: continue;
      default: rd = compute(in.op, in.imm, a, b); continue;
    }
    *target = block.target;
    return block.count;
  }
}

/// Sets the state after the first `done` instructions of a block that began in cycle `begin`: the
/// next one is to enter ID.
inline void Hart::leave_block(const Block& block, std::uint32_t done, Cycle begin) {
  if (watcher_ != nullptr) tell_block(block, done, begin);
  csrs_.retire(done);
  const BlockTiming& next = block.timing[done];
  if (next.access >= 0) {
    answered_ = begin + next.access + 1;
    loads_ = next.loads;
  }
  if (!block.leads_to_sleep || done == 0) return;
  note_fetched({id_, begin, &block, done, block.timing[0].uses_word});
}

void Hart::tell_block(const Block& block, std::uint32_t done, Cycle begin) {
  for (std::uint32_t i = 0; i < done; ++i) {
    // An access to RAM is answered in the cycle after `done`, too.
    watcher_->retired(block.timing[i].pc, begin + block.timing[i].done + 1);
  }
}

/// Executes a block, which nothing interrupts. @return the block after it; null when run() has to
/// look for it.
inline Block* Hart::run_block(Block* block) {
  execute(block->register_1, block->register_2);
  const Cycle begin = ex_;
  bool taken = false;
  std::uint32_t target = 0;
  const std::uint32_t done = walk(*block, &taken, &target);
  const Cycle set = block->count > 1 ? begin + block->set : load_use_ ? begin : id_;
  leave_block(*block, done, begin);
  if (done < block->count) {
    if (done > 0) {
      pc_ = block->timing[done].pc;
      id_ = begin + block->timing[done].id;
    }
    step();
    return nullptr;
  }
  done_ = begin + block->length;
  if (!taken) {
    pc_ = block->end_address;
    id_ = done_ + kInLine;
    if (block->in_line == nullptr && pc_ < ram_.size()) block->in_line = block_at(pc_);
    return block->in_line;
  }
  id_ = reach_target(target, set);
  if (target != block->target) return nullptr;  // jalr
  if (block->jumped == nullptr && target < ram_.size()) block->jumped = block_at(target);
  return block->jumped;
}

/// Extends a unit's time while interrupts are disabled, so that `left` is at least its cycles.
translation::Reached Hart::extend(translation::State* state, const translation::Request* request,
                                  std::int64_t left) {
  Hart& hart = *static_cast<Hart*>(state->hart);
  const Cycle begin = hart.quiet_to_ - left;
  hart.quiet_to_ = std::max(begin + request->cycles, hart.until_);
  return {state, hart.quiet_to_ - begin};
}

/// Ends a unit with an access, which was made in cycle known_to_. Its answer comes answer.at cycles
/// later than one of RAM.
translation::Reached Hart::end_with_access(translation::State* state,
                                           const translation::Request* request,
                                           HartPort::Answer answer) {
  Hart& hart = *static_cast<Hart*>(state->hart);
  const Instruction& in = request->instruction;
  const bool store = in.op == Op::kSw;
  const std::uint32_t address = state->x[in.rs1] + in.imm;
  if (!store && !answer.failed) {
    state->x[in.rd] = answer.data;
    state->x[0] = 0;
  }
  hart.done_ = hart.known_to_;
  hart.answered_ = hart.done_ + 1 + answer.at;
  hart.loads_ = store || answer.failed ? 0 : in.rd;
  hart.quiet_to_ = -1;
  hart.pc_ = request->pc;
  if (answer.failed) {
    hart.trap(store ? kStoreFault : kLoadFault, address, hart.answered_);
  } else {
    hart.csrs_.retire();  // minstret does not count a failed access
    hart.pc_ += in.bytes;
    hart.id_ = hart.done_ + kInLine;
  }
  return hart.end_unit(*request);
}

translation::Reached Hart::end_unit(const translation::Request& request) {
  state_.retired += request.retired;
  state_.how = translation::kEnded;
  return {&state_, -1};
}

/// Makes a load or store in RAM, aligned or not.
inline void Hart::access_ram(const Instruction& in, std::uint32_t address) {
  std::uint8_t* const there = ram_.data() + address;
  const std::uint32_t value = state_.x[in.rs2];
  switch (in.op) {
    case Op::kSb: std::memcpy(there, &value, 1); return;
    case Op::kSh: std::memcpy(there, &value, 2); return;
    case Op::kSw: std::memcpy(there, &value, 4); return;
    default: break;
  }
  std::uint32_t word = 0;
  std::memcpy(&word, there, 4);
  state_.x[in.rd] = loaded(in.op, word);
  state_.x[0] = 0;
}

/// Makes any other access of a unit.
translation::Reached Hart::reach(translation::State* state, std::int64_t left,
                                 const translation::Request* request) {
  Hart& hart = *static_cast<Hart*>(state->hart);
  const Instruction& in = request->instruction;
  const std::uint32_t address = state->x[in.rs1] + in.imm;
  const std::uint32_t from = is_store(in.op) ? hart.code_end_ : 0;
  if (address >= from && address < hart.ram_bytes_ - 4 && request->may_go_on) {
    // An access that crosses a word makes two requests, and takes a cycle more.
    const std::int64_t still_left = left - ((address & 3U) + access_bytes(in.op) > 4 ? 1 : 0);
    if (still_left >= request->cycles) {
      hart.access_ram(in, address);
      state->later = 0;
      return {state, still_left};
    }
  }
  return hart.access_by_step(*request, hart.quiet_to_ - left);
}

translation::Reached Hart::access_by_step(const translation::Request& request, Cycle begin) {
  pc_ = request.pc;
  id_ = begin + request.id;
  answered_ = request.access_is_out ? id_ : id_ - 1;
  loads_ = request.access_is_out ? request.loads : 0;
  step();
  // The unit goes on if no interrupt came in and the code is unchanged.
  const bool goes_on = request.may_go_on && !stopped_ && !entries_.empty() &&
                       id_ == done_ + kInLine && pc_ == request.pc + request.instruction.bytes;
  if (!goes_on) return end_unit(request);
  // The delay comes from a second request, and from each cycle by which the answer is later than
  // RAM's.
  const Cycle later = answered_ - (done_ + 1);
  const Cycle later_begin = done_ - request.done + later;
  if (!is_quiet(later_begin + request.cycles)) return end_unit(request);
  state_.later = later;
  --state_.retired;  // the unit counts the instruction, too
  return {&state_, quiet_to_ - later_begin};
}

/// Runs a unit, if one begins at pc_. @return false: none does, or an interrupt may come in.
inline bool Hart::run_translated() {
  if (pc_ / 2 >= entries_.size() || answered_ >= id_) return false;
  const translation::Entry& entry = entries_[pc_ / 2];
  if (entry.unit == nullptr || !is_quiet(id_ + entry.cycles)) return false;
  entry.unit(&state_, quiet_to_ - id_, ram_.data());
  csrs_.retire(static_cast<std::uint32_t>(state_.retired));
  retired_in_units_ += state_.retired;
  state_.retired = 0;
  const std::uint32_t how = state_.how;
  state_.how = 0;
  if ((how & translation::kEnded) != 0) return true;
  pc_ = state_.pc;
  id_ = quiet_to_ - state_.left;
  if ((how & translation::kTargetUnseen) != 0 && is_in_two_words(pc_)) ++id_;
  if ((how & translation::kJumped) != 0) {
    begin_line(id_ - kJumped - (is_in_two_words(pc_) ? 1 : 0) + 1);
  }
  const bool is_out = (how & translation::kAccessIsOut) != 0;
  const bool is_later = (how & translation::kAnswerIsLater) != 0;
  answered_ = is_out ? id_ + (is_later ? state_.later : 0) : id_ - 1;
  loads_ = is_out ? how >> translation::kLoadsShift & 31U : 0;
  if ((how & translation::kStep) != 0) step();
  return true;
}

void Hart::run(Cycle until) {
  if (stopped_) return;
  if (asleep_) {
    if (!csrs_.wakes() || !changes_[last_change_].level) return;
    wake(std::max(changes_[last_change_].at, sleeps_from_ + 3));
  }
  until_ = until;
  const bool is_watched = watcher_ != nullptr;
  if (is_watched && watcher_->steps()) {
    while (!asleep_ && !stopped_ && id_ < until) step();
    return;
  }
  Block* block = nullptr;
  while (!asleep_ && !stopped_ && id_ < until) {
    if (!is_watched && run_translated()) {
      block = nullptr;
      continue;
    }
    if (block == nullptr && pc_ < ram_.size()) block = block_at(pc_);
    // The time lasts to the entry of the next block; the first instruction may wait for an access.
    if (block != nullptr && block->count > 0 &&
        is_quiet(std::max(id_, answered_ + 1) + block->length + kJumped + 1)) {
      block = run_block(block);
    } else {
      step();
      block = nullptr;
    }
  }
}

}  // namespace headstack::core
