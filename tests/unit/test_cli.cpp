// SPDX-License-Identifier: Apache-2.0
// The front end from its user's side: output, exit status, one error line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/unit/cli_fixture.hpp"

namespace headstack {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using test::Outcome;
using test::slurp;

class Cli : public test::Cli {};

TEST_F(Cli, List_NamesEveryShippedDrive) {
  const Outcome outcome = run("drive list");
  EXPECT_EQ(outcome.status, 0);
  for (const char* name : test::kShippedDrives) EXPECT_THAT(outcome.out, HasSubstr(name));
}

TEST_F(Cli, InfoJson_HoldsTheDescriptionsFacts) {
  const Outcome outcome = run("drive info eagle --json");
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["capacity_blocks"], 840 * 20 * 67);
  EXPECT_EQ(json["zones"][0]["sectors_per_track"], 67);
  EXPECT_NEAR(json["revolution_ms"], 1000.0 / 60, 1e-9);
  // 67 sectors of 512 bytes in a sixtieth of a second.
  EXPECT_NEAR(json["zones"][0]["media_rate_mb_per_s"], 67 * 512 * 60 / 1e6, 1e-6);
}

TEST_F(Cli, LocateAndBack) {
  const auto there = nlohmann::json::parse(run("drive locate hp_c3323a --lba 1000000 --json").out);
  const std::string chs =
      there["cylinder"].dump() + "," + there["head"].dump() + "," + there["sector"].dump();
  const auto back =
      nlohmann::json::parse(run("drive locate hp_c3323a --chs " + chs + " --json").out);
  EXPECT_EQ(back["lba"], 1'000'000);
}

TEST_F(Cli, AccessJson_PartsSumToTheTotal) {
  const auto json = nlohmann::json::parse(
      run("drive access cheetah_9lp --lba 2580300 --blocks 600 --from-cylinder 5000 --write --json")
          .out);
  std::int64_t sum = 0;
  for (const auto& stretch : json["stretches"]) {
    std::int64_t parts = 0;
    for (const char* part : {"seek_ps", "settle_ps", "head_switch_ps", "write_settle_ps",
                             "rotation_ps", "transfer_ps"}) {
      parts += stretch[part].get<std::int64_t>();
    }
    EXPECT_EQ(parts, stretch["total_ps"]);
    sum += parts;
  }
  EXPECT_EQ(sum, json["total_ps"]);
  EXPECT_GT(json["stretches"].size(), 2U) << "600 blocks cross tracks";
}

TEST_F(Cli, ImportedFile_CanBeUsedByPath) {
  const auto facts = test::shared_dir() / "drives/hp_97560.json";
  HEADSTACK_REQUIRE_FILE(facts);
  const Outcome imported = run("drive import '" + facts.string() + "' -o '" + file("d.toml") + "'");
  ASSERT_EQ(imported.status, 0) << imported.err;
  EXPECT_THAT(run("drive info '" + file("d.toml") + "'").out, HasSubstr("2,684,016 blocks"));
  EXPECT_EQ(run("drive import '" + facts.string() + "' -o '" + file("d.toml") + "'").status, 1)
      << "does not overwrite";
}

// The head has the form of sim/drives, which tests/pages/spdx.py requires: first the licence, then
// the source of the numbers. A source of several lines stays one comment.
TEST_F(Cli, ImportedFile_BeginsWithLicenceAndSource) {
  const auto facts = test::shared_dir() / "drives/hp_97560.json";
  HEADSTACK_REQUIRE_FILE(facts);
  std::ifstream stream(facts);
  auto json = nlohmann::json::parse(stream);
  for (const auto& [source, told] : std::vector<std::pair<nlohmann::json, std::string>>{
           {"a paper\nrpm = 1", "a paper rpm = 1"},
           {nullptr, "not told by the file; write it here"}}) {
    json.erase("source");
    if (!source.is_null()) json["source"] = source;
    std::ofstream(file("f.json")) << json;
    const Outcome imported = run("drive import '" + file("f.json") + "'");
    ASSERT_EQ(imported.status, 0) << imported.err;
    EXPECT_THAT(imported.out, testing::StartsWith("# SPDX-License-Identifier: Apache-2.0\n"
                                                  "# Imported from f.json. Source: " +
                                                  told + "\nname = "));
  }
}

