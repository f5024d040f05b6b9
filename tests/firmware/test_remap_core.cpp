// SPDX-License-Identifier: Apache-2.0
// Arranging on the drive's core, exact to the cycle: the same map and the same energies as
// natively, and no step longer than arrange.h promises.
#include <gtest/gtest.h>

#include <cstring>
#include <iostream>

#include "firmware/drive_design.h"
#include "sim/core/hart.hpp"
#include "sim/drive/firmware_design.hpp"
#include "sim/soc/elf_image.hpp"
#include "tests/firmware/remap_probe.h"
#include "tests/firmware/remap_support.hpp"
#include "tests/paths.hpp"

namespace headstack {
namespace {

using test::Arranging;

constexpr std::uint32_t kSeed = 40;
constexpr std::uint32_t kRamBytes = DRIVE_DESIGN_END;

/// A core's port without blocks: only RAM.
class NoBlocks : public core::HartPort {
 public:
  static constexpr core::Cycle kRegisterLater = 1;
  static bool is_register(std::uint32_t) { return false; }
  bool read_register(std::uint32_t, core::Cycle, std::uint32_t*) { return false; }
  bool write_register(std::uint32_t, core::Cycle, std::uint32_t) { return false; }
  Answer read(std::uint32_t, std::uint32_t, core::Cycle request) override {
    return {true, 0, request + 1};
  }
  Answer write(std::uint32_t, std::uint32_t, std::uint32_t, core::Cycle request) override {
    return {true, 0, request + 1};
  }
  core::Cycle run_to(core::Cycle cycle) override { return cycle; }
  void sleeps(core::Cycle) override {}
};

class Core {
 public:
  Core() : image_(soc::ElfImage::read(test::built(REMAP_PROBE_ELF))), hart_(port_, kRamBytes) {
    for (const soc::ElfImage::Segment& segment : image_.segments()) {
      hart_.load(segment.address, segment.memory());
    }
  }

  template <class Value>
  void write(const char* name, const Value* values, std::size_t count) {
    std::vector<std::uint8_t> bytes(count * sizeof(Value));
    if (!bytes.empty()) std::memcpy(bytes.data(), values, bytes.size());
    ASSERT_LE(bytes.size(), image_.object(name)->bytes);
    hart_.load(image_.object(name)->address, bytes);
  }

  template <class Value>
  std::vector<Value> read(const char* name, std::size_t count) {
    std::vector<Value> values(count);
    std::memcpy(values.data(), &hart_.ram()[image_.object(name)->address], count * sizeof(Value));
    return values;
  }

  void run(const Arranging& one) {
    hart_.load(DRIVE_DESIGN_ADDRESS, drive::firmware_design_image(*one.table));
    std::uint32_t input[PROBE_WORDS] = {};
    input[PROBE_FIRST_BLOCK] = one.plan.first_block;
    input[PROBE_UNIT_BLOCKS] = one.plan.unit_blocks;
    input[PROBE_GROUP_BLOCKS] = one.plan.group_blocks;
    input[PROBE_UNITS] = one.plan.units;
    input[PROBE_OVERHEAD_TICK] = one.plan.overhead_tick;
    input[PROBE_SHARE_OF_GAPS] = one.plan.share_of_gaps;
    input[PROBE_METHOD] = one.plan.method;
    input[PROBE_ENERGY] = one.plan.energy;
    input[PROBE_START] = one.plan.start;
    input[PROBE_WHOLE_GROUPS] = one.plan.whole_groups ? 1 : 0;
    input[PROBE_TRIALS] = one.plan.trials;
    input[PROBE_HOTTEST] = one.plan.hottest;
    input[PROBE_SEED] = one.plan.seed;
    input[PROBE_GROUPS] = one.view.groups;
    input[PROBE_PAIRS] = one.view.pair_count;
    input[PROBE_GAPS] = one.view.gap_count;
    write("probe_input", input, PROBE_WORDS);
    write("probe_visits", one.view.visits, one.view.groups);
    write("probe_pairs", one.view.pairs, one.view.pair_count);
    write("probe_gaps", one.view.gaps, one.view.gap_count);
    write("probe_goal_of", one.of.data(), one.of.size());
    constexpr core::Cycle kForever = 40'000'000'000;
    hart_.run(kForever);
    ASSERT_TRUE(hart_.asleep());
    output_ = read<std::uint32_t>("probe_output", PROBE_RESULTS);
    ASSERT_EQ(output_[PROBE_STATUS], STATUS_OK);
  }

  std::uint32_t output(unsigned word) const { return output_.at(word); }
  std::uint64_t cycles(unsigned low) const {
    return output_.at(low) | std::uint64_t{output_.at(low + 1)} << 32;
  }

