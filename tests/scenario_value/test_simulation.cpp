// SPDX-License-Identifier: Apache-2.0
// A scenario as a library runs it: in this process, several times, without files and output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "host/run/result.hpp"
#include "host/run/scenario_options.hpp"
#include "host/scenario/load.hpp"
#include "tests/support.hpp"

namespace headstack::run {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

/// Forty reads and writes on the Eagle, by the firmware as this machine's code.
const Words kLoad = {"drive=eagle", "platform=native", "policy=stf", "depth=4",
                     "load.synthetic={requests=40,write_share=0.3}"};

struct Played {
  Result result;
  std::vector<report::CommandRecord> records;
  Picoseconds end = 0;
};

RunOptions options_for(Words settings) {
  settings.insert(settings.begin(), kLoad.begin(), kLoad.end());
  const scenario::Loaded loaded = scenario::load_settings(settings);
  scenario::require_good(loaded);
  return options_of(loaded.scenario, {});
}

/// @param slices: after so many the run is interrupted; 0: never.
Played play(const Words& settings, int slices = 0) {
  Played played;
  const RunOptions options = options_for(settings);
  Simulation simulation(options, nullptr, [&played](const report::CommandRecord& record, auto) {
    played.records.push_back(record);
  });
  simulation.begin();
  for (int i = 1; simulation.goes_on(); ++i) {
    simulation.advance();
    if (i == slices) simulation.interrupt();
  }
  simulation.finish();
  played.end = simulation.session().now();
  played.result = conclude(simulation);
  return played;
}

class SimulationTest : public testing::Test {
 protected:
  void SetUp() override { ::setenv("HEADSTACK_ROOT", test::source_root(), 1); }
};

TEST_F(SimulationTest, Run_LeavesRecordsAndSummary) {
  const Played played = play({});
  EXPECT_EQ(played.result.failure, "");
  EXPECT_EQ(played.records.size(), 40U);
  EXPECT_EQ(played.result.summary["result"]["commands"], 40);
  EXPECT_EQ(played.result.summary["interrupted"], false);
  EXPECT_THAT(played.result.text, HasSubstr("40 commands in "));
}

TEST_F(SimulationTest, Run_MakesNoFileAndPrintsNothing) {
  const fs::path folder = fs::path(testing::TempDir()) / "headstack-no-files";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  (void)play({});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  fs::current_path(before);
  EXPECT_TRUE(fs::is_empty(folder));
  fs::remove_all(folder);
}

TEST_F(SimulationTest, RunsInOneProcess_AreEqual) {
  const Played first = play({});
  (void)play({"seed=7", "policy=fcfs"});  // leaves nothing behind
  const Played again = play({});
  EXPECT_EQ(first.result.summary, again.result.summary);
  EXPECT_EQ(first.result.text, again.result.text);
}

TEST_F(SimulationTest, RunsInThreads_AreEqual) {
  const Played alone = play({});
  std::vector<Played> together(3);
  std::vector<std::thread> threads;
  for (Played& played : together) threads.emplace_back([&played] { played = play({}); });
  for (std::thread& thread : threads) thread.join();
  for (const Played& played : together) {
    EXPECT_EQ(played.result.summary, alone.result.summary);
  }
}

TEST_F(SimulationTest, Interruption_LeavesTheFiguresUpToIt) {
  const Played whole = play({});
  const Played part = play({}, 60);
  EXPECT_EQ(part.result.failure, "");
  EXPECT_EQ(part.result.summary["interrupted"], true);
  ASSERT_LT(part.records.size(), whole.records.size());
  ASSERT_THAT(part.records, testing::Not(IsEmpty()));
  for (std::size_t i = 0; i < part.records.size(); ++i) {
    EXPECT_EQ(part.records[i].completed(), whole.records[i].completed());
  }
}

TEST_F(SimulationTest, Until_EndsTheRunAtThisTime) {
  const Played whole = play({});
  const Picoseconds at = whole.records[20].completed();
  const Played part = play({"stop.until=" + std::to_string(at) + "ps"});
  EXPECT_EQ(part.result.failure, "");
  EXPECT_EQ(part.result.summary["interrupted"], false);
  EXPECT_EQ(part.end, at);
  EXPECT_NEAR(static_cast<double>(part.records.size()), 21, 1) << "the 21st ends at this instant";
}

TEST_F(SimulationTest, UntilBeforeTheFirstRecord_IsAFailure) {
  const Played part = play({"stop.until=1ms"});
  EXPECT_THAT(part.result.failure, HasSubstr("no request was replayed"));
}

TEST_F(SimulationTest, UntilAfterTheEnd_ChangesNothing) {
  const Played whole = play({});
  const Played part = play({"stop.until=1000s"});
  EXPECT_EQ(part.result.summary, whole.result.summary);
}

TEST_F(SimulationTest, RecordsNone_CountErrorsAlone) {
  // The drive refuses one block.
  const Words flaw = {"drive.specimen.flaws=[{kind=\"unreadable\",lba=4000}]",
                      "load.synthetic={requests=40,first=4000,span=8}", "load.expect=40"};
  const Played full = play(flaw);
  Words words = flaw;
  words.emplace_back("observe.records=none");
  const Played none = play(words);
  EXPECT_EQ(none.result.failure, full.result.failure);
  const auto& counted = none.result.summary["result"];
  const auto& all = full.result.summary["result"];
  EXPECT_GT(all["failed"], 0);
  for (const char* key : {"commands", "failed", "record_faults", "sense"}) {
    EXPECT_EQ(counted[key], all[key]) << key;
  }
  EXPECT_FALSE(counted.contains("response_ps"));
  EXPECT_FALSE(counted.contains("elapsed_ps"));
}

}  // namespace
}  // namespace headstack::run
