// SPDX-License-Identifier: Apache-2.0
// The fast platform against the electronics themselves, load by load. It runs the same program, and
// gives the same events in the same cycles and the same records, byte for byte. equal_runs.py holds
// the same on loads that a seed makes.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>

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
  int runs_percent = 0;  // that go on where the one before ended
};

void PrintTo(const Load& load, std::ostream* out) { *out << load.arguments; }

const Load kLoads[] = {
    {"Fcfs_Reads_Depth1", "--policy fcfs --queue-depth 1", 0, 8, 60},
    {"Fcfs_Reads_Depth8", "--policy fcfs --queue-depth 8", 0, 8, 60},
    {"Fcfs_Reads_Depth64", "--policy fcfs --queue-depth 64", 0, 8, 100},
    {"Fcfs_Mixed_Depth16", "--policy fcfs --queue-depth 16", 50, 0, 60},
    {"Stf_Reads_Depth1", "--policy stf --queue-depth 1", 0, 8, 60},
    {"Stf_Reads_Depth8", "--policy stf --queue-depth 8", 0, 8, 60},
    {"Stf_Reads_Depth64", "--policy stf --queue-depth 64", 0, 8, 100},
    {"Stf_Mixed_Depth16", "--policy stf --queue-depth 16", 50, 0, 60},
};

// Every policy, with a queue that grows and drains past the depth from which on searches go from
// near to far (POLICY_FEW).
std::vector<Load> policy_loads() {
  std::vector<Load> loads;
  for (const std::string& selection : test::policy_selections()) {
    // A test's name has letters, digits and underscores: wscan_window_3.
    std::string what = selection;
    std::replace_if(
        what.begin(), what.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    loads.push_back({what, "--policy " + selection + " --queue-depth 48", 30, 8, 100});
  }
  return loads;
}

// Hits, blocks that are just being read ahead, and blocks that writes invalidate. Also reported
// writes on their way to the media meanwhile, and the alarm of a controller that thinks.
const Load kCacheLoads[] = {
    {"Read_Depth1", "--policy fcfs --queue-depth 1 --cache read", 0, 8, 80, 60},
    {"ReadWrite_Depth1", "--policy fcfs --queue-depth 1 --cache read-write", 40, 0, 80, 50},
    {"ReadWrite_Depth8", "--policy stf --queue-depth 8 --cache read-write", 40, 8, 80, 50},
    {"Controller_Runs", "--policy fcfs --queue-depth 1 --cache read-write --controller published",
     20, 0, 100, 60},
    {"Controller_Depth2", "--policy fcfs --queue-depth 2 --cache read-write --controller published",
     40, 8, 80, 50},
};

// What the demo replays: bursts of 30 writes from a file system.
const Load kDemoLoads[] = {
    {"Fcfs", "--policy fcfs", 0, 0, 600},
    {"Stf", "--policy stf", 0, 0, 600},
};

class Platforms : public ReplayFixture, public testing::WithParamInterface<Load> {
 protected:
  void write_load(const Load& load) const {
    std::mt19937_64 random(2026);
    std::uint64_t end = UINT64_MAX;  // of the request before
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
    const std::string logged = arguments + " --event-log";
    ASSERT_EQ(run(logged + " --platform rtl", "rtl"), 0) << errors();
    ASSERT_EQ(run(logged + " --platform vp", "vp"), 0) << errors();
    EXPECT_EQ(records("vp").size(), static_cast<std::size_t>(GetParam().requests));
    EXPECT_TRUE(records("vp") == records("rtl")) << "records.csv differ";
    // After the last command either platform goes on until it sees that it was the last.
    const std::vector<std::string> rtl = lines("rtl/events.txt");
    std::vector<std::string> vp = lines("vp/events.txt");
    ASSERT_GE(vp.size(), rtl.size());
    vp.resize(rtl.size());
    const auto parted = std::mismatch(rtl.begin(), rtl.end(), vp.begin());
    EXPECT_TRUE(parted.first == rtl.end())
        << "events.txt, line " << parted.first - rtl.begin() + 1 << ": rtl '" << *parted.first
        << "', vp '" << *parted.second << "'";
  }

 private:
  std::vector<std::string> lines(const std::string& name) const {
    std::ifstream in(file(name));
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }
  /// Without the header.
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
    return "--drive cheetah_9lp --queue-depth 32 --limit " + std::to_string(GetParam().requests) +
           ' ' + GetParam().arguments;
  }
};

TEST_P(DemoTrace, AreEqual) { compare(arguments()); }

// Every policy over 300 commands with all properties that it can be told. These are deadlines that
// expire and others, classes, streams and priorities of three hosts, and shares of the streams.
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
      "--drive cheetah_9lp --initiators 3 --deadlines message --stream 1:u=0.2,p=200ms "
      "--stream 2:share=30,w=3 " +
      GetParam().arguments);
}

std::vector<Load> stream_loads() {
  std::vector<Load> loads = policy_loads();
  for (Load& load : loads) load.requests = 300;
  return loads;
}

INSTANTIATE_TEST_SUITE_P(Policy, Streams, testing::ValuesIn(stream_loads()), test::case_name<Load>);
INSTANTIATE_TEST_SUITE_P(Loads, Platforms, testing::ValuesIn(kLoads), test::case_name<Load>);
INSTANTIATE_TEST_SUITE_P(Policy, Platforms, testing::ValuesIn(policy_loads()),
                         test::case_name<Load>);
INSTANTIATE_TEST_SUITE_P(Cache, Platforms, testing::ValuesIn(kCacheLoads), test::case_name<Load>);
INSTANTIATE_TEST_SUITE_P(Policies, DemoTrace, testing::ValuesIn(kDemoLoads), test::case_name<Load>);

}  // namespace
}  // namespace headstack::scenario
