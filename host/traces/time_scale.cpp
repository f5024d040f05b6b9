// SPDX-License-Identifier: Apache-2.0
#include "host/traces/time_scale.hpp"

#include <fmt/format.h>

#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

constexpr std::size_t kMostDigits = 9;
constexpr std::uint64_t kBillion = 1'000'000'000;

/// A decimal number in billionths.
std::uint64_t billionths_of(const std::string& text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  std::string fraction = point < text.size() ? text.substr(point + 1) : "0";
  const std::string whole = text.substr(0, point);
  std::uint64_t value = 0;
  if (is_number(whole) && is_number(fraction) && whole.size() <= kMostDigits &&
      fraction.size() <= kMostDigits) {
    fraction.append(kMostDigits - fraction.size(), '0');
    value = std::stoull(whole) * kBillion + std::stoull(fraction);
  }
  if (value == 0) {
    throw TraceError(
        fmt::format("'{}' is not a number above 0 with at most 9 digits before and after its point",
                    printable(text, 40)));
  }
  return value;
}

Uint128 greatest_common_divisor(Uint128 a, Uint128 b) {
  while (b != 0) {
    const Uint128 rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

}  // namespace

TimeScale::TimeScale(Uint128 numerator, Uint128 denominator) {
  const Uint128 common = greatest_common_divisor(numerator, denominator);
  numerator /= common;
  denominator /= common;
  while ((numerator | denominator) >> 63 != 0) {
    numerator >>= 1;
    denominator >>= 1;
  }
  numerator_ = static_cast<std::uint64_t>(numerator);
  denominator_ = std::max<std::uint64_t>(static_cast<std::uint64_t>(denominator), 1);
}

TimeScale TimeScale::by_factor(const std::string& factor) {
  return {billionths_of(factor), kBillion};
}

TimeScale TimeScale::to_rate(std::uint64_t gaps, Picoseconds span, const std::string& rate) {
  // The new span is gaps / rate seconds. Each product has at most 64 + 50 bits.
  return {Uint128{gaps} * kBillion * static_cast<std::uint64_t>(kPicosecondsPerSecond),
          Uint128{static_cast<std::uint64_t>(span)} * billionths_of(rate)};
}

Picoseconds TimeScale::apply(Picoseconds time) const {
  const Uint128 scaled = Uint128{static_cast<std::uint64_t>(time)} * numerator_ / denominator_;
  if (scaled > static_cast<std::uint64_t>(kLongestTrace)) {
    throw TraceError("time: scaled, the trace is longer than 75 days; scale it less, or cut it");
  }
  return static_cast<Picoseconds>(scaled);
}

}  // namespace headstack::traces
