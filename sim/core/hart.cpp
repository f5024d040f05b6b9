#include "sim/core/hart.hpp"

#include <algorithm>
#include <cstring>

#include "sim/assert.hpp"

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

// Cycles in ID/EX beyond the first.
constexpr Cycle kMultiplyMore = 2;
constexpr Cycle kMultiplyHighMore = 3;
constexpr Cycle kDivideMore = 36;
constexpr Cycle kDivideByZeroMore = 1;

// To the entry of what comes next: behind `done`; behind a flush of the pipeline; behind the cycle
// in which a jump sets the fetch address; behind the cycle that takes a trap or wakes the core.
constexpr Cycle kInLine = 1;
constexpr Cycle kFlushed = 3;
constexpr Cycle kJumped = 2;
constexpr Cycle kTrapped = 3;
constexpr Cycle kWoken = 2;
/// An interrupt that finds the pipeline busy holds the next instruction back.
constexpr Cycle kHeldBack = 2;

constexpr unsigned kFetchQueue = 3;  // words

std::uint32_t lanes(unsigned bytes) { return bytes == 4 ? 0xFFFF'FFFFU : (1U << 8 * bytes) - 1U; }

std::uint32_t rotate_left(std::uint32_t value, unsigned bits) {
  return bits == 0 ? value : value << bits | value >> (32 - bits);
}

std::uint32_t sign_extend(std::uint32_t value, unsigned bits) {
  const std::uint32_t sign = 1U << (bits - 1);
  return ((value & (sign * 2U - 1U)) ^ sign) - sign;
}

}  // namespace

Hart::Hart(HartPort& port, std::uint32_t ram_bytes)
    : port_(port), ram_(ram_bytes), code_(ram_bytes / 2) {}

// --------------------------------------------------------------------------------------- memory

void Hart::load(std::uint32_t address, const std::uint8_t* bytes, std::size_t count) {
  HEADSTACK_ASSERT(address <= ram_.size() && count <= ram_.size() - address, "inside RAM");
  std::memcpy(ram_.data() + address, bytes, count);
  std::fill(code_.begin(), code_.end(), Instruction{});
}

void Hart::decode_at(std::uint32_t index) {
  const std::uint32_t address = index * 2;
  std::uint32_t word = 0;
  const std::size_t there = std::min<std::size_t>(4, ram_.size() - address);
  std::memcpy(&word, ram_.data() + address, there);
  code_[index] = decode(word);
  code_end_ = std::max(code_end_, address + code_[index].bytes);
}

/// Inside RAM.
const Instruction& Hart::fetch() {
  const std::uint32_t index = pc_ / 2;
  if (code_[index].op == Op::kUndecoded) decode_at(index);
  return code_[index];
}

/// A word of it was written.
void Hart::forget_code(std::uint32_t address) {
  const std::uint32_t first = address < 2 ? 0 : address / 2 - 1;
  const std::uint32_t end =
      std::min<std::uint32_t>(address / 2 + 2, static_cast<std::uint32_t>(code_.size()));
  for (std::uint32_t index = first; index < end; ++index) code_[index].op = Op::kUndecoded;
}

/// A request of the cycle `done_`; sets when it is answered. `address` is that of a word.
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
  // What the access did may change the line, and when the world does something by itself.
  known_to_ = std::min(known_to_, done_);
  return {answer.failed, answer.data, address};
}

/// Of a word or less: one request, or two where it crosses a word; the second goes out in the cycle
/// in which the first is answered, even if that failed.
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

/// In some cycle from `cycle` on that is known.
bool Hart::was_high_since(Cycle cycle) const {
  for (std::size_t i = 0; i < kChanges; ++i) {
    const Change& change = changes_[(last_change_ + kChanges - i) % kChanges];
    if (change.level) return true;
    if (change.at <= cycle) return false;
  }
  return true;
}

/// What the CSRs say now counts from a cycle on.
void Hart::enables_change(Cycle from) {
  was_enabled_ = enabled_;
  enabled_ = csrs_.interrupts_enabled();
  enabled_from_ = from;
}

