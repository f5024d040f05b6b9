// SPDX-License-Identifier: Apache-2.0
// Real traces as published: every request is read, and the totals are those of their own
// descriptions. None is part of the project, and a test is skipped if its file is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "host/traces/trace_statistics.hpp"
#include "tests/unit/trace_samples.hpp"

namespace headstack::traces {
namespace {

struct RealTrace {
  const char* what;
  const char* file;  // the path below the folder of reference data
  const char* format;
  const char* device;  // "": all
  Loop loop;
  std::uint64_t requests, reads;
  Picoseconds last_arrival;  // rounded down to a second
  std::size_t devices;
};

// The header of the HP trace says 7 days from 30 May 1992, and its description 44,519 I/Os. The
// DiskSim traces have 8,000 to 10,000 requests each. The SPC excerpt has the first 10,000. Reads,
// devices and last arrivals were counted with awk and a separate script, not by this program.
const RealTrace kRealTraces[] = {
    {"HpSrtWeek", "traces/hp-srt/ajw.1week.srt", "hp-srt", "", Loop::kOpen, 44'519, 13'040,
     603'064 * kS, 2},
    {"HpSrtDisk1", "traces/hp-srt/ajw.1week.srt", "hp-srt", "1", Loop::kOpen, 2267, 0, 0, 2},
    {"ValidateCheetah9lp", "traces/disksim-valid/cheetah9LP.trace", "disksim-validate", "",
     Loop::kThink, 10'000, 6594, 0, 0},
    {"ValidateC2247a", "traces/disksim-valid/hp_c2247a.trace", "disksim-validate", "", Loop::kThink,
     9999, 5115, 0, 0},
    {"ValidateC3323a", "traces/disksim-valid/hp_c3323a.trace", "disksim-validate", "", Loop::kThink,
     9074, 6113, 0, 0},
    {"Financial1", "traces/spc/financial1-head.ssdsim.ascii", "ssdsim", "", Loop::kOpen, 10'000,
     4077, 259 * kS, 22},
    {"Nbdkit", "traces/own-ext4/ext4-git-sqlite.nbdkit.log", "nbdkit", "", Loop::kOpen, 2483, 142,
     2 * kS, 0},
    {"DiskSimBurst", "disksim_ref/t_cheetah_9lp_burst.trace", "disksim", "", Loop::kOpen, 201, 201,
     24 * kS, 1}};

class RealTraceTotals : public testing::TestWithParam<RealTrace> {};

TEST_P(RealTraceTotals, AreThoseOfItsDescription) {
  const RealTrace& real = GetParam();
  const auto file = test::shared_dir() / real.file;
  HEADSTACK_REQUIRE_FILE(file);
  ReadOptions options;
  options.devices = *real.device == '\0' ? DeviceChoice::kAll : DeviceChoice::kNamed;
  options.device = real.device;
  const auto reader = open_trace(file.string(), options);
  EXPECT_EQ(reader->format(), real.format);
  EXPECT_EQ(reader->header().loop, real.loop);
  TraceStatistics totals(reader->header());
  while (const auto request = reader->next()) totals.add(*request);
  EXPECT_EQ(totals.requests(), real.requests);
  if (real.reads != 0) {
    EXPECT_EQ(totals.reads, real.reads);
  }
  if (real.last_arrival != 0) {
    EXPECT_EQ(totals.last_arrival / kS * kS, real.last_arrival);
  }
  if (real.devices != 0) {
    EXPECT_EQ(reader->devices().size(), real.devices);
  }
  EXPECT_EQ(reader->counts().bad, 0U);
  const bool measured = real.loop == Loop::kThink || std::string(real.format) == "hp-srt";
  if (measured) {
    EXPECT_EQ(totals.service.count(), real.requests);
  }
  RecordProperty("requests", static_cast<int>(totals.requests()));
}

INSTANTIATE_TEST_SUITE_P(Trace, RealTraceTotals, testing::ValuesIn(kRealTraces),
                         test::case_name<RealTrace>);

// The first record is a read of 4096 bytes at sector 1056 (of 256 bytes) of disk 1, with flags
// 0x1b. It was queued for 174 us, then served until 19,687 us after its arrival.
TEST(HpSrtWeek, FirstRecord) {
  const auto file = test::shared_dir() / "traces/hp-srt/ajw.1week.srt";
  HEADSTACK_REQUIRE_FILE(file);
  ReadOptions options;
  options.devices = DeviceChoice::kAll;
  const auto request = open_trace(file.string(), options)->next();
  EXPECT_EQ(request, (TraceRequest{0, kR, 528, 8, kNo, 0, kNo, 19'513 * kUs}));
}

// Expected: the first row of the file, whose service took 14,095.370 us and think time 13,876.270
// us.
TEST(ValidateTraces, KeepTheMeasuredTimes) {
  const auto file = test::shared_dir() / "traces/disksim-valid/hp_c2247a.trace";
  HEADSTACK_REQUIRE_FILE(file);
  const auto reader = open_trace(file.string());
  const auto first = reader->next();
  EXPECT_EQ(first->service, 14'095'370'000);
  EXPECT_EQ(first->think, 13'876'270'000);
}

// Real lines of the cloud formats. Each section of the excerpts names the reader that reads it.
TEST(CloudExcerpts, EverySection_IsReadWhole) {
  const auto file = test::shared_dir() / "traces/msr-alibaba-systor/real-excerpts.txt";
  HEADSTACK_REQUIRE_FILE(file);
  const std::pair<const char*, const char*> sections[] = {{"[MSR", "msr"},
                                                          {"[Systor", "systor"},
                                                          {"[Alibaba", "alibaba"},
                                                          {"[Tencent", "tencent"},
                                                          {"[K5cloud", "k5cloud"}};
  for (const auto& [head, format] : sections) {
    std::ifstream in(file);
    std::string line, text;
    std::size_t lines = 0;
    bool inside = false;
    while (std::getline(in, line)) {
      if (line.rfind('[', 0) == 0) {
        inside = line.rfind(head, 0) == 0;
      } else if (inside && !line.empty()) {
        text += line + "\n";
        ++lines;
      }
    }
    ASSERT_GT(lines, 0U) << head;
    std::istringstream section(text);
    ReadOptions options;
    options.devices = DeviceChoice::kAll;
    const auto reader = read_trace(section, head, options);
    EXPECT_EQ(reader->format(), format);
    std::size_t requests = 0;
    while (reader->next()) ++requests;
    EXPECT_EQ(requests, lines) << head;
  }
}

}  // namespace
}  // namespace headstack::traces
