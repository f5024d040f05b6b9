// SPDX-License-Identifier: Apache-2.0
// The word of each enumerator in a drive file.
#pragma once

#include <array>
#include <string_view>

#include "sim/description/description.hpp"

namespace headstack::drive {

template <class Enum>
struct Choice {
  Enum value;
  std::string_view name;
};

constexpr std::array<Choice<Mapping>, 3> kMappings = {{
    {Mapping::kPlain, "plain"},
    {Mapping::kSerpentine, "serpentine"},
    {Mapping::kSerpentineAbsolute, "serpentine-absolute"},
}};
constexpr std::array<Choice<RotationalLatency>, 2> kRotationalLatencies = {{
    {RotationalLatency::kAngular, "angular"},
    {RotationalLatency::kMean, "mean"},
}};
constexpr std::array<Choice<SpareLocation>, 7> kSpareLocations = {{
    {SpareLocation::kNone, "none"},
    {SpareLocation::kTrackEnd, "track-end"},
    {SpareLocation::kCylinderEnd, "cylinder-end"},
    {SpareLocation::kCylinderFront, "cylinder-front"},
    {SpareLocation::kRangeEnd, "range-end"},
    {SpareLocation::kZoneEnd, "zone-end"},
    {SpareLocation::kZoneEndTracks, "zone-end-tracks"},
}};

constexpr std::array<Choice<media::FlawKind>, media::kFlawKindCount> kFlawKinds = {{
    {media::FlawKind::kUnreadable, "unreadable"},
    {media::FlawKind::kCorrectable, "correctable"},
    {media::FlawKind::kMisplacedWrite, "misplaced_write"},
    {media::FlawKind::kIntermittent, "intermittent"},
    {media::FlawKind::kDecaying, "decaying"},
    {media::FlawKind::kWriteFault, "write_fault"},
    {media::FlawKind::kWeakWrite, "weak_write"},
    {media::FlawKind::kBadHeader, "bad_header"},
    {media::FlawKind::kNoSync, "no_sync"},
}};
constexpr std::array<Choice<ArmFaultKind>, 4> kArmFaultKinds = {{
    {ArmFaultKind::kSettle, "settle"},
    {ArmFaultKind::kOffTrack, "off_track"},
    {ArmFaultKind::kWrongCylinder, "wrong_cylinder"},
    {ArmFaultKind::kStuck, "stuck"},
}};
constexpr std::array<Choice<SpindleFaultKind>, 2> kSpindleFaultKinds = {{
    {SpindleFaultKind::kDropout, "dropout"},
    {SpindleFaultKind::kNoStart, "no_start"},
}};
constexpr std::array<Choice<PowerLoss>, 2> kPowerLossKinds = {{
    {PowerLoss::kFinished, "finished"},
    {PowerLoss::kTorn, "torn"},
}};

template <std::size_t N, class Enum>
constexpr std::string_view name_of(const std::array<Choice<Enum>, N>& choices, Enum value) {
  for (const auto& choice : choices) {
    if (choice.value == value) return choice.name;
  }
  return "?";
}

}  // namespace headstack::drive
