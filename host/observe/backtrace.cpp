// SPDX-License-Identifier: Apache-2.0
#include "host/observe/backtrace.hpp"

#include <algorithm>

namespace headstack::observe {
namespace {

constexpr std::uint64_t kReturnAddress = 1;  // ra, in the numbering of DWARF for RISC-V
constexpr std::uint64_t kStackPointer = 2;
constexpr std::uint32_t kCie = 0xFFFF'FFFF;

/// Reads the bytes of the section. The file may be damaged: bytes past the end read as zero, and
/// set is_bad().
class Cursor {
 public:
  Cursor(const std::vector<std::uint8_t>& bytes, std::size_t begin, std::size_t end)
      : bytes_(bytes), at_(begin), end_(std::min(end, bytes.size())) {}

  bool is_bad() const { return is_bad_; }
  bool is_over() const { return at_ >= end_ || is_bad_; }
  std::size_t at() const { return at_; }

  std::uint8_t byte() {
    if (at_ >= end_) {
      is_bad_ = true;
      return 0;
    }
    return bytes_[at_++];
  }
  std::uint32_t number(unsigned size) {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < size; ++i) value |= std::uint32_t{byte()} << (8 * i);
    return value;
  }
  std::uint64_t unsigned_leb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint8_t next = byte();
      value |= std::uint64_t{next & 0x7FU} << shift;
      if ((next & 0x80U) == 0) break;
    }
    return value;
  }
  std::int64_t signed_leb() {
    std::uint64_t value = 0;
    unsigned shift = 0;
    std::uint8_t next = 0x80;
    while ((next & 0x80U) != 0 && shift < 64) {
      next = byte();
      value |= std::uint64_t{next & 0x7FU} << shift;
      shift += 7;
    }
    if ((next & 0x40U) != 0 && shift < 64) value |= ~std::uint64_t{0} << shift;
    return static_cast<std::int64_t>(value);
  }

 private:
  const std::vector<std::uint8_t>& bytes_;
  std::size_t at_;
  std::size_t end_;
  bool is_bad_ = false;
};

/// A common information entry, reduced to what the firmware's entries have.
struct Common {
  std::uint64_t code_factor = 1;
  std::int64_t data_factor = 1;
  std::uint64_t return_column = kReturnAddress;
  std::size_t instructions = 0;
  std::size_t end = 0;
};

std::optional<Common> common_at(const std::vector<std::uint8_t>& bytes, std::size_t offset) {
  Cursor head(bytes, offset, bytes.size());
  const std::uint32_t length = head.number(4);
  const std::size_t end = head.at() + length;
  Cursor in(bytes, head.at(), end);
  if (in.number(4) != kCie) return std::nullopt;
  const std::uint8_t version = in.byte();
  if (in.byte() != 0) return std::nullopt;  // the entry has an augmentation
  if (version >= 4) in.number(2);
  Common common;
  common.code_factor = in.unsigned_leb();
  common.data_factor = in.signed_leb();
  common.return_column = version == 1 ? in.byte() : in.unsigned_leb();
  common.instructions = in.at();
  common.end = end;
  return in.is_bad() || end > bytes.size() ? std::nullopt : std::optional(common);
}

/// The state of the two columns that matter, during the execution of instructions.
struct Row {
  std::uint64_t cfa_register = kStackPointer;
  std::uint64_t cfa_offset = 0;
  std::optional<std::int64_t> return_address;
};

