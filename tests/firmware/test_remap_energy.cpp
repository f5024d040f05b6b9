// SPDX-License-Identifier: Apache-2.0
// Energies: costs and transfers against the simulator's own geometry and mechanics, sums against
// the definition in energy.h, changes against recomputed sums.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/mechanics/access.hpp"
#include "sim/mechanics/seek_curve.hpp"
#include "tests/firmware/remap_support.hpp"

namespace headstack {
namespace {

constexpr std::uint32_t kSeed = 163'681;
constexpr double kTurn16 = 65'536;
constexpr ::energy_kind kKinds[] = {ENERGY_DISTANCE, ENERGY_SEEK, ENERGY_TRANSFER, ENERGY_ACCESS};

double frac(double turns) { return turns - std::floor(turns); }

/// A slot in the simulator's mechanics, in turns.
struct Slot {
  std::uint32_t cylinder;
  std::uint32_t head;
  std::uint32_t end_cylinder;
  std::uint32_t end_head;
  double start;
  double end;
  double transfer;
};

struct World {
  explicit World(const drive::Design& design) : design(design), model(design) {
    turn_ms = 60'000.0 / design.rpm;
  }

  Slot slot(std::uint64_t lba, std::uint32_t blocks) const {
    const geometry::Placement at = model.geometry().locate(lba);
    const mechanics::Anatomy anatomy = model.access({0, at.cylinder, at.head}, lba, blocks, false);
    const mechanics::Stretch& first = anatomy.stretches.front();
    const mechanics::Stretch& last = anatomy.stretches.back();
    const double transfer_ms = to_ms(anatomy.total() - first.rotation);
    return {at.cylinder,
            at.head,
            last.at.cylinder,
            last.at.head,
            at.angle / 4294967296.0,
            frac(to_ms(anatomy.end()) / turn_ms),
            transfer_ms / turn_ms};
  }

  double seek(std::uint32_t from, std::uint32_t to) const {
    return mechanics::seek_time_ms(design.seek, from > to ? from - to : to - from) / turn_ms;
  }

  /// A read's movement: the longer of seek and head switch.
  double move(const Slot& from, const Slot& to) const {
    const double head_switch = from.end_head != to.head ? design.head_switch_ms / turn_ms : 0;
    return std::max(seek(from.end_cylinder, to.cylinder), head_switch);
  }

  drive::Design design;
  mechanics::AccessModel model;
  double turn_ms = 0;
};

/// An energy that is ready, with all that it refers to.
struct Ready {
  Ready(const drive::Design& design, const test::Counts& from, ::energy_plan with)
      : table(test::firmware_design(design)),
        counts(from),
        view(counts.view()),
        energy(std::make_unique<::energy>()) {
    with.design = table.get();
    with.counts = &view;
    energy_begin(energy.get(), &with);
    while (!energy_prepare(energy.get())) continue;
  }

  std::uint64_t total(const std::vector<std::uint16_t>& slot_of) const {
    ::energy_total total;
    energy_total_begin(energy.get(), &total, slot_of.data());
    while (!energy_total_step(energy.get(), &total, slot_of.data())) continue;
    return total.sum;
  }

