// SPDX-License-Identifier: Apache-2.0
// Verified random loads with the cache in every mode. One to three hosts send reads, writes and
// verifies that overlap. Their commands are aborted, reset and cleared, ordered, put at the queue's
// head and forced to the media. Meanwhile MODE SELECT changes the cache.
//
// The expectation comes from host/replay/block_history.hpp. Every read brings a version that some
// order allows under SCSI-2 7.8 and SPC-2 table 156, given how each write ended. Every command
// ends, and no rule of the bus is broken. A failure prints the line that repeats it.
#include <random>

#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

struct CacheLoad {
  const char* what;
  const char* drive;
  std::uint64_t blocks;  // used blocks of its first tracks: few, so that commands overlap
  int hosts;
  const char* arguments;
};

class RandomLoads : public ReplayFixture, public testing::WithParamInterface<CacheLoad> {
 protected:
  /// Half of the requests in a corner that a few of them fill.
  void write_requests(std::uint32_t seed, int requests) const {
    constexpr std::uint32_t kSizes[] = {1, 1, 2, 7, 8, 8, 33, 100};
    constexpr std::uint32_t kLargest = 100;
    std::mt19937_64 random(seed);
    std::ofstream out(file("trace"));
    out << "headstack-trace 3\ntime-unit ms\nloop closed\n"
           "columns operation lba blocks initiator options\nrequests\n";
    for (int i = 0; i < requests; ++i) {
      const std::uint32_t size = kSizes[random() % std::size(kSizes)];
      const std::uint64_t room = random() % 2 == 0 ? GetParam().blocks : 2 * kLargest;
      const bool writes = random() % 2 == 0;
      out << (writes ? 'W' : 'R') << ' ' << random() % (room - size) << ' ' << size << ' '
          << random() % static_cast<unsigned>(GetParam().hosts) << " -\n";
    }
  }

  void expect_right(std::uint32_t seed, int requests) {
    write_requests(seed, requests);
    const std::string arguments = std::string("--platform vp --verify --depth 24 --drive ") +
                                  GetParam().drive + " --hosts " +
                                  std::to_string(GetParam().hosts) + " --seed " +
                                  std::to_string(seed) + " " + GetParam().arguments;
    const std::string out = "out" + std::to_string(seed);  // a folder has one run
    const int status = run(arguments, out);
    EXPECT_EQ(status, 0) << "seed " << seed << ": headstack-run " << arguments << "\n" << errors();
    if (status != 0) return;
    const Json result = summary(out);
    EXPECT_EQ(result["bus_violations"], 0) << "seed " << seed;
    EXPECT_EQ(result["result"]["record_faults"], 0) << "seed " << seed;
    EXPECT_GT(result["verified_blocks"], requests) << "or nothing was looked at";
  }
};

#define WRITES "read-write"
#define ALL_MODES                                                                               \
  "--cache off --cache read --cache read-write --cache read-write:segments=1 --cache "          \
  "read:segments=4,segment-blocks=16 --cache read-write:segments=2,segment-blocks=200 --cache " \
  "read:segments=1,segment-blocks=2 --cache read-write:read-ahead=0 "

const CacheLoad kLoads[] = {
    // One command at a time.
    {"Off", "hp_c3323a", 4'000, 2, "--policy stf"},
    {"ReadOnly", "cheetah_9lp", 4'000, 3, "--policy stf --cache read"},
    {"ReadWrite", "hp_c2247a", 4'000, 2, "--policy stf --cache " WRITES},
    {"HeadOfQueue_WriteCache", "cheetah_9lp", 1'000, 2,
     "--policy stf hosts.every.head_of_queue=3 --cache " WRITES},
    {"HeadOfQueue_NoCache", "hp_c3323a", 1'000, 1, "--policy stf hosts.every.head_of_queue=3"},
    {"Ordered_Unrestricted", "eagle", 1'000, 2,
     "--policy stf hosts.every.ordered=5 settings.reordering=unrestricted"},
    {"Fua_WriteCache", "hp_c3323a", 1'000, 3,
     "--policy stf hosts.every.fua=3 hosts.every.dpo=4 --cache " WRITES},
    {"Modes", "cheetah_9lp", 4'000, 2, "--policy stf " ALL_MODES "hosts.every.cache=25"},
    {"Modes_Narrow", "hp_c2247a", 4'000, 1, "--policy fcfs " ALL_MODES "hosts.every.cache=15"},
    {"SegmentsGrow", "hp_c3323a", 4'000, 1,
     "--cache read:segments=3,segment-blocks=40 --cache read:segments=3,segment-blocks=250 "
     "hosts.every.cache=20"},
    {"WriteCacheOff_Unrestricted", "cheetah_9lp", 1'000, 1,
     "--policy stf settings.reordering=unrestricted --cache read-write --cache off "
     "hosts.every.cache=9"},
    {"Aborts", "hp_c3323a", 1'000, 2, "--policy stf hosts.every.abort=7 --cache " WRITES},
    {"Aborts_SentAgain", "cheetah_9lp", 1'000, 2,
     "--policy sstf hosts.every.abort=5 hosts.retry=all hosts.every.clear_queue=61"},
    {"DeviceResets", "hp_c2247a", 1'000, 3,
     "--policy stf hosts.every.device_reset=41 --cache read --cache read-write "
     "hosts.every.cache=30"},
    {"BusResets_Unrestricted", "cheetah_9lp", 1'000, 2,
     "--policy stf hosts.every.bus_reset=67 settings.reordering=unrestricted --cache off "
     "--cache read-write hosts.every.cache=20"},
    {"Untagged", "hp_c3323a", 1'000, 3, "hosts.every.untagged=4 hosts.cdb=mixed --cache " WRITES},
    {"QueueError", "hp_c3323a", 1'000, 2,
     "--policy stf settings.qerr=3 --cache read --cache read-write hosts.every.cache=30"},
    {"KeepsTheBus", "cheetah_9lp", 2'000, 3,
     "--policy gstf hosts.every.no_disconnect=5 hosts.every.head_of_queue=8 "
     "settings.reordering=unrestricted"},
    {"KeepsTheBus_WriteCache", "hp_c2247a", 1'000, 2,
     "--policy stf hosts.every.no_disconnect=3 hosts.every.ordered=9 --cache " WRITES},
    {"Everything", "cheetah_9lp", 2'000, 3,
     "--policy stf hosts.every.no_disconnect=19 hosts.every.abort=17 hosts.every.clear_queue=101 "
     "hosts.every.device_reset=131 hosts.every.ordered=7 hosts.every.head_of_queue=11 "
     "hosts.every.fua=5 hosts.every.verify=13 hosts.every.flush=29 hosts.cdb=mixed " ALL_MODES
     "hosts.every.cache=23"},
};

TEST_P(RandomLoads, EveryRead_ReturnsDataOfAnAllowedOrder) {
  for (const std::uint32_t seed : {1U, 2U, 3U}) expect_right(seed, 400);
}

INSTANTIATE_TEST_SUITE_P(Scenario, RandomLoads, testing::ValuesIn(kLoads),
                         test::case_name<CacheLoad>);

}  // namespace
}  // namespace headstack::scenario
