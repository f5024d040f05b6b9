// SPDX-License-Identifier: Apache-2.0
#include "sim/channel/byte_grid.hpp"

namespace headstack::channel {
namespace {

constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;

}  // namespace

BytePlace ByteGrid::sector_start(std::uint64_t turn_angle, std::uint64_t i) const {
  const std::uint64_t angle = turn_angle + (i << 32) / sectors_;
  return {angle, angle, static_cast<std::uint32_t>(i == sectors_ ? 0 : i), 0};
}

std::uint64_t ByteGrid::sector_holding(std::uint32_t angle_in_turn) const {
  std::uint64_t i = (std::uint64_t{angle_in_turn} * sectors_) >> 32;
  // Marks' angles are rounded down, so the angle may have reached the next mark already. No angle
  // within a turn reaches the mark that ends it.
  while (((i + 1) << 32) / sectors_ <= angle_in_turn) ++i;
  return i;
}

BytePlace ByteGrid::byte_of(const BytePlace& sector, std::uint32_t byte) const {
  const std::uint64_t sector_angle = ((std::uint64_t{sector.mark} + 1) << 32) / sectors_ -
                                     (std::uint64_t{sector.mark} << 32) / sectors_;
  BytePlace place = sector;
  place.byte = byte;
  place.angle = sector.mark_angle + byte * sector_angle / raw_bytes_;
  return place;
}

BytePlace ByteGrid::mark_at_or_after(std::uint64_t angle) const {
  const std::uint64_t turn = angle / kTurn * kTurn;
  const std::uint64_t i = sector_holding(static_cast<std::uint32_t>(angle - turn));
  const BytePlace here = sector_start(turn, i);
  return here.angle == angle ? here : sector_start(turn, i + 1);
}

BytePlace ByteGrid::byte_at_or_after(std::uint64_t angle) const {
  const std::uint64_t turn = angle / kTurn * kTurn;
  const std::uint64_t i = sector_holding(static_cast<std::uint32_t>(angle - turn));
  const BytePlace sector = sector_start(turn, i);
  const BytePlace next = sector_start(turn, i + 1);
  // The search starts about one byte before the result, then goes forward.
  const std::uint64_t estimate = (angle - sector.angle) * raw_bytes_ / (next.angle - sector.angle);
  BytePlace place = byte_of(sector, static_cast<std::uint32_t>(estimate));
  while (place.angle < angle) place = after(place);
  return place;
}

BytePlace ByteGrid::after(const BytePlace& place) const {
  if (place.byte + 1 < raw_bytes_) {
    BytePlace sector = place;
    sector.angle = place.mark_angle;
    return byte_of(sector, place.byte + 1);
  }
  const std::uint64_t turn = place.mark_angle / kTurn * kTurn;
  return sector_start(turn, std::uint64_t{place.mark} + 1);
}

}  // namespace headstack::channel
