// SPDX-License-Identifier: Apache-2.0
// `headstack run` with media in a file, with a power cut, and under torture.
#include <gmock/gmock.h>

#include <csignal>

#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kNative = "--platform native --drive zoned_179mb ";

class RunPower : public ReplayFixture {
 protected:
  void SetUp() override {
    ReplayFixture::SetUp();
    keep_runs();
  }
  /// Writes, reads and flushes in a corner, so that they meet.
  void write_load(std::uint32_t seed, int requests, std::uint64_t first = 1000) const {
    std::mt19937_64 random(seed);
    std::ofstream out(file("trace"));
    out << "headstack-trace 1\ntime-unit us\nloop closed\nrequests\n";
    for (int i = 0; i < requests; ++i) {
      if (random() % 8 == 0) {
        out << "- F 0 0 -\n";
        continue;
      }
      out << "- " << (random() % 3 == 0 ? 'R' : 'W') << ' ' << first + random() % 200 << ' '
          << 1 + random() % 8 << " -\n";
    }
  }
  void only_read(std::uint64_t lba, std::uint32_t blocks) const {
    std::ofstream(file("trace")) << "headstack-trace 1\ntime-unit us\nloop closed\nrequests\n- R "
                                 << lba << ' ' << blocks << " -\n";
  }
  /// A map of the last units of paper_179mb, drawn by seed.
  void write_map(const std::string& name, std::uint32_t seed,
                 std::uint64_t first_block = kMapFirst) const {
    std::vector<std::uint32_t> slots(kMapUnits);
    for (std::uint32_t i = 0; i < kMapUnits; ++i) slots[i] = i;
    std::shuffle(slots.begin(), slots.end(), std::mt19937_64(seed));
    std::ofstream(file(name)) << nlohmann::json{{"format", "headstack-map-1"},
                                                {"first_block", first_block},
                                                {"unit_blocks", kMapUnitBlocks},
                                                {"slots", slots}};
  }
  /// Two maps, and none, that hosts set in turn.
  std::string both_maps(const std::string& first, const std::string& second) const {
    return "'remap.maps=[\"" + file(first) + "\", \"" + file(second) +
           "\"]' 'remap.use=[1, 2, 0]' ";
  }
  /// Hosts switch from map to map, and the drive moves blocks under load.
  std::string moves() const {
    write_map("map1.json", 1);
    write_map("map2.json", 2);
    return "--platform native --drive paper_179mb " + both_maps("map1.json", "map2.json") +
           "hosts.every.map=9 remap.share_percent=90 remap.idle_ms=1 remap.settled=true ";
  }
  /// Moves on the small drive (tests/power/small.toml), whose last blocks are the units.
  std::string small_moves() const {
    for (const std::uint32_t seed : {1U, 2U}) {
      write_map("small" + std::to_string(seed), seed, kSmallFirst);
    }
    return kSmall + both_maps("small1", "small2") +
           "hosts.every.map=5 remap.share_percent=90 remap.idle_ms=1 remap.settled=true ";
  }
  /// zoned_179mb with blocks whose headers cannot be read.
  std::string flawed(const std::vector<std::uint64_t>& blocks) const {
    std::ofstream out(file("flawed.toml"));
    out << slurp(test::source_dir() / "sim/drives/zoned_179mb.toml");
    for (const std::uint64_t lba : blocks) {
      out << "\n[[specimen.flaws]]\nkind = \"bad_header\"\nlba = " << lba << '\n';
    }
    return "--platform native --drive '" + file("flawed.toml") + "' ";
  }
  inline static const std::string kSmall =
      "--platform native --drive '" + test::source_dir().string() + "/tests/power/small.toml' ";
  static constexpr std::uint64_t kSmallFirst = 1'440 - 20 * 16;
  static constexpr std::uint64_t kMapFirst = 348'960 - 20 * 16;
  static constexpr std::uint32_t kMapUnits = 20;
  static constexpr std::uint32_t kMapUnitBlocks = 16;
  std::string media() const { return "drive.media='" + file("media") + "' "; }
};

