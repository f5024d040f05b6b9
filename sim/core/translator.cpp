// SPDX-License-Identifier: Apache-2.0
#include "sim/core/translator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <set>

#include "sim/core/block.hpp"
#include "sim/core/instruction.hpp"
#include "sim/core/translation.hpp"
#include "sim/core/translator_id.hpp"

namespace headstack::core {
namespace {

constexpr std::size_t kMost = 64;  // instructions of a unit, unless an access is outstanding
// Instructions up to which a unit goes on over a jump, or into code where another unit begins.
constexpr std::size_t kMostGoingOn = 8;
constexpr std::uint32_t kMostOffset = 2048;  // largest offset of a load or store

/// The decoded program, and the addresses where its units begin.
class Code {
 public:
  explicit Code(const Program& program) : bytes_(program.bytes) {
    for (const std::uint32_t root : program.roots) reach(root);
    while (!unseen_.empty()) {
      const std::uint32_t address = unseen_.back();
      unseen_.pop_back();
      follow(address);
    }
    for (auto place = begins_.begin(); place != begins_.end();) {
      place = is_for_a_unit(*place) ? std::next(place) : begins_.erase(place);
    }
  }

  const std::set<std::uint32_t>& begins() const { return begins_; }
  bool has_unit(std::uint32_t address) const { return begins_.count(address) != 0; }
  std::uint32_t end() const { return static_cast<std::uint32_t>(bytes_.size()); }

  /// The instruction at an address; kIllegal past the end.
  Instruction at(std::uint32_t address) const {
    if (address + 4 > end()) return decode(0);
    std::uint32_t word = 0;
    std::memcpy(&word, bytes_.data() + address, 4);
    return decode(word);
  }
  bool is_long_target(std::uint32_t address) const {
    return (address & 2U) != 0 && at(address).bytes == 4;
  }

 private:
  void reach(std::uint32_t address) {
    if (address < end() && begins_.insert(address).second) unseen_.push_back(address);
  }

  /// Finds all targets of jumps from here on, and addresses where the interpreter returns to units.
  void follow(std::uint32_t address) {
    for (;;) {
      const Instruction in = at(address);
      const std::uint32_t behind = address + in.bytes;
      if (in.op == Op::kIllegal || in.op == Op::kMret) return;
      if (in.op == Op::kJal || (is_jump(in.op) && in.op != Op::kJalr)) reach(address + in.imm);
      if (in.op == Op::kJal || in.op == Op::kJalr) {
        if (in.rd != 0) reach(behind);
        return;
      }
      if (!is_plain(in.op)) reach(behind);
      address = behind;
    }
  }

  /// Whether a unit may begin here. It may not where the fetch queue matters.
  bool is_for_a_unit(std::uint32_t address) const {
    return is_plain(at(address).op) &&
           !leads_to_sleep(address, [this](std::uint32_t pc) { return at(pc); });
  }

