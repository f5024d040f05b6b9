// SPDX-License-Identifier: Apache-2.0
/// @file
/// Random draws without state: a number as a function of its purpose.
///
/// Two platforms, or two runs, get the same number for the same draw, whatever else they have
/// drawn. If the third attempt on a sector fails in one, it fails in the other. The numbers are
/// those of SplitMix64 over seed, stream and place (Steele, Lea, Flood, OOPSLA 2014). They come
/// from integers and exact powers of two, and are the same on every host.
#pragma once

#include <cstdint>

namespace headstack {

/// SplitMix64's finalizer after its increment.
constexpr std::uint64_t scatter(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15ULL;
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9ULL;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EBULL;
  return number ^ (number >> 31);
}

/// Purposes of draws: those of different streams are independent.
enum class Stream : std::uint64_t {
  kReadAttempt = 1,
  kHeader,
  kScratch,
  kArm,
  kSpindle,
  kIndex,
};

/// 64 random bits for one purpose, place (a sector, a movement) and time (an attempt, a turn).
constexpr std::uint64_t draw(std::uint64_t seed, Stream stream, std::uint64_t place,
                             std::uint64_t time = 0) {
  return scatter(scatter(scatter(seed + static_cast<std::uint64_t>(stream)) + place) + time);
}

/// Converts the number to one in [0, 1), with 53 bits.
constexpr double to_unit(std::uint64_t number) {
  return static_cast<double>(number >> 11) * 0x1p-53;
}

/// True with a probability of `share`: never for 0, always for 1.
constexpr bool falls_below(std::uint64_t number, double share) { return to_unit(number) < share; }

/// A number in 0 .. bound - 1; the bias is bound / 2^64.
constexpr std::uint64_t below(std::uint64_t number, std::uint64_t bound) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Wide>(number) * bound) >> 64);
}

}  // namespace headstack
