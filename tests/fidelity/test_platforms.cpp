// The fast platform against the exact one, command by command. The exact one gives the bits of the
// electronics themselves: equal_runs.py holds that, and the wide test here for the demo.
//
// Bounds: the same order of service; mean service time within 1 %; 99 % of the commands within
// 0.1 ms. Service is what a command takes from the moment it is chosen, and so includes its waits
// for the bus.
//
// Where a choice hangs on a microsecond, what a handler costs on average may turn it, and what
// comes behind is another story. A load whose order parts after a change of the firmware, and holds
// the other bounds up to there, wants `headstack calibrate`.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <sstream>

#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

struct Load {
  const char* what;
  const char* arguments;
  int writes_percent;
  std::uint32_t blocks;  // 0: a mix
  int requests;
  int runs_percent = 0;  // that go on where the one before ended
  double near_ms = 0.1;  // that 99 % of the commands are within
  bool parts = false;    // in a race, after which the platforms serve in other orders
};

const Load kLoads[] = {
    {"Fcfs_Reads_Depth1", "--policy fcfs --queue-depth 1", 0, 8, 120},
    {"Fcfs_Reads_Depth8", "--policy fcfs --queue-depth 8", 0, 8, 120},
    {"Fcfs_Reads_Depth64", "--policy fcfs --queue-depth 64", 0, 8, 200},
    {"Fcfs_Mixed_Depth16", "--policy fcfs --queue-depth 16", 50, 0, 120},
    {"Stf_Reads_Depth1", "--policy stf --queue-depth 1", 0, 8, 120},
    {"Stf_Reads_Depth8", "--policy stf --queue-depth 8", 0, 8, 120},
    {"Stf_Reads_Depth64", "--policy stf --queue-depth 64", 0, 8, 200},
    {"Stf_Mixed_Depth16", "--policy stf --queue-depth 16", 50, 0, 120},
};

// Every policy, with a queue that grows and drains past the depth from which on searches go from
// near to far (POLICY_FEW).
const Load kPolicyLoads[] = {
    {"Sstf", "--policy sstf --queue-depth 48", 30, 8, 300},
    {"Scan", "--policy scan --queue-depth 48", 30, 8, 300},
    {"Cscan", "--policy cscan --queue-depth 48", 30, 8, 300},
    {"Fscan", "--policy fscan --queue-depth 48", 30, 8, 300},
    {"Vr", "--policy vr:r=0.3 --queue-depth 48", 30, 8, 300},
    {"Wscan", "--policy wscan:window=300 --queue-depth 48", 30, 8, 300},
    {"Eschenbach", "--policy eschenbach:order=50 --queue-depth 48", 30, 8, 300},
    {"Stf", "--policy stf --queue-depth 48", 30, 8, 300},
    {"Gstf", "--policy gstf:group=800 --queue-depth 48", 30, 8, 300},
    {"GstfBounce", "--policy gstf:group=800,bounce --queue-depth 48", 30, 8, 300},
    {"GstfFrozen", "--policy gstf:group=800,frozen --queue-depth 48", 30, 8, 300},
    {"Wstf", "--policy wstf:m=2 --queue-depth 48", 30, 8, 300},
};

// Hits, blocks that are just being read ahead, what writes drop; reported writes that are on their
// way to the media meanwhile; and the alarm of a controller that thinks.
const Load kCacheLoads[] = {
    {"Read_Depth1", "--policy fcfs --queue-depth 1 --cache read", 0, 8, 200, 60},
    {"ReadWrite_Depth1", "--policy fcfs --queue-depth 1 --cache read-write", 40, 0, 200, 50},
    {"ReadWrite_Depth8", "--policy stf --queue-depth 8 --cache read-write", 40, 8, 200, 50},
    {"Controller_Depth2", "--policy fcfs --queue-depth 2 --cache read-write --controller published",
     40, 8, 200, 50},
};

// A connection with 8 blocks: 0.1 ms of selection and messages, and 4,096 bytes at 20 MB/s. Where
// the platforms part in a race for the bus, a whole burst is late or early by one of these.
constexpr double kConnectionMs = 0.305;

