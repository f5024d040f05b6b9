// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/attention.hpp"

#include <algorithm>

namespace headstack::fuzz {
namespace {

/// ASC and ASCQ (SPC-2 annex C.2), in the order of Attention.
constexpr std::uint16_t kCodes[] = {0x2900, 0x2902, 0x2903, 0x2A01, 0x2F00, 0x2800, 0x2A02};

constexpr std::uint8_t kReset = 0x29;

constexpr std::uint16_t code_of(Attention attention) {
  return kCodes[static_cast<std::size_t>(attention)];
}

}  // namespace

void Attentions::add(const void* by, Attention attention, std::size_t host, Picoseconds at,
                     bool many) {
  Cause cause;
  cause.by = by;
  cause.attention = attention;
  cause.begin = at;
  cause.many = many;
  cause.may_tell.fill(true);
  if (host < kHosts) cause.may_tell[host] = false;
  causes_.push_back(cause);
}

void Attentions::begin(const void* by, Attention attention, std::size_t host, Picoseconds at) {
  add(by, attention, host, at, false);
}

void Attentions::begin_many(const void* by, Attention attention, std::size_t host, Picoseconds at) {
  add(by, attention, host, at, true);
}

void Attentions::end(const void* by, Picoseconds at) {
  for (Cause& cause : causes_) {
    if (cause.by != by || cause.end != kOpen) continue;
    cause.end = at;
    pay(&cause);
  }
}

void Attentions::cancel(const void* by) {
  causes_.erase(std::remove_if(causes_.begin(), causes_.end(),
                               [by](const Cause& cause) { return cause.by == by; }),
                causes_.end());
}

void Attentions::pay(Cause* cause) {
  for (std::size_t host = 0; host < kHosts; ++host) {
    if (!cause->may_tell[host] || cause->many) continue;
    const auto debt = std::find_if(debts_.begin(), debts_.end(), [&](const Debt& one) {
      return one.host == host && one.code == code_of(cause->attention) && cause->begin <= one.at;
    });
    if (debt == debts_.end()) continue;
    cause->may_tell[host] = false;
    debts_.erase(debt);
  }
}

void Attentions::raise(Attention attention, std::size_t host, Picoseconds at) {
  add(nullptr, attention, host, at, false);
  causes_.back().end = at;
}

void Attentions::reset_happened(const void* by, Picoseconds at) {
  Picoseconds begin = at;
  for (const Cause& cause : causes_) {
    if (by != nullptr && cause.by == by) begin = std::min(begin, cause.begin);
  }
  for (std::size_t host = 0; host < kHosts; ++host) {
    const bool may_know = by != nullptr && told_at_[host] >= begin;
    if (!may_know) reset_at_[host] = at;
  }
}

bool Attentions::may_explain(const Cause& cause, std::size_t host, std::uint16_t code,
                             Picoseconds last) {
  return code_of(cause.attention) == code && cause.may_tell[host] && cause.begin <= last;
}

// Only causes that are over count: the open ones may explain later reports.
Attentions::Cause* Attentions::find_ended(std::size_t host, std::uint16_t code, Picoseconds last) {
  Cause* best = nullptr;
  for (Cause& cause : causes_) {
    const bool may_be = may_explain(cause, host, code, last) && cause.end != kOpen;
    if (may_be && (best == nullptr || cause.end < best->end)) best = &cause;
  }
  return best;
}

bool Attentions::borrow(std::size_t host, std::uint16_t code, Picoseconds last) {
  std::size_t open = 0;
  for (const Cause& cause : causes_) {
    const bool may_be = may_explain(cause, host, code, last) && cause.end == kOpen;
    if (may_be && cause.many) return true;
    if (may_be) ++open;
  }
  const auto owed = std::count_if(debts_.begin(), debts_.end(), [&](const Debt& debt) {
    return debt.host == host && debt.code == code;
  });
  if (open <= static_cast<std::size_t>(owed)) return false;
  debts_.push_back({host, code, last});
  return true;
}

bool Attentions::report(std::size_t host, std::uint8_t asc, std::uint8_t ascq, Picoseconds first,
                        Picoseconds last) {
  const auto code = static_cast<std::uint16_t>(asc << 8U | ascq);
  Cause* const cause = find_ended(host, code, last);
  if (cause == nullptr && !borrow(host, code, last)) return false;
  if (cause != nullptr && (!cause->many || cause->end <= first)) cause->may_tell[host] = false;
  for (Cause& other : causes_) {
    if (code_of(other.attention) == code && other.end <= first) other.may_tell[host] = false;
  }
  if (asc == kReset) may_have_reported(host, last);
  return true;
}

void Attentions::may_have_reported(std::size_t host, Picoseconds at) {
  told_at_[host] = std::max(told_at_[host], at);
  if (reset_at_[host] <= at) reset_at_[host] = kOpen;
}

}  // namespace headstack::fuzz
