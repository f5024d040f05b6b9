// SPDX-License-Identifier: Apache-2.0
// Units of the world: time in integer picoseconds, angles in unsigned 32-bit turns.
//
// A Turn32 counts 1/2^32 of a revolution. It wraps around with uint32_t, and the distance to an
// angle is one subtraction. A Picoseconds value reaches 106 days.
#pragma once

#include <cmath>
#include <cstdint>

namespace headstack {

using Picoseconds = std::int64_t;
using Turn32 = std::uint32_t;

// `using` cannot take the __extension__ that avoids a warning of -Wpedantic.
__extension__ typedef unsigned __int128 Uint128;  // NOLINT(modernize-use-using)
__extension__ typedef __int128 Int128;            // NOLINT(modernize-use-using)

constexpr Picoseconds kPicosecondsPerMicrosecond = 1'000'000;
constexpr Picoseconds kPicosecondsPerMillisecond = 1'000'000'000;
constexpr Picoseconds kPicosecondsPerSecond = 1'000'000'000'000;

/// Converts a published time, in decimal milliseconds, to the nearest picosecond.
inline Picoseconds from_ms(double ms) {
  return std::llround(ms * static_cast<double>(kPicosecondsPerMillisecond));
}

inline double to_ms(Picoseconds time) {
  return static_cast<double>(time) / static_cast<double>(kPicosecondsPerMillisecond);
}

/// The angle to turn until `to` is under a head that is over `from` now, in 0 .. 2^32-1.
constexpr Turn32 distance_turn32(Turn32 from, Turn32 to) { return to - from; }

inline double to_revolutions(Turn32 angle) { return static_cast<double>(angle) / 4294967296.0; }
inline double to_degrees(Turn32 angle) { return to_revolutions(angle) * 360; }

}  // namespace headstack