  std::unique_ptr<::drive_design> table;
  test::Counts counts;
  ::remap_counts view;
  std::unique_ptr<::energy> energy;
};

::energy_plan plan_of(::energy_kind kind, std::uint32_t first_block, std::uint32_t unit_blocks,
                      std::uint32_t units, std::uint32_t per_group) {
  ::energy_plan plan{};
  plan.first_block = first_block;
  plan.unit_blocks = unit_blocks;
  plan.units = units;
  plan.units_per_group = per_group;
  plan.overhead_tick = 20'000;  // 0.5 ms
  plan.kind = kind;
  return plan;
}

// ------------------------------------------------------------------------------------------ costs

struct Drive {
  const char* what;
  std::uint32_t first_block;
  std::uint32_t unit_blocks;
  std::uint32_t units;
};

class RemapCosts : public testing::TestWithParam<Drive> {
 protected:
  drive::Design design() const {
    return std::string(GetParam().what) == "zoned" ? test::zoned_design()
                                                   : test::shipped(GetParam().what).design;
  }
  ::energy_plan plan(::energy_kind kind) const {
    return plan_of(kind, GetParam().first_block, GetParam().unit_blocks, GetParam().units, 1);
  }
  test::Counts counts() const {
    test::Counts counts;
    counts.visits.resize(GetParam().units);
    return counts;
  }
  Slot slot(const World& world, std::uint32_t number) const {
    const Drive& drive = GetParam();
    return world.slot(drive.first_block + std::uint64_t{number} * drive.unit_blocks,
                      drive.unit_blocks);
  }
};

TEST_P(RemapCosts, SeeksAreThoseOfTheSeekCurve) {
  const World world(design());
  const Ready ready(design(), counts(), plan(ENERGY_SEEK));
  std::mt19937 random(kSeed);
  for (int i = 0; i < 2000; ++i) {
    const std::uint32_t a = random() % GetParam().units;
    const std::uint32_t b = i % 3 == 0 ? a : random() % GetParam().units;
    const double want = world.seek(slot(world, a).end_cylinder, slot(world, b).cylinder);
    // Rounded down, and the factor from parts to turns has 20 bits or more.
    ASSERT_NEAR(energy_cost(ready.energy.get(), a, b) / kTurn16, want, 1.0 / kTurn16 + want * 2e-6)
        << a << " to " << b;
  }
}

TEST_P(RemapCosts, TransfersAreThoseOfTheMechanics) {
  const World world(design());
  test::Counts counted = counts();
  std::mt19937 random(kSeed);
  for (const ::energy_kind kind : {ENERGY_TRANSFER, ENERGY_ACCESS}) {
    for (const std::uint32_t request : {0U, 3U, GetParam().unit_blocks + 1}) {
      ::energy_plan with = plan(kind);
      with.request_blocks = request;
      for (int i = 0; i < 12; ++i) {
        const std::uint32_t unit = random() % GetParam().units;
        counted.visits.assign(GetParam().units, 0);
        counted.visits[unit] = 1;
        const Ready ready(design(), counted, with);
        const double part =
            request == 0 ? 1 : std::min(1.0, static_cast<double>(request) / GetParam().unit_blocks);
        const double want = slot(world, unit).transfer * part;
        EXPECT_NEAR(static_cast<double>(ready.total(test::identity(GetParam().units))) / kTurn16,
                    want, 3.0 / kTurn16)
            << "slot " << unit << " kind " << kind << " request " << request;
      }
    }
  }
}

// The lead is known to a part of a turn below, and four above: where the wait jumps, either side is
// right.
TEST_P(RemapCosts, WaitsFollowFromAngles) {
  const World world(design());
  const Ready ready(design(), counts(), plan(ENERGY_ACCESS));
  std::mt19937 random(kSeed);
  const double overhead = 0.5 / world.turn_ms;
  int jumps = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::uint32_t a = random() % GetParam().units;
    const std::uint32_t near = (a + 40 - random() % 80 + GetParam().units) % GetParam().units;
    const std::uint32_t b = i % 2 == 0 ? near : random() % GetParam().units;
    Slot from = slot(world, a);
    const Slot to = slot(world, b);
    // Longer gaps count as if they ended at the last bin.
    from.end_cylinder = std::min(from.end_cylinder, from.cylinder + 1);
    const double move = world.move(from, to);
    const double lead = to.start - from.end - overhead - move;
    const double got = energy_cost(ready.energy.get(), a, b) / kTurn16 - move;
    const double low = frac(lead - 4.5 / LEAD_PARTS);
    const double high = frac(lead + 0.5 / LEAD_PARTS);
    if (low <= high) {
      ASSERT_GE(got, low - 3 / kTurn16) << a << " to " << b;
      ASSERT_LE(got, high + 3 / kTurn16) << a << " to " << b;
    } else {
      ++jumps;
      ASSERT_TRUE(got >= low - 3 / kTurn16 || got <= high + 3 / kTurn16) << a << " to " << b;
    }
  }
  EXPECT_LT(jumps, 400);
}

INSTANTIATE_TEST_SUITE_P(Drives, RemapCosts,
                         testing::Values(Drive{"zoned", 5, 4, 800}, Drive{"zoned", 0, 16, 200},
                                         Drive{"zoned", 30, 150, 20},
                                         Drive{"zoned_179mb", 0, 16, 21'810},
                                         Drive{"zoned_179mb", 8, 160, 2'180},
                                         Drive{"cheetah_9lp", 100'000, 16, 24'576},
                                         Drive{"hp_c2247a", 0, 160, 12'000}),
                         [](const auto& test) {
                           return std::string(test.param.what) + "_" +
                                  std::to_string(test.param.unit_blocks) + "_" +
                                  std::to_string(test.param.first_block);
                         });

// ------------------------------------------------------------------------------------------- sums

/// The formula of energy.h, term by term.
std::uint64_t defined_energy(const Ready& ready, const std::vector<std::uint16_t>& slot_of) {
  const ::energy_plan& plan = ready.energy->plan;
  const std::uint32_t k = plan.units_per_group;
  std::uint64_t sum = 0;
  for (const ::remap_pair& pair : ready.counts.pairs) {
    for (std::uint32_t a = pair.from * k; a < pair.from * k + k && a < plan.units; ++a) {
      for (std::uint32_t b = pair.to * k; b < pair.to * k + k && b < plan.units; ++b) {
        sum += std::uint64_t{pair.count} * energy_cost(ready.energy.get(), slot_of[a], slot_of[b]);
      }
    }
  }
  if (plan.kind == ENERGY_DISTANCE || plan.kind == ENERGY_SEEK) return sum;
  for (std::uint32_t unit = 0; unit < plan.units; ++unit) {
    ::energy_walk walk;
    energy_walk_begin(ready.energy.get(), &walk, slot_of[unit]);
    while (!energy_walk_step(ready.energy.get(), &walk)) continue;
    sum += std::uint64_t{k} * ready.counts.visits[unit / k] *
           energy_walk_turn16(ready.energy.get(), &walk);
  }
  return sum;
}

struct Shape {
  std::uint32_t units;
  std::uint32_t per_group;
  std::uint32_t pairs;
};

class RemapSums : public testing::TestWithParam<Shape> {
 protected:
  /// Counts have one more group than the map, as pairs may name it.
  Ready ready(::energy_kind kind, std::mt19937& random) const {
    const Shape& shape = GetParam();
    const std::uint32_t groups = (shape.units + shape.per_group - 1) / shape.per_group + 1;
    test::Counts counts = test::random_counts(random, groups, shape.pairs);
    if (shape.pairs == 0) counts.visits[0] = 5;
    return {test::zoned_design(), counts, plan_of(kind, 7, 4, shape.units, shape.per_group)};
  }
  std::vector<std::uint16_t> random_map(std::mt19937& random) const {
    std::vector<std::uint16_t> map = test::identity(GetParam().units);
    std::shuffle(map.begin(), map.end(), random);
    return map;
  }
};

TEST_P(RemapSums, TotalIsThatOfTheDefinition) {
  std::mt19937 random(kSeed);
  for (const ::energy_kind kind : kKinds) {
    for (int i = 0; i < 4; ++i) {
      const Ready one = ready(kind, random);
      const std::vector<std::uint16_t> map = random_map(random);
      EXPECT_EQ(one.total(map), defined_energy(one, map)) << "kind " << kind;
    }
  }
}

TEST_P(RemapSums, ChangeByAnExchangeIsThatOfTheTotal) {
  std::mt19937 random(kSeed);
  if (GetParam().units == 1) return;
  for (const ::energy_kind kind : kKinds) {
    const Ready one = ready(kind, random);
    std::vector<std::uint16_t> map = random_map(random);
    std::uint64_t total = one.total(map);
    for (int i = 0; i < 150; ++i) {
      const std::uint32_t a = random() % GetParam().units;
      // Sometimes a pair has one group twice.
      const std::uint32_t b =
          random() % 3 == 0
              ? std::min(a / GetParam().per_group * GetParam().per_group +
                             static_cast<std::uint32_t>(random() % GetParam().per_group),
                         GetParam().units - 1)
              : random() % GetParam().units;
      if (a == b) continue;
      ::energy_sum sum;
      sum.evaluations = 0;
      energy_touch_begin(one.energy.get(), &sum, map.data(), a, b);
      while (!energy_touch_step(one.energy.get(), &sum, map.data())) continue;
      const std::uint64_t before = sum.sum;
      std::swap(map[a], map[b]);
      energy_touch_exchanged(one.energy.get(), &sum, UINT64_MAX);
      while (!energy_touch_step(one.energy.get(), &sum, map.data())) continue;
      const std::uint64_t now = one.total(map);
      ASSERT_EQ(now - total, sum.sum - before) << "kind " << kind << " units " << a << ", " << b;
      total = now;
    }
  }
}

// A sum that ends early is above its limit, and one that is not above it is complete.
TEST_P(RemapSums, LimitEndsASum) {
  std::mt19937 random(kSeed);
  if (GetParam().units == 1) return;
  const Ready one = ready(ENERGY_ACCESS, random);
  std::vector<std::uint16_t> map = random_map(random);
  for (int i = 0; i < 60; ++i) {
    const std::uint32_t a = random() % GetParam().units;
    const std::uint32_t b = random() % GetParam().units;
    if (a == b) continue;
    ::energy_sum sum;
    const auto exchanged = [&](std::uint64_t limit) {
      sum.evaluations = 0;
      energy_touch_begin(one.energy.get(), &sum, map.data(), a, b);
      while (!energy_touch_step(one.energy.get(), &sum, map.data())) continue;
      std::swap(map[a], map[b]);
      energy_touch_exchanged(one.energy.get(), &sum, limit);
      while (!energy_touch_step(one.energy.get(), &sum, map.data())) continue;
      std::swap(map[a], map[b]);
      return sum.sum;
    };
    const std::uint64_t full = exchanged(UINT64_MAX);
    EXPECT_EQ(exchanged(full), full);
    if (full == 0) continue;
    const std::uint64_t limit = full - 1 - random() % full;
    EXPECT_GT(exchanged(limit), limit);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, RemapSums,
                         testing::Values(Shape{1, 1, 2}, Shape{2, 1, 3}, Shape{60, 1, 200},
                                         Shape{60, 10, 30}, Shape{63, 10, 40}, Shape{200, 64, 12},
                                         Shape{40, 4, 0}, Shape{500, 5, 600}));

TEST(RemapDivisor, IsTheCountOfAllPairs_TimesTheUnitsOfTwoGroups) {
  test::Counts counts;
  counts.visits = {9, 9, 9};
  counts.pairs = {{0, 1, 7}, {2, 2, 65'535}, {1, 0, 1}};
  const Ready one(test::zoned_design(), counts, plan_of(ENERGY_SEEK, 0, 4, 30, 10));
  EXPECT_EQ(energy_divisor(one.energy.get()), (7U + 65'535U + 1U) * 100U);
}

// The largest counts and the longest costs: 64 bits hold the sum.
TEST(RemapSums, LargestCounts_DoNotOverflow) {
  test::Counts counts;
  counts.visits.assign(3, 65'535);
  for (std::uint16_t a = 0; a < 3; ++a) {
    for (std::uint16_t b = 0; b < 3; ++b) counts.pairs.push_back({a, b, 65'535});
  }
  const Ready one(test::shipped("hp_c2247a").design, counts,
                  plan_of(ENERGY_ACCESS, 0, 1000, 192, 64));
  double want = 0;
  for (std::uint32_t a = 0; a < 192; ++a) {
    for (std::uint32_t b = 0; b < 192; ++b) want += 65'535.0 * energy_cost(one.energy.get(), a, b);
  }
  for (std::uint32_t unit = 0; unit < 192; ++unit) {
    ::energy_walk walk;
    energy_walk_begin(one.energy.get(), &walk, unit);
    while (!energy_walk_step(one.energy.get(), &walk)) continue;
    want += 64.0 * 65'535.0 * energy_walk_turn16(one.energy.get(), &walk);
  }
  EXPECT_GT(want, 4294967296.0);
  EXPECT_DOUBLE_EQ(static_cast<double>(one.total(test::identity(192))), want);
}

}  // namespace
}  // namespace headstack
