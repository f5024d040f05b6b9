// SPDX-License-Identifier: Apache-2.0
// No file and no output of `headstack run` is truncated silently. With a full device in its place,
// or a limit for files, the run names file and reason. Its exit status is not 0.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <set>
#include <sstream>
#include <utility>

#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class FullDisk : public ReplayFixture {
 protected:
  void SetUp() override {
    ReplayFixture::SetUp();
    keep_runs();
    write_trace(3, 4, 2'056'008, 300);
  }
  static constexpr const char* kDrive = "--drive hp_c3323a --policy stf --depth 4 ";
};

struct Artefact {
  const char* what;
  const char* file;  // in OUT
  const char* arguments;
};

class FullDiskOf : public FullDisk, public testing::WithParamInterface<Artefact> {};

// full(4): writing there fails with ENOSPC, as on a full disk.
TEST_P(FullDiskOf, OneFile_IsReported) {
  std::filesystem::create_directories(file("out"));
  std::filesystem::create_symlink("/dev/full", file("out/") + GetParam().file);
  EXPECT_EQ(run(kDrive + std::string(GetParam().arguments), "out"), 1);
  EXPECT_THAT(errors(),
              AllOf(HasSubstr("headstack: error: "),
                    HasSubstr(std::string("out/") + GetParam().file +
                              ": cannot be written: No space left on device; make room")));
}

const Artefact kArtefacts[] = {
    {"Records", "records.csv", "--platform vp"},
    {"SummaryJson", "summary.json", "--platform vp"},
    {"SummaryText", "summary.txt", "--platform vp"},
    {"Drive", "drive.toml", "--platform vp"},
    {"Events", "events.txt", "--platform vp observe.events=true"},
    {"RecordsOnRtl", "records.csv", "--limit 1"},
    {"Ledger", "ledger.txt", "--limit 1 observe.ledger=true"},
    {"Profile", "profile.txt", "--limit 1 observe.profile=true"},
    {"PostMortem", "post-mortem.txt", "stop.watchdog=1ms"},
};
INSTANTIATE_TEST_SUITE_P(Run, FullDiskOf, testing::ValuesIn(kArtefacts), test::case_name<Artefact>);

TEST_F(FullDisk, OfTheTimeline_IsReported) {
  const std::string name = "out/timeline.perfetto";
  std::filesystem::create_directories(file("out"));
  std::filesystem::create_symlink("/dev/full", file(name));
  EXPECT_EQ(run(std::string(kDrive) + "--platform vp observe.timeline=true", "out"), 1);
  EXPECT_THAT(errors(), HasSubstr(name + ": cannot be written: No space left on device"));
  EXPECT_THAT(summary("out")["failure"].get<std::string>(), HasSubstr(name))
      << "who reads the summary alone is told, too";
}

// The disk fills with the media in the middle of a run. Finished work is kept, and the file can be
// read as it was left.
TEST_F(FullDisk, OfTheMedia_IsReported_AndKeepsWhatWasDone) {
  std::filesystem::create_directories(file("disk"));
  // With a small disk in that folder, for this line alone.
  const auto status_of = [this](const std::string& line) {
    std::ofstream(file("script")) << "mount -t tmpfs -o size=700k none '" << file("disk") << "' && "
                                  << line << '\n';
    const std::string call = "unshare --mount sh '" + file("script") + "' 2>/dev/null";
    return WEXITSTATUS(std::system(call.c_str()));
  };
  if (status_of("true") != 0) GTEST_SKIP() << "only root may mount a small disk for this test";
  write_trace(3, 200, 2'056'008, 2'056'008);
  for (const std::string platform : {"native", "vp", "rtl"}) {
    const std::string arguments = kDrive + ("--platform " + platform) + " drive.media='";
    EXPECT_EQ(status_of(command(arguments + file("disk/media") + '\'', platform)), 1) << platform;
    EXPECT_THAT(errors(), AllOf(HasSubstr("headstack: error: media file"),
                                HasSubstr("No space left on device); free space on its disk")));
    const Json result = summary(platform);
    EXPECT_THAT(result["failure"].get<std::string>(), HasSubstr("cannot take another sector"));
    const int done = result["result"]["commands"];
    EXPECT_GT(done, 3) << platform;
    EXPECT_LT(done, 200) << platform;
    EXPECT_EQ(result["result"]["record_faults"], 0) << platform;
    const std::string records = slurp(file(platform) + "/records.csv");
    EXPECT_EQ(std::count(records.begin(), records.end(), '\n'), 1 + done) << platform;
  }
  EXPECT_EQ(slurp(file("vp/records.csv")), slurp(file("rtl/records.csv")));
}

// `| head` closes the output early: all files are complete, and there is no message. A shell shows
// 128 + SIGPIPE for a program that the signal ended.
TEST_F(FullDisk, ClosedStandardOutput_EndsTheRunSilently) {
  const std::string pipe = "'" + file("pipe") + "'";
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  const std::string line =
      "true <" + pipe + " & " + command(std::string(kDrive) + "--platform vp", "out") + " >" + pipe;
  EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 128 + SIGPIPE);
  EXPECT_EQ(errors(), "");
  EXPECT_EQ(summary("out")["failure"], "");
}

TEST_F(FullDisk, OfStandardOutput_IsReported) {
  for (const std::string arguments : {"--platform vp", "--limit 1"}) {
    const std::string line = command(kDrive + arguments, "out-" + arguments) + " >/dev/full";
    EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 1);
    EXPECT_THAT(errors(), HasSubstr("standard output: cannot be written: No space left on device"));
  }
}