TEST_F(Cli, UnknownOption_IsToldWithTheNearest) {
  const std::string lba = "unknown option '--lab'; did you mean '--lba'?\n";
  for (const auto& [arguments, error] : std::vector<std::pair<std::string, std::string>>{
           {"drive locate eagle --lab 5", lba},  // of a group of options
           {"drive access eagle --lab=5", lba},  // and one that is required
           {"trace synth --xyzzy 1", "unknown option '--xyzzy'; run with --help for the options\n"},
           {"--versoin", "unknown option '--versoin'; did you mean '--version'?\n"},
           {"drive locate", "drive is required; run with --help for the options\n"}}) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_EQ(outcome.err, "headstack: error: " + error) << arguments;
  }
}

const nlohmann::json& named(const nlohmann::json& rows, const std::string& name) {
  return *std::find_if(rows.begin(), rows.end(), [&](const auto& row) {
    if (row.contains("name")) return row["name"] == name;
    return std::count(row["names"].begin(), row["names"].end(), name) == 1;
  });
}

TEST_F(Cli, Describe_SaysWhatEachCommandTakes) {
  const auto whole = nlohmann::json::parse(run("--describe").out);
  for (const auto& option : whole["options"]) {
    EXPECT_EQ(std::count(option["names"].begin(), option["names"].end(), "--describe"), 0);
  }
  const auto& plot = named(named(whole["commands"], "drive")["commands"], "plot");
  const auto& format = named(plot["options"], "--format");
  EXPECT_EQ(format["choices"], nlohmann::json({"png", "svg"}));
  EXPECT_EQ(format["default"], "png");
  const auto& locate = named(named(whole["commands"], "drive")["commands"], "locate");
  EXPECT_EQ(named(locate["options"], "--chs")["many"], true) << "of a group of options";
  EXPECT_EQ(named(locate["options"], "--json")["value"], nullptr);
  const auto& word = locate["options"][1];
  EXPECT_EQ(word["word"], "drive");
  EXPECT_EQ(word["required"], true);
  EXPECT_EQ(word["names"].size(), 0U);
}

TEST_F(Cli, Keys_ListsEveryKeyOfADrive) {
  const std::string keys = run("drive keys").out;
  for (const char* key : {"design.rpm (required)", "design.zones[].slips", "specimen.flaw_seed",
                          "design.seek.pieces[].origin_cylinders", "published.cache"}) {
    EXPECT_THAT(keys, HasSubstr(key));
  }
}

// full(4): writing to /dev/full fails with ENOSPC. Each command's own output, and what is written
// for all of them.
TEST_F(Cli, FullDisk_IsAnError_OfEveryCommand) {
  std::ofstream(file("t")) << "headstack-trace 1\ntime-unit us\nrequests\n0 R 1 1 -\n";
  const std::string trace = file("t");
  for (const std::string& arguments : {std::string("drive list"),
                                       std::string("drive list --json"),
                                       std::string("policy list"),
                                       std::string("policy list --json"),
                                       std::string("--describe"),
                                       std::string("drive info eagle"),
                                       std::string("drive info eagle --json"),
                                       std::string("drive locate eagle --lba 5"),
                                       std::string("drive access eagle --lba 5"),
                                       std::string("drive keys"),
                                       std::string("drive check eagle"),
                                       std::string("trace formats"),
                                       std::string("trace formats --json"),
                                       "trace info " + trace,
                                       "trace info --json " + trace,
                                       "trace convert " + trace,
                                       "trace head " + trace,
                                       std::string("trace synth --drive eagle"),
                                       std::string("--help"),
                                       std::string("--version"),
                                       std::string("trace convert --help")}) {
    const std::string command = "HEADSTACK_ROOT='" + test::source_dir().string() + "' '" +
                                test::built(HEADSTACK_PROGRAM) + "' " + arguments +
                                " >/dev/full 2>'" + file("err") + "'";
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1) << arguments;
    const std::string err = slurp(file("err"));
    EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 1) << arguments;
    EXPECT_THAT(err,
                HasSubstr("headstack: error: standard output: cannot be written: No space left "
                          "on device; make room on its disk"))
        << arguments;
  }
}

