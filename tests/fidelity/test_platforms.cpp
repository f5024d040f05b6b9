// SPDX-License-Identifier: Apache-2.0
// The fast platform against the electronics themselves, load by load. It runs the same program, and
// gives the same events in the same cycles and the same records, byte for byte. equal_runs.py
// checks the same on loads that a seed makes.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>

#include "sim/units.hpp"
#include "tests/policy_selections.hpp"
#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

struct Load {
  std::string what;
  std::string arguments;
  int writes_percent;
  std::uint32_t blocks;  // 0: a mix
  int requests;
  int runs_percent = 0;  // percentage of requests that begin where the one before ended
};

void PrintTo(const Load& load, std::ostream* out) { *out << load.arguments; }

const Load kLoads[] = {
    {"Fcfs_Reads_Depth1", "--policy fcfs --depth 1", 0, 8, 60},
    {"Fcfs_Reads_Depth8", "--policy fcfs --depth 8", 0, 8, 60},
    {"Fcfs_Reads_Depth64", "--policy fcfs --depth 64", 0, 8, 100},
    {"Fcfs_Mixed_Depth16", "--policy fcfs --depth 16", 50, 0, 60},
    {"Stf_Reads_Depth1", "--policy stf --depth 1", 0, 8, 60},
    {"Stf_Reads_Depth8", "--policy stf --depth 8", 0, 8, 60},
    {"Stf_Reads_Depth64", "--policy stf --depth 64", 0, 8, 100},
    {"Stf_Mixed_Depth16", "--policy stf --depth 16", 50, 0, 60},
};

