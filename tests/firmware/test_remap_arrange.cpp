// SPDX-License-Identifier: Apache-2.0
// Arrangements: the worked example of eight cylinders, optimality by enumeration, and promises of
// arrange.h on random loads.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "sim/geometry/geometry.hpp"
#include "tests/effort.hpp"
#include "tests/firmware/remap_support.hpp"

namespace headstack {
namespace {

using test::Arranging;

constexpr std::uint32_t kSeed = 2181;

/// One head, ten sectors a track: with units of ten blocks a slot is a cylinder.
drive::Design plain_design(std::uint32_t cylinders) {
  drive::Design design = test::small_design();
  design.heads = 1;
  design.cylinders = cylinders;
  design.zones[0].last_cylinder = cylinders - 1;
  design.seek.pieces[0].up_to_cylinders = cylinders;
  return design;
}

/// sum of counts times distances, by formula (3).
std::uint64_t distance_energy(const test::Counts& counts,
                              const std::vector<std::uint16_t>& slot_of) {
  std::uint64_t sum = 0;
  for (const ::remap_pair& pair : counts.pairs) {
    sum += std::uint64_t{pair.count} *
           static_cast<std::uint64_t>(std::abs(slot_of[pair.from] - slot_of[pair.to]));
  }
  return sum;
}

std::uint64_t least_distance_energy(const test::Counts& counts, std::uint32_t groups) {
  std::vector<std::uint16_t> map = test::identity(groups);
  std::uint64_t least = UINT64_MAX;
  do {
    least = std::min(least, distance_energy(counts, map));
  } while (std::next_permutation(map.begin(), map.end()));
  return least;
}

// ------------------------------------------------------------------------ the worked example

/// vectors/remap_8_cylinders.csv: a stream, its estimators, and arrangements.
class RemapVector : public testing::Test {
 protected:
  void SetUp() override {
    const auto path = test::shared_dir() / "vectors/remap_8_cylinders.csv";
    HEADSTACK_REQUIRE_FILE(path);
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
      const std::size_t comma = line.find(',');
      const std::string item = line.substr(0, comma);
      // "P(i)" and the order of the energy differ from row to row.
      rows_[item] = line.substr(comma + 1);
    }
    counts_ = test::counts_of(numbers("stream"), 8);
    weigh();
  }

  std::vector<std::uint32_t> numbers(const std::string& item) const {
    std::istringstream in(rows_.at(item));
    return {std::istream_iterator<std::uint32_t>(in), {}};
  }

  double value(const std::string& item) const { return std::stod(rows_.at(item)); }

  /// pi_i rho_ij is n_i N_ij / (T D_i), with D_i departures from i. Times T and the least common
  /// multiple of all D_i it is whole: these are the counts, and energies are exact.
  void weigh() {
    std::vector<std::uint32_t> departures(8);
    for (const ::remap_pair& pair : counts_.pairs) departures[pair.from] += pair.count;
    std::uint32_t multiple = 1;
    for (const std::uint32_t d : departures) multiple = std::lcm(multiple, std::max(d, 1U));
    weighted_ = counts_;
    for (::remap_pair& pair : weighted_.pairs) {
      pair.count = static_cast<std::uint16_t>(counts_.visits[pair.from] * pair.count *
                                              (multiple / departures[pair.from]));
    }
    scale_ = static_cast<double>(numbers("stream").size()) * multiple;
  }

  ::arrange_report run(::arrange_method method, ::arrange_start start, std::uint32_t seed,
                       std::vector<std::uint16_t>& map) const {
    Arranging one(plain_design(8), weighted_, 8, 10, 1);
    one.plan.method = method;
    one.plan.start = start;
    one.plan.energy = ENERGY_DISTANCE;
    one.plan.whole_groups = true;
    one.plan.seed = seed;
    const ::arrange_report report = one.run();
    map = one.of;
    return report;
  }

  double mean(std::uint64_t energy) const { return static_cast<double>(energy) / scale_; }

