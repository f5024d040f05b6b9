// SPDX-License-Identifier: Apache-2.0
#include "sim/mechanics/motor_faults.hpp"

#include <algorithm>
#include <optional>

#include "sim/draw.hpp"

namespace headstack::mechanics {
namespace {

struct Dropout {
  Picoseconds at = 0;
  std::optional<Picoseconds> lasts;

  Picoseconds end() const { return at + lasts.value_or(0); }
};

Dropout drawn_dropout(const drive::Specimen& specimen, std::uint32_t number) {
  const drive::RandomFaults& random = specimen.random;
  const auto some_time = [&](std::uint64_t what, double most_ms) {
    const auto most = static_cast<std::uint64_t>(from_ms(most_ms));
    return 1 + static_cast<Picoseconds>(
                   below(draw(specimen.flaw_seed, Stream::kSpindle, number, what), most));
  };
  return {some_time(0, random.dropout_span_ms), some_time(1, random.dropout_ms)};
}

bool touch(const Dropout& a, const Dropout& b) { return a.at <= b.end() && b.at <= a.end(); }

}  // namespace

MotorFaults::MotorFaults(const drive::Specimen& specimen) {
  std::vector<Dropout> dropouts;
  for (const drive::SpindleFault& fault : specimen.spindle_faults) {
    if (fault.kind == drive::SpindleFaultKind::kNoStart) {
      no_starts_.push_back(fault);
      continue;
    }
    Dropout dropout{from_ms(fault.at_ms.value_or(0)), std::nullopt};
    if (fault.for_ms) dropout.lasts = from_ms(*fault.for_ms);
    dropouts.push_back(dropout);
  }
  for (std::uint32_t i = 0; i < specimen.random.dropouts; ++i) {
    const Dropout drawn = drawn_dropout(specimen, i);
    const bool is_free = std::none_of(dropouts.begin(), dropouts.end(),
                                      [&](const Dropout& other) { return touch(drawn, other); });
    if (is_free) dropouts.push_back(drawn);
  }
  std::sort(dropouts.begin(), dropouts.end(),
            [](const Dropout& a, const Dropout& b) { return a.at < b.at; });
  for (const Dropout& dropout : dropouts) {
    changes_.push_back({dropout.at, false, !dropout.lasts});
    if (dropout.lasts) changes_.push_back({dropout.end(), true, false});
  }
}

double MotorFaults::speed_share(std::uint64_t number) const {
  for (const drive::SpindleFault& fault : no_starts_) {
    const bool is_struck = number >= fault.first_start &&
                           (fault.starts == 0 || number - fault.first_start < fault.starts);
    if (is_struck) return fault.speed_share;
  }
  return 1;
}

}  // namespace headstack::mechanics