/// Between an instruction and the one at pc_, which would enter ID in cycle `id`: asks from cycle
/// `from` on. @return when an instruction enters: that one, or the handler's first.
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
      words_ = 1;
      words_at_ = cycle + 2;
      return cycle + kTrapped;
    }
    return std::max(id, cycle + kHeldBack);
  }
  return id;
}

// -------------------------------------------------------------------------------------- the walk

/// Rule of the fetch queue: it grows by a word in each cycle up to three.
void Hart::count_fetches(Cycle id, bool uses_word) {
  const Cycle grown = std::min<Cycle>(kFetchQueue, words_ + std::max<Cycle>(0, id - 1 - words_at_));
  words_ = static_cast<unsigned>(grown);
  if (words_ < kFetchQueue) ++words_;
  if (uses_word) --words_;
  words_at_ = id;
}

/// The instruction at pc_ is the next, unless an interrupt is.
inline void Hart::enter(Cycle id, Cycle from) {
  if (known_to_ < id - 1) known_to_ = port_.run_to(id - 1);
  const bool may_be_enabled = enabled_ || from < enabled_from_;
  id_ = may_be_enabled && was_high_since(from) ? take_interrupts(id, from) : id;
}

/// The target of a jump or a taken branch: a long instruction that lies in two words takes a cycle
/// more.
void Hart::jump(std::uint32_t target) {
  const Cycle set = load_use_ ? ex_ : id_;
  pc_ = target;
  const bool in_two_words = (target & 2U) != 0 && (target >= ram_.size() || fetch().bytes == 4);
  words_ = 1;
  words_at_ = set + 1;
  enter(std::max(done_ + kInLine, set + kJumped + (in_two_words ? 1 : 0)), done_);
}

void Hart::trap(std::uint32_t cause, std::uint32_t value, Cycle at) {
  pc_ = csrs_.enter_trap(cause, pc_, value);
  enables_change(at);
  was_enabled_ = enabled_;
  words_ = 1;
  words_at_ = at + 2;
  id_ = at + kTrapped;
  if (known_to_ < id_ - 1) known_to_ = port_.run_to(id_ - 1);
}

void Hart::illegal(const Instruction& in) {
  std::uint32_t word = 0;
  std::memcpy(&word, ram_.data() + pc_, std::min<std::size_t>(4, ram_.size() - pc_));
  trap(kIllegalInstruction, in.bytes == 2 ? word & 0xFFFFU : word, std::max(id_, answered_));
}

void Hart::load(const Instruction& in, std::uint32_t address) {
  static constexpr unsigned kBytes[] = {1, 2, 4, 1, 2};
  const unsigned kind = static_cast<unsigned>(in.op) - static_cast<unsigned>(Op::kLb);
  const Access done = access(false, address, kBytes[kind], 0);
  if (watcher_ != nullptr) watcher_->retired(pc_, answered_);
  csrs_.retire();
  if (done.failed) {
    loads_ = 0;
    return trap(kLoadFault, done.failed_at, answered_);
  }
  std::uint32_t value = done.value;
  switch (in.op) {
    case Op::kLb: value = sign_extend(value, 8); break;
    case Op::kLh: value = sign_extend(value, 16); break;
    case Op::kLbu: value &= 0xFFU; break;
    case Op::kLhu: value &= 0xFFFFU; break;
    default: break;
  }
  x_[in.rd] = value;
  x_[0] = 0;
  loads_ = in.rd;
  pc_ += in.bytes;
  enter(done_ + kInLine, done_);
}

void Hart::store(const Instruction& in, std::uint32_t address) {
  const unsigned bytes = in.op == Op::kSb ? 1 : in.op == Op::kSh ? 2 : 4;
  loads_ = 0;
  const Access done = access(true, address, bytes, x_[in.rs2]);
  if (watcher_ != nullptr) watcher_->retired(pc_, answered_);
  csrs_.retire();
  if (done.failed) return trap(kStoreFault, done.failed_at, answered_);
  pc_ += in.bytes;
  enter(done_ + kInLine, done_);
}

// ---------------------------------------------------------------------------------------- system

