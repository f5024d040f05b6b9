// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/limits.hpp"

#include <algorithm>

namespace headstack::fuzz {
namespace {

constexpr std::uint8_t kSubpageFormat = 0x40, kControlPage = 0x0A;
constexpr std::size_t kPageBytes = 232;
constexpr std::uint8_t kNextLimit = 0x1;
constexpr std::uint8_t kUnavailable = 0xD, kAbortRecovery = 0xE, kAbort = 0xF;

Picoseconds unit_of(std::uint8_t code) {
  constexpr Picoseconds kMicrosecond = 1'000'000;
  switch (code) {
    case 0x6: return kMicrosecond / 2;
    case 0x8: return kMicrosecond;
    case 0xA: return 10'000 * kMicrosecond;
    case 0xE: return 500'000 * kMicrosecond;
    default: return 0;
  }
}

std::size_t be16(const Bytes& bytes, std::size_t at) {
  return static_cast<std::size_t>(bytes[at]) << 8U | bytes[at + 1];
}

LimitDescriptor descriptor_at(const Bytes& list, std::size_t at) {
  const Picoseconds unit = unit_of(list[at] & 0x0FU);
  const auto limit = [&](std::size_t byte) {
    return unit * static_cast<Picoseconds>(be16(list, at + byte));
  };
  LimitDescriptor descriptor;
  descriptor.inactive = limit(2);
  descriptor.active = limit(4);
  descriptor.total = limit(10);
  descriptor.inactive_policy = list[at + 6] >> 4U;
  descriptor.active_policy = list[at + 6] & 0x0FU;
  descriptor.total_policy = list[at + 14] & 0x0FU;
  return descriptor;
}

void lower(std::optional<Picoseconds>* least, Picoseconds value) {
  *least = std::min(least->value_or(value), value);
}

}  // namespace

std::optional<LimitPage> limit_page_of(const Bytes& list, std::size_t header_bytes,
                                       std::uint8_t subpage) {
  for (std::size_t at = header_bytes; at + 4 <= list.size();) {
    const bool has_subpage = (list[at] & kSubpageFormat) != 0;
    const std::size_t size = has_subpage ? 4 + be16(list, at + 2) : 2U + list[at + 1];
    if (at + size > list.size()) return std::nullopt;
    const bool is_meant =
        (list[at] & 0x7FU) == (kSubpageFormat | kControlPage) && list[at + 1] == subpage;
    if (is_meant && size == kPageBytes) {
      LimitPage page;
      for (std::size_t i = 0; i < page.size(); ++i) {
        page.at(i) = descriptor_at(list, at + 8 + 32 * i);
      }
      return page;
    }
    at += size;
  }
  return std::nullopt;
}

void Limits::note(Picoseconds limit, std::uint8_t policy) {
  if (limit == 0) return;
  if (policy == kAbort || policy == kAbortRecovery) lower(&soonest_abort_, limit);
  if (policy == kUnavailable) lower(&soonest_unavailable_, limit);
}

void Limits::sent(const LimitPage& page) {
  was_alone_ = out_ == 0;
  ++out_;
  const std::optional<LimitPage> before = certain_;
  forget();
  if (was_alone_) before_ = before;
  for (const LimitDescriptor& descriptor : page) {
    note(descriptor.inactive, descriptor.inactive_policy);
    note(descriptor.active, descriptor.active_policy);
    note(descriptor.total, descriptor.total_policy);
  }
}

void Limits::ended(const LimitPage& page, bool good) {
  --out_;
  if (!good || out_ != 0 || !was_alone_) return;
  certain_ = page;
  ++version_;
}

void Limits::refused() {
  --out_;
  if (out_ == 0 && was_alone_) certain_ = before_;
  ++version_;
}

std::optional<Picoseconds> Limits::latest(std::uint8_t descriptor) const {
  if (!certain_ || descriptor == 0) return std::nullopt;
  const LimitDescriptor& limits = certain_->at(descriptor - 1U);
  if (limits.total == 0 || limits.total_policy != kAbort) return std::nullopt;
  // The GOOD of a command that completed without its data may wait for the bus.
  if (limits.inactive_policy == kUnavailable || limits.active_policy == kUnavailable) {
    return std::nullopt;
  }
  return limits.total;
}

/// SPC-5: the limits of all descriptors in turn count from the command's arrival. The next one in
/// turn acts no sooner than it is reached.
std::optional<LimitEnds> Limits::ends(std::uint8_t descriptor) const {
  if (!certain_) return std::nullopt;
  LimitEnds ends;
  Picoseconds reached = 0;
  const auto note_end = [&](Picoseconds limit, std::uint8_t policy) {
    if (limit == 0) return;
    const Picoseconds at = std::max(limit, reached);
    if (policy == kAbort) lower(&ends.abort, at);
    if (policy == kAbort || policy == kAbortRecovery) lower(&ends.recovery_abort, at);
    if (policy == kUnavailable) lower(&ends.unavailable, at);
  };
  for (std::size_t number = descriptor; number >= 1 && number <= certain_->size(); ++number) {
    const LimitDescriptor& limits = certain_->at(number - 1);
    note_end(limits.inactive, limits.inactive_policy);
    note_end(limits.active, limits.active_policy);
    note_end(limits.total, limits.total_policy);
    if (limits.total == 0 || limits.total_policy != kNextLimit) break;
    reached = std::max(reached, limits.total);
  }
  return ends;
}

}  // namespace headstack::fuzz