  const std::vector<std::uint8_t>& bytes_;
  std::set<std::uint32_t> begins_;
  std::vector<std::uint32_t> unseen_;
};

std::string unit_name(std::uint32_t address) { return fmt::format("unit_{:x}", address); }

/// An instruction of arithmetic as an expression of a and b.
std::string expression(const Instruction& in, const std::string& a, const std::string& b) {
  const auto text = [&](const char* format) {
    return fmt::format(fmt::runtime(format), fmt::arg("a", a), fmt::arg("b", b),
                       fmt::arg("imm", in.imm));
  };
  switch (in.op) {
    case Op::kLui: return text("{imm}u");
    case Op::kAddi: return text("{a} + {imm}u");
    case Op::kSlti: return text("(i32)({a}) < (i32){imm}u ? 1u : 0u");
    case Op::kSltiu: return text("{a} < {imm}u ? 1u : 0u");
    case Op::kXori: return text("{a} ^ {imm}u");
    case Op::kOri: return text("{a} | {imm}u");
    case Op::kAndi: return text("{a} & {imm}u");
    case Op::kSlli: return text("{a} << {imm}");
    case Op::kSrli: return text("{a} >> {imm}");
    case Op::kSrai: return text("(u32)((i32)({a}) >> {imm})");
    case Op::kAdd: return text("{a} + {b}");
    case Op::kSub: return text("{a} - {b}");
    case Op::kSll: return text("{a} << ({b} & 31u)");
    case Op::kSlt: return text("(i32)({a}) < (i32)({b}) ? 1u : 0u");
    case Op::kSltu: return text("{a} < {b} ? 1u : 0u");
    case Op::kXor: return text("{a} ^ {b}");
    case Op::kSrl: return text("{a} >> ({b} & 31u)");
    case Op::kSra: return text("(u32)((i32)({a}) >> ({b} & 31u))");
    case Op::kOr: return text("{a} | {b}");
    case Op::kAnd: return text("{a} & {b}");
    case Op::kMul: return text("{a} * {b}");
    default:
      return fmt::format("compute((Op){}, {}u, {}, {})", static_cast<unsigned>(in.op), in.imm, a,
                         b);
  }
}

std::string condition(Op op, const std::string& a, const std::string& b) {
  switch (op) {
    case Op::kBeq: return fmt::format("{} == {}", a, b);
    case Op::kBne: return fmt::format("{} != {}", a, b);
    case Op::kBlt: return fmt::format("(i32)({}) < (i32)({})", a, b);
    case Op::kBge: return fmt::format("(i32)({}) >= (i32)({})", a, b);
    case Op::kBltu: return fmt::format("{} < {}", a, b);
    default: return fmt::format("{} >= {}", a, b);
  }
}

bool divides(Op op) { return op >= Op::kDiv && op <= Op::kRemu; }

/// Writes the text of one unit.
class UnitWriter {
 public:
  UnitWriter(const Code& code, const Program& program, std::uint32_t address)
      : code_(code),
        ram_bytes_(program.ram_bytes),
        stack_limit_(program.stack_limit),
        address_(address),
        pc_(address) {
    known_[0] = 0;
    while (add()) {
    }
  }

  std::string text() const {
    return fmt::format(
        "void {}(State* s, i64 left, u8* ram) {{\n  enum {{ kCycles = {} }};\n"
        "  if (left < kCycles) return leave(s, left, {}u, 0);\n{}{}}}\n",
        unit_name(address_), cycles(), address_, stack_check(), body_);
  }
  /// The address where the unit was cut off, for another unit to begin.
  std::optional<std::uint32_t> cut() const { return cut_; }
  /// Cycles up to the entry of an instruction after a jump at its end, and one for a long target.
  std::uint32_t cycles() const { return schedule_.next() + 4U; }

 private:
  /// Writes the next instruction, or the end. @return true if the unit goes on.
  bool add() {
    const Instruction in = code_.at(pc_);
    const bool is_stepped = stack_limit_ != 0 && sets_stack(in);
    if (!is_plain(in.op) || is_stepped) return end(leaving(translation::kStep));
    if (count_ > 0 && !schedule_.access_is_out()) {
      if (count_ >= kMost) cut_ = pc_;
      const bool is_joined = code_.has_unit(pc_) && count_ >= kMostGoingOn;
      if (cut_ || is_joined) return end(going_to(pc_, schedule_.next()));
    }
    if (is_jump(in.op)) return jump(in);
    if (is_load(in.op) || is_store(in.op)) {
      if (!access(in)) return false;
    } else {
      if (divides(in.op)) {
        line(fmt::format("if ({} == 0) {}", read(in.rs2), leaving(translation::kStep)));
      }
      arithmetic(in);
    }
    schedule_.add(in);
    ++count_;
    pc_ += in.bytes;
    return true;
  }

  void line(const std::string& text) { body_ += "  " + text + "\n"; }
  bool end(const std::string& text) {
    line(text);
    return false;
  }

  /// Code that leaves the unit in front of the instruction at pc_.
  std::string leaving(std::uint32_t how) const {
    if (schedule_.access_is_out()) {
      how |= translation::kAccessIsOut | std::uint32_t{schedule_.loads()}
                                             << translation::kLoadsShift;
    }
    return leaving_for(pc_, schedule_.next(), how, count_);
  }
  std::string leaving_for(std::uint32_t pc, std::uint32_t cycles, std::uint32_t how,
                          std::uint32_t retired) const {
    return fmt::format("{{ {}return leave(s, left - {}, {}u, {}u); }}", written(), cycles, pc,
                       how | retired << translation::kRetiredShift);
  }
  /// Code that goes to the unit at `target`, which begins `cycles` cycles after this one.
  std::string going_to(std::uint32_t target, std::uint32_t cycles) const {
    return fmt::format("{{ {}s->retired += {}; return {}(s, left - {}, ram); }}", written(), count_,
                       unit_name(target), cycles);
  }

