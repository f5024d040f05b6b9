// SPDX-License-Identifier: Apache-2.0
// A run whose drive fails its commands, or that measures nothing, does not end as a good one. Sense
// data are those of SCSI-2 table 71.
#include <gmock/gmock.h>

#include <sstream>

#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr int kRequests = 20;
constexpr int kFirst = 1000;  // first block; the next request is eight blocks further

class RunFailures : public ReplayFixture {
 protected:
  void SetUp() override {
    ReplayFixture::SetUp();
    write_requests("R", kRequests);
  }
  void write_requests(const std::string& operations, int count) const {
    std::ofstream out(file("trace"));
    out << "headstack-trace 1\ntime-unit us\nloop closed\nrequests\n";
    for (int i = 0; i < count; ++i) {
      out << "- " << operations[static_cast<std::size_t>(i) % operations.size()] << ' '
          << kFirst + 8 * i << " 8 -\n";
    }
  }
  /// HP's drive with a given specimen.
  std::string drive_with(const std::string& specimen) const {
    std::ofstream(file("drive.toml"))
        << slurp(test::source_dir() / "sim/drives/hp_c3323a.toml") << "\n"
        << specimen;
    return "'" + file("drive.toml") + "'";
  }
  std::string flawed() const {
    return drive_with(
        "[[specimen.flaws]]\nkind = \"unreadable\"\nlba = 1016\n"
        "[[specimen.flaws]]\nkind = \"unreadable\"\nlba = 1032\n");
  }
  int run_drive(const std::string& words, const std::string& drive = "hp_c3323a") const {
    return run("--platform native --drive " + drive + " " + words, "out");
  }
  std::string text() const { return slurp(file("out/summary.txt")); }
  /// Column `sense` of records.csv, which follows `status`, by lines.
  std::vector<std::string> senses() const {
    std::istringstream lines(slurp(file("out/records.csv")));
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      std::string field;
      for (int i = 0; i < 9; ++i) std::getline(fields, field, ',');
      all.push_back(field);
    }
    return all;
  }
};

// Two of the blocks cannot be read: two commands end with 3/11/00, as the description explains.
TEST_F(RunFailures, FailuresOfTheSpecimen_AreNamed_AndEndWith0) {
  ASSERT_EQ(run_drive("--depth 1", flawed()), 0) << errors();
  EXPECT_THAT(text(), HasSubstr("2 CHECK CONDITION: 3/11/00 unrecovered read error"));
  EXPECT_EQ(errors(), "");
  std::vector<std::string> expected(1 + kRequests);
  expected[0] = "sense";
  expected[1 + 2] = expected[1 + 4] = "3/11/00";  // blocks 1016 and 1032: the third and the fifth
  EXPECT_EQ(senses(), expected);
  const Json result = summary("out")["result"];
  EXPECT_EQ(result["failed"], 2);
  EXPECT_EQ(result["sense"], Json::parse(R"([{"sense": "3/11/00", "words": "unrecovered read error",
                             "commands": 2}])"));
  const Json sense = summary("out")["sense"];
  ASSERT_EQ(sense.size(), 1U);
  EXPECT_EQ(sense[0]["received"], 2);
  EXPECT_EQ(sense[0]["explained_by"], "the specimen's flaws");
}

TEST_F(RunFailures, FailOn_HoldsARunToNumbersAndShares) {
  const std::string drive = flawed();
  const struct {
    const char* words;
    int status;
  } cases[] = {
      {"stop.fail_on=not-good=2", 0},
      {"stop.fail_on=not-good=1", 1},
      {"stop.fail_on=not-good", 1},
      {"stop.fail_on=not-good=10%", 0},
      {"stop.fail_on=sense=2", 0},
      {"stop.fail_on=sense=9.9%", 1},
      {"stop.fail_on=media-retry", 1},
      {"stop.fail_on=media-retry=900", 0},
      {"'stop.fail_on=[\"bus-violation\", \"not-good=9\"]'", 0},
      {"'stop.fail_on=[\"bus-violation\", \"not-good=1\"]'", 1},
  };
  for (const auto& one : cases) {
    EXPECT_EQ(run_drive(std::string("--depth 1 ") + one.words, drive), one.status)
        << one.words << "\n"
        << errors();
    EXPECT_EQ(summary("out")["failure"] != "", one.status == 1) << one.words;
  }
  EXPECT_THAT(errors(),
              testing::MatchesRegex("headstack: error: stop.fail_on not-good=1: 2 commands "
                                    "that did not end with GOOD\n"));
}

// A warm-up has no records, but its sense data count.
TEST_F(RunFailures, SenseOfTheWarmUp_CountsForTheRun) {
  const std::string drive = flawed();
  ASSERT_EQ(run_drive("--depth 1 load.warm_up=10 stop.fail_on=not-good", drive), 0) << errors();
  EXPECT_EQ(summary("out")["result"]["failed"], 0);
  EXPECT_THAT(text(), HasSubstr("sense data 3/11/00 unrecovered read error: 2 received; explained "
                                "by the specimen's flaws"));
  EXPECT_EQ(run_drive("--depth 1 load.warm_up=10 stop.fail_on=sense", drive), 1);
}

// A command that met a reset's unit attention is sent again, so no record has it.
TEST_F(RunFailures, SenseOfTriesThatWereSentAgain_IsExplainedByTheReset) {
  ASSERT_EQ(run_drive("--depth 4 hosts.every.bus_reset=7 --limit 20"), 0) << errors();
  EXPECT_EQ(summary("out")["result"]["failed"], 0);
  EXPECT_THAT(text(), AllOf(HasSubstr("sense data 6/29/02 SCSI bus reset occurred"),
                            HasSubstr("explained by resets by hosts")));
}

