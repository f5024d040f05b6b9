// SPDX-License-Identifier: Apache-2.0
// `headstack run` on a drive that moves its blocks from map to map, under adverse loads.
#include <gmock/gmock.h>

#include <numeric>

#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

constexpr std::uint64_t kCapacity = 348'960;  // of paper_179mb
constexpr std::uint32_t kUnits = 3000;
constexpr std::uint32_t kUnitBlocks = 16;
constexpr std::uint64_t kFirst = kCapacity - kUnits * kUnitBlocks;

class MovesRun : public ReplayFixture {
 protected:
  void SetUp() override {
    ReplayFixture::SetUp();
    keep_runs();
  }
  void write_map(const std::string& name, std::uint32_t seed) const {
    std::vector<std::uint32_t> slots(kUnits);
    std::iota(slots.begin(), slots.end(), 0U);
    std::shuffle(slots.begin(), slots.end(), std::mt19937_64(seed));
    std::ofstream(file(name)) << Json{{"format", "headstack-map-1"},
                                      {"first_block", kFirst},
                                      {"unit_blocks", kUnitBlocks},
                                      {"slots", slots}};
  }
  /// Requests of 1 to 100 blocks across the units, half of them writes, and some flushes.
  void write_load(std::uint32_t seed, int requests) const {
    std::mt19937_64 random(seed);
    const std::uint32_t lengths[] = {1, 2, 4, 8, 8, 16, 16, 32, 100};
    std::ofstream out(file("trace"));
    out << "headstack-trace 1\ntime-unit us\nloop closed\nrequests\n";
    for (int i = 0; i < requests; ++i) {
      if (random() % 100 == 0) {
        out << "- F 0 0 -\n";
        continue;
      }
      const std::uint32_t blocks = lengths[random() % std::size(lengths)];
      const std::uint64_t span = kUnits * kUnitBlocks + 200 - blocks;
      const std::uint64_t at = random() % span * (random() % span) / span;  // most near the front
      out << "- " << (random() % 2 == 0 ? 'R' : 'W') << ' ' << kFirst - 200 + at << ' ' << blocks
          << " -\n";
    }
  }
  /// Two hosts at depth 32; maps change, and commands are aborted and reset, at these rates.
  void storm(const std::string& platform, int requests, const std::string& settings = "") {
    write_load(3, requests);
    write_map("map1.json", 1);
    write_map("map2.json", 2);
    const std::string maps =
        "'remap.maps=[\"" + file("map1.json") + "\", \"" + file("map2.json") +
        "\"]' 'remap.use=[1, 2, 0]' hosts.every.map=1500 remap.share_percent=40 ";
    ASSERT_EQ(run("--drive paper_179mb --platform " + platform + " --policy stf " + maps +
                      "--hosts 2 --depth 32 --verify hosts.retry=all hosts.every.abort=50 "
                      "hosts.every.bus_reset=900 hosts.every.device_reset=700 "
                      "hosts.every.clear_queue=400 " +
                      settings,
                  "out"),
              0)
        << errors();
    const Json result = summary("out");
    EXPECT_GT(result["verified_blocks"], 8 * requests);
    EXPECT_GT(result["moves"]["moves"], requests / 4);
    EXPECT_GT(result["moves"]["waits"], 0);
    EXPECT_EQ(result["moves"]["failed_lba"], 0);
    // A request whose blocks lie far apart is no error of the media.
    EXPECT_EQ(result["media_retries"], 0);
    // One request of a move: two strokes of the arm, two turns, a unit, and what the core takes.
    EXPECT_LT(result["moves"]["longest_wait_us"], 2 * (29'000 + 16'667) + 10'000);
  }
};

TEST_F(MovesRun, HostsFindTheirData_Native) { storm("native", 6'000); }
TEST_F(MovesRun, HostsFindTheirData_Vp) { storm("vp", 3'000); }
TEST_F(MovesRun, HostsFindTheirData_BesideAScan) {
  storm("native", 6'000, "settings.scan_idle_ms=0");
  EXPECT_GT(summary("out")["scan"]["progress_65536"], 0);
  EXPECT_TRUE(summary("out")["scan"]["bad_blocks"].empty());
}
TEST_F(MovesRun, HostsFindTheirData_Wide) { storm("vp", 100'000); }

// Counts of groups and pairs by the trace itself: at depth 1 the order of service is that of the
// trace.
TEST_F(MovesRun, CountedAccesses_AreThoseOfTheTrace) {
  write_load(5, 2'000);
  ASSERT_EQ(run("--drive paper_179mb --platform native --depth 1 remap.learn_blocks=160 ", "out"),
            0)
      << errors();
  std::map<std::uint64_t, std::uint32_t> visits;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> pairs;
  std::ifstream trace(file("trace"));
  std::string line;
  std::optional<std::uint64_t> last;
  while (std::getline(trace, line)) {
    char operation = 0;
    unsigned long long lba = 0, blocks = 0;
    if (std::sscanf(line.c_str(), "- %c %llu %llu", &operation, &lba, &blocks) != 3) continue;
    if (operation == 'F') continue;
    for (std::uint64_t group = lba / 160; group <= (lba + blocks - 1) / 160; ++group) {
      ++visits[group];
      if (last) ++pairs[{*last, group}];
      last = group;
    }
  }
  const Json counts = Json::parse(slurp(file("out/counts.json")));
  std::map<std::uint64_t, std::uint32_t> learned;
  for (const Json& row : counts["visits"]) learned[row[0]] = row[1];
  EXPECT_EQ(learned, visits);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> learned_pairs;
  for (const Json& row : counts["pairs"]) learned_pairs[{row[0], row[1]}] = row[2];
  EXPECT_EQ(learned_pairs, pairs);
}

}  // namespace
}  // namespace headstack::scenario
