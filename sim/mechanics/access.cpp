// SPDX-License-Identifier: Apache-2.0
#include "sim/mechanics/access.hpp"

#include <algorithm>

#include "sim/assert.hpp"

namespace headstack::mechanics {
namespace {

std::uint32_t distance(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

}  // namespace

Picoseconds Anatomy::total() const {
  Picoseconds sum = 0;
  for (const Stretch& stretch : stretches) sum += stretch.total();
  return sum;
}

AccessModel::AccessModel(const drive::Design& design, const drive::Specimen& specimen)
    : geometry_(design),
      positioning_(design),
      rotation_(design.rpm, specimen.speed_error_ppm),
      mean_latency_(design.rotational_latency == drive::RotationalLatency::kMean),
      half_turn_(rotation_.time_to_turn(0, std::uint64_t{1} << 31)) {}

void AccessModel::check(const AccessStart& start, geometry::Lba lba, std::uint32_t blocks) const {
  HEADSTACK_ASSERT(blocks > 0 && lba < geometry_.capacity() && blocks <= geometry_.capacity() - lba,
                   "the blocks exist");
  HEADSTACK_ASSERT(start.time >= 0 && start.cylinder < geometry_.cylinder_count() &&
                       start.head < geometry_.head_count(),
                   "the heads start from a track of the drive");
}

AccessModel::Turning AccessModel::turn(Picoseconds ready, const geometry::Placement& at,
                                       std::uint32_t blocks) const {
  const std::uint64_t swept = geometry_.zones()[at.zone].swept(at.mark, blocks);
  if (mean_latency_) return {half_turn_, rotation_.time_to_turn(0, swept)};
  const std::int64_t to_come = rotation_.ahead(rotation_.angle(ready), at.angle);
  const Picoseconds rotation =
      to_come <= 0 ? 0 : rotation_.time_to_turn(ready, static_cast<std::uint64_t>(to_come));
  // The end counts from the sector's own mark, so that delays within a picosecond do not add up.
  const auto to_end = static_cast<std::uint64_t>(to_come + static_cast<std::int64_t>(swept));
  return {rotation, rotation_.time_to_turn(ready, to_end) - rotation};
}

Picoseconds AccessModel::access_time(const AccessStart& start, geometry::Lba lba,
                                     std::uint32_t blocks, bool is_write) const {
  return access_time(start, geometry_.locate(lba), lba, blocks, is_write);
}

Picoseconds AccessModel::access_time(const AccessStart& start, const geometry::Placement& first,
                                     geometry::Lba lba, std::uint32_t blocks, bool is_write) const {
  check(start, lba, blocks);
  Picoseconds now = start.time;
  AccessStart from = start;
  geometry::Placement at = first;
  while (true) {
    now += positioning_.total(distance(from.cylinder, at.cylinder), from.head != at.head, is_write,
                              from.at_writer != is_write);
    const std::uint32_t count = std::min(blocks, at.contiguous);
    const Turning turning = turn(now, at, count);
    now += turning.rotation + turning.transfer;
    blocks -= count;
    if (blocks == 0) return now - start.time;
    lba += count;
    from = {now, at.cylinder, at.head, is_write};
    at = geometry_.locate(lba);
  }
}

Anatomy AccessModel::access(const AccessStart& start, geometry::Lba lba, std::uint32_t blocks,
                            bool is_write) const {
  check(start, lba, blocks);
  Anatomy anatomy;
  anatomy.start = start.time;
  AccessStart from = start;
  while (blocks > 0) {
    Stretch stretch;
    stretch.lba = lba;
    stretch.at = geometry_.locate(lba);
    stretch.blocks = std::min(blocks, stretch.at.contiguous);
    stretch.positioning =
        positioning_.parts(distance(from.cylinder, stretch.at.cylinder),
                           from.head != stretch.at.head, is_write, from.at_writer != is_write);
    const Turning turning =
        turn(from.time + stretch.positioning.total(), stretch.at, stretch.blocks);
    stretch.rotation = turning.rotation;
    stretch.transfer = turning.transfer;
    from = {from.time + stretch.total(), stretch.at.cylinder, stretch.at.head, is_write};
    lba += stretch.blocks;
    blocks -= stretch.blocks;
    anatomy.stretches.push_back(stretch);
  }
  return anatomy;
}

}  // namespace headstack::mechanics
