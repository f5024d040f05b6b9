// SPDX-License-Identifier: Apache-2.0
// Drive facts under DiskSim's names: each is honoured, or a warning says that it is not.
//
// Names, ranges and meanings are those of DiskSim's manual (CMU-PDL-08-101, section "Disks").
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <nlohmann/json.hpp>

#include "sim/drive/import.hpp"
#include "tests/support.hpp"

namespace headstack::drive {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

/// A drive with no more than what is required, and what a comparison needs of its cache.
json small_drive() {
  return json::parse(R"({
    "name": "Keys drive", "rpm": 5400, "heads": 3, "cylinders": 20, "head_switch_ms": 0.9,
    "write_settle_ms": 0.6, "seek_table_ms": [[1, 2.0], [19, 4.5]],
    "overheads_ms": {}, "bus": {"ms_per_512B_sector": 0.1},
    "cache": {"segments": 2, "segment_sectors": 128, "max_readahead_sectors": 64},
    "zones": [{"first_cyl": 0, "last_cyl": 19, "sectors_per_track": 20}]
  })");
}

Loaded imported(const json& facts) { return import_json_text(facts.dump(1), "facts.json"); }

Loaded with(const std::string& key, const json& value) {
  json facts = small_drive();
  facts[key] = value;
  return imported(facts);
}

