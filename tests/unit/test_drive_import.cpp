// SPDX-License-Identifier: Apache-2.0
// The import of drive facts: every field of the form, odd facts taken with a warning, bad ones not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>
#include <nlohmann/json.hpp>

#include "sim/drive/import.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/mechanics/seek_curve.hpp"
#include "tests/support.hpp"

namespace headstack::drive {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const char* const kFacts = R"({
 "name": "Facts drive", "rpm": 5400, "heads": 3, "cylinders": 31, "sector_bytes": 512,
 "capacity_sectors": 1750,
 "lbn_mapping": {"code": 1, "meaning": "serpentine"},
 "sparing": {"code": 9, "meaning": "sectors at end of zone", "range_cylinders": 1},
 "head_switch_ms": 0.9, "write_settle_ms": 0.6,
 "single_cyl_seek_ms": 2.0, "full_stroke_seek_ms": 9.0, "avg_seek_ms": null,
 "seek_model": "extracted", "seek_table_ms": [[1, 2.0], [10, 4.5], [30, 9.0]],
 "seek_interp": "linear between points",
 "bus": {"ms_per_512B_sector": 0.1, "MB_per_s": 5.0},
 "overheads_ms": {"per_request": 0.5},
 "cache": {"segments": 2, "segment_sectors": 128},
 "zones": [
  {"first_cyl": 0, "last_cyl": 9, "sectors_per_track": 20, "first_block_offset_sectors": 4,
   "reserved_front_sectors": 7, "track_skew": 3, "cyl_skew": 5, "spares": 40,
   "slips": [11], "remaps": []},
  {"first_cyl": 11, "last_cyl": 30, "sectors_per_track": 20, "spares": 0}
 ],
 "validation_rms_ms_published": 0.1, "source": "made up"
})";

