// Traces: each format on real lines, exact times, every way to be wrong, nothing silently lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "host/replay/trace.hpp"
#include "tests/support.hpp"

namespace headstack::replay {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Picoseconds kUs = kPicosecondsPerMicrosecond;

std::vector<TraceRequest> read_all(const std::string& text,
                                   std::optional<TraceFormat> format = std::nullopt) {
  std::istringstream in(text);
  const auto reader = read_trace(in, "test.trace", format);
  std::vector<TraceRequest> requests;
  while (const auto request = reader->next()) requests.push_back(*request);
  return requests;
}

std::string error_of(const std::string& text) {
  try {
    read_all(text);
  } catch (const TraceError& error) {
    return error.what();
  }
  return "";
}

const std::string kHeader =
    "headstack-trace 1\nblock-bytes 512\ntime-unit us\nloop open\nrequests\n";

TEST(HeadstackTrace, LinesOfTheReadme_MeanWhatItSays) {
  const auto requests = read_all(kHeader + "0 W 2048 8 -\n153.25 R 4096 16 5000\n180 F 0 0 -\n");
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0], (TraceRequest{0, Operation::kWrite, 2048, 8, std::nullopt}));
  EXPECT_EQ(requests[1], (TraceRequest{153'250'000, Operation::kRead, 4096, 16, 5000 * kUs}));
  EXPECT_EQ(requests[2], (TraceRequest{180 * kUs, Operation::kFlush, 0, 0, std::nullopt}));
}

TEST(HeadstackTrace, EveryTimeUnit_IsExact) {
  const std::pair<const char*, Picoseconds> units[] = {
      {"ps", 1}, {"ns", 1000}, {"us", kUs}, {"ms", 1000 * kUs}, {"s", 1'000'000 * kUs}};
  for (const auto& [name, unit] : units) {
    const auto requests =
        read_all(std::string("headstack-trace 1\ntime-unit ") + name + "\nrequests\n7 R 0 1 -\n");
    EXPECT_EQ(requests.at(0).arrival, 7 * unit) << name;
  }
}