// ------------------------------------------------------------------------------- media in a file

TEST_F(RunPower, MediaFile_KeepsWhatWasWritten) {
  write_load(1, 40);
  ASSERT_EQ(run(kNative + media(), "first"), 0) << errors();
  const std::string after_first = slurp(file("media"));
  only_read(1000, 200);
  ASSERT_EQ(run(kNative + media(), "second"), 0) << errors();
  EXPECT_TRUE(slurp(file("media")) == after_first) << "a read changes nothing";
  EXPECT_EQ(summary("second")["media"], file("media"));
}

TEST_F(RunPower, MediaFile_OfAnotherDrive_IsRefused) {
  write_load(1, 4);
  ASSERT_EQ(run(kNative + media(), "first"), 0) << errors();
  EXPECT_EQ(run("--platform native --drive hp_c3323a " + media(), "other"), 1);
  EXPECT_THAT(errors(), HasSubstr(file("media")));
  EXPECT_THAT(errors(), HasSubstr("headstack: error:"));
}

TEST_F(RunPower, MediaFile_ThatIsDamaged_IsRefused) {
  write_load(1, 4);
  std::ofstream(file("media")) << "no media at all";
  EXPECT_EQ(run(kNative + media(), "out"), 1);
  EXPECT_THAT(errors(), HasSubstr(file("media")));
  EXPECT_EQ(slurp(file("media")), "no media at all") << "it stays as it is";
}