  std::map<std::string, std::string> rows_;
  test::Counts counts_;
  test::Counts weighted_;
  double scale_ = 0;
};

TEST_F(RemapVector, Estimators_AreThoseOfTheVector) {
  std::istringstream pi(rows_.at("pi"));
  const auto accesses = static_cast<double>(numbers("stream").size());
  for (const std::uint16_t visits : counts_.visits) {
    double want = 0;
    pi >> want;
    EXPECT_NEAR(visits / accesses, want, 5e-7);
  }
  std::map<std::pair<int, int>, double> rho;
  std::istringstream in(rows_.at("rho(nonzero i:j=value)"));
  for (std::string word; in >> word;) {
    int from = 0;
    int to = 0;
    double want = 0;
    ASSERT_EQ(std::sscanf(word.c_str(), "%d:%d=%lf", &from, &to, &want), 3);
    rho[{from, to}] = want;
  }
  ASSERT_EQ(weighted_.pairs.size(), rho.size());
  for (const ::remap_pair& pair : weighted_.pairs) {
    const double share = pair.count / scale_;
    EXPECT_NEAR(share, counts_.visits[pair.from] / accesses * rho.at({pair.from, pair.to}), 5e-7);
  }
}

TEST_F(RemapVector, Energies_AreThoseOfTheVector) {
  std::vector<std::uint16_t> map;
  const ::arrange_report report = run(ARRANGE_ORGAN, ARRANGE_FROM_ORGAN, 1, map);
  EXPECT_DOUBLE_EQ(mean(report.identity), value("identity energy"));
  EXPECT_DOUBLE_EQ(mean(report.energy), value("pipe organ energy"));
  std::vector<std::uint32_t> slots(map.begin(), map.end());
  EXPECT_EQ(slots, numbers("pipe organ P(i)"));
}

TEST_F(RemapVector, AnnealedEnergy_IsTheOptimum) {
  std::vector<std::uint16_t> map;
  for (const ::arrange_start start : {ARRANGE_FROM_ORGAN, ARRANGE_FROM_IDENTITY}) {
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
      const ::arrange_report report = run(ARRANGE_ANNEAL, start, seed, map);
      EXPECT_DOUBLE_EQ(mean(report.energy), value("optimum (all 40320; first found) energy"));
      EXPECT_EQ(report.energy, distance_energy(weighted_, map));
    }
  }
}

// --------------------------------------------------------------------------------- enumeration

/// Counts of accesses that do not depend on each other: products of visits.
test::Counts independent_counts(std::mt19937& random, std::uint16_t groups, std::uint32_t most) {
  test::Counts counts;
  for (std::uint16_t group = 0; group < groups; ++group) {
    counts.visits.push_back(static_cast<std::uint16_t>(random() % most));
  }
  for (std::uint16_t a = 0; a < groups; ++a) {
    for (std::uint16_t b = 0; b < groups; ++b) {
      counts.pairs.push_back(
          {a, b, static_cast<std::uint16_t>(counts.visits[a] * counts.visits[b])});
    }
  }
  return counts;
}

std::uint64_t organ_energy(const test::Counts& counts, std::vector<std::uint16_t>& map) {
  const auto groups = static_cast<std::uint32_t>(counts.visits.size());
  Arranging one(plain_design(groups), counts, groups, 10, 1);
  one.plan.method = ARRANGE_ORGAN;
  one.plan.energy = ENERGY_DISTANCE;
  one.plan.whole_groups = true;
  const std::uint64_t energy = one.run().energy;
  map = one.of;
  EXPECT_EQ(energy, distance_energy(counts, map));
  return energy;
}

// Formula (2) of the paper: for independent accesses the pipe organ costs least (Knuth, volume 3).
TEST(RemapOrganMap, OfIndependentAccesses_IsOptimal) {
  std::mt19937 random(kSeed);
  std::vector<std::uint16_t> map;
  for (const std::uint32_t most : {200U, 4U, 60U, 2U}) {
    const test::Counts counts = independent_counts(random, 7, most);
    EXPECT_EQ(organ_energy(counts, map), least_distance_energy(counts, 7))
        << "visits below " << most;
  }
}