// Every policy, with a queue that grows and drains past the depth from which on searches go from
// near to far (POLICY_FEW).
std::vector<Load> policy_loads() {
  std::vector<Load> loads;
  for (const std::string& selection : test::policy_selections()) {
    // A name for the test, of letters, digits and underscores: wscan_window_3.
    std::string what = selection;
    std::replace_if(
        what.begin(), what.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    loads.push_back({what, "--policy " + selection + " --depth 48", 30, 8, 100});
  }
  return loads;
}

// Hits, blocks that are being read ahead, and blocks that writes invalidate. Also reported writes
// on their way to the media, and the alarm of a controller's time.
const Load kCacheLoads[] = {
    {"Read_Depth1", "--policy fcfs --depth 1 --cache read", 0, 8, 80, 60},
    {"ReadWrite_Depth1", "--policy fcfs --depth 1 --cache read-write", 40, 0, 80, 50},
    {"ReadWrite_Depth8", "--policy stf --depth 8 --cache read-write", 40, 8, 80, 50},
    {"Controller_Runs", "--policy fcfs --depth 1 --cache read-write drive.controller=published", 20,
     0, 100, 60},
    {"Controller_Depth2", "--policy fcfs --depth 2 --cache read-write drive.controller=published",
     40, 8, 80, 50},
};

// The demo's load: bursts of 30 writes from a file system.
const Load kDemoLoads[] = {
    {"Fcfs", "--policy fcfs", 0, 0, 600},
    {"Stf", "--policy stf", 0, 0, 600},
};

class Platforms : public ReplayFixture, public testing::WithParamInterface<Load> {
 protected:
  void write_load(const Load& load) const {
    std::mt19937_64 random(2026);
    std::uint64_t end = UINT64_MAX;  // end of the request before
    std::ofstream out(file("trace"));
    out << "headstack-trace 1\ntime-unit us\nloop closed\nrequests\n";
    for (int i = 0; i < load.requests; ++i) {
      const std::uint32_t blocks = load.blocks != 0 ? load.blocks : small_mix(random);
      const bool write = static_cast<int>(random() % 100) < load.writes_percent;
      const std::uint64_t last = 17'918'387 - 256;
      const bool goes_on = load.runs_percent > 0 && end < last &&
                           static_cast<int>(random() % 100) < load.runs_percent;
      const std::uint64_t lba = goes_on ? end : random() % last;
      out << "- " << (write ? 'W' : 'R') << ' ' << lba << ' ' << blocks << " -\n";
      end = lba + blocks;
    }
  }

  /// Replays the trace on both platforms.
  void compare(const std::string& arguments) const {
    const std::string logged = arguments + " observe.events=true";
    ASSERT_EQ(run(logged + " --platform rtl", "rtl"), 0) << errors();
    ASSERT_EQ(run(logged + " --platform vp", "vp"), 0) << errors();
    EXPECT_EQ(records("vp").size(), static_cast<std::size_t>(GetParam().requests));
    EXPECT_TRUE(records("vp") == records("rtl")) << "records.csv differ";
    // After the last command either platform runs on until it detects that it was the last.
    const std::vector<std::string> rtl = lines("rtl/events.txt");
    std::vector<std::string> vp = lines("vp/events.txt");
    ASSERT_GE(vp.size(), rtl.size());
    vp.resize(rtl.size());
    const auto parted = std::mismatch(rtl.begin(), rtl.end(), vp.begin());
    EXPECT_TRUE(parted.first == rtl.end())
        << "events.txt, line " << parted.first - rtl.begin() + 1 << ": rtl '" << *parted.first
        << "', vp '" << *parted.second << "'";
  }

  std::vector<std::string> lines(const std::string& name) const {
    std::ifstream in(file(name));
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }

 private:
  /// The records without the header.
  std::vector<std::string> records(const std::string& out) const {
    std::vector<std::string> all = lines(out + "/records.csv");
    if (!all.empty()) all.erase(all.begin());
    return all;
  }
};

TEST_P(Platforms, AreEqual) {
  write_load(GetParam());
  compare("--drive cheetah_9lp " + GetParam().arguments);
}

class DemoTrace : public Platforms {
 protected:
  void SetUp() override {
    Platforms::SetUp();
    std::filesystem::copy_file(test::source_dir() / "traces/measured/ext4-git-sqlite.trace",
                               file("trace"));
  }
  static std::string arguments() {
    return "--drive cheetah_9lp --depth 32 --limit " + std::to_string(GetParam().requests) + ' ' +
           GetParam().arguments;
  }
};

TEST_P(DemoTrace, AreEqual) { compare(arguments()); }

// Every policy over 300 commands with all properties that a command can have. These are deadlines
// that expire and others, classes, streams and priorities of three hosts, and shares of the
// streams.
class Streams : public Platforms {
 protected:
  void write_streams() const {
    std::mt19937_64 random(2027);
    std::ofstream out(file("trace"));
    out << "headstack-trace 4\ntime-unit ms\nloop closed\n"
           "columns operation lba blocks initiator deadline class stream priority\nrequests\n";
    for (int i = 0; i < GetParam().requests; ++i) {
      const bool best_effort = random() % 3 == 0;
      out << (static_cast<int>(random() % 100) < GetParam().writes_percent ? 'W' : 'R') << ' '
          << random() % 17'000'000 << ' ' << 1 + random() % 40 << ' ' << random() % 3 << ' '
          << (best_effort ? "- best-effort" : std::to_string(random() % 500) + " real-time") << ' '
          << random() % 16 << ' ' << random() % 8 << '\n';
    }
  }
};

TEST_P(Streams, AreEqual) {
  write_streams();
  compare(
      "--drive cheetah_9lp --hosts 3 --deadlines message "
      "'settings.streams=[{number = 1, u = 0.2, period = \"200ms\"}, "
      "{number = 2, share = 30, w = 3}]' " +
      GetParam().arguments);
}

std::vector<Load> stream_loads() {
  std::vector<Load> loads = policy_loads();
  for (Load& load : loads) load.requests = 300;
  return loads;
}

// A power cut comes at the same time on both, and the cores have reached the same edge.
class PowerCuts : public Platforms {
 protected:
  static constexpr Picoseconds kClock = 25'000;  // of the electronics: 40 MHz

  void cut(const std::string& where) const {
    write_load(GetParam());
    for (const std::string platform : {"rtl", "vp"}) {
      const std::string arguments =
          "--drive cheetah_9lp observe.events=true observe.profile=true observe.ledger=true "
          "observe.timeline=true " +
          GetParam().arguments + " faults.power_cut=" + where;
      ASSERT_EQ(run(arguments + " --platform " + platform, platform), 0) << errors();
    }
    Json rtl = summary("rtl");
    Json vp = summary("vp");
    EXPECT_EQ(rtl["power_cut"], vp["power_cut"]);
    for (const char* figure : {"simulated_ps", "firmware_cycles", "events", "event_hash"}) {
      EXPECT_EQ(rtl[figure], vp[figure]) << figure;
    }
    for (const char* name :
         {"events.txt", "records.csv", "profile.txt", "ledger.txt", "timeline.perfetto"}) {
      EXPECT_TRUE(slurp(folder() / "rtl" / name) == slurp(folder() / "vp" / name)) << name;
    }
  }
  Picoseconds time_of_cut(const std::string& platform) const {
    return summary(platform)["power_cut"]["time_ps"].get<Picoseconds>();
  }
  /// The clock edge of the last event.
  Picoseconds last_edge(const std::string& platform) const {
    const std::vector<std::string> all = lines(platform + "/events.txt");
    return all.empty() ? 0 : std::stoll(all.back());
  }
};

TEST_P(PowerCuts, AtAnEvent_ComeAtItsEdge_AndItIsTheLast) {
  for (const std::string event : {"TASK_CHOSEN:3", "RUN_DONE:2", "DATA_PHASE_BEGIN:4"}) {
    SCOPED_TRACE(event);
    cut("event:" + event);
    for (const std::string platform : {"rtl", "vp"}) {
      EXPECT_EQ(time_of_cut(platform), last_edge(platform) * kClock) << platform;
      const std::string last = lines(platform + "/events.txt").back();
      EXPECT_NE(last.find(event.substr(0, event.find(':'))), std::string::npos) << last;
    }
  }
}

TEST_P(PowerCuts, AtATime_ComeThen) {
  cut("time:31.2345671ms");
  EXPECT_EQ(time_of_cut("rtl"), 31'234'567'100);
  EXPECT_LE(last_edge("rtl") * kClock, time_of_cut("rtl"));
}

TEST_P(PowerCuts, AfterCommands_AreAlike) { cut("cmd:4"); }

TEST_P(PowerCuts, AtAByte_AreAlike) {
  for (const std::string byte : {"0", "700", "4127"}) {
    SCOPED_TRACE(byte);
    cut("byte:" + byte);
  }
}

const Load kCutLoads[] = {
    {"Depth1", "--policy fcfs --depth 1", 60, 0, 20},
    {"WriteCache_Depth4", "--policy stf --depth 4 --cache read-write", 60, 0, 20},
};
INSTANTIATE_TEST_SUITE_P(Of, PowerCuts, testing::ValuesIn(kCutLoads), test::case_name<Load>);

// The output of watchers is also the same, in the same order.
class Watched : public Platforms {};

TEST_P(Watched, AreEqual) {
  write_load(GetParam());
  for (const std::string platform : {"rtl", "vp"}) {
    ASSERT_EQ(run("--drive cheetah_9lp observe.profile=true observe.ledger=true "
                  "observe.accesses=true observe.timeline=true --platform " +
                      platform + ' ' + GetParam().arguments,
                  platform),
              0)
        << errors();
  }
  for (const char* name :
       {"records.csv", "profile.txt", "ledger.txt", "accesses.txt", "timeline.perfetto"}) {
    EXPECT_TRUE(slurp(folder() / "rtl" / name) == slurp(folder() / "vp" / name)) << name;
  }
}

const Load kWatchedLoads[] = {
    {"Depth1", "--policy fcfs --depth 1", 30, 0, 20},
    {"Depth8", "--policy stf --depth 8 --cache read-write", 50, 0, 20},
};
INSTANTIATE_TEST_SUITE_P(Loads, Watched, testing::ValuesIn(kWatchedLoads), test::case_name<Load>);

INSTANTIATE_TEST_SUITE_P(Policy, Streams, testing::ValuesIn(stream_loads()), test::case_name<Load>);
INSTANTIATE_TEST_SUITE_P(Loads, Platforms, testing::ValuesIn(kLoads), test::case_name<Load>);
INSTANTIATE_TEST_SUITE_P(Policy, Platforms, testing::ValuesIn(policy_loads()),
                         test::case_name<Load>);
INSTANTIATE_TEST_SUITE_P(Cache, Platforms, testing::ValuesIn(kCacheLoads), test::case_name<Load>);
INSTANTIATE_TEST_SUITE_P(Policies, DemoTrace, testing::ValuesIn(kDemoLoads), test::case_name<Load>);

}  // namespace
}  // namespace headstack::scenario