  std::string read(unsigned number) {
    if (known_[number]) return fmt::format("{}u", *known_[number]);
    if (!is_local_[number]) {
      line(fmt::format("u32 r{0} = s->x[{0}];", number));
      is_local_[number] = true;
    }
    return fmt::format("r{}", number);
  }
  void declare(unsigned number) {
    if (number != 0 && !is_local_[number]) line(fmt::format("u32 r{};", number));
    is_local_[number] = true;
  }
  void write(unsigned number, const std::string& value) {
    if (number == 0) return;
    forget(number);
    line(fmt::format("{}r{} = {};", is_local_[number] ? "" : "u32 ", number, value));
    is_local_[number] = true;
    is_written_[number] = true;
  }
  /// Drops the known value of a register that is written; x0 is always 0.
  void forget(unsigned number) {
    if (number == 0) return;
    known_[number].reset();
    if (number == kStackPointer) stack_offset_.reset();
  }
  void write_known(unsigned number, std::uint32_t value) {
    if (number == 0) return;
    forget(number);
    known_[number] = value;
    is_written_[number] = true;
  }
  /// Code that writes changed registers to State. Locals hold them until the unit is left.
  std::string written() const {
    std::string text;
    for (unsigned number = 1; number < is_written_.size(); ++number) {
      if (!is_written_[number]) continue;
      text += known_[number] ? fmt::format("s->x[{}] = {}u; ", number, *known_[number])
                             : fmt::format("s->x[{0}] = r{0}; ", number);
    }
    return text;
  }

  void arithmetic(const Instruction& in) {
    if (in.op == Op::kFence) return;
    if (in.op == Op::kAuipc) return write_known(in.rd, pc_ + in.imm);
    if (in.op == Op::kLui) return write_known(in.rd, in.imm);
    if (in.op == Op::kAddi && known_[in.rs1]) {
      return write_known(in.rd, *known_[in.rs1] + in.imm);
    }
    const bool two = in.op >= Op::kAdd && in.op <= Op::kRemu;
    const std::string a = read(in.rs1);
    const std::string b = two ? read(in.rs2) : "0u";
    const std::optional<std::uint32_t> offset = stack_offset_;
    write(in.rd, expression(in, a, b));
    if (in.op == Op::kAddi && in.rd == kStackPointer && in.rs1 == kStackPointer && offset) {
      stack_offset_ = *offset + in.imm;
      if (stack_limit_ != 0) check_with_stack(static_cast<std::int32_t>(*stack_offset_));
    }
  }

  /// Whether the access is known, at translation, to leave RAM.
  bool reaches_registers(const Instruction& in) const {
    return known_[in.rs1] && *known_[in.rs1] + in.imm >= ram_bytes_;
  }

  static unsigned bits_of(Op op) {
    switch (op) {
      case Op::kLb:
      case Op::kLbu:
      case Op::kSb: return 0;
      case Op::kLw:
      case Op::kSw: return 2;
      default: return 1;
    }
  }

  /// Writes an access. @return false if the unit ends with it.
  bool access(const Instruction& in) {
    static constexpr std::array<const char*, 3> kTypes = {"u8", "u16", "u32"};
    const unsigned bits = bits_of(in.op);
    const bool store = is_store(in.op);
    const std::string base = read(in.rs1);
    const std::string value = store ? read(in.rs2) : "";
    const std::string address = fmt::format("{} + {}u", base, in.imm);
    if (!store) declare(in.rd);
    const Behind behind = behind_access(in);
    if (reaches_registers(in)) {
      line(reaching(in, behind));
      is_written_.fill(false);
      if (behind == Behind::kEnd) return false;
      if (has_jumped(in, behind)) {
        schedule_.add(in);
        schedule_.add(code_.at(pc_ + in.bytes));
        return false;
      }
      if (!store) forget(in.rd);
      return true;
    }
    std::string otherwise;
    std::string place = fmt::format("ram + ({})", address);
    if (is_checked_with_stack(in, bits)) {
      // Such a pointer and its offset do not go around the end of the address space.
      if (code_.end() > kMostOffset) {
        place =
            fmt::format("ram + std::size_t{{{}}} + {}", base, static_cast<std::int32_t>(in.imm));
      }
    } else {
      const std::uint32_t from = store ? code_.end() : 0;
      otherwise = fmt::format("if (__builtin_expect({}, 0)) {} else ",
                              is_no_ram(address, from, bits), reaching(in, behind));
    }
    if (store) {
      line(fmt::format("{}{{ {} v = ({}){}; memcpy({}, &v, sizeof v); }}", otherwise, kTypes[bits],
                       kTypes[bits], value, place));
      return true;
    }
    const std::string loaded = fmt::format("load<{}>({})", kTypes[bits], place);
    const bool has_sign = in.op == Op::kLb || in.op == Op::kLh;
    const std::string text =
        has_sign ? fmt::format("sign_extend({}, {})", loaded, 8U << bits) : loaded;
    if (in.rd == 0) {
      if (!otherwise.empty()) line(otherwise + "{}");
      return true;
    }
    line(fmt::format("{1}{{ r{0} = {2}; }}", in.rd, otherwise, text));
    forget(in.rd);
    is_written_[in.rd] = true;
    return true;
  }