// What was there before stays, and nothing half done beside it. A shell's step is 512 bytes. A
// program that counts what it executes (gcov) must not leave half a file for others: GCOV_PREFIX.
TEST_F(Cli, FileLimit_LeavesTheOlderFile) {
  std::ofstream(file("copy")) << "older";
  const std::string synth = "trace synth --drive eagle --count 1000 --force -o " + file("copy");
  const std::string command = "ulimit -f 1; GCOV_ERROR_FILE=/dev/null GCOV_PREFIX='" +
                              file("counts") + "' HEADSTACK_ROOT='" + test::source_dir().string() +
                              "' '" + test::built(HEADSTACK_PROGRAM) + "' " + synth + " 2>'" +
                              file("err") + "'";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1);
  EXPECT_THAT(slurp(file("err")),
              HasSubstr(file("copy") + ": cannot be written: File too large; lift the limit"));
  EXPECT_EQ(slurp(file("copy")), "older");
  for (const auto& entry : std::filesystem::directory_iterator(folder())) {
    EXPECT_NE(entry.path().extension(), ".part");
  }
}

TEST_F(Cli, Check_ReportsEveryBadFile) {
  std::ofstream(file("bad.toml")) << "name = 'x'\n";
  const Outcome outcome = run("drive check '" + file("bad.toml") + "' eagle no_such_drive");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("eagle: good"));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("bad.toml"), HasSubstr("design"),
                                 HasSubstr("no drive named 'no_such_drive'")));
}

// SECTOR.bytes of hdl/regs/buffer_mgr.rdl is a multiple of 4. A host tells its blocks apart by 8
// bytes. The firmware needs a buffer of one sector. FORMAT.preamble has 12 bits. 65,535 sectors of
// 560 bytes pass within 16.7 ms, in less than half a ns each. `run` refuses them on all platforms.
TEST_F(Cli, Check_RefusesADriveThatNoPlatformRuns) {
  const std::string eagle = slurp((test::source_dir() / "sim/drives/eagle.toml").string());
  const struct {
    const char* from;
    const char* to;
    const char* error;  // "" for a good one
  } kCases[] = {
      {"sector_bytes = 512", "sector_bytes = 4",
       ":10: design.sector_bytes: 4 bytes, but the drive's buffer moves words of 4; give a "
       "multiple "
       "of 4, 8 or more"},
      {"sector_bytes = 512", "sector_bytes = 7", "multiple of 4, 8 or more"},
      {"sector_bytes = 512", "sector_bytes = 8", ""},
      {"sector_bytes = 512", "sector_bytes = 10", "multiple of 4, 8 or more"},
      {"sector_bytes = 512", "sector_bytes = 12", ""},
      {"sector_bytes = 512", "sector_bytes = 511", "multiple of 4, 8 or more"},
      {"sector_bytes = 512", "sector_bytes = 513", "multiple of 4, 8 or more"},
      {"sector_bytes = 512", "sector_bytes = 516", ""},
      {"sector_bytes = 512", "sector_bytes = 16384", ""},
      {"sector_bytes = 512", "sector_bytes = 16388", "out of range"},
      {"buffer_bytes = 65536", "buffer_bytes = 512", ""},
      {"sector_bytes = 512", "sector_bytes = 516\nbuffer_bytes = 515",
       ":11: design.buffer_bytes: 515 bytes do not hold a sector; give 516 or more"},
      {"sectors_per_track = 67", "sectors_per_track = 65535",
       "0.454 ns a byte; give fewer sectors or a slower spindle: at least 1 ns a byte"},
      {"[design.seek]", "[design.format]\npreamble_bytes = 0\n[design.seek]",
       "design.format.preamble_bytes: the formatter finds no sync mark after 0 bytes; give 1 .. "
       "4095"},
      {"[design.seek]", "[design.format]\npreamble_bytes = 4096\n[design.seek]", "1 .. 4095"},
      {"[design.seek]", "[design.format]\npreamble_bytes = 1\n[design.seek]", ""},
      {"[design.seek]", "[design.format]\npreamble_bytes = 4095\n[design.seek]", ""},
      {"[design.seek]", "[design.format]\ncheck_bytes = 0\n[design.seek]", "give 4"},
  };
  for (const auto& one : kCases) {
    std::string text = eagle;
    const std::string to = one.to;
    if (to.find("buffer_bytes") != std::string::npos && to.find('\n') != std::string::npos) {
      text.erase(text.find("buffer_bytes = 65536"), 20);
    }
    ASSERT_NE(text.find(one.from), std::string::npos) << one.from;
    text.replace(text.find(one.from), std::string(one.from).size(), to);
    std::ofstream(file("copy.toml")) << text;
    const Outcome outcome = run("drive check '" + file("copy.toml") + "'");
    EXPECT_EQ(outcome.status, *one.error == '\0' ? 0 : 1) << to << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(one.error)) << to;
    if (*one.error == '\0') continue;
    EXPECT_THAT(outcome.err, AllOf(HasSubstr(file("copy.toml") + ":"), Not(HasSubstr("warning"))))
        << to;
  }
}

