// SPDX-License-Identifier: Apache-2.0
#include "sim/mechanics/arm_faults.hpp"

#include <algorithm>

#include "sim/description/words.hpp"
#include "sim/draw.hpp"

namespace headstack::mechanics {
namespace {

/// As for listed faults (schema.hpp): by then the electronics have sampled that the heads are
/// ready.
constexpr Picoseconds kSoonestExcursion = 10 * kPicosecondsPerMicrosecond;

ArmMishap mishap_of(const drive::ArmFault& fault) {
  ArmMishap mishap;
  mishap.kind = fault.kind;
  if (fault.for_ms) mishap.lasts = from_ms(*fault.for_ms);
  mishap.leaves_after = from_ms(fault.after_ms.value_or(0));
  mishap.by_cylinders = fault.by_cylinders;
  return mishap;
}

bool is_struck(const drive::ArmFault& fault, std::uint32_t target) {
  return target >= fault.first_cylinder && (!fault.last_cylinder || target <= *fault.last_cylinder);
}

}  // namespace

ArmFaults::ArmFaults(const drive::Specimen& specimen)
    : random_(specimen.random), seed_(specimen.flaw_seed) {
  for (const drive::ArmFault& fault : specimen.arm_faults) listed_.push_back({fault});
}

std::optional<ArmMishap> ArmFaults::strike(std::uint32_t target) {
  ++movements_;
  for (Listed& listed : listed_) {
    const drive::ArmFault& fault = listed.fault;
    const bool is_used_up = fault.seeks != 0 && listed.struck == fault.seeks;
    if (is_used_up || movements_ < fault.first_seek || !is_struck(fault, target)) continue;
    ++listed.struck;
    return mishap_of(fault);
  }
  return drawn();
}

std::optional<ArmMishap> ArmFaults::drawn() const {
  const auto number = [this](std::uint64_t what) {
    return draw(seed_, Stream::kArm, movements_, what);
  };
  if (!falls_below(number(0), random_.arm_share)) return std::nullopt;
  const auto longest = static_cast<std::uint64_t>(from_ms(random_.arm_ms));
  const auto some_time = [&](std::uint64_t what) {
    return 1 + static_cast<Picoseconds>(below(number(what), longest));
  };
  ArmMishap mishap;
  mishap.kind = drive::kArmFaultKinds[below(number(1), drive::kArmFaultKinds.size())].value;
  // Every second fault ends by itself: the arm settles, or comes back.
  if (number(2) % 2 == 0) mishap.lasts = some_time(3);
  mishap.leaves_after = std::max(kSoonestExcursion, some_time(4));
  const auto miss = 1 + static_cast<std::int64_t>(below(number(5), random_.arm_cylinders));
  mishap.by_cylinders = number(6) % 2 == 0 ? miss : -miss;
  return mishap;
}

}  // namespace headstack::mechanics