// What the demo replays. Bursts of 30 writes from a file system keep the bus busy for milliseconds,
// and whether the host or the drive gets it next hangs on a few cycles. Under fcfs that shifts a
// burst. Under stf the next choice is another, and what follows is another order of the same
// requests: only their mean is held to a bound.
const Load kDemoLoads[] = {
    {"Fcfs", "--policy fcfs", 0, 0, 600, 0, kConnectionMs},
    {"Stf", "--policy stf", 0, 0, 600, 0, kConnectionMs, true},
};

struct Served {
  std::string number;
  double service_ms = 0;
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
  void compare(const Load& load, const std::string& arguments) const {
    ASSERT_EQ(run(arguments + " --platform exact", "exact"), 0) << errors();
    ASSERT_EQ(run(arguments + " --platform vp", "vp"), 0) << errors();
    const std::vector<Served> exact = records("exact");
    const std::vector<Served> vp = records("vp");
    ASSERT_EQ(exact.size(), static_cast<std::size_t>(load.requests));
    ASSERT_EQ(vp.size(), exact.size());
    double exact_sum = 0;
    double vp_sum = 0;
    std::size_t near = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
      if (!load.parts) {
        ASSERT_EQ(vp[i].number, exact[i].number) << "order of service, place " << i;
      }
      exact_sum += exact[i].service_ms;
      vp_sum += vp[i].service_ms;
      near += std::abs(vp[i].service_ms - exact[i].service_ms) <= load.near_ms ? 1 : 0;
    }
    if (load.parts) {
      // One standard error of the mean over these 600 commands, on either platform.
      EXPECT_NEAR(vp_sum / exact_sum, 1, 0.1);
      return;
    }
    EXPECT_NEAR(vp_sum / exact_sum, 1, 0.01);
    EXPECT_GE(static_cast<double>(near), 0.99 * static_cast<double>(exact.size()))
        << "commands within " << load.near_ms << " ms of each other";
  }

  /// In the order of completion.
  std::vector<Served> records(const std::string& out) const {
    std::ifstream in(file(out) + "/records.csv");
    std::string line;
    std::getline(in, line);
    const std::vector<std::string> header = split(line);
    std::vector<Served> all;
    while (std::getline(in, line)) {
      const std::vector<std::string> fields = split(line);
      Served served{fields[0], 0};
      bool chosen = false;
      for (std::size_t i = 0; i < header.size(); ++i) {
        chosen = (chosen || header[i] == "chosen_ps") && header[i] != "search_exposed_ps";
        if (chosen) served.service_ms += std::stod(fields[i]) / 1e9;
      }
      all.push_back(served);
    }
    return all;
  }

 private:
  static std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
    return fields;
  }
};

TEST_P(Platforms, ServeAlike) {
  write_load(GetParam());
  compare(GetParam(), std::string("--drive cheetah_9lp ") + GetParam().arguments);
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

TEST_P(DemoTrace, ServeAlike) { compare(GetParam(), arguments()); }

TEST_P(DemoTrace, ServeAlike_OnTheElectronics) {
  const std::string logged = arguments() + " --event-log";
  ASSERT_EQ(run(logged, "rtl"), 0) << errors();
  ASSERT_EQ(run(logged + " --platform exact", "exact"), 0) << errors();
  EXPECT_EQ(slurp(file("rtl/records.csv")) == slurp(file("exact/records.csv")), true);
  const std::string events = slurp(file("rtl/events.txt"));
  EXPECT_EQ(events == slurp(file("exact/events.txt")).substr(0, events.size()), true);
}

INSTANTIATE_TEST_SUITE_P(Loads, Platforms, testing::ValuesIn(kLoads), test::case_name<Load>);
INSTANTIATE_TEST_SUITE_P(Policy, Platforms, testing::ValuesIn(kPolicyLoads), test::case_name<Load>);
INSTANTIATE_TEST_SUITE_P(Cache, Platforms, testing::ValuesIn(kCacheLoads), test::case_name<Load>);
INSTANTIATE_TEST_SUITE_P(Policies, DemoTrace, testing::ValuesIn(kDemoLoads), test::case_name<Load>);

}  // namespace
}  // namespace headstack::scenario
