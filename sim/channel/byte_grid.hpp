// SPDX-License-Identifier: Apache-2.0
/// @file
/// The bytes of a track on the circle.
///
/// A track of S sectors has mark i at floor(i 2^32 / S) turn32 (sim/geometry/geometry.hpp); a
/// sector reaches from its mark to the next. With N raw bytes a sector, byte k of the sector at
/// mark m starts at
///
///     angle(m) + floor(k (angle(m + 1) - angle(m)) / N)
///
/// Angles are unwrapped: turn32 with whole turns, as mechanics::Spindle counts them.
#pragma once

#include <cstdint>

namespace headstack::channel {

/// A byte in a certain turn.
struct BytePlace {
  std::uint64_t angle = 0;       // angle at which it starts, unwrapped
  std::uint64_t mark_angle = 0;  // its sector's mark, unwrapped: identifies the pass
  std::uint32_t mark = 0;        // 0 .. S - 1
  std::uint32_t byte = 0;        // 0 .. N - 1
};

class ByteGrid {
 public:
  ByteGrid() = default;
  /// Makes the grid of 1 .. 65,535 sectors, with at most 2^32 / sectors raw bytes each.
  ByteGrid(std::uint32_t sectors, std::uint32_t raw_bytes)
      : sectors_(sectors), raw_bytes_(raw_bytes) {}

  std::uint32_t sectors() const { return sectors_; }

  /// The first byte at or after an angle; mark_at_or_after() finds the first byte 0 of a sector.
  [[nodiscard]] BytePlace byte_at_or_after(std::uint64_t angle) const;
  [[nodiscard]] BytePlace mark_at_or_after(std::uint64_t angle) const;

  /// The byte that follows `place`.
  [[nodiscard]] BytePlace after(const BytePlace& place) const;

 private:
  /// Byte 0 of the sector that is `i` marks (0 .. S) after the start of a turn.
  [[nodiscard]] BytePlace sector_start(std::uint64_t turn_angle, std::uint64_t i) const;
  /// The sector that contains an angle within a turn, as its mark in 0 .. S - 1.
  [[nodiscard]] std::uint64_t sector_holding(std::uint32_t angle_in_turn) const;
  [[nodiscard]] BytePlace byte_of(const BytePlace& sector, std::uint32_t byte) const;

  std::uint32_t sectors_ = 1;
  std::uint32_t raw_bytes_ = 1;
};

}  // namespace headstack::channel