/// No message can be shown: standard error is closed, on a full device, or a pipe without a reader.
TEST_F(FullDisk, OfStandardError_LosesMessages_AndNothingElse) {
  std::ofstream(file("trace"), std::ios::app) << "no request\n";
  const std::string good = std::string(kDrive) + "--platform vp load.on_bad=skip";
  ASSERT_EQ(run(good, "whole"), 0);
  ASSERT_THAT(errors(), HasSubstr("warning: left out"));
  const std::string pipe = "'" + file("pipe") + "'";
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  const std::pair<std::string, std::string> ways[] = {
      {"", " 2>&-"}, {"", " 2>/dev/full"}, {"true <" + pipe + " & ", " 2>" + pipe}};
  int number = 0;
  for (const auto& [before, behind] : ways) {
    const auto status_of = [&, &before = before, &behind = behind](const std::string& arguments,
                                                                   const std::string& out) {
      const int status = std::system((before + command(arguments, out) + behind).c_str());
      return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    };
    const std::string out = "out" + std::to_string(number++);
    EXPECT_EQ(status_of(good, out), 0) << behind;
    EXPECT_EQ(summary(out)["failure"], "") << behind;
    for (const char* name : {"records.csv", "drive.toml", ".headstack-run"}) {
      EXPECT_EQ(slurp(file(out) + '/' + name), slurp(file("whole/") + name)) << name << behind;
    }
    EXPECT_EQ(status_of("--drive none --platform vp", "none"), 1) << behind;
    EXPECT_EQ(status_of("--drive eagle --nonsense", "none"), 2) << behind;
  }
}

/// The run ends long before the last of its commands.
TEST_F(FullDisk, EndsALongRunEarly) {
  write_trace(3, 200'000, 2'056'008, 300);
  std::filesystem::create_directories(file("out"));
  std::filesystem::create_symlink("/dev/full", file("out/records.csv"));
  EXPECT_EQ(run(std::string(kDrive) + "--platform vp", "out"), 1);
  EXPECT_LT(summary("out")["result"]["commands"].get<int>(), 199'000);
}

/// Runs with a limit for files, in bytes, which a shell sets in steps of 512.
class FileLimit : public FullDisk {
 protected:
  int run_within(std::uintmax_t bytes, const std::string& arguments, const std::string& out) const {
    const std::string line =
        "ulimit -f " + std::to_string(bytes / 512) + "; " + command(kDrive + arguments, out);
    return WEXITSTATUS(std::system(line.c_str()));
  }
};

// Each file is cut in turn, as the limit grows past one after the other. POSIX ulimit: 512 bytes.
TEST_F(FileLimit, CutsEachFileInTurn_AndTheRunReportsIt_UntilAllAreWhole) {
  write_trace(3, 60, 2'056'008, 300);
  const std::string arguments = "--platform vp observe.events=true observe.timeline=true";
  ASSERT_EQ(run(arguments + " " + kDrive, "whole"), 0) << errors();
  const std::string names[] = {"records.csv",       "events.txt",  "drive.toml",
                               "timeline.perfetto", "summary.txt", "summary.json"};
  std::uintmax_t largest = 0;
  for (const std::string& name : names) {
    largest = std::max(largest, std::filesystem::file_size(file("whole/" + name)));
  }
  std::set<std::string> told;
  for (std::uintmax_t limit = 512; limit < 2 * largest; limit += limit / 2 / 512 * 512 + 512) {
    const std::string out = "out" + std::to_string(limit);
    const int status = run_within(limit, arguments, out);
    if (limit < largest) {
      EXPECT_EQ(status, 1) << limit;
      EXPECT_THAT(errors(), HasSubstr("cannot be written: File too large; lift the limit"));
      std::istringstream lines(errors());
      for (std::string line; std::getline(lines, line);) {
        const std::size_t end = line.find(": cannot be written");
        if (end != std::string::npos)
          told.insert(line.substr(0, end).substr(line.rfind('/', end) + 1));
      }
    } else {
      EXPECT_EQ(status, 0) << limit << errors();
      for (const std::string& name : {names[0], names[1], names[2], names[3]}) {
        EXPECT_TRUE(slurp(file(out + "/" + name)) == slurp(file("whole/" + name))) << name;
      }
    }
  }
  EXPECT_THAT(told, testing::IsSupersetOf({names[0], names[1], names[2], names[3]}));
}

// The library that writes waves does not report a full disk (sim/soc/fst_stdio.hpp). It keeps names
// and changes in files of their own, which are smaller or larger than the waves.
TEST_F(FileLimit, CutsWaves_AndTheRunReportsIt) {
  const std::string arguments =
      "--limit 1 --wave '" + file("run.fst") + "' observe.waves.windows=time:0.8ms..1.2ms ";
  ASSERT_EQ(run(arguments + kDrive, "whole"), 0) << errors();
  const std::uintmax_t size = std::filesystem::file_size(file("run.fst"));
  int number = 0;
  bool waves = false;
  for (const std::uintmax_t limit : {size / 16, size / 4, size / 2, size - 20'000, size - 512}) {
    const std::string out = "out" + std::to_string(number++);
    EXPECT_EQ(run_within(limit, arguments, out), 1) << limit << " of " << size;
    const bool told =
        errors().find("run.fst: cannot be written: File too large") != std::string::npos;
    const bool others =
        errors().find("temporary files of waves cannot be written: File too large") !=
        std::string::npos;
    EXPECT_TRUE(told || others) << limit << ": " << errors();
    waves = waves || told;
  }
  EXPECT_TRUE(waves);
  EXPECT_EQ(run_within(8 * size, arguments, "out"), 0) << errors();
}

}  // namespace
}  // namespace headstack::scenario
