// SPDX-License-Identifier: Apache-2.0
#include "host/remap/arrangement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "sim/description/fault.hpp"
#include "sim/drive/firmware_design.hpp"
#include "sim/geometry/geometry.hpp"

namespace headstack::remap {
namespace {

constexpr double kTicksPerMs = 1e6 / DRIVE_DESIGN_TICK_NS;
constexpr double kTurn16 = 65'536;
constexpr double kMsPerMinute = 60'000;

void require_grid(const Counts& counts, const Request& request) {
  const std::uint32_t per_group = counts.group_blocks / request.unit_blocks;
  if (per_group * request.unit_blocks != counts.group_blocks || per_group == 0) {
    throw drive::FileError(fmt::format(
        "--unit: {} blocks do not divide a group of the counts, {}; give one of its divisors",
        request.unit_blocks, counts.group_blocks));
  }
  if (per_group > ENERGY_UNITS_PER_GROUP_MAX) {
    throw drive::FileError(fmt::format(
        "--unit: {} blocks make {} units of a group; give {} blocks or more", request.unit_blocks,
        per_group, counts.group_blocks / ENERGY_UNITS_PER_GROUP_MAX));
  }
}

void require_same_grid(const Counts& counts, const Request& request, const Map& map,
                       std::uint32_t units) {
  if (map.first_block == counts.first_block && map.unit_blocks == request.unit_blocks &&
      map.slots.size() == units) {
    return;
  }
  throw drive::FileError(
      fmt::format("--map: its grid is {} units of {} blocks from {} on; give one of {} units of {} "
                  "blocks from {} on",
                  map.slots.size(), map.unit_blocks, map.first_block, units, request.unit_blocks,
                  counts.first_block));
}

}  // namespace

std::uint32_t unit_count(const drive::Design& design, std::uint32_t first_block,
                         std::uint32_t unit_blocks) {
  const std::uint64_t capacity = geometry::Geometry(design).capacity();
  const std::uint64_t units = first_block < capacity ? (capacity - first_block) / unit_blocks : 0;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(units, REMAP_UNITS_MAX));
}

Arrangement arrange(const drive::DriveDescription& drive, const Counts& counts,
                    const Request& request, const std::optional<Map>& given) {
  require_grid(counts, request);
  const std::uint32_t units = unit_count(drive.design, counts.first_block, request.unit_blocks);
  if (units == 0) {
    throw drive::FileError(
        fmt::format("no unit of {} blocks fits on this drive from block {} on; "
                    "give smaller ones",
                    request.unit_blocks, counts.first_block));
  }
  if (given) require_same_grid(counts, request, *given, units);

  const auto design = std::make_unique<::drive_design>();
  drive::fill_firmware_design(drive, *design);
  // The drive may have more groups than were counted.
  Counts padded = counts;
  const std::uint32_t per_group = counts.group_blocks / request.unit_blocks;
  padded.visits.resize(std::max<std::size_t>(padded.visits.size(), units / per_group + 1));
  const ::remap_counts view = padded.view();

  Arrangement result;
  result.map.first_block = counts.first_block;
  result.map.unit_blocks = request.unit_blocks;
  result.map.slots = given ? given->slots : std::vector<std::uint16_t>(units);
  std::vector<std::uint16_t> at(units);
  ::arrange_plan plan{};
  plan.design = design.get();
  plan.counts = &view;
  plan.first_block = counts.first_block;
  plan.unit_blocks = request.unit_blocks;
  plan.group_blocks = counts.group_blocks;
  plan.units = units;
  plan.request_blocks = request.request_blocks;
  plan.overhead_tick = static_cast<std::uint32_t>(std::lround(request.overhead_ms * kTicksPerMs));
  plan.share_of_gaps =
      static_cast<std::uint32_t>(std::lround(request.share_of_gaps * LEAD_ALL_GAPS));
  plan.method = request.method;
  plan.energy = request.energy;
  plan.start = request.start;
  plan.whole_groups = request.whole_groups;
  plan.literal_temperature = request.literal_temperature;
  plan.trials = request.trials;
  plan.hottest = request.hottest;
  plan.seed = request.seed;
  plan.goal_of = result.map.slots.data();
  plan.goal_at = at.data();

  const auto work = std::make_unique<::arrange>();
  if (arrange_begin(work.get(), &plan) != STATUS_OK) {
    throw drive::FileError(
        fmt::format("the firmware has no such arrangement of {} units of {} blocks: whole groups "
                    "are for keep, organ "
                    "and anneal, without --hottest; units are annealed by a time",
                    units, request.unit_blocks));
  }
  do {
    ++result.slices;
  } while (!arrange_step(work.get()));
  result.report = *arrange_result(work.get());
  const bool has_time = request.energy != ENERGY_DISTANCE;
  result.unit_ms = has_time ? kMsPerMinute / drive.design.rpm / kTurn16 : 0;
  return result;
}

}  // namespace headstack::remap