void Hart::write_csr(const Instruction& in, std::uint32_t old, std::uint32_t source) {
  const unsigned number = in.imm & 0xFFFU;
  switch (in.op) {
    case Op::kCsrrw:
    case Op::kCsrrwi: return csrs_.write(number, source, done_);
    case Op::kCsrrs:
    case Op::kCsrrsi: return csrs_.write(number, old | source, done_);
    default: return csrs_.write(number, old & ~source, done_);
  }
}

void Hart::wait_for_interrupt() {
  pc_ += 4;
  sleeps_from_ = done_;
  // From here on nothing is fetched: what there is decides when the clock stops.
  const Cycle full = std::min<Cycle>(kFetchQueue, words_ + (done_ + 1 - words_at_));
  const Cycle from = done_ + 3;
  if (csrs_.wakes() && level_at(from)) return wake(from);
  asleep_ = true;
  port_.sleeps(full == kFetchQueue ? from : from + 1);
}

void Hart::wake(Cycle at) {
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
    case Op::kWfi:
    case Op::kMret:
      if (!csrs_.machine_mode() && in.op == Op::kMret) return illegal(in);
      break;
    default: break;
  }
  if (in.op == Op::kWfi || in.op == Op::kMret) {
    if (watcher_ != nullptr) watcher_->retired(pc_, done_ + 1);
    csrs_.retire();
    if (in.op == Op::kWfi) return wait_for_interrupt();
    pc_ = csrs_.leave_trap();
    enables_change(done_ + 2);
    words_ = 1;
    words_at_ = done_ + 2;
    const bool in_two_words = (pc_ & 2U) != 0 && (pc_ >= ram_.size() || fetch().bytes == 4);
    return enter(std::max(done_ + kFlushed, done_ + 1 + kJumped + (in_two_words ? 1 : 0)),
                 done_ + 2);
  }
  // The CSR instructions.
  const unsigned number = in.imm & 0xFFFU;
  const bool immediate = in.op >= Op::kCsrrwi;
  const std::uint32_t source = immediate ? in.imm >> 16 : x_[in.rs1];
  const bool swaps = in.op == Op::kCsrrw || in.op == Op::kCsrrwi;
  const bool writes = swaps || (immediate ? source != 0 : in.rs1 != 0);
  const auto old = csrs_.read(number, done_, number == 0x344 && level_at(done_));
  if (!old || (writes && !Csrs::is_writable(number))) return illegal(in);
  if (watcher_ != nullptr) watcher_->retired(pc_, done_ + 1);
  csrs_.retire();
  if (writes) write_csr(in, *old, source);
  x_[in.rd] = *old;
  x_[0] = 0;
  pc_ += in.bytes;
  const bool clears = in.op == Op::kCsrrc || in.op == Op::kCsrrci;
  if (writes && Csrs::flushes(number)) enables_change(done_ + 1);
  const bool flushes = writes && !clears && Csrs::flushes(number);
  enter(done_ + (flushes ? kFlushed : kInLine), flushes ? done_ + 2 : done_);
}

// ----------------------------------------------------------------------------------- instructions

