// SPDX-License-Identifier: Apache-2.0
// Options with words of their own, and the bytes that they become on their way to the drive.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "firmware/unit/mode_page.h"
#include "host/observe/host_tag.hpp"
#include "host/options/bus_option.hpp"
#include "host/options/cache_option.hpp"
#include "host/options/controller_option.hpp"
#include "host/options/policy_option.hpp"
#include "host/options/stream_option.hpp"
#include "host/options/write_threshold_option.hpp"
#include "host/replay/mode_changes.hpp"

namespace headstack::options {
namespace {

using Bytes = std::vector<std::uint8_t>;
using initiator::Agreement;
using testing::HasSubstr;

template <class Parse>
std::string error_of(Parse parse, const std::string& text) {
  try {
    (void)parse(text);
  } catch (const OptionError& error) {
    return error.what();
  }
  return "";
}

// firmware/unit/stream_page.h: each stream has eight bytes, from byte 4 on.
TEST(StreamOption, Words_AsTheyGoOnThePage) {
  Bytes page(132);
  apply_streams(
      parse_streams({"3:u=0.25,p=100ms", "15:share=100,k=255,w=1", "0:p=50000ms,u=0.001"}),
      page.data());
  Bytes wanted(132);
  const Bytes third = {0, 250, 0, 100, 0, 0, 0, 0}, last = {0, 0, 0, 0, 100, 255, 1, 0};
  const Bytes first = {0, 1, 0xC3, 0x50, 0, 0, 0, 0};
  std::copy(first.begin(), first.end(), wanted.begin() + 4);
  std::copy(third.begin(), third.end(), wanted.begin() + 4 + 3 * 8);
  std::copy(last.begin(), last.end(), wanted.begin() + 4 + 15 * 8);
  EXPECT_EQ(page, wanted);
}

TEST(StreamOption, WrongWords_AreToldWithTheRemedy) {
  const std::pair<const char*, const char*> wrong[] = {
      {"3", "give STREAM:KEY=VALUE"},
      {"16:w=1", "stream: '16' is not a whole number from 0 to 15"},
      {"3:v=1", "unknown key 'v'"},
      {"3:w", "give STREAM:KEY=VALUE"},
      {"3:", "unknown key ''"},
      {"3:w=0", "w: '0' is not a whole number from 1 to 255"},
      {"3:k=256", "k: '256'"},
      {"3:share=101", "share: '101'"},
      {"3:w=1,w=2", "'w' is given twice"},
      {"3:u=0.25", "u and p go together"},
      {"3:p=10ms", "u and p go together"},
      {"3:u=0.0005,p=1ms", "steps of 0.001"},
      {"3:u=1.001,p=1ms", "steps of 0.001"},
      {"3:u=nan,p=1ms", "steps of 0.001"},
      {"3:u=0.1,p=100", "p: '100' is not a time in whole ms"},
      {"3:u=0.1,p=50001ms", "p: '50001'"},
  };
  for (const auto& [text, said] : wrong) {
    EXPECT_THAT(error_of(parse_stream, text), HasSubstr(said)) << text;
  }
  using Texts = std::vector<std::string>;
  const auto error_of_all = [](const Texts& texts) {
    return error_of([&](const std::string&) { return parse_streams(texts); }, "");
  };
  EXPECT_THAT(error_of_all({"3:w=1", "3:k=1"}), HasSubstr("stream 3 is given twice"));
  EXPECT_THAT(error_of_all({"3:u=0.5,p=1ms", "4:u=0.501,p=1ms"}), HasSubstr("more than 1"));
  EXPECT_EQ(error_of_all({"3:u=0.5,p=1ms", "4:u=0.5,p=1ms"}), "");
  EXPECT_THAT(error_of_all({"3:share=50", "4:share=51"}), HasSubstr("more than 100"));
}

TEST(BusOption, WordsAndPeriods_AsTheyGoIntoSdtr) {
  EXPECT_EQ(parse_bus("async").agreement, initiator::kAsynchronous);
  EXPECT_EQ(parse_bus("fast").agreement, (Agreement{false, 25, 15}));
  EXPECT_EQ(parse_bus("fast-wide").agreement, (Agreement{true, 25, 15}));
  // SCSI-2 6.6.21: the period is in units of 4 ns.
  EXPECT_EQ(parse_bus("sync:204:8").agreement, (Agreement{false, 51, 8}));
  EXPECT_EQ(parse_bus("sync:200:wide").agreement, (Agreement{true, 50, 15}));
  EXPECT_EQ(parse_bus("sync:100:1:wide").agreement, (Agreement{true, 25, 1}));
  EXPECT_EQ(parse_bus("sync:1020").agreement, (Agreement{false, 255, 15}));
}

TEST(BusOption, PaceOfTheHosts_InPicoseconds) {
  const BusSetting none = parse_bus("sync:200:wide");
  EXPECT_EQ(none.in_period_ps, 0);
  EXPECT_EQ(none.out_period_ps, 0);
  // 512 bytes take 0.1701 ms and 0.18686 ms.
  const BusSetting both = parse_bus("sync:324:8:in=332.227:out=364.961");
  EXPECT_EQ(both.agreement, (Agreement{false, 81, 8}));
  EXPECT_EQ(both.in_period_ps, 332'227);
  EXPECT_EQ(both.out_period_ps, 364'961);
  const BusSetting one = parse_bus("sync:200:wide:out=200");
  EXPECT_EQ(one.agreement, (Agreement{true, 50, 15}));
  EXPECT_EQ(one.in_period_ps, 0);
  EXPECT_EQ(one.out_period_ps, 200'000);
}

TEST(BusOption, Errors_NameWhatWouldBeRight) {
  struct Case {
    const char* text;
    const char* error;
  };
  constexpr Case kCases[] = {
      {"fsat", "did you mean 'fast'"},
      {"", "unknown bus ''"},
      {"sync", "sync:PERIOD_NS[:OFFSET][:wide][:in=NS][:out=NS]"},
      {"sync:wide", "'wide' is not a whole number from 100 to 1020"},
      {"sync:96", "'96' is not a whole number from 100 to 1020"},
      {"sync:1024", "'1024' is not a whole number from 100 to 1020"},
      {"sync:202", "202 is no multiple of 4; say 200 or 204"},
      {"sync:200:0", "offset: '0' is not a whole number from 1 to 15"},
      {"sync:200:16", "offset: '16'"},
      {"sync:200:8:wide:8", "sync:PERIOD_NS[:OFFSET][:wide]"},
      {"fast:8", "unknown bus 'fast:8'"},
      {"sync:200:in=199.999", "in is shorter than the period of 200 ns"},
      {"sync:200:out=0", "out: '0' is no time in ns"},
      {"sync:200:out=-1", "out: '-1' is no time in ns"},
      {"sync:200:out=nan", "out: 'nan' is no time in ns"},
      {"sync:200:out=10001", "say 0.001 to 10000"},
      {"sync:200:out=300x", "out: '300x' is no time in ns"},
      {"sync:200:out=300:out=300", "out is given twice"},
      {"sync:200:up=300", "'up' is unknown"},
      {"sync:in=300", "sync:PERIOD_NS[:OFFSET][:wide]"},
  };
  for (const Case& c : kCases)
    EXPECT_THAT(error_of(parse_bus, c.text), HasSubstr(c.error)) << c.text;
}

TEST(CacheOption, Errors_NameWhatWouldBeRight) {
  struct Case {
    const char* text;
    const char* error;
  };
  constexpr Case kCases[] = {
      {"write", "unknown cache 'write'"},
      {"off:segments=2", "a cache that is off has no parameters"},
      {"read:segment=2", "did you mean 'segments'"},
      {"read:segments", "'segments' needs a value: segments=N"},
      {"read:segments=0", "segments: '0' is not a whole number from 1 to 255"},
      {"read:segments=256", "segments: '256'"},
      {"read:read-ahead=65536", "read-ahead: '65536' is not a whole number from 0 to 65535"},
      {"read:segments=2,segments=3", "segments is given twice"},
      {"read:", "unknown cache parameter ''"},
  };
  for (const Case& c : kCases) {
    EXPECT_THAT(error_of(parse_cache, c.text), HasSubstr(c.error)) << c.text;
  }
}

// SBC-2 6.3.3; the drive has RCD = 1 and WCE = 0 after power-on.
TEST(CacheOption, ChangesItsBitsOfTheCachingPage_AndNoOthers) {
  const Bytes page = {0x08, 18, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, 0, 0, 0, 0, 0, 0};
  struct Case {
    const char* text;
    Bytes page;
  };
  const Case cases[] = {
      {"read", {8, 18, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, 0, 0, 0, 0, 0, 0}},
      {"read-write", {8, 18, 0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 1, 0, 0, 0, 0, 0, 0}},
      {"read:segments=4,segment-blocks=300",
       {8, 18, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 4, 0x01, 0x2C, 0, 0, 0, 0}},
      {"read:read-ahead=0", {8, 18, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x60, 1, 0, 0, 0, 0, 0, 0}},
      {"read:read-ahead=64",
       {8, 18, 0x10, 0, 0xFF, 0xFF, 0, 0, 0, 64, 0, 0, 0x40, 1, 0, 0, 0, 0, 0, 0}},
  };
  for (const Case& c : cases) {
    Bytes changed = page;
    apply_cache(parse_cache(c.text), changed.data());
    EXPECT_EQ(changed, c.page) << c.text;
  }
}

TEST(CacheOption, ReadAhead_KeepsALengthThatTheDriveHas_AndClearsDra) {
  Bytes page = {0x08, 18, 0x01, 0, 0x01, 0x00, 0, 0, 0, 0, 0, 0, 0x20, 1, 0, 0, 0, 0, 0, 0};
  apply_cache(parse_cache("read:read-ahead=64"), page.data());
  EXPECT_EQ(page[4], 0x01);
  EXPECT_EQ(page[5], 0x00);
  EXPECT_EQ(page[12], 0x00);
}

TEST(ModeChanges, CacheOff_SendsTheSchedulersPageAlone) {
  replay::ReplayOptions options;
  EXPECT_EQ(replay::mode_changes(options, {}).size(), 1U);
  options.caches = {"read-write:segments=2"};
  const std::vector<replay::ModeChange> changes = replay::mode_changes(options, {});
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].page, MODE_PAGE_SCHEDULER);
  EXPECT_EQ(changes[1].page, MODE_PAGE_CACHING);
  EXPECT_THAT(changes[1].refused, HasSubstr("cache read-write:segments=2"));
}

TEST(ModeChanges, SettingsInTurn_AreThoseGiven_InTheirOrder) {
  replay::ReplayOptions options;
  options.policies = {"stf", "gscan:u=8", "stf"};
  const std::vector<replay::ModeChange> changes =
      replay::setting_changes(options)[static_cast<std::size_t>(Setting::kPolicy)];
  ASSERT_EQ(changes.size(), 3U);
  Bytes page(24);
  for (std::size_t i = 0; i < 3; ++i) {
    changes[i].apply(page.data());
    EXPECT_EQ(page[MODE_SCHEDULER_AT_POLICY], parse_policy(options.policies[i]).number);
  }
  EXPECT_THAT(changes[1].refused, HasSubstr("gscan:u=8"));
}

// SPC-2 8.3.3: fields that MODE SELECT reserves go back as 0.
TEST(ModeChanges, SelectList_HasNoLengthAndNoSavableBit) {
  replay::ReplayOptions options;
  options.caches = {"read"};
  Bytes list = {23, 0, 0x10, 0, 0x88, 18, 0x01};
  list.resize(replay::kModeHeaderBytes + kCachingPageBytes);
  replay::turn_into_select(list, replay::mode_changes(options, {})[1]);
  EXPECT_EQ(list[0], 0);
  EXPECT_EQ(list[4], 0x08);
  EXPECT_EQ(list[6], 0x00);
}

// Page 22h has in bytes 2 to 9 the threshold, frames, writes in 1,000 s, and thousandths
// (firmware/unit/mode_page.h).
TEST(WriteThresholdOption, Words_FillThePage) {
  const std::pair<const char*, Bytes> rows[] = {
      {"none", {0, 0, 0, 0, 0, 0, 0, 0}},
      {"space:1", {1, 1, 0, 0, 0, 0, 0, 0}},
      {"space:16", {1, 16, 0, 0, 0, 0, 0, 0}},
      {"time", {2, 0, 0, 0, 0, 0, 0, 0}},
      {"time:10", {2, 0, 0, 0, 0x27, 0x10, 0, 0}},
      {"time:10:0.5", {2, 0, 0, 0, 0x27, 0x10, 0x01, 0xF4}},
      {"time:0.01:10", {2, 0, 0, 0, 0, 10, 0x27, 0x10}},
      {"time:10000:0.001", {2, 0, 0, 0x98, 0x96, 0x80, 0, 1}},
      {"free:2", {3, 2, 0, 0, 0, 0, 0, 0}},
  };
  for (const auto& [text, expected] : rows) {
    Bytes page(kWriteBufferPageBytes);
    page[0] = 0x22;
    page[1] = 10;
    apply_write_threshold(parse_write_threshold(text), page.data());
    EXPECT_EQ(Bytes(page.begin() + 2, page.begin() + 10), expected) << text;
    EXPECT_EQ(page[0], 0x22) << text;
    EXPECT_EQ(page[10] | page[11], 0) << text;
  }
}

TEST(WriteThresholdOption, WhatIsNoThreshold_IsToldWithWhatWouldBe) {
  const std::pair<const char*, const char*> rows[] = {
      {"spaces:1", "unknown write threshold 'spaces'"},
      {"space", "give space:FRAMES, as in space:1"},
      {"space:1:2", "give space:FRAMES"},
      {"space:0", "frames"},
      {"free:17", "16"},
      {"none:1", "give none"},
      {"time:0.009", "from 0.01 to 10000"},
      {"time:10001", "from 0.01 to 10000"},
      {"time:ten", "from 0.01 to 10000"},
      {"time:10:0", "from 0.001 to 10"},
      {"time:10:10.1", "from 0.001 to 10"},
      {"time:10:1:1", "as in time:10:0.5"},
  };
  for (const auto& [text, message] : rows) {
    EXPECT_THAT(error_of(parse_write_threshold, text), HasSubstr(message)) << text;
  }
}

/// An invented time for each name that extractions use.
std::map<std::string, double> published_times() {
  return {{"per_request", 0.01},          {"data_prep", 0.02},
          {"first_reselect", 0.1},        {"read_completion", 0.06},
          {"write_completion", 0.04},     {"read_disconnect_after_read", 0.3},
          {"write_disconnect", 0.25},     {"read_disconnect_after_write", 0.2},
          {"read_hit_after_read", 1.0},   {"read_hit_after_write", 2.0},
          {"read_miss_after_read", 3.0},  {"read_miss_after_write", 4.0},
          {"write_hit_after_read", 0.5},  {"write_hit_after_write", 0.6},
          {"write_miss_after_read", 0.7}, {"write_miss_after_write", 0.0}};
}

// Sums by hand of the names that extractions use, less the time that this drive takes itself. The
// unit is 100 ns.
TEST(ControllerOption, PublishedTimes_AreAddedUpForEachKindOfCommand) {
  const std::map<std::string, double> overheads_ms = published_times();
  const ControllerTimes times = controller_times(overheads_ms, "a drive");
  const auto less = [](double ms, Picoseconds own) {
    return static_cast<std::uint16_t>(std::lround(10'000 * (ms - to_ms(own))));
  };
  // With the status of a read, which is a stage (below), a hit takes as long as published.
  EXPECT_EQ(
      times[controller_row(false, false, true)],
      less(0.01 + 1.0, kOwnOverhead - kOwnMeanwhile + kOwnPause - kOwnShare - kOwnReadStatus));
  EXPECT_EQ(times[controller_row(false, false, false)], less(0.01 + 3.0, kOwnBeforeReadSeek));
  EXPECT_EQ(times[controller_row(false, true, false)], less(0.01 + 4.0, kOwnBeforeReadSeek));
  EXPECT_EQ(times[controller_row(true, true, true)], less(0.6 + 0.07, kOwnReportedWrite));
  EXPECT_EQ(times[controller_row(true, false, false)], less(0.01 + 0.7, kOwnBeforeWriteSeek));

  std::map<std::string, double> later = overheads_ms;
  ControllerStages stages = controller_stages(later, "a drive");
  // A share leaves as soon as its data are prepared. This drive takes longer itself, and its status
  // stage is shorter for that. A whole read has that difference before its data.
  EXPECT_EQ(stages[MODE_STAGE_READ_STATUS], less(0.02 + 0.06, kOwnShare + kOwnReadStatus));
  EXPECT_EQ(stages[MODE_STAGE_READ_DATA], less(0.1, kOwnReselection - kOwnShare));
  EXPECT_EQ(stages[MODE_STAGE_WRITE_STATUS], less(0.1 + 0.04, kOwnWriteStatus));
  for (const auto stage : {MODE_STAGE_FAR_WRITE, MODE_STAGE_FAR_WRITE_DATA,
                           MODE_STAGE_FAR_WRITE_STATUS, MODE_STAGE_WRITE_HOLD}) {
    EXPECT_EQ(stages[stage], 0) << "not published";
  }
  later["extradisc_command"] = 0;
  EXPECT_EQ(controller_stages(later, "a drive")[MODE_STAGE_FAR_WRITE], 0) << "0 is none";
  later.erase("extradisc_command");
  later.insert({{"extradisc_command", 0.6},
                {"extradisc_seek_delta", 0.25},
                {"extradisc_disconnect", 0.04},
                {"extradisc_delay", 0.4},
                {"other_reselect", 0.08},
                {"minimum_seek_delay", 0.5}});
  stages = controller_stages(later, "a drive");
  EXPECT_EQ(stages[MODE_STAGE_FAR_WRITE], less(0.01 + 0.6 + 0.25, kOwnBeforeWriteSeek));
  EXPECT_EQ(stages[MODE_STAGE_FAR_WRITE_DATA],
            less(0.04 + 0.4 + 0.1 + 0.02 - 0.25, kOwnReselection));
  EXPECT_EQ(stages[MODE_STAGE_FAR_WRITE_STATUS], less(0.08 + 0.04, kOwnWriteStatus));
  EXPECT_EQ(stages[MODE_STAGE_WRITE_HOLD], 5000);

  // The reselection takes little time: a whole read and a share both end as published.
  later["first_reselect"] = 0.01;
  later["read_completion"] = 0.2;
  stages = controller_stages(later, "a drive");
  EXPECT_EQ(stages[MODE_STAGE_READ_DATA], less(0.01, kOwnReselection - kOwnShare));
  EXPECT_EQ(stages[MODE_STAGE_READ_STATUS], less(0.02 + 0.2, kOwnShare + kOwnReadStatus));
  // A hit takes its published time in all, and this is the part before its data.
  EXPECT_EQ(controller_times(later, "a drive")[controller_row(false, false, true)],
            less(0.01 + 1.0 + 0.02 + 0.2 - 0.22,
                 kOwnOverhead - kOwnMeanwhile + kOwnPause - kOwnShare - kOwnReadStatus));

  // No reselection is published: this drive's own one shortens the time before the status.
  later["first_reselect"] = 0;
  stages = controller_stages(later, "a drive");
  EXPECT_EQ(stages[MODE_STAGE_READ_DATA], 0);
  EXPECT_EQ(stages[MODE_STAGE_READ_STATUS], less(0.02 + 0.2, kOwnReselection + kOwnReadStatus));
}

// A write settle of -0.642 ms (HP C2490A): a host measured a whole write that is shorter by this
// time. A write after a write has it in the stage for writes elsewhere. In sequence, no arm moves.
TEST(ControllerOption, AWriteSettleBelowZero_HasTheArmOfWritesStartSooner) {
  std::map<std::string, double> overheads = published_times();
  overheads["write_miss_after_write"] = 0.8;
  const auto usual = controller_times(overheads, "a drive");
  const auto sooner = controller_times(overheads, "a drive", -0.2);
  for (std::size_t row = 0; row < usual.size(); ++row) {
    const bool behind_read = row == controller_row(true, false, false);
    EXPECT_EQ(sooner[row], usual[row] - (behind_read ? 2000 : 0)) << row;
  }
  const auto less = [](double ms, Picoseconds own) {
    return static_cast<std::uint16_t>(std::lround((ms - to_ms(own)) * 1e4));
  };
  const double start_ms = overheads.at("per_request") + overheads.at("write_miss_after_write");
  ControllerStages stages = controller_stages(overheads, "a drive", -0.2);
  EXPECT_EQ(stages[MODE_STAGE_FAR_WRITE], less(start_ms - 0.2, kOwnBeforeWriteSeek));
  EXPECT_EQ(stages[MODE_STAGE_FAR_WRITE_DATA], less(0.2, kOwnReselection));
  EXPECT_EQ(stages[MODE_STAGE_FAR_WRITE_STATUS], stages[MODE_STAGE_WRITE_STATUS]);
  // A start before the command is a start at once. That is 1, as a stage of 0 is not used.
  stages = controller_stages(overheads, "a drive", -start_ms - 1);
  EXPECT_EQ(stages[MODE_STAGE_FAR_WRITE], 1);
  for (const double settle_ms : {0.0, 0.65}) {
    EXPECT_EQ(controller_times(overheads, "a drive", settle_ms), usual);
    EXPECT_EQ(controller_stages(overheads, "a drive", settle_ms)[MODE_STAGE_FAR_WRITE], 0);
  }
}

TEST(ControllerOption, ADescriptionWithoutThem_IsNamedWithTheKey) {
  try {
    (void)controller_times({}, "eagle");
    FAIL();
  } catch (const OptionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("eagle: published.overheads_ms."));
  }
}

// SPC-2 8.3.7: the ratios are in 256ths. FFh stands for the whole on this drive's page, and 80h has
// a meaning of its own.
TEST(ControllerOption, PublishedShares_BecomeTheRatiosOfTheirPage) {
  struct Case {
    double read;
    int full;
  };
  constexpr Case kCases[] = {{0.75, 0xC0}, {1, 0xFF}, {0, 0}, {0.999, 0xFE}, {0.5, 0x81}};
  for (const Case& c : kCases) {
    // The water mark of writes does not say when the media begin.
    const ControllerBuffer buffer =
        controller_buffer({{"read_water_mark", c.read}, {"write_water_mark", 0.75}}, "a drive");
    Bytes page = {0x02, 14, 0x80, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9};
    Bytes want = page;
    want[2] = static_cast<std::uint8_t>(c.full);
    apply_disconnect(buffer, page.data());
    EXPECT_EQ(page, want) << c.read;
    Bytes controller(kControllerPageBytes);
    apply_controller({}, {}, buffer, controller.data());
    EXPECT_EQ(controller[MODE_CONTROLLER_AT_WRITES], 0) << c.read;
  }
}

TEST(ControllerOption, WhatIsNotPublished_StaysAsTheDriveHasIt) {
  const ControllerBuffer buffer = controller_buffer({}, "a drive");
  Bytes page = {0x02, 14, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const Bytes want = page;
  apply_disconnect(buffer, page.data());
  EXPECT_EQ(page, want);
  Bytes controller(kControllerPageBytes, 0xFF);
  apply_controller({}, {}, buffer, controller.data());
  EXPECT_EQ(controller[MODE_CONTROLLER_AT_AHEAD], 0);
  EXPECT_EQ(controller[MODE_CONTROLLER_AT_WRITES], 0);
  for (const std::string& line : describe_controller(buffer)) EXPECT_EQ(line.find("own: "), 0U);
}

/// Byte 18 of page 21h, which has the bits of read-ahead.
int ahead_byte(const ControllerBuffer& buffer) {
  Bytes page(kControllerPageBytes);
  apply_controller({}, {}, buffer, page.data());
  return page[MODE_CONTROLLER_AT_AHEAD];
}

// DiskSim's codes of read-ahead: 3 reads until the segment is full, 4 one track beyond.
TEST(ControllerOption, ReadAheadAsPublished_BecomesBitsOfTheControllersPage) {
  struct Case {
    double mode, on_hit;
    int bits;
  };
  constexpr Case kCases[] = {{3, 1, 0}, {3, 0, 2}, {4, 1, 1}, {4, 0, 3}};
  for (const Case& c : kCases) {
    const ControllerBuffer buffer = controller_buffer(
        {{"readahead_mode", c.mode}, {"readahead_on_idle_hit", c.on_hit}}, "a drive");
    EXPECT_EQ(ahead_byte(buffer), c.bits) << c.mode << ' ' << c.on_hit;
  }
}

// DiskSim's manual, "Read-ahead over requested": 1 if read-ahead may replace the data of the last
// read.
TEST(ControllerOption, ReadAheadOverWhatWasAskedFor_WhereThatIsPublished) {
  for (const bool over : {false, true}) {
    const ControllerBuffer buffer =
        controller_buffer({{"readahead_over_requested", over ? 1 : 0}}, "a drive");
    EXPECT_EQ(ahead_byte(buffer), over ? 16 : 0);
    const auto lines = describe_controller(buffer);
    EXPECT_THAT(lines[4], HasSubstr(over ? "ahead over what" : "ahead up to what"));
    EXPECT_THAT(lines[4], HasSubstr("published: "));
  }
}

// DiskSim's manual, "Allow read hits on write data". A segment for writes alone is not searched.
TEST(ControllerOption, WrittenDataAreFound_WhereThatIsPublished_AndReadsHaveTheSegment) {
  for (const double separate : {0.0, 1.0}) {
    for (const double hits : {0.0, 1.0}) {
      const ControllerBuffer buffer = controller_buffer(
          {{"read_hits_on_written", hits}, {"separate_write_segment", separate}}, "a drive");
      EXPECT_EQ(ahead_byte(buffer), hits == 1 && separate == 0 ? 32 : 0);
    }
  }
}

// DiskSim's manual, "Read any free blocks": sectors that pass before the requested ones are kept.
TEST(ControllerOption, FreeBlocksAreRead_WhereThatIsPublished) {
  for (const bool reads_free : {false, true}) {
    const ControllerBuffer buffer =
        controller_buffer({{"read_any_free_blocks", reads_free ? 1 : 0}}, "a drive");
    Bytes page(kControllerPageBytes);
    apply_controller({}, {}, buffer, page.data());
    EXPECT_EQ(page[MODE_CONTROLLER_AT_MORE], reads_free ? 1 : 0);
    const std::string line = describe_controller(buffer).at(8);
    EXPECT_THAT(line, HasSubstr(reads_free ? "published: keeps blocks that pass"
                                           : "published: keeps no block before"));
  }
}

TEST(ControllerOption, WritesAreJoined_WhereThatIsPublished) {
  for (const bool joins : {false, true}) {
    const ControllerBuffer buffer =
        controller_buffer({{"combine_seq_writes", joins ? 1 : 0}}, "a drive");
    EXPECT_EQ(ahead_byte(buffer), joins ? 4 : 0);
    EXPECT_THAT(describe_controller(buffer).back(), HasSubstr(joins ? "as one" : "one by one"));
    EXPECT_THAT(describe_controller(buffer).back(), HasSubstr("published: "));
  }
}

// DiskSim's manual: 1 ends read-ahead with the track, 2 with the cylinder. Its range of "Read-ahead
// over requested" begins at -1, which it does not explain.
TEST(ControllerOption, ReadAheadThatEndsWithTheTrack_IsTheNearestThatThereIs) {
  EXPECT_EQ(ahead_byte(controller_buffer({{"readahead_mode", 1}}, "a drive")), 1);
  EXPECT_EQ(ahead_byte(controller_buffer({{"readahead_mode", 2}}, "a drive")), 0);
  EXPECT_EQ(ahead_byte(controller_buffer({{"readahead_over_requested", -1}}, "a drive")), 0);
}

// A drive without a published reselection has nothing to prepare.
TEST(ControllerOption, AReselectionIsPreparedAhead_WhereItTakesTime) {
  for (const double reselect_ms : {0.0, 0.16249}) {
    const ControllerBuffer buffer =
        controller_buffer({}, "a drive", {{"first_reselect", reselect_ms}});
    EXPECT_EQ(ahead_byte(buffer), reselect_ms > 0 ? 0x40 : 0);
    const std::string line = describe_controller(buffer).at(6);
    EXPECT_THAT(line, HasSubstr(reselect_ms > 0 ? "from a real trace: prepares"
                                                : "own: takes the bus for a share as for a whole"));
  }
}

// A write begins with 10 blocks in DiskSim's disk module, if writes leave the bus once more. Its
// manual ("Extra write disconnect") says this of all writes.
TEST(ControllerOption, WritesOfADriveThatDisconnectsOnceMore_BeginWithTenBlocks) {
  for (const bool once_more : {false, true}) {
    std::map<std::string, double> overheads_ms = {{"minimum_seek_delay", 0.6}};
    if (once_more) overheads_ms["extradisc_command"] = 0.64244;
    const ControllerBuffer buffer = controller_buffer({}, "a drive", overheads_ms);
    Bytes page(kControllerPageBytes);
    apply_controller({}, {}, buffer, page.data());
    EXPECT_EQ(page[MODE_CONTROLLER_AT_AHEAD], once_more ? 0x88 : 0);
    EXPECT_EQ(page[MODE_CONTROLLER_AT_WRITES], once_more ? 10 : 0);
    const std::string line = describe_controller(buffer).at(1);
    EXPECT_THAT(line, HasSubstr(once_more ? "published: a write begins with 10 blocks"
                                          : "own: a write begins with its first sector"));
  }
}

// DiskSim's parameter files have these times for each drive. They are 0 for drives without an
// "Extra write disconnect".
TEST(ControllerOption, TimesOfZero_AreNoDisconnectionOnceMore) {
  std::map<std::string, double> overheads_ms = {
      {"extradisc_command", 0},           {"extradisc_disconnect", 0}, {"extradisc_delay", 0},
      {"extradisc_second_disconnect", 0}, {"extradisc_seek_delta", 0}, {"minimum_seek_delay", 0}};
  EXPECT_EQ(controller_buffer({}, "a drive", overheads_ms).write_start_blocks, std::nullopt);
  EXPECT_EQ(controller_buffer({}, "a drive", overheads_ms).far_in_sequence, std::nullopt);
  overheads_ms["extradisc_delay"] = 0.001;
  EXPECT_EQ(controller_buffer({}, "a drive", overheads_ms).write_start_blocks, 10);
}

TEST(ControllerOption, AShareBeyondTheRequest_IsRefusedWithItsKey) {
  for (const double share : {-0.01, 1.01}) {
    try {
      (void)controller_buffer({{"read_water_mark", share}}, "eagle");
      FAIL() << share;
    } catch (const OptionError& error) {
      EXPECT_THAT(error.what(), HasSubstr("eagle: published.cache.read_water_mark"));
    }
  }
}

// SCSI-2 6.1.2: 7 has the highest priority. On a wide bus, 15 to 8 follow 0.
TEST(HostTag, HostsHaveIdsInTheOrderOfPriority_AndNoneTheDrives) {
  std::set<std::uint8_t> ids;
  for (std::uint32_t host = 0; host < observe::kMostHostsWide; ++host)
    ids.insert(observe::host_scsi_id(host));
  EXPECT_EQ(ids.size(), observe::kMostHostsWide);
  EXPECT_EQ(ids.count(0), 0U);
  EXPECT_EQ(observe::host_scsi_id(0), 7);
  EXPECT_EQ(observe::host_scsi_id(6), 1);
  EXPECT_EQ(observe::host_scsi_id(7), 15);
  EXPECT_EQ(observe::host_scsi_id(14), 8);
}

}  // namespace
}  // namespace headstack::options