TEST_F(RunPower, MediaFile_OfARunUnderWay_IsRefused) {
  write_load(1, 100'000);  // far more than are served before it is stopped
  const ::pid_t first = start(kNative + media(), "first");
  while (!std::filesystem::exists(file("first/records.csv"))) ::usleep(1'000);
  ::kill(first, SIGSTOP);
  EXPECT_EQ(run(kNative + media(), "second"), 1);
  EXPECT_THAT(errors(), HasSubstr(file("media")));
  ::kill(first, SIGKILL);
  ::waitpid(first, nullptr, 0);
  only_read(1000, 200);
  EXPECT_EQ(run(kNative + media(), "third"), 0) << errors();
}

// The run is killed while it writes: each block can be read, and is whole.
TEST_F(RunPower, MediaFile_OfARunThatWasKilled_IsThatOfAPowerCut) {
  for (const int milliseconds : {5, 20, 60}) {
    write_load(1, 20'000);
    const ::pid_t first = start(kNative + media() + "--force", "first");
    while (!std::filesystem::exists(file("media"))) ::usleep(100);
    ::usleep(milliseconds * 1'000);
    ::kill(first, SIGKILL);
    ::waitpid(first, nullptr, 0);
    only_read(1000, 208);
    ASSERT_EQ(run(kNative + media(), "second" + std::to_string(milliseconds)), 0) << errors();
    EXPECT_EQ(summary("second" + std::to_string(milliseconds))["result"]["failed"], 0);
  }
}

// Only known content can be checked.
TEST_F(RunPower, MediaFile_WithContent_IsNotChecked) {
  write_load(1, 10);
  ASSERT_EQ(run(kNative + media() + "--verify", "first"), 0) << errors();
  EXPECT_EQ(run(kNative + media() + "--verify", "second"), 1);
  EXPECT_THAT(errors(), AllOf(HasSubstr("holds data of an earlier run"), HasSubstr("new file")));
}

// ------------------------------------------------------------------------------------ power cuts

TEST_F(RunPower, PowerCut_OfEachKind_LosesNothing) {
  write_load(2, 60);
  for (const std::string cut :
       {"time:100ms", "event:FIRST_SECTOR:7", "cmd:20", "byte:0", "byte:5000", "byte:5160"}) {
    for (const std::string loss : {"finished", "torn"}) {
      const std::string out = "cut-" + cut + loss;
      ASSERT_EQ(
          run(std::string(kNative) + "faults.power_cut=" + cut + " faults.power_loss=" + loss, out),
          0)
          << errors();
      const Json power = summary(out)["power_cut"];
      EXPECT_EQ(power["at"], cut);
      EXPECT_EQ(power["loss"], loss);
      EXPECT_TRUE(power["findings"].empty());
      EXPECT_GT(power["blocks_read_back"], 0);
      if (cut == "cmd:20") {
        EXPECT_EQ(summary(out)["result"]["commands"], 20);
      }
      if (cut == "time:100ms") {
        EXPECT_EQ(power["time_ps"], 100'000'000'000);
      }
      if (cut == "byte:5000") {
        EXPECT_EQ(power["sectors_written"], 5'000 / 516 + 1);
      }
    }
  }
}

TEST_F(RunPower, PowerCut_AfterTheRunsEnd_IsAnError) {
  write_load(2, 5);
  EXPECT_EQ(run(std::string(kNative) + "faults.power_cut=cmd:500", "out"), 1);
  EXPECT_THAT(errors(), HasSubstr("faults.power_cut cmd:500: the run was over before"));
}

// ---------------------------------------------------------------------------------------- torture

TEST_F(RunPower, Torture_CutsAtEverySector_AndFindsNothing) {
  write_load(3, 40);
  for (const std::string more :
       {"", "--cache read-write ", "--cache read-write hosts.every.fua=3 "}) {
    for (const std::string loss : {"finished", "torn"}) {
      const std::string out = "torture" + std::to_string(more.size()) + loss;
      ASSERT_EQ(run(std::string(kNative) + more + "--torture faults.power_loss=" + loss, out), 0)
          << errors();
      const Json torture = summary(out)["torture"];
      const std::uint64_t sectors = torture["sectors_written"];
      EXPECT_GT(sectors, 20);
      EXPECT_EQ(torture["cuts"], 2 * sectors + 1) << "before each, within each, and at the end";
      EXPECT_TRUE(torture["findings"].empty());
      if (loss == "torn") {
        EXPECT_GT(torture["torn_blocks"], 0);
      }
    }
  }
}

// Saved mode pages and moved blocks, too, with commands of two hosts around them.
TEST_F(RunPower, Torture_OfSavedPagesAndMovedBlocks_FindsNothing) {
  write_load(5, 60);
  for (const std::string more : {"", "--cache read-write hosts.every.flush=7 "}) {
    for (const std::string loss : {"finished", "torn"}) {
      const std::string out = "kept" + std::to_string(more.size()) + loss;
      ASSERT_EQ(run(std::string(kNative) + more +
                        "hosts.every.save=3 hosts.every.reassign=4 --depth 4 --hosts 2 "
                        "--torture faults.power_loss=" +
                        loss,
                    out),
                0)
          << errors();
      const Json torture = summary(out)["torture"];
      EXPECT_TRUE(torture["findings"].empty());
      EXPECT_EQ(summary(out)["hosts"]["save-every"], 3);
      EXPECT_GT(torture["sectors_written"], 100);
    }
  }
}

// A drive without a store makes no promise about them, and loses no block.
TEST_F(RunPower, Torture_OfADriveWithoutAStore_FindsNothing) {
  write_load(6, 30);
  ASSERT_EQ(
      run("--platform native --drive mvax_71mb hosts.every.save=3 --torture faults.power_loss=torn",
          "out"),
      0)
      << errors();
}

// Drives that torture must find faulty, each in one place (tests/power).
struct BrokenBuild {
  const char* what;
  const char* program;
  const char* arguments;
  const char* finding;
};
class BrokenDrive : public RunPower, public testing::WithParamInterface<BrokenBuild> {};
INSTANTIATE_TEST_SUITE_P(
    Builds, BrokenDrive,
    testing::Values(BrokenBuild{"OneCopyInPlace", BROKEN_one_copy, "hosts.every.save=3 ",
                                "page 01h has 8 saved read retries"},
                    BrokenBuild{"NoSequenceNumber", BROKEN_no_sequence, "hosts.every.save=3 ",
                                "copies of cell 0 have sequence 1, and differ"},
                    BrokenBuild{"GoodBeforeTheMedia", BROKEN_early_good, "", "block "}),
    [](const auto& build) { return build.param.what; });

TEST_P(BrokenDrive, IsFound_AndFoundAgainByThePrintedLine) {
  write_load(7, 40);
  const std::string arguments =
      std::string(kNative) + GetParam().arguments + "faults.power_loss=torn ";
  ASSERT_EQ(run(arguments + "--torture", "right"), 0) << errors();
  use_program(test::built(GetParam().program));
  ASSERT_EQ(run(arguments + "--torture", "broken"), 1);
  const Json findings = summary("broken")["torture"]["findings"];
  ASSERT_FALSE(findings.empty());
  const std::string finding = findings[0]["finding"];
  EXPECT_THAT(finding, HasSubstr(GetParam().finding));
  const std::string again = findings[0]["again"];
  const std::string cut = again.substr(again.find("faults.power_cut="));
  ASSERT_EQ(run(arguments + cut.substr(0, cut.find(" --out")), "again"), 1);
  EXPECT_EQ(summary("again")["power_cut"]["findings"][0],
            finding.substr(0, finding.find("; and ")));
}

// ------------------------------------------------------------------------------ blocks that move

class Moves : public RunPower, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(
    Loads, Moves,
    testing::Values(
        "", "faults.power_loss=torn ",
        "--cache read-write hosts.every.fua=5 faults.power_loss=torn ",
        "hosts.every.save=7 hosts.every.reassign=9 faults.power_loss=torn ",
        "--hosts 2 --depth 8 hosts.every.abort=9 hosts.every.bus_reset=31 hosts.retry=all "));

TEST_P(Moves, LoseNothing_WheneverThePowerGoes) {
  write_load(11, 60, kMapFirst + 20);
  ASSERT_EQ(run(moves() + GetParam() + "--torture --every 11", "out"), 0) << errors();
  EXPECT_GT(summary("out")["moves"]["moves"], 20);
  EXPECT_GT(summary("out")["torture"]["cuts"], 180);
  EXPECT_GT(summary("out")["torture"]["cut_again"], 90);
}

// As many units as a map can have, of 8 blocks. Those that move are the last ones: their numbers
// need 16 bits, and the base two copies of 167 sectors.
TEST_F(RunPower, MovesOfTheLastUnitsOfALargestMap_LoseNothing) {
  constexpr std::uint32_t kUnits = 40960;
  constexpr std::uint32_t kUnitBlocks = 8;
  constexpr std::uint32_t kMoving = 40;
  std::vector<std::uint32_t> slots(kUnits);
  for (std::uint32_t i = 0; i < kUnits; ++i) slots[i] = i;
  std::shuffle(slots.end() - kMoving, slots.end(), std::mt19937_64(3));
  std::ofstream(file("largest")) << nlohmann::json{{"format", "headstack-map-1"},
                                                   {"first_block", 0},
                                                   {"unit_blocks", kUnitBlocks},
                                                   {"slots", slots}};
  write_load(12, 60, (kUnits - kMoving) * kUnitBlocks + 20);
  const std::string arguments = "--platform native --drive paper_179mb remap.maps='" +
                                file("largest") +
                                "' remap.share_percent=90 remap.idle_ms=1 faults.power_loss=torn ";
  ASSERT_EQ(run(arguments + "--torture --every 20", "out"), 0) << errors();
  EXPECT_GT(summary("out")["moves"]["moves"], kMoving / 2);
  EXPECT_EQ(summary("out")["moves"]["units"], kUnits);
  EXPECT_GT(summary("out")["torture"]["cut_again"], 12);
}

// A slot is reused before the move is recorded. While no host reads, only a power cut shows it.
TEST_F(RunPower, Moves_ThatReuseSlotsTooEarly_AreFound) {
  write_load(11, 60, kMapFirst + 20);
  const std::string arguments = moves() + "faults.power_loss=torn ";
  use_program(test::built(BROKEN_early_reuse));
  const std::string settled = "--platform native --drive paper_179mb remap.maps='" +
                              file("map1.json") + "' remap.idle_ms=1 remap.settled=true ";
  ASSERT_EQ(run(settled + "--verify", "unharmed"), 0) << errors();
  EXPECT_GT(summary("unharmed")["moves"]["moves"], 20);
  ASSERT_EQ(run(arguments + "--torture", "broken"), 1);
  const Json findings = summary("broken")["torture"]["findings"];
  ASSERT_FALSE(findings.empty());
  EXPECT_THAT(std::string(findings[0]["finding"]), HasSubstr("block "));
}

// ----------------------------------------------------------------------------- the second cut

// The drive goes on and loses its power again. Both cuts together are one command line.
TEST_F(RunPower, Torture_CutsAgain_AndTheSameByTheLine) {
  write_load(8, 30);
  const std::string saves = std::string(kNative) + "hosts.every.save=3 hosts.every.reassign=4 ";
  ASSERT_EQ(run(saves + "--torture faults.power_loss=torn", "out"), 0) << errors();
  const std::uint64_t again = summary("out")["torture"]["cut_again"];
  const std::uint64_t cuts = summary("out")["torture"]["cuts"];
  EXPECT_GT(again, cuts / 3);
  EXPECT_LT(again, cuts) << "some drawn bytes are beyond all that the drive writes";
  ASSERT_EQ(run(saves + "--torture --once", "once"), 0) << errors();
  EXPECT_EQ(summary("once")["torture"]["cut_again"], 0);
  for (const auto& [byte, is_cut] :
       std::map<std::string, bool>{{"700", true}, {"99999999", false}}) {
    ASSERT_EQ(run(saves + "faults.power_cut=byte:9000 faults.power_again=" + byte, "line" + byte),
              0)
        << errors();
    EXPECT_EQ(summary("line" + byte)["power_cut"]["is_cut_again"], is_cut);
  }
}

// The whole disk is checked at every Nth cut, otherwise the places near blocks that hosts used.
TEST_F(RunPower, Torture_LooksAtTheWholeDisk_AtEveryNthCut) {
  write_load(3, 10);
  const auto looked_at = [&](const std::string& more, const std::string& out) {
    EXPECT_EQ(run(std::string(kNative) + "--torture --cuts 20 " + more, out), 0) << errors();
    return std::uint64_t{summary(out)["torture"]["blocks_looked_at"]};
  };
  constexpr std::uint64_t kCapacity = 348'960;
  const std::uint64_t never = looked_at("--whole 0", "never");
  EXPECT_GE(never, 20 * 2 * 160) << "virtual cylinders of 160 blocks";
  EXPECT_LT(never, 20 * 4 * 160);
  EXPECT_GT(looked_at("--whole 10", "some"), 2 * kCapacity);
  EXPECT_LT(looked_at("", "first"), 2 * kCapacity) << "by default the first of a hundred";
}

// --------------------------------------------------------------------------------------- formats

class Formats : public RunPower, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Loads, Formats,
                         testing::Values("", "faults.power_loss=torn ",
                                         "--cache read-write hosts.every.save=4 --hosts 2 "
                                         "--depth 4 faults.power_loss=torn "));

// SCSI-2 table 71, 31/00: after an interrupted format nothing can be read, until one ends well.
TEST_P(Formats, AreWholeOrNothing_WheneverThePowerGoes) {
  write_load(12, 14, kSmallFirst + 20);
  ASSERT_EQ(run(kSmall + GetParam() + "hosts.every.format=6 --torture --every 60", "out"), 0)
      << errors();
  EXPECT_EQ(summary("out")["formats"], 2);
  EXPECT_GT(summary("out")["torture"]["cuts"], 90);
  EXPECT_GT(summary("out")["torture"]["cut_again"], 40);
}

// A format puts all units at home. The store must record that before the media do: a slot's content
// belongs to another unit from then on.
TEST_F(RunPower, FormatOfADriveWithAMap_IsRecordedBeforeTheMapIsCleared) {
  write_load(12, 14, kSmallFirst + 20);
  const std::string load = small_moves() + "hosts.every.format=13 ";
  ASSERT_EQ(run(load, "plain"), 0) << errors();
  ASSERT_EQ(summary("plain")["moves"]["bases"], 2) << "the second is the format's";
  for (const std::string cut :
       {"MAP_SAVED:2", "STORE_WRITTEN:1", "STORE_WRITTEN:2", "STORE_WRITTEN:3", "STORE_WRITTEN:4",
        "FORMAT_TRACK:1", "FORMAT_TRACK:9"}) {
    ASSERT_EQ(run(load + "faults.power_cut=event:" + cut, cut), 0) << cut << ": " << errors();
  }
}

TEST_F(RunPower, UnrecordedFormat_IsFound) {
  write_load(12, 14, kSmallFirst + 20);
  use_program(test::built(BROKEN_unmarked_format));
  ASSERT_EQ(run(kSmall + "hosts.every.format=6 --torture --every 60", "broken"), 1);
  EXPECT_THAT(std::string(summary("broken")["torture"]["findings"][0]["finding"]),
              HasSubstr("block "));
}

// A format saves two cells. With one copy of each, more is open than a cut can leave so.
TEST_F(RunPower, StoreThatWritesOneCopy_IsFound) {
  write_load(12, 14, kSmallFirst + 20);
  use_program(test::built(BROKEN_lone_copy));
  const std::string load = kSmall + "hosts.every.format=6 hosts.every.save=4 ";
  ASSERT_EQ(run(load + "--torture --every 300", "broken"), 1);
  EXPECT_THAT(std::string(summary("broken")["torture"]["findings"][0]["finding"]),
              HasSubstr("cells of the store have only one copy"));
}

TEST_F(RunPower, FormatOfADriveWithoutAStore_IsNotTortured) {
  write_load(1, 4);
  EXPECT_EQ(run("--platform native --drive mvax_71mb hosts.every.format=2 --torture", "out"), 1);
  EXPECT_THAT(errors(), HasSubstr("use another drive"));
}

// ---------------------------------------------------------------------------------- reallocation

// SCSI-2 9.3.3.6, AWRE: blocks move by themselves as they are written. Each has its data, or what
// it had before.
TEST_F(RunPower, BlocksThatMoveByThemselves_LoseNothing) {
  write_load(13, 24);
  const std::string drive = flawed({1003, 1010, 1011, 1050, 1120, 1121, 1122, 1190});
  for (const std::string more :
       {"", "--cache read-write hosts.every.fua=3 faults.power_loss=torn "}) {
    const std::string out = "awre" + std::to_string(more.size());
    ASSERT_EQ(run(drive + more + "hosts.every.save=2 observe.events=true --torture --every 3", out),
              0)
        << errors();
    EXPECT_THAT(slurp(file(out + "/events.txt")), HasSubstr("BLOCK_MOVED"));
  }
}

// A tortured run equals the same run without torture.
TEST_F(RunPower, Torture_ChangesNothingOfTheRun) {
  write_load(4, 20);
  ASSERT_EQ(run(kNative, "plain"), 0) << errors();
  ASSERT_EQ(run(std::string(kNative) + "--torture", "tortured"), 0) << errors();
  EXPECT_EQ(slurp(file("plain/records.csv")), slurp(file("tortured/records.csv")));
  EXPECT_EQ(summary("plain")["event_hash"], summary("tortured")["event_hash"]);
}

TEST_F(RunPower, FlagsOfTorture_AreOnlyForTorture) {
  write_load(1, 4);
  for (const std::string flag :
       {"--every", "--bytes", "--cuts", "--cut-seed", "--whole", "--jobs"}) {
    EXPECT_EQ(run(kNative + flag + " 2", "out"), 2);
    EXPECT_THAT(errors(), HasSubstr("unknown option '" + flag + "'"));
  }
}

}  // namespace
}  // namespace headstack::scenario