TEST(HeadstackTrace, APicosecondOfADay_IsNotLost) {
  const auto requests =
      read_all("headstack-trace 1\ntime-unit s\nrequests\n86400.000000000001 R 0 1 -\n");
  EXPECT_EQ(requests.at(0).arrival, 86'400 * kPicosecondsPerSecond + 1);
}

TEST(HeadstackTrace, ClosedLoop_HasNoTimes) {
  const std::string head = "headstack-trace 1\ntime-unit us\nloop closed\nrequests\n";
  EXPECT_EQ(read_all(head + "- R 5 1 -\n").at(0).arrival, 0);
  EXPECT_THAT(error_of(head + "3 R 5 1 -\n"), HasSubstr("closed loop"));
}

TEST(HeadstackTrace, CommentsAndEmptyLines_AreSkipped) {
  EXPECT_EQ(read_all(kHeader + "# hello\n\n0 R 1 1 -\n").size(), 1U);
}

TEST(HeadstackTrace, RandomRequests_SurviveTheRoundTrip) {
  constexpr std::uint64_t kSeed = 99;
  std::mt19937_64 random(kSeed);
  std::vector<TraceRequest> requests;
  Picoseconds now = 0;
  for (int i = 0; i < 5000; ++i) {
    now += static_cast<Picoseconds>(random() % 10'000'000'000);
    const auto operation = static_cast<Operation>(random() % 3);
    TraceRequest request{now, operation, 0, 0, std::nullopt};
    if (operation != Operation::kFlush) {
      request.lba = random() % (std::uint64_t{1} << 48);
      request.blocks = static_cast<std::uint32_t>(1 + random() % 1000);
    }
    if (random() % 4 == 0) request.deadline = static_cast<Picoseconds>(random() % 1'000'000'000);
    requests.push_back(request);
  }
  std::stringstream file;
  TraceWriter writer(file, {512, Loop::kOpen, "made up"});
  for (const TraceRequest& request : requests) writer.write(request);
  const auto reader = read_trace(file, "round trip");
  EXPECT_EQ(reader->header().source, "made up");
  for (const TraceRequest& request : requests) {
    const auto back = reader->next();
    ASSERT_TRUE(back.has_value());
    ASSERT_EQ(*back, request) << "line " << reader->line() << " seed " << kSeed;
  }
  EXPECT_FALSE(reader->next().has_value());
}

// Real lines of a published trace's format; flags are hexadecimal, bit 0 is a read.
TEST(DiskSimTrace, RealLines) {
  const auto requests = read_all("46.476655 0 5061656 8 1\n94.373125 0 1620216 8 0\n");
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0],
            (TraceRequest{46'476'655'000, Operation::kRead, 5061656, 8, std::nullopt}));
  EXPECT_EQ(requests[1].operation, Operation::kWrite);
}

TEST(DiskSimTrace, FlagsAreHexadecimal) {
  EXPECT_EQ(read_all("0.0 0 1 1 11\n").at(0).operation, Operation::kRead);
  EXPECT_EQ(read_all("0.0 0 1 1 1a\n").at(0).operation, Operation::kWrite);
}

const char* const kNbdkit =
    "2026-11-20 23:33:28.418023 connection=2 Connect export=\"\" size=0x80000000\n"
    "2026-11-20 23:33:28.500000 connection=1 Write id=1 offset=0x1000 count=0x2000 fua=0 ...\n"
    "2026-11-20 23:33:28.500700 connection=1 ...Write id=1 return=0\n"
    "2026-11-20 23:33:28.501000 connection=2 Read id=1 offset=0x0 count=0x200 ...\n"
    "2026-11-20 23:33:28.502000 connection=1 Trim id=2 offset=0x0 count=0x200 fua=0 ...\n"
    "2026-11-20 23:33:28.502500 connection=1 Write id=3 offset=0x200 count=0x200 fua=1 ...\n"
    "2026-11-20 23:33:28.503000 connection=1 Flush id=4 ...\n";

TEST(NbdkitLog, RequestsCountFromTheFirst_AndSkippedOnesAreCounted) {
  std::istringstream in(kNbdkit);
  const auto reader = read_trace(in, "log");
  std::vector<TraceRequest> requests;
  while (const auto request = reader->next()) requests.push_back(*request);
  const std::vector<TraceRequest> expected = {
      {0, Operation::kWrite, 8, 16, std::nullopt},
      {1000 * kUs, Operation::kRead, 0, 1, std::nullopt},
      {2500 * kUs, Operation::kWrite, 1, 1, std::nullopt},
      {2500 * kUs, Operation::kFlush, 0, 0, std::nullopt},  // forced unit access
      {3000 * kUs, Operation::kFlush, 0, 0, std::nullopt}};
  EXPECT_EQ(requests, expected);
  EXPECT_EQ(reader->skipped(), (std::map<std::string, std::uint64_t>{{"Trim", 1}}));
}

TEST(NbdkitLog, LinesOutOfOrder_AreSortedByTime) {
  const auto requests = read_all(
      "2026-11-20 23:59:59.900010 connection=1 Flush id=1 ...\n"
      "2026-11-20 23:59:59.900900 connection=2 Read id=2 offset=0x200 count=0x200 ...\n"
      "2026-11-20 23:59:59.900700 connection=1 Read id=3 offset=0x400 count=0x200 ...\n"
      "2026-11-21 00:00:00.100000 connection=1 Flush id=4 ...\n");
  ASSERT_EQ(requests.size(), 4U);
  EXPECT_EQ(requests[1].lba, 2U);
  EXPECT_EQ(requests[1].arrival, 690 * kUs);
  EXPECT_EQ(requests[2].lba, 1U);
  EXPECT_EQ(requests[3].arrival, 199'990 * kUs);  // over midnight
}

struct BadTrace {
  const char* what;
  std::string text;
  const char* place;  // file, line and field
  const char* remedy;
};

const BadTrace kBadTraces[] = {
    {"UnknownFormat", "hello\n", "test.trace:1: format", "known are"},
    {"Empty", "", "test.trace:1: format", "known are"},
    {"OtherVersion", "headstack-trace 2\n", "test.trace:1: version", "version 1"},
    {"UnknownKey", "headstack-trace 1\nlop open\n", "test.trace:2: lop", "use block-bytes"},
    {"NoUnit", "headstack-trace 1\nrequests\n", "time-unit", "add a line"},
    {"NoRequests", "headstack-trace 1\ntime-unit us\n", "requests", "write 'requests'"},
    {"BadOperation", kHeader + "0 X 1 1 -\n", "test.trace:6: operation", "R, W or F"},
    {"BadLba", kHeader + "0 R -1 1 -\n", "test.trace:6: lba", "mend"},
    {"NoBlocks", kHeader + "0 R 1 0 -\n", "test.trace:6: blocks", "1 or more"},
    {"FlushWithExtent", kHeader + "0 F 1 0 -\n", "test.trace:6: lba", "0 0"},
    {"FourFields", kHeader + "0 R 1 1\n", "test.trace:6: fields", "deadline"},
    {"BackInTime", kHeader + "5 R 1 1 -\n4 R 1 1 -\n", "test.trace:7: time", "sort"},
    {"NegativeTime", kHeader + "-5 R 1 1 -\n", "test.trace:6: time", "0 or more"},
    {"Truncated", kHeader + "5 R 1 1 -\n7 R 1", "test.trace:7: line end", "truncated"},
    {"BelowAPicosecond", kHeader + "0.0000001 R 1 1 -\n", "test.trace:6: time", "round"},
    {"DiskSimTwoDevices", "0.0 0 1 1 1\n0.1 1 1 1 1\n", "test.trace:2: device", "one device"},
    {"DiskSimFourFields", "0.0 0 1 1 1\n0.1 0 1 1\n", "test.trace:2: fields", "time_ms device"},
    {"DiskSimBackInTime", "5.0 0 1 1 1\n0.1 0 1 1 1\n", "test.trace:2: time_ms", "sort"},
    {"DiskSimBadFlags", "5.0 0 1 1 z\n", "test.trace:1: flags", "mend"},
    {"NbdkitOddSize",
     "2026-11-20 23:33:28.500000 connection=1 Read id=1 offset=0x1 count=0x200 ...\n",
     "test.trace:1: offset", "512"},
};

class BadTraceLine : public testing::TestWithParam<BadTrace> {};

TEST_P(BadTraceLine, OneErrorNamesFileLineFieldAndRemedy) {
  const std::string error = error_of(GetParam().text);
  EXPECT_THAT(error, AllOf(HasSubstr(GetParam().place), HasSubstr(GetParam().remedy)));
  EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

INSTANTIATE_TEST_SUITE_P(Trace, BadTraceLine, testing::ValuesIn(kBadTraces),
                         test::case_name<BadTrace>);

TEST(MeasuredTrace, IsWhatTheLogHolds) {
  const auto log = test::shared_dir() / "traces/own-ext4/ext4-git-sqlite.nbdkit.log";
  HEADSTACK_REQUIRE_FILE(log);
  const auto from_log = open_trace(log.string());
  const auto measured =
      open_trace((test::source_dir() / "traces/measured/ext4-git-sqlite.trace").string());
  int writes = 0;
  int flushes = 0;
  while (const auto request = measured->next()) {
    ASSERT_EQ(request, from_log->next()) << "line " << measured->line();
    writes += request->operation == Operation::kWrite ? 1 : 0;
    flushes += request->operation == Operation::kFlush ? 1 : 0;
  }
  EXPECT_FALSE(from_log->next().has_value());
  // The capture's own description: 1,563 writes, 778 flushes.
  EXPECT_EQ(writes, 1563);
  EXPECT_EQ(flushes, 778);
}

}  // namespace
}  // namespace headstack::replay