TEST_F(Cli, AFolderForAFile_IsCalledOne) {
  for (const char* command : {"drive check", "drive import", "drive info"}) {
    const Outcome outcome = run(std::string(command) + " '" + folder().string() + "'");
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_THAT(outcome.err, HasSubstr(folder().string() + ": is a folder; name a file\n"));
  }
  const Outcome trace = run("trace info '" + folder().string() + "'");
  EXPECT_THAT(trace.err, HasSubstr(folder().string() + ": is a folder; name the trace in it\n"));
  const Outcome counts = run("remap arrange eagle --counts '" + folder().string() + "'");
  EXPECT_EQ(counts.status, 1);
  EXPECT_THAT(counts.err,
              HasSubstr(folder().string() +
                        ": is a folder; give a file that 'headstack remap analyse' wrote"));
}

// The measured trace's own description (traces/README.md): 1,563 writes, 778 flushes, 142 reads.
TEST_F(Cli, TraceInfo_CountsTheMeasuredTrace) {
  const std::string trace = (test::source_dir() / "traces/measured/ext4-git-sqlite.trace").string();
  const auto json = nlohmann::json::parse(run("trace info '" + trace + "' --json").out);
  EXPECT_EQ(json["writes"], 1563);
  EXPECT_EQ(json["flushes"], 778);
  EXPECT_EQ(json["reads"], 142);
}

TEST_F(Cli, TraceConvert_MakesATraceThatConvertsToItself) {
  std::ofstream(file("in")) << "46.476655 0 5061656 8 1\n94.373125 0 1620216 8 0\n";
  ASSERT_EQ(run("trace convert '" + file("in") + "' -o '" + file("one") + "'").status, 0);
  EXPECT_THAT(slurp(file("one")), HasSubstr("46476.655 R 5061656 8 -\n"));
  EXPECT_EQ(run("trace convert '" + file("one") + "'").out, slurp(file("one")));
  EXPECT_EQ(run("trace convert '" + file("in") + "' -o '" + file("one") + "'").status, 1)
      << "does not overwrite";
}

/// The Python that the entry script made, where it has matplotlib.
bool can_plot() {
  const std::string python = (test::source_dir() / "build/venv/bin/python").string();
  ::setenv("HEADSTACK_PYTHON", python.c_str(), 0);  // the entry script's own setting wins
  return std::system("\"$HEADSTACK_PYTHON\" -c 'import matplotlib' 2>/dev/null") == 0;
}