  /// A condition with one comparison: the address is not aligned, or not in RAM at or after `from`.
  std::string is_no_ram(const std::string& address, std::uint32_t from, unsigned bits) const {
    const bool is_power = (ram_bytes_ & (ram_bytes_ - 1)) == 0;
    if (from == 0 && is_power) {
      return fmt::format("(({}) & {}u) != 0", address, ~(ram_bytes_ - 1) | ((1U << bits) - 1));
    }
    return fmt::format("aligned({} - {}u, {}) >= {}u", address, from, bits,
                       (ram_bytes_ - from) >> bits);
  }

  /// The part of the unit that follows an access that RAM does not answer.
  enum class Behind {
    kEnd,
    kLater,  // the next instruction executes with the answer, or after it
    kJump    // the same, but that is a jump, and sets the fetch address before
  };
  Behind behind_access(const Instruction& access) const {
    const std::uint32_t pc = pc_ + access.bytes;
    const Instruction next = code_.at(pc);
    if (!is_plain(next.op)) return Behind::kEnd;
    const bool load_use =
        is_load(access.op) && access.rd != 0 && (access.rd == next.rs1 || access.rd == next.rs2);
    if (!is_jump(next.op) || load_use) return Behind::kLater;
    return next.op == Op::kJalr || code_.has_unit(pc + next.imm) ? Behind::kJump : Behind::kEnd;
  }

  /// Whether the jump after an access that leaves RAM was made with it, taken or not.
  bool has_jumped(const Instruction& access, Behind behind) const {
    const Op next = code_.at(pc_ + access.bytes).op;
    return behind == Behind::kJump && (next == Op::kJal || next == Op::kJalr);
  }

  /// Code for an access by Hart. It reads all locals again, so that none has to be kept.
  std::string reaching(const Instruction& in, Behind behind) const {
    Schedule schedule = schedule_;
    const Schedule::Times times = schedule.add(in);
    std::string text = fmt::format(
        "{{ {}static constexpr Request kRequest = {{{{(Op){}, {}, {}, {}, {}, {}u}}, {}u, {}, {}, "
        "kCycles, {}, {}, {}, {}}}; const Reached at = s->{}(s, left, &kRequest); ",
        written(), static_cast<unsigned>(in.op), in.bytes, in.rd, in.rs1, in.rs2, in.imm, pc_,
        times.id, times.done, count_, schedule_.access_is_out(), schedule_.loads(),
        behind != Behind::kEnd,
        in.op == Op::kLw   ? "load_word"
        : in.op == Op::kSw ? "store_word"
                           : "reach");
    if (behind == Behind::kEnd) return text + "(void)at; return; }";
    text += "s = at.state; left = at.left; if (left < kCycles) return; ram = s->ram; ";
    if (behind == Behind::kJump) text += jumping_behind(in, schedule);
    for (unsigned number = 1; number < is_local_.size(); ++number) {
      if (is_local_[number]) text += fmt::format("r{0} = s->x[{0}]; ", number);
    }
    return text + "}";
  }
  /// Code of the jump after an access that was answered later. Part of the wait is over when the
  /// target enters ID.
  std::string jumping_behind(const Instruction& access, Schedule schedule) const {
    const std::uint32_t pc = pc_ + access.bytes;
    const Instruction in = code_.at(pc);
    const Schedule::Times times = schedule.add(in);
    const std::uint32_t retired = count_ + 2;
    const std::string a = fmt::format("s->x[{}]", in.rs1);
    std::string text;
    if (in.op == Op::kJalr) {
      const std::uint32_t how = translation::kStep | translation::kAccessIsOut |
                                translation::kAnswerIsLater |
                                (retired - 1) << translation::kRetiredShift;
      text = fmt::format(
          "const u32 target = ({} + {}u) & ~1u; if (!has_unit(s, target)) {{ "
          "return leave(s, left + s->later - {}, {}u, {}u); }} ",
          a, in.imm, times.id, pc, how);
      if (in.rd != 0) text += fmt::format("s->x[{}] = {}u; ", in.rd, pc + in.bytes);
      return text + fmt::format("return go_later(s, left - {}, ram, target, {}); ", after(times, 0),
                                retired);
    }
    const std::uint32_t target = pc + in.imm;
    const std::uint32_t is_long = code_.is_long_target(target) ? 1 : 0;
    const std::string there =
        fmt::format("{{ s->retired += {}; return {}(s, left - {} + hidden(s->later, {}), ram); }} ",
                    retired, unit_name(target), after(times, is_long), is_long);
    if (in.op != Op::kJal) {
      return fmt::format("if ({}) {}", condition(in.op, a, fmt::format("s->x[{}]", in.rs2)), there);
    }
    if (in.rd != 0) text = fmt::format("s->x[{}] = {}u; ", in.rd, pc + in.bytes);
    return text + there;
  }

