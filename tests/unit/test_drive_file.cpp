// SPDX-License-Identifier: Apache-2.0
// Drive files: what is read, and the one error for each way a file can be wrong.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "sim/drive/load.hpp"
#include "sim/mechanics/seek_curve.hpp"
#include "tests/support.hpp"

namespace headstack::drive {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const char* const kGood = R"(name = "Test drive"

[design]
rpm = 3600
heads = 2
cylinders = 20
sector_bytes = 512
head_switch_ms = 0.5
write_settle_ms = 0.1

[design.sparing]
location = "zone-end"

[design.seek]
settle_ms = 1
coast_cylinders_per_ms = 10
table_ms = [[1, 2.0], [10, 5.0], [19, 8]]

[[design.zones]]
first_cylinder = 0
last_cylinder = 9
sectors_per_track = 20
spares = 3
slips = [5, 17]

[[design.zones]]
first_cylinder = 10
last_cylinder = 19
sectors_per_track = 10
)";

/// The error of kGood after replacing `from` by `to`; "" when it still loads.
std::string error_after(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  try {
    load_text(text, "test.toml");
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(DriveFile, GoodFile_IsReadAsWritten) {
  const Loaded loaded = load_text(kGood, "test.toml");
  EXPECT_TRUE(loaded.warnings.empty());
  const Design& design = loaded.description.design;
  EXPECT_EQ(design.heads, 2U);
  EXPECT_EQ(design.sparing.location, SpareLocation::kZoneEnd);
  ASSERT_EQ(design.zones.size(), 2U);
  EXPECT_EQ(design.zones[0].slips, (std::vector<std::uint32_t>{5, 17}));
  ASSERT_EQ(design.seek.table.size(), 3U);
  EXPECT_EQ(design.seek.table[2], (std::pair<std::uint32_t, double>{19, 8.0}));
}

struct BadCase {
  const char* what;
  const char* from;
  const char* to;
  const char* key;     // the error names it
  const char* remedy;  // part of the error's remedy
};

// Every row is one way to be wrong that the issue or the schema names.
const BadCase kBadCases[] = {
    {"UnknownKey", "heads = 2", "heads = 2\nhead_swich_ms = 1", "design.head_swich_ms",
     "did you mean 'head_switch_ms'?"},
    {"UnknownKeyInZone", "spares = 3", "spare = 3", "design.zones[0].spare", "'spares'"},
    {"UnknownTopKey", "[design]\n", "[desing]\n", "desing", "design"},
    {"MissingKey", "rpm = 3600\n", "", "design.rpm", "add it"},
    {"Overlap", "first_cylinder = 10", "first_cylinder = 9", "design.zones[1]", "overlaps"},
    {"Gap", "first_cylinder = 10", "first_cylinder = 11", "design.zones[1]",
     "[10, 10] to design.reserved_cylinders"},
    {"GapAtEnd", "cylinders = 20", "cylinders = 21", "design.cylinders", "lower it to 20"},
    {"PastTheEnd", "last_cylinder = 19", "last_cylinder = 20", "design.zones[1]",
     "design.cylinders"},
    {"NotInOrder", "first_cylinder = 10\nlast_cylinder = 19",
     "first_cylinder = 0\nlast_cylinder = 19", "design.zones[1].first_cylinder", "sort"},
    {"ZoneBackwards", "last_cylinder = 9\n", "last_cylinder = -1\n",
     "design.zones[0].last_cylinder", "out of range"},
    {"ScsiVersionBetween", "heads = 2", "heads = 2\nscsi_version = 3", "design.scsi_version",
     "give 2 (SCSI-2) or 7 (SPC-5)"},
    {"ScsiVersionOne", "heads = 2", "heads = 2\nscsi_version = 1", "design.scsi_version",
     "out of range"},
    {"NotFinite", "head_switch_ms = 0.5", "head_switch_ms = inf", "design.head_switch_ms",
     "out of range"},
    {"NotANumber", "head_switch_ms = 0.5", "head_switch_ms = nan", "design.head_switch_ms",
     "out of range"},
    {"NegativeTime", "head_switch_ms = 0.5", "head_switch_ms = -0.5", "design.head_switch_ms",
     "out of range"},
    {"NegativeSeek", "[1, 2.0]", "[1, -2.0]", "design.seek.table_ms[0][1]", "out of range"},
    {"TableOutOfOrder", "[10, 5.0], [19, 8]", "[19, 8], [10, 5.0]", "design.seek.table_ms[2]",
     "sort the rows"},
    {"TableRepeats", "[10, 5.0]", "[1, 5.0]", "design.seek.table_ms[1]", "sort the rows"},
    {"NoCurve", "table_ms = [[1, 2.0], [10, 5.0], [19, 8]]\n", "", "design.seek", "neither"},
    {"SettleAboveSeek", "settle_ms = 1\n", "settle_ms = 2.5\n", "design.seek.settle_ms", "lower"},
    {"ZeroHeads", "heads = 2", "heads = 0", "design.heads", "1 .. 255"},
    {"FractionOfAHead", "heads = 2", "heads = 2.5", "design.heads", "not a whole number"},
    {"TextForNumber", "rpm = 3600", "rpm = \"3600\"", "design.rpm", "not a number"},
    {"UnknownChoice", "\"zone-end\"", "\"zone-edn\"", "design.sparing.location",
     "did you mean 'zone-end'?"},
    {"SlipsUnsorted", "[5, 17]", "[17, 5]", "design.zones[0].slips[1]", "sort"},
    {"SlipTwice", "[5, 17]", "[5, 5]", "design.zones[0].slips[1]", "repeated"},
    {"SlipOutside", "[5, 17]", "[5, 400]", "design.zones[0].slips[1]", "400"},
    {"MoreSlipsThanSpares", "spares = 3", "spares = 1", "design.zones[0].slips", "raise spares"},
    {"AllSpares", "spares = 3", "spares = 400", "design.zones[0].spares", "give fewer"},
    {"RemapOntoBlock", "slips = [5, 17]", "remaps = [[5, 6]]", "design.zones[0].remaps[0]",
     "already holds a block"},
    {"StoreTooLarge", "spares = 3", "spares = 3\nstore_sectors = 65537",
     "design.zones[0].store_sectors", "give 0 .. 65536"},
    {"StoreWithoutCopies", "spares = 3", "spares = 3\nstore_sectors = 65535",
     "design.zones[0].store_sectors", "even number"},
    {"StoreWithoutRoom", "spares = 3", "spares = 3\nstore_sectors = 65536",
     "design.zones[0].store_sectors", "more spares"},
    {"SparesWithoutAPlace", "\"zone-end\"", "\"none\"", "design.zones[0].spares", "location"},
    {"NumberBeyondADouble", "rpm = 3600", "rpm = 9007199254740993", "design.rpm",
     "give 60 .. 60000"},
    {"EmptyName", "\"Test drive\"", "\"\"", "name", "one line"},
    {"NotToml", "rpm = 3600", "rpm = = 3600", "test.toml", "not valid TOML"},
};

class BadFile : public testing::TestWithParam<BadCase> {};

TEST_P(BadFile, OneErrorNamesFileKeyAndRemedy) {
  const std::string error = error_after(GetParam().from, GetParam().to);
  EXPECT_THAT(error, AllOf(HasSubstr("test.toml"), HasSubstr(GetParam().key),
                           HasSubstr(GetParam().remedy)));
  EXPECT_EQ(error.find('\n'), std::string::npos) << "one line: " << error;
}

INSTANTIATE_TEST_SUITE_P(DriveFile, BadFile, testing::ValuesIn(kBadCases),
                         test::case_name<BadCase>);

// The drives of 1990 to 1999 were sold with SCSI-2. The papers' drives have the default.
TEST(DriveFile, ScsiVersion_IsThatOfTheDrivesTime) {
  for (const char* name :
       {"hp_c2247a", "hp_c2490a", "hp_c3323a", "cheetah_4lp", "cheetah_9lp", "atlas_10k"}) {
    EXPECT_EQ(test::shipped(name).design.scsi_version, 2U) << name;
  }
  for (const char* name : {"eagle", "abstract_1000_track", "paper_179mb"}) {
    EXPECT_EQ(test::shipped(name).design.scsi_version, 7U) << name;
  }
}

TEST(DriveFile, ErrorNamesTheLine) {
  // "heads" is on line 5 of kGood.
  EXPECT_THAT(error_after("heads = 2", "heads = 0"), HasSubstr("test.toml:5: design.heads"));
}

TEST(DriveFile, GapThatIsReserved_IsTaken) {
  std::string text = kGood;
  text.replace(text.find("first_cylinder = 10"), 19, "first_cylinder = 11");
  text.replace(text.find("sector_bytes = 512"), 18,
               "sector_bytes = 512\nreserved_cylinders = [[10, 10]]");
  EXPECT_NO_THROW(load_text(text, "test.toml"));
}

TEST(DriveFile, NegativeWriteSettle_IsTakenWithAWarning) {
  std::string text = kGood;
  text.replace(text.find("write_settle_ms = 0.1"), 21, "write_settle_ms = -0.642");
  const Loaded loaded = load_text(text, "test.toml");
  EXPECT_EQ(loaded.description.design.write_settle_ms, -0.642);
  ASSERT_EQ(loaded.warnings.size(), 1U);
  EXPECT_THAT(loaded.warnings[0],
              AllOf(HasSubstr("test.toml"), HasSubstr("write_settle_ms"), HasSubstr("-0.642")));
}

// kGood's shortest seek is that over one cylinder: no seek may be shorter than the offset.
TEST(DriveFile, WriteOffset_IsAtMostTheShortestSeek) {
  const auto with = [](const std::string& value) {
    std::string text = kGood;
    text.insert(text.find("write_settle_ms"), "write_offset_ms = " + value + "\n");
    return text;
  };
  const double shortest_ms =
      mechanics::seek_times_ms(load_text(kGood, "test.toml").description.design.seek, 2)[1];
  EXPECT_EQ(load_text(kGood, "test.toml").description.design.write_offset_ms, 0);
  EXPECT_EQ(load_text(with(fmt::format("{}", shortest_ms)), "test.toml")
                .description.design.write_offset_ms,
            shortest_ms);
  const auto error_of = [&](const std::string& value) -> std::string {
    try {
      load_text(with(value), "test.toml");
    } catch (const FileError& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_THAT(error_of(fmt::format("{}", shortest_ms + 0.001)),
              AllOf(HasSubstr("design.write_offset_ms"), HasSubstr("lower it")));
  EXPECT_THAT(error_of("-0.1"), HasSubstr("design.write_offset_ms"));
  EXPECT_THAT(error_of("\"0.1\""), HasSubstr("design.write_offset_ms"));
}

// 3600 rpm: a turn of 16,666,667 ns. A sector of 512 bytes takes 12 + 2 + 8 + 512 + 4 + 22 = 560 on
// the track. At 25 ns a byte that is 14,000 ns, so that 1,190.5 sectors fit.
TEST(DriveFile, ZoneFasterThanTheElectronics_IsTakenWithAWarning) {
  const auto warnings_of = [](const std::string& sectors) {
    std::string text = kGood;
    text.replace(text.find("sectors_per_track = 10"), 22, "sectors_per_track = " + sectors);
    return load_text(text, "test.toml").warnings;
  };
  EXPECT_TRUE(warnings_of("1189").empty());
  const std::vector<std::string> warnings = warnings_of("1191");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_THAT(warnings[0], AllOf(HasSubstr("test.toml"), HasSubstr("zones[1].sectors_per_track"),
                                 HasSubstr("25.0 ns"), HasSubstr("platform rtl refuses")));
}

// Everything a description can hold at once, odd names among it.
TEST(DriveFile, EveryKindOfKey_SurvivesWritingAndReading) {
  DriveDescription all = load_text(kGood, "test.toml").description;
  all.name = "quotes \" ' and \\ backslash";
  all.notes = "two\nlines";
  all.design.seek.table.resize(1);
  all.design.seek.pieces = {{5, 1.0, 0.5, 0, 0}, {19, 3.0, 0, 0.25, 5}};
  all.design.seek.settle_ms = 0.1;
  all.design.zones[0].remaps = {{9, 399}};
  all.specimen.speed_error_ppm = -12.5;
  all.specimen.unreadable_sectors = 2;
  all.specimen.flaws = {{media::FlawKind::kCorrectable, 3, 4},
                        {media::FlawKind::kMisplacedWrite, 8, 0}};
  all.published.overheads_ms = {{"read 512 B", 0.5}, {"a.b", 1}, {"", 2}, {"new\nline", 3}};
  const std::string once = to_toml(all);
  const DriveDescription back = load_text(once, "again.toml").description;
  EXPECT_EQ(to_toml(back), once);
  EXPECT_EQ(back.name, all.name);
  EXPECT_EQ(back.published.overheads_ms, all.published.overheads_ms);
  EXPECT_EQ(back.specimen.flaws.at(1).lba, 8U);
  EXPECT_EQ(back.design.seek.pieces.at(1).origin_cylinders, 5U);
  EXPECT_EQ(back.design.zones[0].remaps, all.design.zones[0].remaps);
}

TEST(DriveFile, SpeedErrorThatLeavesTheDesignsBounds_IsAFault) {
  DriveDescription drive = load_text(kGood, "test.toml").description;
  drive.design.rpm = 60;
  drive.specimen.speed_error_ppm = 0;
  EXPECT_NO_THROW(check(drive));
  drive.specimen.speed_error_ppm = -1;
  EXPECT_THROW(check(drive), Fault);
}

TEST(DriveFile, HostileDottedKey_IsRefusedBeforeItIsParsed) {
  std::string key = "a";
  for (int i = 0; i < 50'000; ++i) key += ".a";
  EXPECT_THROW(load_text(key + " = 1\n", "test.toml"), FileError);
}

TEST(DriveFile, LinearPieceBelowItsOrigin_IsAStraightLine) {
  DriveDescription drive = load_text(kGood, "test.toml").description;
  drive.design.seek.table.clear();
  drive.design.seek.pieces = {{19, 4.0, 0, 0.1, 15}};
  EXPECT_NO_THROW(check(drive));
}

TEST(DriveFile, MissingFile_IsNamed) {
  try {
    load("/dev/null/drive.toml");
    FAIL() << "no error";
  } catch (const FileError& error) {
    EXPECT_THAT(error.what(), HasSubstr("/dev/null/drive.toml"));
  }
}

class Shipped : public testing::TestWithParam<const char*> {};

TEST_P(Shipped, WrittenAndReadAgain_IsTheSame) {
  const DriveDescription description = test::shipped(GetParam());
  const std::string once = to_toml(description);
  const std::string twice = to_toml(load_text(once, "again.toml").description);
  EXPECT_EQ(once, twice);
}

TEST_P(Shipped, LosesNothingWhenWritten) {
  // Geometry and curve survive: every value in the file is in the text, so compare by loading.
  const DriveDescription before = test::shipped(GetParam());
  const DriveDescription after = load_text(to_toml(before), "again.toml").description;
  EXPECT_EQ(before.design.seek.table, after.design.seek.table);
  ASSERT_EQ(before.design.zones.size(), after.design.zones.size());
  for (std::size_t z = 0; z < before.design.zones.size(); ++z) {
    EXPECT_EQ(before.design.zones[z].slips, after.design.zones[z].slips);
    EXPECT_EQ(before.design.zones[z].remaps, after.design.zones[z].remaps);
  }
  EXPECT_EQ(before.published.overheads_ms, after.published.overheads_ms);
  EXPECT_EQ(before.published.cache, after.published.cache);
}

class LaidOver : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(file_) << kGood; }
  void TearDown() override { std::filesystem::remove(file_); }

  std::string error_of(const std::string& over) const {
    try {
      (void)load_over(file_, over);
    } catch (const FileError& error) {
      return error.what();
    }
    return "";
  }

  const std::string file_ = testing::TempDir() + "laid-over.toml";
};

TEST_F(LaidOver, Keys_ReplaceThoseOfTheFile) {
  const DriveDescription plain = load(file_).description;
  const DriveDescription same = load_over(file_, "").description;
  EXPECT_EQ(to_toml(same), to_toml(plain));
  const DriveDescription over =
      load_over(file_,
                "design = { rpm = 7200, seek = { settle_ms = 0.5 } }\n"
                "specimen = { flaws = [{ kind = \"unreadable\", lba = 3 }] }")
          .description;
  EXPECT_EQ(over.design.rpm, 7200);
  EXPECT_EQ(over.design.heads, plain.design.heads);
  EXPECT_EQ(over.design.seek.settle_ms, 0.5);
  EXPECT_EQ(over.design.seek.table, plain.design.seek.table) << "the table's other keys stay";
  ASSERT_EQ(over.specimen.flaws.size(), 1U);
  EXPECT_EQ(over.specimen.flaws[0].lba, 3U);
}

TEST_F(LaidOver, Lists_AreReplacedAsAWhole) {
  const DriveDescription over =
      load_over(file_, "design.seek.table_ms = [[1, 3.0], [19, 9]]").description;
  EXPECT_EQ(over.design.seek.table.size(), 2U);
}

TEST_F(LaidOver, Errors_NameTheFileAndTheKey) {
  EXPECT_EQ(error_of("design.rpm = 0"), file_ +
                                            ": design.rpm: 0 is out of range; give 60 .. 60000 "
                                            "revolutions per minute");
  EXPECT_EQ(error_of("specimen.flaw_sed = 1"),
            file_ + ": specimen.flaw_sed: unknown key; did you mean 'flaw_seed'?");
  EXPECT_THAT(error_of("design = {"), HasSubstr(file_ + ":1: not valid TOML"));
}

// Tests of all drives take them from that list.
TEST(DriveFile, ShippedDrives_AreTheFilesInSimDrives) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_dir() / "sim/drives")) {
    if (entry.path().extension() == ".toml") files.insert(entry.path().stem().string());
  }
  const std::set<std::string> listed(std::begin(test::kShippedDrives),
                                     std::end(test::kShippedDrives));
  EXPECT_EQ(listed, files) << "name each file in kShippedDrives of tests/support.hpp";
}

INSTANTIATE_TEST_SUITE_P(DriveFile, Shipped, testing::ValuesIn(test::kShippedDrives),
                         test::case_name<const char*>);

}  // namespace
}  // namespace headstack::drive