std::string replaced(const std::string& from, const std::string& to) {
  std::string text = kFacts;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string error_of(const std::string& text) {
  try {
    import_json_text(text, "facts.json");
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(Import, EveryFact_HasItsPlace) {
  const Loaded loaded = import_json_text(kFacts, "facts.json");
  const DriveDescription& d = loaded.description;
  EXPECT_EQ(d.name, "Facts drive");
  EXPECT_EQ(d.design.rpm, 5400);
  EXPECT_EQ(d.design.mapping, Mapping::kSerpentine);
  EXPECT_EQ(d.design.sparing.location, SpareLocation::kZoneEnd);
  EXPECT_EQ(d.design.head_switch_ms, 0.9);
  EXPECT_EQ(d.design.write_settle_ms, 0.6);
  EXPECT_EQ(d.design.seek.table.size(), 3U);
  const Zone& zone = d.design.zones[0];
  EXPECT_EQ(zone.first_sector_offset, 4U);
  EXPECT_EQ(zone.reserved_sectors, 7U);
  EXPECT_EQ(zone.track_skew, 3U);
  EXPECT_EQ(zone.cylinder_skew, 5U);
  EXPECT_EQ(zone.spares, 40U);
  EXPECT_EQ(zone.slips, (std::vector<std::uint32_t>{11}));
  EXPECT_EQ(d.published.capacity_sectors, 1750U);
  EXPECT_EQ(d.published.demerit_rms_ms, 0.1);
  EXPECT_EQ(d.published.overheads_ms.at("per_request"), 0.5);
  EXPECT_EQ(d.published.bus.at("ms_per_512B_sector"), 0.1);
  // 10 * 60 - 7 - 40 blocks in zone 0, 20 * 60 in zone 1: 1753, and 1750 were published.
  EXPECT_EQ(geometry::Geometry(d.design).capacity(), 1753U);
  EXPECT_THAT(loaded.warnings, Contains(AllOf(HasSubstr("1750"), HasSubstr("1753"))));
}

TEST(Import, CylindersInNoZone_AreReserved) {
  const Loaded loaded = import_json_text(kFacts, "facts.json");
  ASSERT_EQ(loaded.description.design.reserved_cylinders.size(), 1U);
  EXPECT_EQ(loaded.description.design.reserved_cylinders[0],
            (std::array<std::uint32_t, 2>{10, 10}));
  EXPECT_THAT(loaded.warnings, Contains(HasSubstr("10..10")));
}

TEST(Import, ResultIsAGoodDescription) {
  const Loaded loaded = import_json_text(kFacts, "facts.json");
  EXPECT_NO_THROW(load_text(to_toml(loaded.description), "imported.toml"));
}

// firmware/transfer/segments.h: at most 256 cells of 1, 2, 4 ... sectors, of which a quarter and 16
// sectors are the tasks'. Two segments of 128 sectors take 64 cells of 2 sectors each. Beside them
// 43 of 171 cells are a quarter: 342 sectors in all. Three of 561 take 36 cells of 16 sectors each,
// which are three quarters of 144.
TEST(Import, TheBuffer_HasRoomForDataBesideTheSegments) {
  const Loaded small = import_json_text(kFacts, "f");
  EXPECT_EQ(small.description.design.buffer_bytes, 342U * 512);
  EXPECT_THAT(small.description.notes, HasSubstr("131072 bytes in the facts hold the segments; "
                                                 "44032 more"));
  const Loaded large = import_json_text(replaced("\"segments\": 2, \"segment_sectors\": 128",
                                                 "\"segments\": 3, \"segment_sectors\": 561"),
                                        "f");
  EXPECT_EQ(large.description.design.buffer_bytes, 144U * 16 * 512);
  // One of two segments is for writes alone: what is left fits, and the maker's number stays.
  const Loaded separate = import_json_text(
      replaced("\"segments\": 2", "\"separate_write_segment\": 1, \"segments\": 2"), "f");
  EXPECT_EQ(separate.description.design.buffer_bytes, 2U * 128 * 512);
  EXPECT_THAT(separate.description.notes, Not(HasSubstr("Buffer: ")));
  // The buffer is at most as large as the buffer RAM.
  const Loaded most = import_json_text(replaced("\"segments\": 2", "\"segments\": 30"), "f");
  EXPECT_EQ(most.description.design.buffer_bytes, 2'097'152U);
  // A buffer that the maker calls larger than that has room already.
  const Loaded told =
      import_json_text(replaced("\"segments\": 2", "\"bytes\": 1048576, \"segments\": 2"), "f");
  EXPECT_EQ(told.description.design.buffer_bytes, 1'048'576U);
}

TEST(Import, LastZonePastTheCylinders_IsTakenWithAWarning) {
  const Loaded loaded = import_json_text(replaced("\"cylinders\": 31", "\"cylinders\": 30"), "f");
  EXPECT_EQ(loaded.description.design.cylinders, 31U);
  EXPECT_THAT(loaded.warnings, Contains(HasSubstr("taken as 31")));
}

TEST(Import, FormulaHoldsBeyondTheTable) {
  const std::string text =
      replaced("[[1, 2.0], [10, 4.5], [30, 9.0]]",
               R"([[1, 2.0], [2, 2.5]], "seek_formula": {"short_below_cyl": 9, "short_a_ms": 1.0,
                  "short_b_ms_per_sqrt_cyl": 1.5, "long_a_ms": 4.0, "long_b_ms_per_cyl": 0.2,
                  "v6": -1.0, "note": "n"})");
  const Seek seek = import_json_text(text, "f").description.design.seek;
  EXPECT_DOUBLE_EQ(mechanics::seek_time_ms(seek, 2), 2.5);            // table
  EXPECT_DOUBLE_EQ(mechanics::seek_time_ms(seek, 4), 1.0 + 1.5 * 2);  // 1 + 1.5 sqrt(4)
  EXPECT_DOUBLE_EQ(mechanics::seek_time_ms(seek, 8), 1.0 + 1.5 * std::sqrt(8.0));
  EXPECT_DOUBLE_EQ(mechanics::seek_time_ms(seek, 9), 4.0 + 0.2 * 9);  // not below 9: long
  EXPECT_DOUBLE_EQ(mechanics::seek_time_ms(seek, 30), 4.0 + 0.2 * 30);
}

TEST(Import, ThreePublishedTimes_MakeLeesCurve) {
  std::string text = replaced("\"avg_seek_ms\": null", "\"avg_seek_ms\": 5.0");
  const auto at = text.find("[[1, 2.0], [10, 4.5], [30, 9.0]]");
  text.replace(at, 32, "[]");
  const Loaded loaded = import_json_text(text, "f");
  const Seek& seek = loaded.description.design.seek;
  // c = 2; a = (-10*2 + 15*5 - 5*9) / (3 sqrt 31); b = (7*2 - 15*5 + 8*9) / (3 * 31).
  const double a = 10 / (3 * std::sqrt(31.0));
  const double b = 11.0 / 93;
  EXPECT_NEAR(mechanics::seek_time_ms(seek, 1), 2.0, 1e-12);
  EXPECT_NEAR(mechanics::seek_time_ms(seek, 17), 2.0 + 4 * a + 16 * b, 1e-12);
  EXPECT_THAT(loaded.warnings, Contains(HasSubstr("curve fitted")));
}

TEST(Import, MissingTimesAndSparing_AreZeroWithAWarning) {
  std::string text = replaced("\"write_settle_ms\": 0.6", "\"write_settle_ms\": null");
  text.replace(text.find("\"code\": 9"), 9, "\"code\": null");
  const Loaded loaded = import_json_text(text, "f");
  EXPECT_EQ(loaded.description.design.write_settle_ms, 0);
  EXPECT_EQ(loaded.description.design.sparing.location, SpareLocation::kNone);
  EXPECT_THAT(loaded.warnings, Contains(HasSubstr("write_settle_ms: none given")));
  EXPECT_THAT(loaded.warnings, Contains(HasSubstr("sparing.code: none given")));
}

TEST(Import, NotesAndNothing_MayStandAmongFacts) {
  const Loaded loaded = import_json_text(
      replaced("\"MB_per_s\": 5.0", "\"MB_per_s\": null, \"note\": \"from a manual\""), "f");
  EXPECT_EQ(loaded.description.published.bus.size(), 1U);
}

// Every level made the paths of all that lie in it longer: 200,000 took minutes.
TEST(Import, DeepNesting_IsRefusedWithItsLine) {
  const auto nested = [](std::size_t levels) {
    return replaced("\"seek_model\": \"extracted\"",
                    "\n\"x\": " + std::string(levels, '[') + std::string(levels, ']'));
  };
  // The outermost object is a level, too.
  EXPECT_THAT(error_of(nested(99)), Not(HasSubstr("within each other")));
  EXPECT_EQ(error_of(nested(100)),
            "facts.json:9: more than 100 lists and objects within each other; correct the line");
  EXPECT_THAT(error_of(std::string(200'000, '[')), HasSubstr("facts.json:1: more than 100 lists"));
  std::string objects;
  for (int i = 0; i < 20'000; ++i) objects += "{\"a\":";
  EXPECT_THAT(error_of(objects), HasSubstr("facts.json:1: more than 100 lists"));
}

TEST(Import, SkewOfATrackButOne_IsTaken) {
  EXPECT_EQ(error_of(replaced("\"track_skew\": 3", "\"track_skew\": 19")), "");
}

TEST(Import, WarningsAreInTheFactsWords) {
  const std::string text = replaced("\"capacity_sectors\": 1750", "\"capacity_sectors\": 9");
  const Loaded loaded = import_json_text(text, "f");
  EXPECT_THAT(loaded.warnings, Contains(testing::StartsWith("f: capacity_sectors: 9 published")));
  const Loaded far =
      import_json_text(replaced("\"single_cyl_seek_ms\": 2.0", "\"single_cyl_seek_ms\": 9.0"), "f");
  EXPECT_THAT(far.warnings, Contains(testing::StartsWith("f: single_cyl_seek_ms: 9 ms")));
  for (const std::string& warning : loaded.warnings) {
    EXPECT_THAT(warning, testing::Not(HasSubstr("published.")));
    EXPECT_THAT(warning, testing::Not(HasSubstr("design.")));
  }
}

// The same of both zones, which differ in numbers alone.
TEST(Import, WarningOfEveryZone_IsToldOnceWithItsCount) {
  std::string text = replaced("\"spares\": 0", "\"spares\": 3");
  text.replace(text.find("\"slips\": [11]"), 13, "\"slips\": []");
  text.replace(text.find("\"code\": 9"), 9, "\"code\": 0");
  const Loaded loaded = import_json_text(text, "f");
  EXPECT_EQ(std::count_if(loaded.warnings.begin(), loaded.warnings.end(),
                          [](const std::string& one) {
                            return one.find("sparing.code places none") != std::string::npos;
                          }),
            1);
  EXPECT_THAT(loaded.warnings,
              Contains(AllOf(HasSubstr("zones[0].spares: 40 spares"), HasSubstr("(2 times so)"))));
}

struct BadFacts {
  const char* what;
  const char* from;
  const char* to;
  const char* key;
  const char* remedy;
  unsigned line = 0;  // line of kFacts; 0: the error names none
};

const BadFacts kBadFacts[] = {
    {"UnknownKey", "\"rpm\"", "\"rmp\": 1, \"rpm\"", "rmp", "rpm", 2},
    {"UnknownZoneKey", "\"track_skew\"", "\"trak_skew\": 1, \"track_skew\"", "zones[0].trak_skew",
     "track_skew", 15},
    {"MissingKey", "\"heads\": 3,", "", "heads", "add it"},
    {"Overlap", "\"first_cyl\": 11", "\"first_cyl\": 9", "zones[1]", "overlaps", 17},
    {"TableOutOfOrder", "[10, 4.5], [30, 9.0]", "[30, 9.0], [10, 4.5]", "seek_table_ms[2]", "sort",
     8},
    {"NegativeTime", "\"head_switch_ms\": 0.9", "\"head_switch_ms\": -0.9", "head_switch_ms",
     "out of range", 6},
    {"TextForNumber", "\"rpm\": 5400", "\"rpm\": \"5400\"", "rpm", "not a number", 2},
    {"FractionOfASector", "\"track_skew\": 3", "\"track_skew\": 3.5", "zones[0].track_skew",
     "whole number", 15},
    {"UnknownSparing", "\"code\": 9", "\"code\": 11", "sparing.code", "0 .. 10", 5},
    {"TooManySlips", "\"spares\": 40", "\"spares\": 0", "zones[0].slips", "spares", 16},
    {"KeyTwice", "\"heads\": 3", "\"heads\": 3, \"heads\": 4", "heads", "drop one", 2},
    {"NumberTooLarge", "\"rpm\": 5400", "\"rpm\": 1e400", "facts.json", "correct"},
    {"EmptyName", "\"Facts drive\"", "\"\"", "name", "one line", 2},
    {"CylindersPastTheBound", "\"last_cyl\": 30", "\"last_cyl\": 1000000", "cylinders", "1000000",
     13},
    {"NotJson", "\"rpm\": 5400", "\"rpm\": ", "facts.json", "not valid JSON"},
    {"UnknownCacheKey", "\"segments\": 2", "\"segmets\": 2", "cache.segmets: unknown key",
     "segments", 12},
    {"UnknownOverhead", "\"per_request\": 0.5", "\"per_requests\": 0.5",
     "overheads_ms.per_requests: unknown key", "per_request", 11},
    {"UnknownBusKey", "\"MB_per_s\": 5.0", "\"MBps\": 5.0", "bus.MBps: unknown key", "MB_per_s",
     10},
    {"TextInCache", "\"segments\": 2", "\"segments\": \"two\"", "cache.segments", "not a number",
     12},
    {"TextInOverheads", "\"per_request\": 0.5", "\"per_request\": \"0.5\"",
     "overheads_ms.per_request", "not a number", 11},
    {"ListInBus", "\"MB_per_s\": 5.0", "\"MB_per_s\": [5.0]", "bus.MB_per_s", "not a number", 10},
    {"TrackSkewOfATrack", "\"track_skew\": 3", "\"track_skew\": 20",
     "zones[0].track_skew: 20 sectors", "less than a track", 15},
    {"CylinderSkewBeyondTheTrack", "\"cyl_skew\": 5", "\"cyl_skew\": 21", "zones[0].cyl_skew",
     "less than a track", 15},
    {"NoCurve", "[[1, 2.0], [10, 4.5], [30, 9.0]]", "[]", "seek_table_ms", "give one", 8},
};

class BadImport : public testing::TestWithParam<BadFacts> {};

TEST_P(BadImport, OneErrorNamesFileKeyAndRemedy) {
  const std::string error = error_of(replaced(GetParam().from, GetParam().to));
  EXPECT_THAT(error, AllOf(HasSubstr("facts.json"), HasSubstr(GetParam().key),
                           HasSubstr(GetParam().remedy)));
  const std::string line = GetParam().line == 0 ? "" : std::to_string(GetParam().line) + ":";
  EXPECT_THAT(error, testing::StartsWith("facts.json:" + line + " "));
}

INSTANTIATE_TEST_SUITE_P(Import, BadImport, testing::ValuesIn(kBadFacts),
                         test::case_name<BadFacts>);

class FactsFile : public testing::TestWithParam<const char*> {};

/// What controller_facts.json calls the keys that a shipped file has beside those of its facts.
struct ControllerKey {
  std::map<std::string, double> Published::*table;
  const char* key;
  const char* fact;
};
const ControllerKey kControllerKeys[] = {
    {&Published::cache, "read_water_mark", "High (read) water mark"},
    {&Published::cache, "write_water_mark", "Low (write) water mark"},
    {&Published::cache, "readahead_on_idle_hit", "Read-ahead on idle hit"},
    {&Published::cache, "readahead_over_requested", "Read-ahead over requested"},
    {&Published::cache, "read_hits_on_written", "Allow read hits on write data"},
    {&Published::cache, "read_any_free_blocks", "Read any free blocks"},
    {&Published::cache, "separate_write_segment", "Use separate write segment"},
    {&Published::bus, "host_read_ms_per_512B_sector", "host bus read ms a block (BUS1)"},
    {&Published::bus, "host_write_ms_per_512B_sector", "host bus write ms a block (BUS1)"},
    {&Published::overheads_ms, "extradisc_command", "Extradisc command overhead"},
    {&Published::overheads_ms, "extradisc_disconnect", "Extradisc disconnect overhead"},
    {&Published::overheads_ms, "extradisc_delay", "Extradisc inter-disconnect delay"},
    {&Published::overheads_ms, "extradisc_second_disconnect", "Extradisc 2nd disconnect overhead"},
    {&Published::overheads_ms, "extradisc_seek_delta", "Extradisc seek delta"},
    {&Published::overheads_ms, "minimum_seek_delay", "Minimum seek delay"},
};

/// Holds the shipped values to those published, 0 where the key is left out, and copies them.
void take_controller_facts(const nlohmann::json& facts, const Published& shipped,
                           Published& imported) {
  for (const ControllerKey& one : kControllerKeys) {
    const std::map<std::string, double>& table = shipped.*one.table;
    const auto found = table.find(one.key);
    EXPECT_EQ(found == table.end() ? 0 : found->second, facts.at(one.fact)) << one.key;
    if (found != table.end()) (imported.*one.table)[one.key] = found->second;
  }
}

TEST_P(FactsFile, MakesTheShippedDescription) {
  const auto file = test::shared_dir() / "drives" / (std::string(GetParam()) + ".json");
  const auto controllers = test::shared_dir() / "drives/controller_facts.json";
  HEADSTACK_REQUIRE_FILE(file);
  HEADSTACK_REQUIRE_FILE(controllers);
  DriveDescription imported = import_json(file).description;
  const DriveDescription shipped = test::shipped(GetParam());
  imported.notes = shipped.notes;  // these two are ours to word
  imported.published.source = shipped.published.source;
  // The facts do not have these; the shipped files take them from the drives' names and years.
  imported.design.bus.width_bits = shipped.design.bus.width_bits;
  imported.design.scsi_version = shipped.design.scsi_version;
  take_controller_facts(nlohmann::json::parse(std::ifstream(controllers)).at(GetParam()),
                        shipped.published, imported.published);
  // Shipped files keep a buffer of the segments alone: results rest on it. An import has more room.
  EXPECT_LE(shipped.design.buffer_bytes, imported.design.buffer_bytes);
  imported.design.buffer_bytes = shipped.design.buffer_bytes;
  // Nor where the drive keeps what is its own.
  ASSERT_EQ(imported.design.zones.size(), shipped.design.zones.size());
  for (std::size_t i = 0; i < shipped.design.zones.size(); ++i) {
    imported.design.zones[i].store_sectors = shipped.design.zones[i].store_sectors;
  }
  EXPECT_EQ(to_toml(imported), to_toml(shipped));
}

INSTANTIATE_TEST_SUITE_P(Import, FactsFile,
                         testing::Values("atlas_10k", "cheetah_4lp", "cheetah_9lp", "hp_c2247a",
                                         "hp_c2490a", "hp_c3323a"),
                         test::case_name<const char*>);

}  // namespace
}  // namespace headstack::drive