// With an even number of slots the middle is between two. The firmware's reading, right first from
// N / 2 on, is not always optimal. From (N - 1) / 2 on it is, where the right side has one more
// slot.
TEST(RemapOrganMap, OfAnEvenNumber_IsOptimalOneSlotLower) {
  std::mt19937 random(kSeed);
  std::vector<std::uint16_t> map;
  for (const std::uint32_t most : {200U, 4U, 60U}) {
    const test::Counts counts = independent_counts(random, 8, most);
    const std::uint64_t energy = organ_energy(counts, map);
    for (std::uint16_t& slot : map) slot = static_cast<std::uint16_t>((slot + 7) % 8);
    const std::uint64_t least = least_distance_energy(counts, 8);
    EXPECT_EQ(distance_energy(counts, map), least) << "visits below " << most;
    EXPECT_GE(energy, least);
    EXPECT_LT(static_cast<double>(energy), 1.02 * static_cast<double>(least));
  }
}

// Annealing need not end in the deepest valley. It ends among the best forty of all 40,320, and of
// three loads at least two in the best.
TEST(RemapAnnealing, OfEightGroups_EndsAmongTheBest) {
  std::mt19937 random(kSeed);
  int best = 0;
  for (int i = 0; i < 3; ++i) {
    const test::Counts counts = test::random_counts(random, 8, 25);
    Arranging one(plain_design(8), counts, 8, 10, 1);
    one.plan.energy = ENERGY_DISTANCE;
    one.plan.whole_groups = true;
    const std::uint64_t found = one.run().energy;
    std::vector<std::uint16_t> map = test::identity(8);
    std::vector<std::uint64_t> all;
    do {
      all.push_back(distance_energy(counts, map));
    } while (std::next_permutation(map.begin(), map.end()));
    std::sort(all.begin(), all.end());
    EXPECT_LE(found, all[39]) << "load " << i;
    if (found == all[0]) ++best;
  }
  EXPECT_GE(best, 2);
}

TEST(RemapAnnealing, OfSevenUnits_EndsAmongTheBestAccessTimes) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < 3; ++i) {
    const test::Counts counts = test::random_counts(random, 7, 20, 3);
    Arranging one(test::zoned_design(), counts, 7, 20, 1);
    one.plan.first_block = 500;
    one.plan.trials = 40'000;
    const std::uint64_t found = one.run().energy;
    std::vector<std::uint16_t> map = test::identity(7);
    std::vector<std::uint64_t> all;
    do {
      ::energy_total total;
      energy_total_begin(&one.work->energy, &total, map.data());
      while (!energy_total_step(&one.work->energy, &total, map.data())) continue;
      all.push_back(total.sum);
    } while (std::next_permutation(map.begin(), map.end()));
    std::sort(all.begin(), all.end());
    EXPECT_LE(found, all[49]) << "load " << i;  // 1 % of them
  }
}

// With temperatures in mean slots annealing ends far above: REMAPPING's first reading.
TEST(RemapAnnealing, LiteralTemperatures_EndAboveThoseInCounts) {
  std::mt19937 random(kSeed);
  test::Counts counts = test::random_counts(random, 40, 150);
  std::uint64_t energy[2];
  for (const bool literal : {false, true}) {
    Arranging one(plain_design(40), counts, 40, 10, 1);
    one.plan.energy = ENERGY_DISTANCE;
    one.plan.start = ARRANGE_FROM_IDENTITY;
    one.plan.whole_groups = true;
    one.plan.literal_temperature = literal;
    energy[literal ? 1 : 0] = one.run().energy;
  }
  EXPECT_LT(static_cast<double>(energy[0]), 0.9 * static_cast<double>(energy[1]));
}

// -------------------------------------------------------------------------------- all promises

struct Load {
  const char* what;
  std::uint32_t units;
  std::uint32_t per_group;
  std::uint32_t pairs;
};

class RemapPromises : public testing::TestWithParam<Load> {
 protected:
  Arranging make(std::uint32_t seed) const {
    const Load& load = GetParam();
    std::mt19937 random(kSeed + seed);
    const std::uint32_t groups = (load.units + load.per_group - 1) / load.per_group;
    Arranging one(test::zoned_design(), test::random_counts(random, groups, load.pairs), load.units,
                  4, load.per_group);
    one.plan.first_block = 5;
    one.plan.seed = seed;
    return one;
  }