std::string error_of(const json& facts) {
  try {
    imported(facts);
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

struct Honoured {
  const char* what;
  const char* key;
  double value;
  std::map<std::string, double> Published::*table;
  const char* fact;
};
const Honoured kHonoured[] = {
    {"ReadMark", "High (read) water mark", 0.75, &Published::cache, "read_water_mark"},
    {"OverRequested", "Read-ahead over requested", 1, &Published::cache,
     "readahead_over_requested"},
    {"OnIdleHit", "Read-ahead on idle hit", 1, &Published::cache, "readahead_on_idle_hit"},
    {"HitsOnWritten", "Allow read hits on write data", 1, &Published::cache,
     "read_hits_on_written"},
    {"Separate", "Use separate write segment", 1, &Published::cache, "separate_write_segment"},
    {"Continuous", "Buffer continuous read", 4, &Published::cache, "readahead_mode"},
    {"FastWrite", "Fast write level", 2, &Published::cache, "fast_write_level"},
    {"Combine", "Combine seq writes", 1, &Published::cache, "combine_seq_writes"},
    {"Enable", "Enable caching in buffer", 1, &Published::cache, "enable"},
    {"PerRequest", "Per-request overhead time", 0.7, &Published::overheads_ms, "per_request"},
    {"ReadHit", "Read hit over. after write", 0.3, &Published::overheads_ms,
     "read_hit_after_write"},
    {"WriteMiss", "Write miss over. after read", 0.4, &Published::overheads_ms,
     "write_miss_after_read"},
    {"Reselect", "First reselect overhead", 0.16, &Published::overheads_ms, "first_reselect"},
    {"Extradisc", "Extradisc command overhead", 0.64, &Published::overheads_ms,
     "extradisc_command"},
    {"SeekDelay", "Minimum seek delay", 0.6, &Published::overheads_ms, "minimum_seek_delay"},
    {"HostRead", "host bus read ms a block (BUS1)", 0.17, &Published::bus,
     "host_read_ms_per_512B_sector"},
    {"HostWrite", "host bus write ms a block (BUS1)", 0.18, &Published::bus,
     "host_write_ms_per_512B_sector"},
};

class HonouredKey : public testing::TestWithParam<Honoured> {};

TEST_P(HonouredKey, IsTheFact_AtTheTopAndInItsObjects) {
  const Honoured& row = GetParam();
  EXPECT_EQ((with(row.key, row.value).description.published.*row.table).at(row.fact), row.value);
  const Loaded apart = with("controller_facts", {{row.key, row.value}, {"note", "from a file"}});
  EXPECT_EQ((apart.description.published.*row.table).at(row.fact), row.value);
  json inside = small_drive();
  inside["cache"][row.key] = row.value;
  EXPECT_EQ((imported(inside).description.published.*row.table).at(row.fact), row.value);
  for (const std::string& warning : apart.warnings) {
    EXPECT_THAT(warning, Not(HasSubstr(std::string(row.key) + ": not honoured")));
  }
}

INSTANTIATE_TEST_SUITE_P(DiskSimKeys, HonouredKey, testing::ValuesIn(kHonoured),
                         test::case_name<Honoured>);

constexpr double kNone = -9;
struct Told {
  const char* what;
  const char* key;
  double unlike;  // a value that this drive does not support
  double like;    // a value that it supports, or kNone
  const char* told;
};
const Told kTold[] = {
    {"WriteMark", "Low (write) water mark", 0.75, 0, "not honoured"},
    {"MarkOfASegment", "Set watermark by reqsize", 0, 1, "not honoured"},
    {"ToTheTracksEnd", "Buffer continuous read", 1, 4, "taken as 4"},
    {"ToTheCylindersEnd", "Buffer continuous read", 2, 3, "taken as 3"},
    {"LeastReadAhead", "Minimum read-ahead (blks)", 8, 0, "not honoured"},
    {"ReadOnArrival", "Immediate buffer read", 1, 0, "in the order of their blocks"},
    {"WriteOnArrival", "Immediate buffer write", 2, 0, "in the order of their blocks"},
    {"StopInSector", "Stop prefetch in sector", 0, 1, "not honoured"},
    {"WriteHitStops", "Write hit stop prefetch", 0, 1, "not honoured"},
    {"Directly", "Read directly to buffer", 0, 1, "not honoured"},
    {"PartialHit", "Immed transfer partial hit", 0, 1, "not honoured"},
    {"NeverDisconnect", "Never disconnect", 1, 0, "not honoured"},
    {"AlmostHits", "Allow almost read hits", 1, 0, "not honoured"},
    {"TimeScale", "Time scale for overheads", 1.5, 1, "not honoured"},
    {"OverNothing", "Read-ahead over requested", -1, 1, "taken as 0"},
    {"ExtraDisconnect", "Extra write disconnect", 1, 0, "no time for it is above 0"},
    {"HoldRead", "Hold bus entire read xfer", 1, kNone, "not used"},
    {"HoldWrite", "Hold bus entire write xfer", 0, kNone, "not used"},
    {"Prebuffering", "Allow write prebuffering", 1, kNone, "not used"},
    {"Preseeking", "Preseeking level", 2, kNone, "not used"},
    {"WriteSegments", "Maximum number of write segments", 1, kNone, "not used"},
};

class ToldKey : public testing::TestWithParam<Told> {};

TEST_P(ToldKey, IsToldOnceByItsNameInTheFile_AndOnlyWhereItIsUnlike) {
  const Told& row = GetParam();
  const auto count = [&row](const Loaded& loaded) {
    return std::count_if(loaded.warnings.begin(), loaded.warnings.end(),
                         [&row](const std::string& warning) {
                           return warning.find(row.key) != std::string::npos &&
                                  warning.find(row.told) != std::string::npos;
                         });
  };
  EXPECT_EQ(count(with(row.key, row.unlike)), 1);
  if (row.like != kNone) {
    EXPECT_EQ(count(with(row.key, row.like)), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(DiskSimKeys, ToldKey, testing::ValuesIn(kTold), test::case_name<Told>);

struct BadKey {
  const char* what;
  const char* key;
  json value;
  const char* told;
};
const BadKey kBadKeys[] = {
    {"MarkAboveAll", "High (read) water mark", 1.5, "out of range"},
    {"HalfAFlag", "Stop prefetch in sector", 0.5, "no whole number"},
    {"HalfALevel", "Fast write level", 0.5, "no whole number"},
    {"LevelAboveTheLast", "Fast write level", 3, "out of range"},
    {"ModeAboveTheLast", "Buffer continuous read", 5, "out of range"},
    {"NegativeTime", "Write miss over. after write", -0.1, "out of range"},
    {"TextForANumber", "Fast write level", "2", "not a number"},
    {"TrueForANumber", "Never disconnect", true, "not a number"},
    {"Misspelt", "Fast wrte level", 2, "Fast write level"},
};

class BadDiskSimKey : public testing::TestWithParam<BadKey> {};

TEST_P(BadDiskSimKey, OneErrorNamesItAndItsLine) {
  json facts = small_drive();
  facts[GetParam().key] = GetParam().value;
  // A capital comes before all small letters in what is written: the key is on line 2.
  EXPECT_THAT(error_of(facts), AllOf(testing::StartsWith("facts.json:2: "),
                                     HasSubstr(GetParam().key), HasSubstr(GetParam().told)));
}

INSTANTIATE_TEST_SUITE_P(DiskSimKeys, BadDiskSimKey, testing::ValuesIn(kBadKeys),
                         test::case_name<BadKey>);

TEST(DiskSimKeys, OwnNames_HaveTheSameRangesAndWarnings) {
  json facts = small_drive();
  facts["cache"]["fast_write_level"] = 3;
  EXPECT_THAT(error_of(facts), AllOf(HasSubstr("cache.fast_write_level"), HasSubstr("out of")));
  facts["cache"]["fast_write_level"] = 2;
  facts["cache"]["read_on_arrival"] = 1;
  EXPECT_THAT(imported(facts).warnings,
              Contains(HasSubstr("cache.read_on_arrival: data go in the order")));
}

TEST(DiskSimKeys, AFactTwice_MustBeTheSame) {
  json facts = small_drive();
  facts["cache"]["fast_write_level"] = 2;
  facts["Fast write level"] = 2.0;
  EXPECT_EQ(error_of(facts), "");
  facts["Fast write level"] = 1;
  EXPECT_THAT(error_of(facts),
              AllOf(HasSubstr("Fast write level: 1 here, but cache.fast_write_level is 2")));
  facts.erase("Fast write level");
  facts["cache"]["Low (write) water mark"] = 0.5;
  facts["controller_facts"]["Low (write) water mark"] = 0.5;
  EXPECT_THAT(error_of(facts), HasSubstr("stands twice"));
}

// The manual: only if "Extra write disconnect" is true do the five times mean anything. Parameter
// files have them for each drive, as 0.
TEST(DiskSimKeys, TimesOfWritesThatLeaveTheBusOnceMore_AreGoneWhereNoWriteDoes) {
  json facts = small_drive();
  for (const char* key : {"Extradisc command overhead", "Extradisc disconnect overhead",
                          "Extradisc inter-disconnect delay", "Extradisc 2nd disconnect overhead",
                          "Extradisc seek delta", "Minimum seek delay"}) {
    facts[key] = 0.0;
  }
  facts["host bus read ms a block (BUS1)"] = 0.0;
  const auto published = imported(facts).description.published;
  EXPECT_TRUE(published.overheads_ms.empty());
  EXPECT_EQ(published.bus.count("host_read_ms_per_512B_sector"), 0U);
  facts["Extradisc command overhead"] = 0.6;
  EXPECT_EQ(imported(facts).description.published.overheads_ms.count("extradisc_seek_delta"), 1U);
  facts["Extra write disconnect"] = 0;
  const Loaded denied = imported(facts);
  EXPECT_TRUE(denied.description.published.overheads_ms.empty());
  EXPECT_THAT(denied.warnings, Contains(HasSubstr("Extra write disconnect: 0, so that")));
}

TEST(DiskSimKeys, MissingTimes_AreNamed) {
  const Loaded loaded = with("Read hit over. after read", 0.1);
  EXPECT_THAT(loaded.warnings,
              Contains(AllOf(HasSubstr("read_miss_after_read"), HasSubstr("first_reselect"),
                             HasSubstr("drive.controller"))));
  for (const std::string& warning : imported(small_drive()).warnings) {
    EXPECT_THAT(warning, Not(HasSubstr("drive.controller")));
  }
}

// Fast-10 with one byte at a time: 512 bytes in 0.0512 ms. Two bytes take half of that.
TEST(DiskSimKeys, AFasterBus_IsWide_AndTheFastestIsTold) {
  const auto bus_of = [](double ms) {
    json facts = small_drive();
    facts["bus"] = {{"ms_per_512B_sector", ms}};
    return imported(facts);
  };
  EXPECT_EQ(bus_of(0.0512).description.design.bus.width_bits, 8U);
  EXPECT_EQ(bus_of(0.0511).description.design.bus.width_bits, 16U);
  EXPECT_THAT(bus_of(0.0256).warnings, Not(Contains(HasSubstr("but the bus of this drive"))));
  EXPECT_THAT(bus_of(0.0255).warnings, Contains(HasSubstr("but the bus of this drive takes")));
}

// 2 MiB are 256 cells of 16 sectors, 64 of them the tasks'. 8 segments of 24 cells fit, 9 do not.
TEST(DiskSimKeys, SegmentsThatDoNotFit_AreTold) {
  json facts = small_drive();
  facts["cache"]["segments"] = 8;
  facts["cache"]["segment_sectors"] = 384;
  EXPECT_THAT(imported(facts).warnings, Not(Contains(HasSubstr("do not fit"))));
  facts["cache"]["segments"] = 9;
  EXPECT_THAT(imported(facts).warnings,
              Contains(HasSubstr("cache.segments: 9 of 384 sectors do not fit")));
}

TEST(DiskSimKeys, APaceOfOneWay_IsToldUnlessTheDrivesOwnIsKnown) {
  json facts = small_drive();
  facts["host bus read ms a block (BUS1)"] = 0.17;
  EXPECT_THAT(imported(facts).warnings, Not(Contains(HasSubstr("not used without"))));
  facts["bus"] = {{"ms_per_512B_sector", 0.0}};
  EXPECT_THAT(imported(facts).warnings,
              Contains(HasSubstr("host bus read ms a block (BUS1): not used without")));
}

}  // namespace
}  // namespace headstack::drive