TEST_F(Cli, TraceInfoPlot_DrawsThePicture_TheSameEveryTime) {
  if (!can_plot()) GTEST_SKIP() << "no Python with matplotlib here: ./headstack setup installs it";
  const std::string trace = (test::source_dir() / "traces/measured/ext4-git-sqlite.trace").string();
  for (const char* picture : {"one.png", "two.png"}) {
    const Outcome outcome = run("trace info '" + trace + "' --plot '" + file(picture) + "'");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  const std::string one = slurp(file("one.png"));
  EXPECT_EQ(one.substr(0, 8), "\x89PNG\r\n\x1a\n");
  EXPECT_GT(one.size(), 20'000U);
  EXPECT_EQ(one, slurp(file("two.png"))) << "not the same bits twice";
}

TEST_F(Cli, Plot_DrawsThreePictures_TheSameEveryTime) {
  if (!can_plot()) GTEST_SKIP() << "no Python with matplotlib here: ./headstack setup installs it";
  for (const char* folder : {"one", "two"}) {
    const Outcome outcome = run("drive plot zoned_179mb --out '" + file(folder) + "'");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
  }
  for (const char* picture : {"seek", "zones", "layout"}) {
    const std::string name = std::string("/zoned_179mb-") + picture + ".png";
    const std::string one = slurp(file("one") + name);
    // The PNG signature (ISO/IEC 15948, 5.2), and more than an empty canvas.
    EXPECT_EQ(one.substr(0, 8), "\x89PNG\r\n\x1a\n") << name;
    EXPECT_GT(one.size(), 20'000U) << name;
    EXPECT_EQ(one, slurp(file("two") + name)) << "not the same bits twice: " << name;
  }
}

// A Python that has none of them: -S leaves out what is installed.
TEST_F(Cli, Plot_WithoutItsPackages_SaysHowToGetThem) {
  const std::string bare = file("python");
  std::ofstream(bare) << "#!/bin/sh\nexec python3 -S \"$@\"\n";
  ASSERT_EQ(::chmod(bare.c_str(), 0755), 0);
  const Outcome outcome =
      run("drive plot eagle --out '" + file("x") + "'", "HEADSTACK_PYTHON='" + bare + "'");
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.err, HasSubstr("headstack setup"));
}

struct BadLine {
  const char* what;
  const char* arguments;
  int status;
  const char* message;
};

const BadLine kBadLines[] = {
    {"UnknownDrive", "drive info cheetah9lp", 1, "did you mean 'cheetah_9lp'?"},
    {"UnknownCommand", "drive inof eagle", 2, "did you mean 'info'?"},
    {"UnknownGroup", "dirve info eagle", 2, "did you mean 'drive'?"},
    {"UnknownFlag", "drive info eagle --jsn", 2, "--jsn"},
    {"BlockPastTheEnd", "drive locate eagle --lba 1125600", 1, "give 0 .. 1125599"},
    {"AccessPastTheEnd", "drive access eagle --lba 1125599 --blocks 2", 1, "1125599"},
    {"CylinderPastTheEnd", "drive access eagle --lba 0 --from-cylinder 840", 1, "give 0 .. 839"},
    {"HeadPastTheEnd", "drive access eagle --lba 0 --from-head 20", 1, "give 0 .. 19"},
    {"NoBlocks", "drive access eagle --lba 0 --blocks 0", 2, "--blocks"},
    {"NegativeBlock", "drive locate eagle --lba -1", 2, "--lba"},
    {"NotANumber", "drive locate eagle --lba ten", 2, "--lba"},
    {"NoPlace", "drive locate eagle", 2, "--lba"},
    {"OctalLooksDecimal", "drive locate abstract_1000_track --lba 08000", 1, "--lba 8000"},
    {"BlockBeyondAnyDrive", "drive locate eagle --lba 18446744073709551616", 2, "whole number"},
    {"TimeThatIsNone", "drive access eagle --lba 0 --at-ms nan", 2, "--at-ms"},
    {"MissingTrace", "trace info ./nothing.trace", 1, "nothing.trace"},
    {"UnknownTraceCommand", "trace inof x", 2, "did you mean 'info'?"},
    {"MissingFile", "drive info ./nothing.toml", 1, "nothing.toml"},
    {"MissingFacts", "drive import ./nothing.json", 1, "nothing.json"},
};

class CliError : public Cli, public testing::WithParamInterface<BadLine> {};

TEST_P(CliError, OneLineOnStderr_AndTheStatus) {
  const Outcome outcome = run(GetParam().arguments);
  EXPECT_EQ(outcome.status, GetParam().status) << outcome.err;
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("headstack: error: "), HasSubstr(GetParam().message)));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_EQ(outcome.out, "");
}

INSTANTIATE_TEST_SUITE_P(Cli, CliError, testing::ValuesIn(kBadLines), test::case_name<BadLine>);

}  // namespace
}  // namespace headstack
