// SPDX-License-Identifier: Apache-2.0
// Common code of the tests of firmware/remap: a drive, counts, and an arrangement run to its end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "firmware/remap/arrange.h"
#include "tests/firmware/support.hpp"

namespace headstack::test {

/// Counts with what they point to.
struct Counts {
  std::vector<std::uint16_t> visits;
  std::vector<::remap_pair> pairs;
  std::vector<::remap_gap> gaps;

  ::remap_counts view() const {
    return {visits.data(), static_cast<std::uint32_t>(visits.size()),
            pairs.data(),  static_cast<std::uint32_t>(pairs.size()),
            gaps.data(),   static_cast<std::uint32_t>(gaps.size())};
  }
};

/// Every pair once, loops among them, in any order; some groups are never visited.
inline Counts random_counts(std::mt19937& random, std::uint32_t groups, std::uint32_t pairs,
                            std::uint32_t most = 300) {
  Counts counts;
  counts.visits.resize(groups);
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (std::uint32_t i = 0; i < pairs; ++i) {
    const auto from = static_cast<std::uint16_t>(random() % groups);
    const auto to = static_cast<std::uint16_t>(random() % 5 == 0 ? from : random() % groups);
    if (!seen.insert({from, to}).second) continue;
    const auto count = static_cast<std::uint16_t>(1 + random() % most);
    counts.pairs.push_back({from, to, count});
    counts.visits[from] = static_cast<std::uint16_t>(std::min(65'535, counts.visits[from] + count));
  }
  return counts;
}

/// Counts of a stream of groups.
inline Counts counts_of(const std::vector<std::uint32_t>& stream, std::uint32_t groups) {
  Counts counts;
  counts.visits.resize(groups);
  std::vector<std::vector<std::uint16_t>> matrix(groups, std::vector<std::uint16_t>(groups));
  for (std::size_t t = 0; t < stream.size(); ++t) {
    ++counts.visits[stream[t]];
    if (t > 0) ++matrix[stream[t - 1]][stream[t]];
  }
  for (std::uint32_t i = 0; i < groups; ++i) {
    for (std::uint32_t j = 0; j < groups; ++j) {
      if (matrix[i][j] == 0) continue;
      counts.pairs.push_back(
          {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j), matrix[i][j]});
    }
  }
  return counts;
}

/// Three zones, three heads, skews: 40 cylinders of 30, 27 and 24 sectors, 3,255 blocks.
inline drive::Design zoned_design() {
  drive::Design design;
  design.rpm = 6000;
  design.heads = 3;
  design.cylinders = 40;
  design.head_switch_ms = 0.8;
  design.seek.pieces = {{39, 1.5, 0.4, 0, 0}};
  design.seek.coast_cylinders_per_ms = 20;
  std::uint32_t cylinder = 0;
  for (const std::uint32_t sectors : {30U, 27U, 24U}) {
    drive::Zone zone;
    zone.first_cylinder = cylinder;
    cylinder += sectors == 30 ? 14 : 13;
    zone.last_cylinder = cylinder - 1;
    zone.sectors_per_track = sectors;
    zone.track_skew = 3;
    zone.cylinder_skew = 7;
    design.zones.push_back(zone);
  }
  return design;
}

inline std::vector<std::uint16_t> identity(std::uint32_t units) {
  std::vector<std::uint16_t> map(units);
  std::iota(map.begin(), map.end(), std::uint16_t{0});
  return map;
}

inline bool is_permutation_of_units(const std::vector<std::uint16_t>& map) {
  std::vector<std::uint16_t> sorted = map;
  std::sort(sorted.begin(), sorted.end());
  return sorted == identity(static_cast<std::uint32_t>(map.size()));
}

/// An arrangement under way, with all that its plan points to. The plan may be changed up to
/// begin().
struct Arranging {
  Arranging(const drive::Design& design, Counts from, std::uint32_t units,
            std::uint32_t unit_blocks, std::uint32_t per_group)
      : table(firmware_design(design)),
        counts(std::move(from)),
        view(counts.view()),
        of(units, 0xDEAD),
        at(units, 0xDEAD),
        work(std::make_unique<::arrange>()) {
    plan.design = table.get();
    plan.unit_blocks = unit_blocks;
    plan.group_blocks = unit_blocks * per_group;
    plan.units = units;
    plan.overhead_tick = 20'000;
    plan.share_of_gaps = 128;
    plan.method = ARRANGE_ANNEAL;
    plan.energy = ENERGY_ACCESS;
    plan.trials = 4000;
    plan.seed = 1;
  }

  ::status begin() {
    plan.counts = &view;
    plan.goal_of = of.data();
    plan.goal_at = at.data();
    return arrange_begin(work.get(), &plan);
  }

  /// Runs to the end. @return the number of steps.
  std::uint64_t finish() {
    std::uint64_t steps = 1;
    while (!arrange_step(work.get())) ++steps;
    return steps;
  }

  const ::arrange_report& run() {
    EXPECT_EQ(begin(), STATUS_OK);
    finish();
    EXPECT_TRUE(is_permutation_of_units(of));
    for (std::uint32_t unit = 0; unit < of.size(); ++unit) EXPECT_EQ(at[of[unit]], unit);
    return *arrange_result(work.get());
  }

  std::unique_ptr<::drive_design> table;
  Counts counts;
  ::remap_counts view;
  std::vector<std::uint16_t> of;
  std::vector<std::uint16_t> at;
  ::arrange_plan plan{};
  std::unique_ptr<::arrange> work;
};

}  // namespace headstack::test