void Hart::step() {
  if ((pc_ & ~1U) >= ram_.size()) return trap(kFetchFault, pc_, std::max(id_, answered_));
  const Instruction in = fetch();
  count_fetches(id_, in.bytes == 4 || (pc_ & 2U) != 0);
  ex_ = id_;
  load_use_ = false;
  if (answered_ >= id_) {
    ex_ = answered_;
    load_use_ = loads_ != 0 && (loads_ == in.rs1 || loads_ == in.rs2);
    if (load_use_) ++ex_;
  }
  done_ = ex_;
  const std::uint32_t a = x_[in.rs1];
  const std::uint32_t b = x_[in.rs2];
  const auto sa = static_cast<std::int32_t>(a);
  const auto sb = static_cast<std::int32_t>(b);
  std::uint32_t result = 0;
  bool taken = false;
  switch (in.op) {
    case Op::kUndecoded:
    case Op::kIllegal: return illegal(in);
    case Op::kLui: result = in.imm; break;
    case Op::kAuipc: result = pc_ + in.imm; break;
    case Op::kJal:
      taken = true;
      result = pc_ + in.bytes;
      break;
    case Op::kJalr:
      taken = true;
      result = pc_ + in.bytes;
      break;
    case Op::kBeq: taken = a == b; break;
    case Op::kBne: taken = a != b; break;
    case Op::kBlt: taken = sa < sb; break;
    case Op::kBge: taken = sa >= sb; break;
    case Op::kBltu: taken = a < b; break;
    case Op::kBgeu: taken = a >= b; break;
    case Op::kLb:
    case Op::kLh:
    case Op::kLw:
    case Op::kLbu:
    case Op::kLhu: return load(in, a + in.imm);
    case Op::kSb:
    case Op::kSh:
    case Op::kSw: return store(in, a + in.imm);
    case Op::kAddi: result = a + in.imm; break;
    case Op::kSlti: result = sa < static_cast<std::int32_t>(in.imm) ? 1 : 0; break;
    case Op::kSltiu: result = a < in.imm ? 1 : 0; break;
    case Op::kXori: result = a ^ in.imm; break;
    case Op::kOri: result = a | in.imm; break;
    case Op::kAndi: result = a & in.imm; break;
    case Op::kSlli: result = a << in.imm; break;
    case Op::kSrli: result = a >> in.imm; break;
    case Op::kSrai: result = static_cast<std::uint32_t>(sa >> in.imm); break;
    case Op::kAdd: result = a + b; break;
    case Op::kSub: result = a - b; break;
    case Op::kSll: result = a << (b & 31U); break;
    case Op::kSlt: result = sa < sb ? 1 : 0; break;
    case Op::kSltu: result = a < b ? 1 : 0; break;
    case Op::kXor: result = a ^ b; break;
    case Op::kSrl: result = a >> (b & 31U); break;
    case Op::kSra: result = static_cast<std::uint32_t>(sa >> (b & 31U)); break;
    case Op::kOr: result = a | b; break;
    case Op::kAnd: result = a & b; break;
    case Op::kMul:
      result = a * b;
      done_ += kMultiplyMore;
      break;
    case Op::kMulh:
      result = static_cast<std::uint32_t>(std::int64_t{sa} * sb >> 32);
      done_ += kMultiplyHighMore;
      break;
    case Op::kMulhsu:
      result = static_cast<std::uint32_t>(std::int64_t{sa} * std::int64_t{b} >> 32);
      done_ += kMultiplyHighMore;
      break;
    case Op::kMulhu:
      result = static_cast<std::uint32_t>(std::uint64_t{a} * b >> 32);
      done_ += kMultiplyHighMore;
      break;
    case Op::kDiv:
    case Op::kRem: {
      done_ += b == 0 ? kDivideByZeroMore : kDivideMore;
      const bool overflows = a == 0x8000'0000U && sb == -1;
      if (in.op == Op::kDiv) {
        result = b == 0 ? ~0U : overflows ? a : static_cast<std::uint32_t>(sa / sb);
      } else {
        result = b == 0 ? a : overflows ? 0 : static_cast<std::uint32_t>(sa % sb);
      }
      break;
    }
    case Op::kDivu:
      done_ += b == 0 ? kDivideByZeroMore : kDivideMore;
      result = b == 0 ? ~0U : a / b;
      break;
    case Op::kRemu:
      done_ += b == 0 ? kDivideByZeroMore : kDivideMore;
      result = b == 0 ? a : a % b;
      break;
    case Op::kFence: break;
    case Op::kFenceI: taken = true; break;
    default: return system(in);
  }
  if (watcher_ != nullptr) watcher_->retired(pc_, done_ + 1);
  csrs_.retire();
  std::uint32_t target = pc_ + in.bytes;
  if (taken && in.op != Op::kFenceI) {
    target = in.op == Op::kJalr ? (a + in.imm) & ~1U : pc_ + in.imm;
  }
  if (in.rd != 0) x_[in.rd] = result;
  if (taken) return jump(target);
  pc_ = target;
  enter(done_ + kInLine, done_);
}

void Hart::run() {
  if (stopped_) return;
  if (asleep_) {
    if (!csrs_.wakes() || !changes_[last_change_].level) return;
    wake(std::max(changes_[last_change_].at, sleeps_from_ + 3));
  }
  while (!asleep_ && !stopped_) step();
}

}  // namespace headstack::core
