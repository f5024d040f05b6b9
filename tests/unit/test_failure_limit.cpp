// SPDX-License-Identifier: Apache-2.0
// stop.fail_on, and what explains sense data. Codes are those of SCSI-2 table 71 and SPC-2 annex
// C.2.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "firmware/unit/sense.h"
#include "host/options/failure_limit.hpp"
#include "host/replay/sense_causes.hpp"
#include "host/report/sense.hpp"

namespace headstack::options {
namespace {

using report::Sense;
using testing::HasSubstr;

FailureCounts counts_of(Failure failure, std::uint64_t count, std::uint64_t of) {
  FailureCounts counts;
  counts[static_cast<std::size_t>(failure)] = {count, of};
  return counts;
}

TEST(FailureLimit, IsANumber_OrAShare_OrNone) {
  EXPECT_EQ(parse_failure_limit("missed-deadline").most, 0);
  EXPECT_FALSE(parse_failure_limit("missed-deadline").is_share);
  EXPECT_EQ(parse_failure_limit("missed-deadline=0%").most, 0);
  EXPECT_TRUE(parse_failure_limit("missed-deadline=0%").is_share);
  EXPECT_DOUBLE_EQ(parse_failure_limit("missed-deadline=1.5%").most, 0.015);
  EXPECT_EQ(parse_failure_limit("missed-deadline=100%").most, 1);
  EXPECT_EQ(parse_failure_limit("sense=12").most, 12);
  EXPECT_FALSE(parse_failure_limit("sense=12").is_share);
  for (const char* text :
       {"sense=", "sense=%", "sense=-1%", "sense=-1", "sense=100.1%", "sense=1.2.3%", "sense=1.5",
        "sense=nan%", "sense=1%x", "sense=0x3", "sense=1e3", "sense=9999999999999999"}) {
    EXPECT_THROW(parse_failure_limit(text), FailureLimitError) << text;
  }
}

TEST(FailureLimit, KnowsEachKindByItsName) {
  const std::pair<const char*, Failure> kinds[] = {
      {"unexplained-sense", Failure::kUnexplainedSense},
      {"sense", Failure::kSense},
      {"not-good", Failure::kNotGood},
      {"missed-deadline", Failure::kMissedDeadline},
      {"media-retry", Failure::kMediaRetry},
      {"missed-revolution", Failure::kMissedRevolution},
      {"lost-revolution", Failure::kLostRevolution},
      {"bus-violation", Failure::kBusViolation}};
  static_assert(std::size(kinds) == kFailures);
  for (const auto& [name, failure] : kinds) {
    EXPECT_EQ(parse_failure_limit(name).failure, failure) << name;
    EXPECT_THAT(failure_list(), HasSubstr(std::string("  ") + name + " ")) << name;
  }
  try {
    parse_failure_limit("missed-deadlines=1%");
    FAIL();
  } catch (const FailureLimitError& error) {
    EXPECT_THAT(error.what(), HasSubstr("missed-deadline"));
  }
}

TEST(FailureLimit, IsExceededByOneMore) {
  const struct {
    const char* text;
    std::uint64_t count, of;
    bool is_exceeded;
  } cases[] = {
      {"not-good", 0, 10, false},      {"not-good", 1, 10, true},
      {"not-good=3", 3, 10, false},    {"not-good=3", 4, 10, true},
      {"not-good=30%", 3, 10, false},  {"not-good=30%", 4, 10, true},
      {"not-good=29.9%", 3, 10, true}, {"not-good=0%", 0, 0, false},
  };
  for (const auto& one : cases) {
    const std::vector<FailureLimit> limits = failure_limits({one.text});
    const FailureCounts counts = counts_of(Failure::kNotGood, one.count, one.of);
    EXPECT_EQ(find_exceeded(limits, counts) != nullptr, one.is_exceeded)
        << one.text << " " << one.count;
  }
}

TEST(FailureLimit, UnexplainedSenseAndBusViolationsFailUnlessAllowed) {
  for (const Failure failure : {Failure::kUnexplainedSense, Failure::kBusViolation}) {
    const FailureCounts one = counts_of(failure, 1, 100);
    const std::vector<FailureLimit> by_default = failure_limits({});
    const FailureLimit* exceeded = find_exceeded(by_default, one);
    ASSERT_NE(exceeded, nullptr);
    EXPECT_THAT(exceeded_text(*exceeded, one), HasSubstr("(default)"));
    EXPECT_EQ(find_exceeded(by_default, FailureCounts{}), nullptr);
  }
  const std::vector<FailureLimit> allowed = failure_limits({"unexplained-sense=1"});
  EXPECT_EQ(find_exceeded(allowed, counts_of(Failure::kUnexplainedSense, 1, 100)), nullptr);
  EXPECT_NE(find_exceeded(allowed, counts_of(Failure::kUnexplainedSense, 2, 100)), nullptr);
  // What is no failure of the drive has no limit by itself.
  for (const Failure failure :
       {Failure::kSense, Failure::kNotGood, Failure::kMissedDeadline, Failure::kMediaRetry,
        Failure::kMissedRevolution, Failure::kLostRevolution}) {
    EXPECT_EQ(find_exceeded(failure_limits({}), counts_of(failure, 100, 100)), nullptr);
  }
}

TEST(FailureLimit, OfSeveralOfAKindTheStricterHolds) {
  const std::vector<FailureLimit> limits = failure_limits({"sense=9", "sense=2"});
  EXPECT_EQ(find_exceeded(limits, counts_of(Failure::kSense, 2, 9)), nullptr);
  EXPECT_NE(find_exceeded(limits, counts_of(Failure::kSense, 3, 9)), nullptr);
}

TEST(FailureLimit, ItsSentenceHasNumberAndShare) {
  const FailureCounts counts = counts_of(Failure::kNotGood, 82, 300);
  EXPECT_EQ(exceeded_text(parse_failure_limit("not-good=1%"), counts),
            "stop.fail_on not-good=1%: 82 commands that did not end with GOOD, 27.333 % of 300 "
            "commands");
  EXPECT_EQ(exceeded_text(parse_failure_limit("not-good=3"), counts),
            "stop.fail_on not-good=3: 82 commands that did not end with GOOD");
}

}  // namespace
}  // namespace headstack::options