/// Executes instructions up to the row of `pc`. @return false at an instruction that the firmware's
/// information does not have.
bool execute(Cursor in, const Common& common, std::uint64_t location, std::uint64_t pc,
             const Row& initial, Row* row) {
  std::vector<Row> kept;
  while (!in.is_over()) {
    const std::uint8_t code = in.byte();
    const std::uint8_t low = code & 0x3FU;
    switch (code & 0xC0U) {
      case 0x40:  // DW_CFA_advance_loc
        location += low * common.code_factor;
        if (location > pc) return true;
        continue;
      case 0x80: {  // DW_CFA_offset
        const auto offset = static_cast<std::int64_t>(in.unsigned_leb()) * common.data_factor;
        if (low == kReturnAddress) row->return_address = offset;
        continue;
      }
      case 0xC0:  // DW_CFA_restore
        if (low == kReturnAddress) row->return_address = initial.return_address;
        continue;
      default: break;
    }
    switch (code) {
      case 0x00: continue;  // DW_CFA_nop
      case 0x02:            // DW_CFA_advance_loc1, 2, 4
      case 0x03:
      case 0x04:
        location += in.number(1U << (code - 2U)) * common.code_factor;
        if (location > pc) return true;
        continue;
      case 0x07:  // DW_CFA_undefined
      case 0x08:  // DW_CFA_same_value
        if (in.unsigned_leb() == kReturnAddress) row->return_address.reset();
        continue;
      case 0x0A: kept.push_back(*row); continue;  // DW_CFA_remember_state
      case 0x0B:                                  // DW_CFA_restore_state
        if (kept.empty()) return false;
        *row = kept.back();
        kept.pop_back();
        continue;
      case 0x0C:  // DW_CFA_def_cfa
        row->cfa_register = in.unsigned_leb();
        row->cfa_offset = in.unsigned_leb();
        continue;
      case 0x0D: row->cfa_register = in.unsigned_leb(); continue;  // DW_CFA_def_cfa_register
      case 0x0E: row->cfa_offset = in.unsigned_leb(); continue;    // DW_CFA_def_cfa_offset
      default: return false;
    }
  }
  return !in.is_bad();
}

}  // namespace

std::optional<Unwinder::Rules> Unwinder::rules_at(std::uint32_t pc) const {
  for (std::size_t at = 0; at + 8 <= bytes_.size();) {
    Cursor in(bytes_, at, bytes_.size());
    const std::uint32_t length = in.number(4);
    const std::size_t end = in.at() + length;
    if (end > bytes_.size() || length < 4) return std::nullopt;
    const std::uint32_t common_offset = in.number(4);
    at = end;
    if (common_offset == kCie) continue;
    const std::uint32_t begin = in.number(4);
    const std::uint32_t size = in.number(4);
    if (in.is_bad() || pc - begin >= size) continue;
    const auto common = common_at(bytes_, common_offset);
    if (!common || common->return_column != kReturnAddress) return std::nullopt;
    Row initial;
    const Cursor first(bytes_, common->instructions, common->end);
    if (!execute(first, *common, 0, 0, {}, &initial)) return std::nullopt;
    Row row = initial;
    const Cursor own(bytes_, in.at(), end);
    if (!execute(own, *common, begin, pc, initial, &row)) return std::nullopt;
    if (row.cfa_register != kStackPointer) return std::nullopt;
    return Rules{row.cfa_offset, row.return_address};
  }
  return std::nullopt;
}

std::vector<Frame> Unwinder::frames(std::uint32_t pc, std::uint32_t sp,
                                    std::uint32_t return_address, const WordAt& word_at,
                                    std::size_t most) const {
  std::vector<Frame> frames = {{pc, sp}};
  while (frames.size() < most) {
    const bool is_innermost = frames.size() == 1;
    // The call is the instruction before the return address.
    const std::uint32_t place = frames.back().pc - (is_innermost ? 0 : 1);
    std::optional<Rules> rules = rules_at(place);
    // After a jump to a bad address, the stack is intact; only the address of the jump is lost.
    if (!rules && is_innermost) rules = Rules{};
    if (!rules) break;
    const auto caller_sp = static_cast<std::uint32_t>(frames.back().sp + rules->cfa_offset);
    std::optional<std::uint32_t> next;
    if (rules->return_address) {
      next = word_at(caller_sp + static_cast<std::uint32_t>(*rules->return_address));
    } else if (is_innermost) {
      next = return_address;
    }
    if (!next || *next == 0) break;
    frames.push_back({*next, caller_sp});
  }
  return frames;
}

}  // namespace headstack::observe