  /// Whether this accesses a word by the stack pointer, which is checked where the unit begins.
  bool is_checked_with_stack(const Instruction& in, unsigned bits) {
    if (in.rs1 != kStackPointer || bits != 2 || !stack_offset_) return false;
    const auto offset = static_cast<std::int32_t>(*stack_offset_ + in.imm);
    if (offset % 4 != 0) return false;
    check_with_stack(offset);
    return true;
  }
  void check_with_stack(std::int32_t offset) {
    stack_low_ = std::min(stack_low_, offset);
    stack_high_ = std::max(stack_high_, offset);
  }
  /// Code that checks, at the unit's entry, all words of the stack that it may reach. A unit that
  /// would go below the stack's limit is stepped instead.
  std::string stack_check() const {
    if (stack_low_ > stack_high_) return "";
    const std::uint32_t end = std::max(code_.end(), stack_limit_);
    const std::uint32_t low = static_cast<std::uint32_t>(stack_low_) - end;
    const auto more = static_cast<std::uint32_t>(stack_high_ - stack_low_);
    return fmt::format("  if (aligned(s->x[2] + {}u, 2) >= {}u) return leave(s, left, {}u, {}u);\n",
                       low, (ram_bytes_ - end - more) / 4, address_,
                       std::uint32_t{translation::kStep});
  }

  bool jump(const Instruction& in) {
    const std::string a = in.op == Op::kJal ? "" : read(in.rs1);
    const std::string b = in.op > Op::kJalr ? read(in.rs2) : "";
    const bool is_seen = in.op != Op::kJalr || known_[in.rs1].has_value();
    const std::uint32_t base = in.op == Op::kJalr ? known_[in.rs1].value_or(0) : pc_;
    const Schedule::Times times = schedule_.add(in);
    const std::uint32_t behind = pc_ + in.bytes;
    ++count_;
    if (!is_seen) {
      line(fmt::format("u32 target = ({} + {}u) & ~1u;", a, in.imm));
      write_known(in.rd, behind);
      line(written());
      return end(fmt::format("return go(s, left - {}, ram, target, {});", after(times, 0), count_));
    }
    const std::uint32_t target = (base + in.imm) & ~1U;
    const bool seen = target < code_.end();
    const std::uint32_t cycles = after(times, seen && code_.is_long_target(target) ? 1 : 0);
    const bool is_taken = in.op == Op::kJal || in.op == Op::kJalr;
    if (is_taken) write_known(in.rd, behind);
    if (is_taken && code_.has_unit(target) && count_ < kMostGoingOn) {
      // An outstanding access has been answered when the target executes.
      schedule_.jump(static_cast<std::uint16_t>(cycles));
      pc_ = target;
      return true;
    }
    const std::string there =
        code_.has_unit(target)
            ? going_to(target, cycles)
            : leaving_for(target, cycles,
                          translation::kJumped | (seen ? 0U : translation::kTargetUnseen), count_);
    if (is_taken) return end(there);
    line(fmt::format("if ({}) {}", condition(in.op, a, b), there));
    pc_ = behind;
    return true;
  }
  static std::uint32_t after(const Schedule::Times& times, std::uint32_t long_target) {
    return std::max(times.done + 1U, times.set + 2U + long_target);
  }