 private:
  soc::ElfImage image_;
  NoBlocks port_;
  core::Hart hart_;
  std::vector<std::uint32_t> output_;
};

struct Load {
  const char* what;
  const char* drive;
  std::uint32_t units;
  std::uint32_t per_group;
  std::uint32_t pairs;
  ::arrange_method method;
  ::energy_kind energy;
  ::arrange_start start;
  bool whole_groups;
  std::uint32_t hottest;
};

class RemapCore : public testing::TestWithParam<Load> {};

TEST_P(RemapCore, MapAndEnergiesAreTheNativeOnes_AndEveryStepIsShort) {
  const Load& load = GetParam();
  std::mt19937 random(kSeed);
  const std::uint32_t groups = (load.units + load.per_group - 1) / load.per_group;
  test::Counts counts = test::random_counts(random, groups, load.pairs);
  for (std::uint32_t us = 1; us < 60'000; us = us * 3 / 2 + 1) {
    counts.gaps.push_back({us, us * 3 / 2 + 1, static_cast<std::uint32_t>(random() % 500)});
  }
  if (counts.pairs.size() > REMAP_PAIRS_MAX) counts.pairs.resize(REMAP_PAIRS_MAX);
  const bool is_small = std::string(load.drive) == "zoned";
  Arranging native(is_small ? test::zoned_design() : test::shipped(load.drive).design, counts,
                   load.units, is_small ? 4 : 16, load.per_group);
  native.plan.method = load.method;
  native.plan.energy = load.energy;
  native.plan.start = load.start;
  native.plan.whole_groups = load.whole_groups;
  native.plan.hottest = load.hottest;
  native.plan.trials = 600;
  native.of = test::identity(load.units);
  std::shuffle(native.of.begin(), native.of.end(), random);

  Core core;
  core.run(native);
  const ::arrange_report want = native.run();
  EXPECT_EQ(core.read<std::uint16_t>("probe_goal_of", load.units), native.of);
  const auto got = core.read<::arrange_report>("probe_report", 1).front();
  EXPECT_EQ(std::memcmp(&got, &want, sizeof got), 0);

  std::uint32_t longest = 0;
  std::cout << "longest steps by stage, cycles:";
  for (unsigned stage = 0; stage < 32; ++stage) {
    const std::uint32_t cycles = core.output(PROBE_LONGEST + stage);
    if (cycles != 0) std::cout << ' ' << stage << ": " << cycles;
    longest = std::max(longest, cycles);
  }
  std::cout << "\n"
            << core.cycles(PROBE_CYCLES_LOW) << " cycles in " << core.output(PROBE_STEPS)
            << " steps; of annealing units " << core.cycles(PROBE_TRIAL_CYCLES_LOW) << ", "
            << want.trials << " trials, " << want.evaluations << " costs in all\n";
  EXPECT_LE(longest, ARRANGE_STEP_CYCLES);
}

INSTANTIATE_TEST_SUITE_P(
    Loads, RemapCore,
    testing::Values(Load{"GivenUnits", "cheetah_9lp", REMAP_UNITS_MAX, 10, 9000, ARRANGE_ANNEAL,
                         ENERGY_ACCESS, ARRANGE_FROM_GIVEN, false, 0},
                    Load{"CountedByUnit", "cheetah_9lp", REMAP_UNITS_MAX, 1, 20'000, ARRANGE_ANNEAL,
                         ENERGY_ACCESS, ARRANGE_FROM_GIVEN, false, 0},
                    Load{"GivenUnitsWithoutAngles", "cheetah_9lp", 20'000, 10, 5000, ARRANGE_ANNEAL,
                         ENERGY_TRANSFER, ARRANGE_FROM_GIVEN, false, 0},
                    Load{"ManyUnitsOfAGroup", "atlas_10k", 6400, 64, 1500, ARRANGE_ANNEAL,
                         ENERGY_ACCESS, ARRANGE_FROM_GIVEN, false, 0},
                    Load{"Popularity", "hp_c2490a", 24'000, 10, 8000, ARRANGE_POPULARITY,
                         ENERGY_ACCESS, ARRANGE_FROM_ORGAN, false, 0},
                    Load{"Organ", "zoned_179mb", 21'810, 10, 8000, ARRANGE_ORGAN, ENERGY_SEEK,
                         ARRANGE_FROM_ORGAN, true, 0},
                    Load{"SmallTable", "zoned", 203, 10, 40, ARRANGE_ANNEAL, ENERGY_ACCESS,
                         ARRANGE_FROM_ORGAN, false, 60}),
    test::case_name<Load>);

}  // namespace
}  // namespace headstack