  /// Calls `check` for every possible plan; for plans that anneal, only for some.
  template <class Check>
  void for_each_plan(Check&& check) {
    for (const ::arrange_method method :
         {ARRANGE_KEEP, ARRANGE_ORGAN, ARRANGE_POPULARITY, ARRANGE_ANNEAL}) {
      for (const ::energy_kind kind :
           {ENERGY_DISTANCE, ENERGY_SEEK, ENERGY_TRANSFER, ENERGY_ACCESS}) {
        for (const bool whole : {false, true}) {
          for (const ::arrange_start start : {ARRANGE_FROM_ORGAN, ARRANGE_FROM_IDENTITY}) {
            const bool is_usual =
                start == ARRANGE_FROM_ORGAN ? kind != ENERGY_SEEK : kind == ENERGY_SEEK;
            if (method == ARRANGE_ANNEAL && !is_usual) continue;
            if (method == ARRANGE_ANNEAL && kind != ENERGY_ACCESS && !test::is_whole()) continue;
            Arranging one = make(1);
            one.plan.method = method;
            one.plan.energy = kind;
            one.plan.whole_groups = whole;
            one.plan.start = start;
            one.plan.trials = 2000;
            if (one.begin() != STATUS_OK) continue;
            SCOPED_TRACE(testing::Message() << "method " << method << " energy " << kind
                                            << " whole " << whole << " start " << start);
            check(one);
          }
        }
      }
    }
  }
};

/// The energy of a map, by an arrangement that keeps the map.
std::uint64_t energy_of(const Arranging& like, const std::vector<std::uint16_t>& map) {
  Arranging one(test::zoned_design(), like.counts, like.plan.units, like.plan.unit_blocks, 1);
  const ::drive_design* design = one.plan.design;
  one.plan = like.plan;
  one.plan.design = design;
  one.plan.method = ARRANGE_KEEP;
  one.plan.start = ARRANGE_FROM_GIVEN;
  one.plan.hottest = 0;
  one.of = map;
  const std::uint64_t energy = one.run().energy;
  EXPECT_EQ(one.of, map);
  return energy;
}

/// Checks that units of a group stay together, in their order, and that units after the whole
/// groups stay.
void expect_whole_groups(const Arranging& one, std::uint32_t per_group) {
  const auto units = static_cast<std::uint32_t>(one.of.size());
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    if (unit / per_group >= units / per_group) {
      EXPECT_EQ(one.of[unit], unit);
    } else {
      EXPECT_EQ(one.of[unit] % per_group, unit % per_group);
      EXPECT_EQ(one.of[unit] / per_group, one.of[unit / per_group * per_group] / per_group);
    }
  }
}

TEST_P(RemapPromises, EveryPlan_MakesAPermutation_WhoseEnergyIsReported) {
  int plans = 0;
  for_each_plan([&](Arranging& one) {
    ++plans;
    const ::arrange_report report = one.run();
    if (one.plan.method == ARRANGE_ANNEAL) {
      EXPECT_LE(report.energy, report.start);
      EXPECT_LE(report.energy, report.identity);
    } else {
      EXPECT_EQ(report.energy, report.start);
    }
    if (one.plan.whole_groups) expect_whole_groups(one, GetParam().per_group);
    // The energy of whole groups is for other slots.
    if (one.plan.whole_groups && GetParam().per_group > 1) return;
    EXPECT_EQ(energy_of(one, one.of), report.energy);
    EXPECT_EQ(energy_of(one, test::identity(GetParam().units)), report.identity);
  });
  const bool has_all = GetParam().units >= GetParam().per_group && test::is_whole();
  EXPECT_GE(plans, has_all ? 45 : 8);
}

// The workspace has all of the state. Arrangements that run in turns, and a copied one, end as one
// that runs alone.
TEST_P(RemapPromises, SlicesInAnyOrder_MakeNoDifference) {
  Arranging alone = make(1);
  Arranging one = make(1);
  Arranging other = make(2);
  if (GetParam().units < GetParam().per_group) {
    for (Arranging* each : {&alone, &one, &other}) each->plan.method = ARRANGE_POPULARITY;
  }
  other.plan.start = ARRANGE_FROM_IDENTITY;
  other.plan.energy = ENERGY_TRANSFER;
  alone.run();
  ASSERT_EQ(one.begin(), STATUS_OK);
  ASSERT_EQ(other.begin(), STATUS_OK);
  std::mt19937 random(kSeed);
  bool done = false;
  while (!done) {
    for (std::uint32_t i = 1 + random() % 5000; i > 0 && !done; --i)
      done = arrange_step(one.work.get());
    for (std::uint32_t i = random() % 5000; i > 0; --i) (void)arrange_step(other.work.get());
  }
  EXPECT_EQ(one.of, alone.of);
  EXPECT_EQ(one.at, alone.at);
  EXPECT_EQ(std::memcmp(arrange_result(one.work.get()), arrange_result(alone.work.get()),
                        sizeof(::arrange_report)),
            0);
}