// Writes wait for an event that has passed: each is tried again, and fails in the end. The firmware
// is the only cause.
TEST_F(RunFailures, DriveThatFailsItsCommands_EndsWith1AndIsNamed) {
  use_program(test::built(BROKEN_lost_wake_up));
  write_trace(3, kRequests, 2'056'008, 300);
  EXPECT_EQ(run_drive("--depth 2 stop.watchdog=0s"), 1);
  EXPECT_THAT(errors(),
              AllOf(HasSubstr("headstack: warning: sense data 4/02/00 (no seek complete)"),
                    HasSubstr("no option of hosts or drive explains it"),
                    HasSubstr("headstack: error: stop.fail_on unexplained-sense (default): "),
                    HasSubstr("times 4/02/00 no seek complete")));
  EXPECT_THAT(text(), HasSubstr("CHECK CONDITION: 4/02/00 no seek complete"));
  EXPECT_THAT(summary("out")["failure"].get<std::string>(), HasSubstr("4/02/00"));
  EXPECT_EQ(run_drive("--depth 2 stop.watchdog=0s stop.fail_on=unexplained-sense=100%"), 0)
      << errors();
  EXPECT_THAT(errors(), HasSubstr("headstack: warning: sense data 4/02/00"));
}

class EmptyRuns : public RunFailures {};

TEST_F(EmptyRuns, WarmUpBeyondTheEnd_IsAnError) {
  EXPECT_EQ(run_drive("load.warm_up=19"), 0) << errors();
  EXPECT_EQ(run_drive("load.warm_up=20"), 1);
  EXPECT_THAT(errors(), AllOf(HasSubstr("all 20 requests warmed up, so none was measured"),
                              HasSubstr("load.warm_up"), HasSubstr("stop.allow_empty")));
  EXPECT_EQ(run_drive("load.warm_up=100s"), 1);
  EXPECT_EQ(run_drive("load.warm_up=20 stop.allow_empty=true"), 0) << errors();
  EXPECT_EQ(summary("out")["result"]["commands"], 0);
}

TEST_F(EmptyRuns, TraceWithoutRequests_IsAnErrorThatCostsNoOlderRun) {
  ASSERT_EQ(run_drive(""), 0) << errors();
  const std::string records = slurp(file("out/records.csv"));
  write_requests("R", 0);
  EXPECT_EQ(run_drive(""), 1);
  EXPECT_THAT(errors(), AllOf(HasSubstr("no request is in it"), HasSubstr("accept it with")));
  EXPECT_EQ(slurp(file("out/records.csv")), records);
  EXPECT_EQ(run_drive("stop.allow_empty=true"), 0) << errors();
}

TEST_F(EmptyRuns, ExpectRequests_CountsAllThatWereReplayed) {
  EXPECT_EQ(run_drive("load.expect=20"), 0) << errors();
  EXPECT_EQ(run_drive("load.expect=20 load.warm_up=5"), 0) << errors();
  EXPECT_EQ(run_drive("load.expect=22 hosts.every.flush=10"), 0) << errors();
  EXPECT_EQ(run_drive("load.expect=5 --limit 5"), 0) << errors();
  for (const char* wrong : {"19", "21"}) {
    EXPECT_EQ(run_drive(std::string("load.expect=") + wrong), 1);
    EXPECT_THAT(errors(), HasSubstr("20 requests were replayed"));
  }
}

// blkparse's lines, made by hand: device, cpu, sequence, seconds, process, action, kind, place.
TEST_F(EmptyRuns, TraceOfQueuedRequests_IsReadByChoice) {
  std::ofstream(file("trace")) << "8,16 1 1 0.001 9 Q WS 4096 + 8 [p]\n"
                                  "8,16 1 2 0.001 9 G WS 4096 + 8 [p]\n"
                                  "8,16 1 3 0.004 0 C WS 4096 + 8 [0]\n"
                                  "8,16 1 4 0.101 9 Q R 8192 + 16 [p]\n"
                                  "8,16 1 5 0.103 0 C R 8192 + 16 [0]\n";
  EXPECT_EQ(run_drive(""), 1);
  EXPECT_THAT(errors(), HasSubstr("no request is in it, but 2 Q (queued), 1 G (allocated), 2 C "
                                  "(completed); requests are made of D"));
  ASSERT_EQ(run_drive("load.events=queue"), 0) << errors();
  EXPECT_EQ(summary("out")["result"]["commands"], 2);
  EXPECT_EQ(summary("out")["result"]["blocks"], 24);
}

// Deadlines that are not sent to the drive do not exist for its policy.
TEST_F(RunFailures, DeadlinePolicyWithoutDeadlines_IsAWarning) {
  std::ofstream(file("trace")) << "headstack-trace 4\ntime-unit ms\nloop closed\n"
                                  "columns operation lba blocks deadline\nrequests\n"
                                  "R 1000 8 50\nR 900000 8 20\n";
  ASSERT_EQ(run_drive("--policy edf"), 0) << errors();
  EXPECT_THAT(errors(), AllOf(HasSubstr("headstack: warning: policy edf goes by deadlines"),
                              HasSubstr("settings.deadlines")));
  EXPECT_THAT(text(), HasSubstr("settings.deadlines"));
  for (const char* words : {"--policy edf --deadlines message", "--policy stf"}) {
    ASSERT_EQ(run_drive(words), 0) << errors();
    EXPECT_EQ(errors(), "") << words;
    EXPECT_THAT(text(), Not(HasSubstr("settings.deadlines")));
  }
}

}  // namespace
}  // namespace headstack::scenario
