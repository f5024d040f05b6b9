// SPDX-License-Identifier: Apache-2.0
#include "sim/initiator/agreement.hpp"

#include <algorithm>

#include "sim/initiator/messages.hpp"

namespace headstack::initiator {
namespace {

constexpr std::uint8_t kWidth16 = 1;  // exponent: 8 << 1 bits

}  // namespace

void Negotiator::forget() {
  agreement_ = {};
  awaiting_ = Awaiting::kNothing;
  require();
}

void Negotiator::finish() {
  awaiting_ = Awaiting::kNothing;
  needed_ = false;
}

Message Negotiator::ask_synchronous() {
  if (!wanted_.synchronous() && !agreement_.synchronous()) {
    finish();
    return {};
  }
  awaiting_ = Awaiting::kSynchronous;
  const std::uint8_t period = wanted_.synchronous() ? wanted_.period_factor : kFast10PeriodFactor;
  return synchronous_message(period, wanted_.offset);
}

Message Negotiator::open() {
  if (!needed_) return {};
  if (!wanted_.wide && !agreement_.wide) return ask_synchronous();
  awaiting_ = Awaiting::kWidth;
  return width_message(wanted_.wide ? kWidth16 : 0);
}

Message Negotiator::take_width(std::uint8_t exponent, bool* rejected) {
  const std::uint8_t offered = wanted_.wide ? kWidth16 : 0;
  if (awaiting_ == Awaiting::kWidth) {
    // An answer above the offer is void: the target gets MESSAGE REJECT, and the width is 8 bits.
    *rejected = exponent > offered;
    agreement_ = {};
    agreement_.wide = !*rejected && exponent == kWidth16;
    return ask_synchronous();
  }
  const std::uint8_t answer = std::min(exponent, offered);
  agreement_ = {};
  agreement_.wide = answer == kWidth16;
  awaiting_ = Awaiting::kNothing;
  return width_message(answer);
}

Message Negotiator::take_synchronous(std::uint8_t period_factor, std::uint8_t offset,
                                     bool* rejected) {
  if (awaiting_ == Awaiting::kSynchronous) {
    *rejected = offset > wanted_.offset || (offset != 0 && period_factor < wanted_.period_factor);
    agreement_.offset = *rejected ? std::uint8_t{0} : offset;
    agreement_.period_factor = period_factor;
    finish();
    return {};
  }
  agreement_.offset = std::min(offset, wanted_.offset);
  agreement_.period_factor = std::max(period_factor, wanted_.period_factor);
  finish();
  return synchronous_message(agreement_.period_factor, agreement_.offset);
}

void Negotiator::adopt_width(std::uint8_t exponent) {
  agreement_ = {};
  agreement_.wide = exponent == kWidth16;
}

void Negotiator::adopt_synchronous(std::uint8_t period_factor, std::uint8_t offset) {
  agreement_.offset = offset;
  agreement_.period_factor = period_factor;
}

Message Negotiator::take_reject() {
  if (awaiting_ == Awaiting::kWidth) {
    agreement_ = {};
    return ask_synchronous();
  }
  abandon();
  return {};
}

void Negotiator::abandon() {
  if (awaiting_ == Awaiting::kWidth) agreement_ = {};
  if (awaiting_ == Awaiting::kSynchronous) agreement_.offset = 0;
  if (under_way()) finish();
}

void Negotiator::cut_off() {
  if (!under_way()) return;
  awaiting_ = Awaiting::kNothing;
  needed_ = true;
}

}  // namespace headstack::initiator