// From a given map, no change that costs more is accepted.
TEST_P(RemapPromises, GivenMap_OnlyImproves) {
  if (GetParam().units < GetParam().per_group || GetParam().pairs == 0) return;
  Arranging first = make(3);
  first.plan.method = ARRANGE_ORGAN;
  first.run();
  Arranging one = make(3);
  one.plan.start = ARRANGE_FROM_GIVEN;
  one.of = first.of;
  ASSERT_EQ(one.begin(), STATUS_OK);
  one.work->now = UINT64_MAX;
  for (std::uint64_t last = UINT64_MAX; !arrange_step(one.work.get()); last = one.work->now) {
    ASSERT_LE(one.work->now, last);
  }
  const ::arrange_report report = *arrange_result(one.work.get());
  EXPECT_TRUE(test::is_permutation_of_units(one.of));
  EXPECT_EQ(report.start, arrange_result(first.work.get())->energy);
  EXPECT_LT(report.energy, report.start);
}

// A few trials at temperatures that accept nearly every change: the end is worse than the start, or
// than no map. Then the better of these is the result.
TEST(RemapFewTrials, WorseEnd_IsNotTheResult) {
  int back_to_start = 0;
  int without_map = 0;
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    test::Counts counts;
    // Groups that follow each other: no map is good for seeks.
    for (std::uint16_t group = 0; group < 15; ++group) {
      counts.visits.push_back(1);
      if (group > 0) counts.pairs.push_back({static_cast<std::uint16_t>(group - 1), group, 1});
      if (seed % 2 == 0) counts.pairs.push_back({group, 0, 2});
    }
    Arranging one(test::zoned_design(), counts, 60, 16, 4);
    one.plan.energy = ENERGY_SEEK;
    one.plan.trials = 40;
    one.plan.seed = seed;
    const ::arrange_report report = one.run();
    EXPECT_LE(report.energy, report.start);
    EXPECT_LE(report.energy, report.identity);
    EXPECT_EQ(energy_of(one, one.of), report.energy);
    if (one.of == test::identity(60)) ++without_map;
    if (report.energy == report.start && report.start < report.identity) ++back_to_start;
  }
  EXPECT_GT(back_to_start, 0);
  EXPECT_GT(without_map, 0);
}

// In a small table, hot units would leave the units that go with them, without a trial to correct
// it.
TEST(RemapFewTrials, StartThatCostsMoreThanNoMap_IsNotTheResult) {
  test::Counts counts;
  for (std::uint16_t group = 0; group < 15; ++group) {
    counts.visits.push_back(group == 14 ? 9 : 1);
    if (group > 0) counts.pairs.push_back({static_cast<std::uint16_t>(group - 1), group, 1});
  }
  Arranging one(test::zoned_design(), counts, 60, 16, 4);
  one.plan.energy = ENERGY_SEEK;
  one.plan.trials = 0;
  one.plan.hottest = 4;
  const ::arrange_report report = one.run();
  EXPECT_GT(report.start, report.identity);
  EXPECT_EQ(report.energy, report.identity);
  EXPECT_EQ(one.of, test::identity(60));
}

INSTANTIATE_TEST_SUITE_P(Loads, RemapPromises,
                         testing::Values(Load{"ByUnit", 50, 1, 120}, Load{"Tens", 200, 10, 60},
                                         Load{"TensAndThree", 203, 10, 60},
                                         Load{"NoPair", 60, 4, 0},
                                         Load{"LessThanAGroup", 7, 10, 3}),
                         test::case_name<Load>);

// ----------------------------------------------------------------------------- hot units outside