  const Code& code_;
  std::uint32_t ram_bytes_;
  std::uint32_t stack_limit_;
  std::uint32_t address_;
  std::uint32_t pc_;
  std::uint32_t count_ = 0;
  std::optional<std::uint32_t> cut_;
  Schedule schedule_;
  std::string body_;
  std::array<bool, 32> is_local_{};
  std::array<bool, 32> is_written_{};  // registers whose values are not in State yet
  std::array<std::optional<std::uint32_t>, 32> known_{};
  std::optional<std::uint32_t> stack_offset_ = 0;  // distance from its value at the unit's entry
  std::int32_t stack_low_ = INT32_MAX;
  std::int32_t stack_high_ = INT32_MIN;
};

const char* const kHead = R"(// Translated from the drive's program.
#include "units.hpp"

)";

const char* const kHeader = R"(// Translated from the drive's program.
#pragma once
#include <cstdint>
#include <cstring>
#include "sim/core/operation.hpp"
#include "sim/core/translation.hpp"

using namespace headstack::core;
using namespace headstack::core::translation;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

template <class T> static inline T load(const u8* place) {
  T value;
  memcpy(&value, place, sizeof value);
  return value;
}

)";

/// Code of jumps to a target in a register; the second is for one after an access answered later.
const char* const kGo = R"(
static inline bool has_unit(const State* s, u32 target) {
  return target < %u && s->entries[target >> 1].unit != nullptr;
}

static inline void go(State* s, i64 left, u8* ram, u32 target, u32 retired) {
  if (!has_unit(s, target)) {
    return leave(s, left, target, kJumped | kTargetUnseen | retired << kRetiredShift);
  }
  const Entry& entry = s->entries[target >> 1];
  s->retired += retired;
  return entry.unit(s, left - entry.long_target, ram);
}

static inline void go_later(State* s, i64 left, u8* ram, u32 target, u32 retired) {
  const Entry& entry = s->entries[target >> 1];
  s->retired += retired;
  return entry.unit(s, left - entry.long_target + hidden(s->later, entry.long_target), ram);
}

)";

std::string table_text(const Code& code, const Program& program, const std::string& places) {
  std::string text = kHead;
  text += "static const u8 kBytes[] = {";
  for (std::size_t i = 0; i < program.bytes.size(); ++i) {
    text += fmt::format("{}{},", i % 32 == 0 ? "\n" : "", program.bytes[i]);
  }
  text += fmt::format("\n}};\nstatic const Place kPlaces[] = {{\n{}}};\n", places);
  text += fmt::format(
      "extern \"C\" [[gnu::visibility(\"default\")]] const Translation headstack_translation;\n"
      "const Translation headstack_translation = {{{}ull, {}u, {}u, kBytes, kPlaces, sizeof "
      "kPlaces / "
      "sizeof *kPlaces}};\n",
      kTranslatorId, program.ram_bytes, code.end());
  return text;
}

}  // namespace

std::map<std::string, std::string> translate(const Program& program, unsigned parts) {
  const Code code(program);
  std::map<std::uint32_t, UnitWriter> units;
  std::vector<std::uint32_t> unwritten(code.begins().begin(), code.begins().end());
  while (!unwritten.empty()) {
    const std::uint32_t address = unwritten.back();
    unwritten.pop_back();
    const auto added = units.try_emplace(address, code, program, address);
    if (added.second && added.first->second.cut()) unwritten.push_back(*added.first->second.cut());
  }

  std::string header = kHeader;
  std::string go = kGo;
  go.replace(go.find("%u"), 2, fmt::format("{}u", code.end()));
  header += go;
  std::string places;
  std::vector<std::string> texts(parts, kHead);
  std::size_t number = 0;
  for (const auto& [address, unit] : units) {
    header += fmt::format("void {}(State* s, i64 left, u8* ram);\n", unit_name(address));
    places += fmt::format("{{{}u, {{{}, {}, {}}}}},\n", address, unit_name(address), unit.cycles(),
                          code.is_long_target(address) ? 1 : 0);
    texts[number++ * parts / units.size()] += unit.text();
  }
  std::map<std::string, std::string> files;
  files["units.hpp"] = header;
  files["table.cpp"] = table_text(code, program, places);
  for (unsigned part = 0; part < parts; ++part) {
    files[fmt::format("units_{}.cpp", part)] = texts[part];
  }
  return files;
}

}  // namespace headstack::core