namespace headstack::report {
namespace {

Sense sense_of(std::uint32_t number) {
  return {static_cast<std::uint8_t>(number >> 16), static_cast<std::uint8_t>(number >> 8),
          static_cast<std::uint8_t>(number)};
}

/// Each code of the firmware is named by words of its own, and not by its key's name alone.
TEST(SenseWords, EachCodeOfTheDriveHasItsOwn) {
  std::set<std::string> all;
  for (unsigned code = 1; code < SENSE_CODE_COUNT; ++code) {
    const Sense sense = sense_of(sense_number(static_cast<enum sense_code>(code)));
    const Sense unknown{sense.key, 0xFE, 0xFE};
    EXPECT_NE(words_of(sense), words_of(unknown)) << to_string(sense);
    EXPECT_TRUE(all.insert(words_of(sense)).second) << to_string(sense);
  }
}

TEST(SenseWords, AreTheStandards) {
  EXPECT_EQ(words_of({4, 0x02, 0x00}), "no seek complete");
  EXPECT_EQ(words_of({3, 0x11, 0x00}), "unrecovered read error");
  EXPECT_EQ(words_of({4, 0x40, 0x80}), "diagnostic failure on component 80h");
  EXPECT_EQ(words_of({4, 0xFE, 0x00}), "hardware error");
  EXPECT_EQ(to_string(Sense{4, 0x02, 0x00}), "4/02/00");
  EXPECT_EQ(to_string(Sense{0xB, 0x2E, 0x01}), "B/2E/01");
  EXPECT_EQ(to_string(Sense{4, 0x03, 0x00, true}), "4/03/00 deferred");
}

}  // namespace
}  // namespace headstack::report

namespace headstack::replay {
namespace {

using report::Sense;

std::string cause_of(const Sense& sense, const ReplayOptions& options,
                     const drive::Specimen& specimen = {}, bool has_past = false) {
  return SenseCauses(options, specimen, false, has_past).of(sense);
}

/// A healthy drive whose hosts only send requests has no reason for any sense data.
TEST(SenseCauses, NothingExplainsSenseDataWithoutOptions) {
  for (unsigned code = 0; code < SENSE_CODE_COUNT; ++code) {
    const Sense sense = report::sense_of(sense_number(static_cast<enum sense_code>(code)));
    EXPECT_EQ(cause_of(sense, {}), "") << to_string(sense);
  }
}

TEST(SenseCauses, ASpecimenExplainsErrorsOfItsOwnPartAlone) {
  drive::Specimen flawed;
  flawed.flaws.push_back({media::FlawKind::kUnreadable, 5});
  drive::Specimen chosen;
  chosen.unreadable_sectors = 1;
  drive::Specimen late;
  late.arm_faults.emplace_back();
  const Sense unreadable{3, 0x11, 0x00};
  const Sense no_seek{4, 0x02, 0x00};
  for (const drive::Specimen& specimen : {flawed, chosen}) {
    EXPECT_THAT(cause_of(unreadable, {}, specimen), testing::HasSubstr("flaws"));
    EXPECT_EQ(cause_of(no_seek, {}, specimen), "");
  }
  EXPECT_THAT(cause_of(no_seek, {}, late), testing::HasSubstr("arm"));
  EXPECT_EQ(cause_of({5, 0x24, 0x00}, {}, late), "");
  EXPECT_EQ(cause_of({4, 0x44, 0x00}, {}, late), "");  // a bug, whatever is broken
  EXPECT_THAT(cause_of(unreadable, {}, {}, true), testing::HasSubstr("drive.media"));
  EXPECT_EQ(cause_of(no_seek, {}, {}, true), "");
}

TEST(SenseCauses, WhatHostsDoExplainsItsOwnSense) {
  ReplayOptions resets;
  resets.habits.acts.push_back({traces::Act::kBusReset, options::parse_bus_reset("20")});
  EXPECT_NE(cause_of({6, 0x29, 0x02}, resets), "");
  EXPECT_EQ(cause_of({6, 0x28, 0x00}, resets), "");
  EXPECT_EQ(cause_of({4, 0x02, 0x00}, resets), "");

  ReplayOptions limits;
  limits.deadlines = DeadlineUse::kCdl;
  EXPECT_NE(cause_of({0xB, 0x2E, 0x02}, limits), "");
  EXPECT_EQ(cause_of({0xB, 0x47, 0x00}, limits), "");

  ReplayOptions formats;
  formats.habits.format_every = 10;
  EXPECT_NE(cause_of({2, 0x04, 0x04}, formats), "");
  EXPECT_NE(cause_of({6, 0x28, 0x00}, formats), "");
  EXPECT_EQ(cause_of({6, 0x29, 0x00}, formats), "");

  ReplayOptions clears;
  clears.habits.queue_error = 1;
  EXPECT_NE(cause_of({6, 0x2F, 0x00}, clears), "");
  EXPECT_EQ(cause_of({6, 0x2A, 0x01}, clears), "");
}

}  // namespace
}  // namespace headstack::replay