/// Groups of five units of four blocks; slots cross tracks of 30, 27 and 24 sectors.
Arranging hot_load(std::uint32_t hottest) {
  std::mt19937 random(kSeed);
  test::Counts counts = test::random_counts(random, 80, 300);
  for (std::uint32_t group = 0; group < 80; ++group) {
    counts.visits[group] =
        static_cast<std::uint16_t>(group % 8 == 5 ? 1000 + random() % 900 : random() % 3);
  }
  Arranging one(test::zoned_design(), counts, 400, 4, 5);
  one.plan.hottest = hottest;
  return one;
}

bool is_on_one_track(const Arranging& one, std::uint32_t slot) {
  const geometry::Geometry geometry(test::zoned_design());
  return geometry.locate(one.plan.first_block + slot * one.plan.unit_blocks).contiguous >=
         one.plan.unit_blocks;
}

TEST(RemapPopularity, BusiestUnits_HaveTheOutermostSlotsOfOneTrack) {
  Arranging one = hot_load(0);
  one.plan.method = ARRANGE_POPULARITY;
  one.run();
  std::vector<std::uint16_t> order = test::identity(80);
  const auto& visits = one.counts.visits;
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return visits[a] > visits[b]; });
  const std::uint32_t all = std::accumulate(visits.begin(), visits.end(), 0U);
  std::uint32_t passed = 0;
  std::uint32_t slot = 0;
  for (const std::uint16_t group : order) {
    if (passed >= 0.995 * all) break;  // hot groups have 99.5 % of the visits
    passed += visits[group];
    for (std::uint32_t unit = group * 5U; unit < group * 5U + 5; ++unit) {
      while (!is_on_one_track(one, slot)) ++slot;
      EXPECT_EQ(one.of[unit], slot++) << "unit " << unit;
    }
  }
  EXPECT_GT(slot, 50U);
}

// Every group is one unit, and more of them are visited than there is room for: the least busy are
// left out.
TEST(RemapPopularity, MoreGroupsThanThereIsRoomFor_TheBusiestArePlaced) {
  constexpr std::uint32_t kUnits = ARRANGE_HOT_MAX + 2000;
  std::mt19937 random(kSeed);
  test::Counts counts = test::random_counts(random, kUnits, 100);
  for (std::uint16_t& visits : counts.visits) {
    visits = static_cast<std::uint16_t>(1000 + random() % 3);
  }
  Arranging one(test::shipped("cheetah_9lp").design, counts, kUnits, 16, 1);
  one.plan.method = ARRANGE_POPULARITY;
  one.run();
  std::vector<std::uint16_t> order = test::identity(kUnits);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return one.counts.visits[a] > one.counts.visits[b]; });
  const geometry::Geometry geometry(test::shipped("cheetah_9lp").design);
  std::uint32_t slot = 0;
  for (std::uint32_t turn = 0; turn < ARRANGE_HOT_MAX; ++turn) {
    while (geometry.locate(slot * 16U).contiguous < 16U) ++slot;
    ASSERT_EQ(one.of[order[turn]], slot++) << "the " << turn << "th";
    if (slot == kUnits) break;
  }
  EXPECT_GT(slot, ARRANGE_HOT_MAX);
}

TEST(RemapSmallTable, OnlyTheHottestUnitsAndThoseTheyDisplace_Move) {
  for (const std::uint32_t hottest : {5U, 23U, 50U}) {
    Arranging one = hot_load(hottest);
    const ::arrange_report report = one.run();
    EXPECT_LE(report.energy, report.identity);
    std::vector<std::uint16_t> order = test::identity(80);
    const auto& visits = one.counts.visits;
    std::stable_sort(order.begin(), order.end(),
                     [&](auto a, auto b) { return visits[a] > visits[b]; });
    order.resize(hottest / 5);
    const std::set<std::uint16_t> hot(order.begin(), order.end());
    // The region has as many slots of one track as there are hot units.
    std::uint32_t region = 0;
    for (std::size_t left = hot.size() * 5; left > 0; ++region) {
      if (is_on_one_track(one, region)) --left;
    }
    std::size_t moved = 0;
    for (std::uint32_t unit = 0; unit < 400; ++unit) {
      if (one.of[unit] != unit) ++moved;
      const bool is_hot = hot.count(static_cast<std::uint16_t>(unit / 5)) != 0;
      if (is_hot) {
        EXPECT_LT(one.of[unit], region) << "unit " << unit;
      } else if (unit >= region) {
        EXPECT_EQ(one.of[unit], unit);
      }
    }
    EXPECT_GT(moved, 0U);
    EXPECT_LE(moved, region + hot.size() * 5);
  }
}

