// SPDX-License-Identifier: Apache-2.0
// Faults of a specimen in a drive file: what is read, and the one error for each contradiction.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/drive/load.hpp"
#include "tests/support.hpp"

namespace headstack::drive {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// 20 cylinders, 400 blocks.
const char* const kDrive = R"(name = "Test drive"
[design]
rpm = 3600
heads = 1
cylinders = 20
sector_bytes = 512
head_switch_ms = 0.5
write_settle_ms = 0.1
[design.seek]
settle_ms = 1
coast_cylinders_per_ms = 10
table_ms = [[1, 2.0], [19, 8]]
[[design.zones]]
first_cylinder = 0
last_cylinder = 19
sectors_per_track = 20
)";

std::string error_of(const std::string& specimen) {
  try {
    load_text(kDrive + specimen, "test.toml");
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(DriveFaults, EveryKey_IsRead_AndSurvivesWriting) {
  const std::string text = std::string(kDrive) + R"(
[specimen]
flaw_seed = 9
intermittent_sectors = 1
intermittent_probability = 0.25
decaying_sectors = 2
decaying_half_reads = 50
write_fault_sectors = 3
weak_write_sectors = 4
bad_header_sectors = 5
no_sync_sectors = 6
scratches = 1
scratch_sectors_max = 3
[[specimen.flaws]]
kind = "bad_header"
lba = 7
probability = 0.5
sectors = 3
cylinders = 2
[[specimen.flaws]]
kind = "decaying"
lba = 300
half_reads = 8
[[specimen.arm_faults]]
kind = "off_track"
first_cylinder = 3
last_cylinder = 9
first_seek = 5
seeks = 2
after_ms = 1.5
for_ms = 2.5
[[specimen.arm_faults]]
kind = "wrong_cylinder"
by_cylinders = -2
[[specimen.spindle_faults]]
kind = "dropout"
at_ms = 1000
for_ms = 20
[[specimen.spindle_faults]]
kind = "no_start"
first_start = 2
starts = 3
speed_share = 0.5
[[specimen.index_faults]]
first_turn = 100
turns = 10
every = 2
[specimen.random]
arm_share = 0.01
arm_ms = 5
arm_cylinders = 2
dropouts = 3
dropout_span_ms = 500
dropout_ms = 7
missing_index_share = 0.001
)";
  const DriveDescription drive = load_text(text, "test.toml").description;
  const Specimen& s = drive.specimen;
  EXPECT_EQ(s.intermittent_probability, 0.25);
  EXPECT_EQ(s.no_sync_sectors, 6U);
  ASSERT_EQ(s.flaws.size(), 2U);
  EXPECT_EQ(s.flaws[0].probability, 0.5);
  EXPECT_EQ(s.flaws[0].cylinders, 2U);
  EXPECT_EQ(s.flaws[1].half_reads, 8U);
  ASSERT_EQ(s.arm_faults.size(), 2U);
  EXPECT_EQ(s.arm_faults[0].last_cylinder, 9U);
  EXPECT_EQ(s.arm_faults[0].after_ms, 1.5);
  EXPECT_EQ(s.arm_faults[1].by_cylinders, -2);
  EXPECT_EQ(s.arm_faults[1].for_ms, std::nullopt);
  ASSERT_EQ(s.spindle_faults.size(), 2U);
  EXPECT_EQ(s.spindle_faults[0].for_ms, 20);
  EXPECT_EQ(s.spindle_faults[1].speed_share, 0.5);
  ASSERT_EQ(s.index_faults.size(), 1U);
  EXPECT_EQ(s.index_faults[0].every, 2U);
  EXPECT_EQ(s.random.dropouts, 3U);
  const std::string once = to_toml(drive);
  EXPECT_EQ(to_toml(load_text(once, "again.toml").description), once);
}

struct BadFault {
  const char* what;
  const char* specimen;
  const char* key;
  const char* remedy;
};

const BadFault kBadFaults[] = {
    {"UnknownKind", "[[specimen.arm_faults]]\nkind = \"setle\"\n", "specimen.arm_faults[0].kind",
     "did you mean 'settle'?"},
    {"UnknownKey", "[[specimen.arm_faults]]\nkind = \"stuck\"\nfirst_seeks = 2\n",
     "specimen.arm_faults[0].first_seeks", "did you mean 'first_seek'?"},
    {"UnknownTable", "[specimen.randon]\narm_share = 0.5\n", "specimen.randon", "'random'"},
    {"UnknownFlaw", "[[specimen.flaws]]\nkind = \"bad_heder\"\nlba = 0\n", "specimen.flaws[0].kind",
     "did you mean 'bad_header'?"},
    {"KindMissing", "[[specimen.arm_faults]]\nseeks = 1\n", "specimen.arm_faults[0].kind",
     "add it"},
    {"StuckForATime", "[[specimen.arm_faults]]\nkind = \"stuck\"\nfor_ms = 1\n",
     "specimen.arm_faults[0].for_ms", "settle or off_track"},
    {"SettleAfter", "[[specimen.arm_faults]]\nkind = \"settle\"\nafter_ms = 1\n",
     "specimen.arm_faults[0].after_ms", "off_track"},
    {"SettleElsewhere", "[[specimen.arm_faults]]\nkind = \"settle\"\nby_cylinders = 1\n",
     "specimen.arm_faults[0].by_cylinders", "wrong_cylinder"},
    {"OffTrackWhen", "[[specimen.arm_faults]]\nkind = \"off_track\"\n",
     "specimen.arm_faults[0].after_ms", "time after read ready"},
    {"MissByNone", "[[specimen.arm_faults]]\nkind = \"wrong_cylinder\"\n",
     "specimen.arm_faults[0].by_cylinders", "from the target"},
    {"PastTheStroke", "[[specimen.arm_faults]]\nkind = \"stuck\"\nlast_cylinder = 20\n",
     "specimen.arm_faults[0].last_cylinder", "give 19 at most"},
    {"CylindersCrossed",
     "[[specimen.arm_faults]]\nkind = \"stuck\"\nfirst_cylinder = 9\nlast_cylinder = 8\n",
     "specimen.arm_faults[0].last_cylinder", "swap"},
    {"NoTime", "[[specimen.spindle_faults]]\nkind = \"dropout\"\n",
     "specimen.spindle_faults[0].at_ms", "time since power-on"},
    {"StartAtATime", "[[specimen.spindle_faults]]\nkind = \"no_start\"\nat_ms = 5\n",
     "specimen.spindle_faults[0].at_ms", "dropout"},
    {"DropoutsStart", "[[specimen.spindle_faults]]\nkind = \"dropout\"\nat_ms = 5\nstarts = 2\n",
     "specimen.spindle_faults[0].starts", "no_start"},
    {"DropoutsOverlap",
     "[[specimen.spindle_faults]]\nkind = \"dropout\"\nat_ms = 5\nfor_ms = 10\n"
     "[[specimen.spindle_faults]]\nkind = \"dropout\"\nat_ms = 15\n",
     "specimen.spindle_faults[1].at_ms", "move one"},
    {"FullSpeed", "[[specimen.spindle_faults]]\nkind = \"no_start\"\nspeed_share = 1\n",
     "specimen.spindle_faults[0].speed_share", "0 .. 0.99"},
    {"Share", "[specimen.random]\narm_share = 1.5\n", "specimen.random.arm_share", "0 .. 1"},
    {"EveryNone", "[[specimen.index_faults]]\nevery = 0\n", "specimen.index_faults[0].every",
     "1 .. 1000000"},
    {"ProbabilityOfAnother",
     "[[specimen.flaws]]\nkind = \"unreadable\"\nlba = 1\nprobability = 1\n", "specimen.flaws[0]",
     "correct its keys"},
    {"Overlap",
     "[[specimen.flaws]]\nkind = \"unreadable\"\nlba = 5\nsectors = 3\n"
     "[[specimen.flaws]]\nkind = \"weak_write\"\nlba = 7\n",
     "specimen.flaws[1]", "make one of them smaller"},
};

class BadSpecimen : public testing::TestWithParam<BadFault> {};
TEST_P(BadSpecimen, OneErrorNamesFileKeyAndRemedy) {
  const std::string error = error_of(GetParam().specimen);
  EXPECT_THAT(error, AllOf(HasSubstr("test.toml:"), HasSubstr(GetParam().key),
                           HasSubstr(GetParam().remedy)));
  EXPECT_EQ(error.find('\n'), std::string::npos) << "one line: " << error;
}
INSTANTIATE_TEST_SUITE_P(DriveFaults, BadSpecimen, testing::ValuesIn(kBadFaults),
                         test::case_name<BadFault>);

}  // namespace
}  // namespace headstack::drive