// --------------------------------------------------------------------------------------- limits

TEST(RemapPlan, LimitsAreRefused_AndTheGoalsAreUntouched) {
  const auto refused = [](const char* what, auto change) {
    Arranging one(test::zoned_design(), test::Counts{std::vector<std::uint16_t>(100), {}, {}}, 100,
                  4, 4);
    ASSERT_EQ(one.begin(), STATUS_OK);
    change(one);
    EXPECT_EQ(one.begin(), STATUS_BAD_VALUE) << what;
    EXPECT_EQ(one.of, std::vector<std::uint16_t>(100, 0xDEAD)) << what;
  };
  refused("no unit", [](auto& one) { one.plan.units = 0; });
  refused("units", [](auto& one) { one.plan.units = REMAP_UNITS_MAX + 1; });
  refused("past the end", [](auto& one) { one.plan.first_block = 2907; });
  refused("no block", [](auto& one) { one.plan.unit_blocks = 0; });
  refused("no multiple", [](auto& one) { one.plan.group_blocks = 15; });
  refused("smaller groups", [](auto& one) { one.plan.group_blocks = 2; });
  refused("units of a group", [](auto& one) { one.plan.group_blocks = 4 * 65; });
  refused("groups not counted", [](auto& one) { one.view.groups = 24; });
  refused("pairs", [](auto& one) { one.view.pair_count = REMAP_PAIRS_MAX + 1; });
  refused("gaps", [](auto& one) { one.view.gap_count = REMAP_GAPS_MAX + 1; });
  refused("share", [](auto& one) { one.plan.share_of_gaps = 257; });
  refused("units by distance", [](auto& one) { one.plan.energy = ENERGY_DISTANCE; });
  refused("popular groups", [](auto& one) {
    one.plan.whole_groups = true;
    one.plan.method = ARRANGE_POPULARITY;
  });
  refused("table of groups", [](auto& one) {
    one.plan.whole_groups = true;
    one.plan.hottest = 4;
  });
  refused("given units for groups", [](auto& one) {
    one.plan.whole_groups = true;
    one.plan.start = ARRANGE_FROM_GIVEN;
  });
  refused("given table", [](auto& one) {
    one.plan.start = ARRANGE_FROM_GIVEN;
    one.plan.hottest = 4;
  });
}

// The last block is the drive's last: one more unit is refused (see above).
TEST(RemapPlan, UnitsUpToTheLastBlock_AreArranged) {
  Arranging one(test::zoned_design(), test::Counts{std::vector<std::uint16_t>(100), {}, {}}, 100, 4,
                4);
  const auto capacity =
      static_cast<std::uint32_t>(geometry::Geometry(test::zoned_design()).capacity());
  one.plan.first_block = capacity - 400;
  one.plan.trials = 100;
  one.run();
  one.plan.first_block = capacity - 399;
  EXPECT_EQ(one.begin(), STATUS_BAD_VALUE);
}

// 40,960 units and 20,480 pairs: as much as there is room for.
TEST(RemapPlan, LargestLoad_IsArranged) {
  std::mt19937 random(kSeed);
  test::Counts counts = test::random_counts(random, REMAP_UNITS_MAX / 10, 60'000);
  ASSERT_GE(counts.pairs.size(), REMAP_PAIRS_MAX);
  counts.pairs.resize(REMAP_PAIRS_MAX);
  Arranging one(test::shipped("cheetah_9lp").design, counts, REMAP_UNITS_MAX, 16, 10);
  one.plan.start = ARRANGE_FROM_IDENTITY;
  one.plan.trials = 2000;
  const ::arrange_report report = one.run();
  EXPECT_LE(report.energy, report.start);
  Arranging groups(test::shipped("cheetah_9lp").design, counts, REMAP_UNITS_MAX, 160, 1);
  groups.counts.visits.resize(REMAP_UNITS_MAX);
  groups.view = groups.counts.view();
  groups.plan.energy = ENERGY_TRANSFER;
  groups.plan.whole_groups = true;
  const ::arrange_report whole = groups.run();
  EXPECT_LT(whole.energy, whole.start);
}

}  // namespace
}  // namespace headstack
