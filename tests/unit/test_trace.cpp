// SPDX-License-Identifier: Apache-2.0
// Our own trace format, exact times, and every possible fault of a line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "host/traces/trace_writer.hpp"
#include "tests/support.hpp"

namespace headstack::traces {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr Picoseconds kUs = kPicosecondsPerMicrosecond;

std::vector<TraceRequest> read_all(const std::string& text) {
  std::istringstream in(text);
  const auto reader = read_trace(in, "test.trace");
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

const std::string kOptionsHeader =
    "headstack-trace 3\ntime-unit us\ncolumns time operation lba blocks options\nrequests\n";

const std::string kUrgentHeader =
    "headstack-trace 4\ntime-unit us\n"
    "columns time operation lba blocks deadline class stream priority\nrequests\n";

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

/// Random options that a request of this kind can have.
RequestOptions random_options(std::mt19937_64& random, Operation operation) {
  RequestOptions options;
  options.tagging = static_cast<Tagging>(random() % 4);
  options.keeps_bus = random() % 4 == 0;
  options.act = static_cast<Act>(random() % 5);
  if (options.act != Act::kNone) {
    options.act_delay = static_cast<Picoseconds>(random() % 1'000'000'000);
  }
  if (operation == Operation::kFlush) return options;
  options.disable_page_out = random() % 4 == 0;
  if (operation == Operation::kVerify) return options;
  options.force_unit_access = random() % 4 == 0;
  options.cdb_bytes = static_cast<std::uint8_t>(random() % 3 == 0   ? 6
                                                : random() % 2 == 0 ? 10
                                                                    : 16);
  return options;
}

/// A random urgency that a request can have.
Urgency random_urgency(std::mt19937_64& random, bool has_deadline) {
  Urgency urgency;
  if (random() % 2 == 0) {
    const bool real_time = has_deadline && random() % 2 == 0;
    urgency.service_class = real_time ? ServiceClass::kRealTime : ServiceClass::kBestEffort;
  }
  if (random() % 2 == 0) urgency.stream = static_cast<std::uint8_t>(random() % 256);
  if (random() % 2 == 0) urgency.priority = static_cast<std::uint8_t>(random() % 16);
  return urgency;
}

class RoundTrip : public testing::TestWithParam<int> {};

// A request uses what its version has: 3 has options, 4 has urgency.
TEST_P(RoundTrip, RandomRequests_SurviveIt) {
  const bool has_options = GetParam() >= 3;
  const bool has_urgency = GetParam() >= 4;
  constexpr std::uint64_t kSeed = 99;
  std::mt19937_64 random(kSeed);
  std::vector<TraceRequest> requests;
  Picoseconds now = 0;
  for (int i = 0; i < 5000; ++i) {
    now += static_cast<Picoseconds>(random() % 10'000'000'000);
    const auto operation = static_cast<Operation>(random() % (has_options ? 4 : 3));
    TraceRequest request{now, operation, 0, 0, std::nullopt};
    if (operation != Operation::kFlush) {
      request.lba = random() % (std::uint64_t{1} << 48);
      request.blocks = static_cast<std::uint32_t>(1 + random() % 1000);
    }
    if (random() % 4 == 0) request.deadline = static_cast<Picoseconds>(random() % 1'000'000'000);
    if (has_options && random() % 2 == 0) request.options = random_options(random, operation);
    if (has_urgency) request.urgency = random_urgency(random, request.deadline.has_value());
    requests.push_back(request);
  }
  std::stringstream file;
  TraceHeader header{512, Loop::kOpen, "made up"};
  header.has_options = has_options;
  header.has_deadlines = header.has_classes = header.has_streams = header.has_priorities =
      has_urgency;
  TraceWriter writer(file, header);
  for (const TraceRequest& request : requests) writer.write(request);
  writer.finish();
  const auto reader = read_trace(file, "round trip");
  EXPECT_EQ(reader->header().source, "made up");
  EXPECT_EQ(file.str().rfind("headstack-trace " + std::to_string(GetParam()) + "\n", 0), 0U);
  EXPECT_EQ(reader->header().has_options, has_options);
  EXPECT_EQ(reader->header().has_deadlines, has_urgency);
  EXPECT_EQ(reader->header().has_classes, has_urgency);
  EXPECT_EQ(reader->header().has_streams, has_urgency);
  EXPECT_EQ(reader->header().has_priorities, has_urgency);
  for (const TraceRequest& request : requests) {
    const auto back = reader->next();
    ASSERT_TRUE(back.has_value());
    ASSERT_EQ(*back, request) << "line " << reader->line() << " seed " << kSeed;
  }
  EXPECT_FALSE(reader->next().has_value());
}

INSTANTIATE_TEST_SUITE_P(Trace, RoundTrip, testing::Values(1, 3, 4), [](const auto& version) {
  return "Version" + std::to_string(version.param);
});

TEST(HeadstackTrace, LinesOfVersion4_MeanWhatTheReadmeSays) {
  const auto requests = read_all(
      "headstack-trace 4\ntime-unit ms\n"
      "columns time operation lba blocks deadline class stream priority\nrequests\n"
      "0 R 2048 8 26 real-time 3 1\n4.5 W 4096 16 - best-effort - 0\n7 R 8 8 40 - 255 15\n");
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].deadline, 26'000 * kUs);
  EXPECT_EQ(requests[0].urgency, (Urgency{ServiceClass::kRealTime, std::uint8_t{3}, 1}));
  EXPECT_EQ(requests[1].urgency, (Urgency{ServiceClass::kBestEffort, std::nullopt, 0}));
  EXPECT_EQ(requests[1].service_class(), ServiceClass::kBestEffort);
  EXPECT_EQ(requests[2].urgency, (Urgency{std::nullopt, std::uint8_t{255}, 15}));
  EXPECT_EQ(requests[2].service_class(), ServiceClass::kRealTime) << "by its deadline";
}

// The column of an older version may be empty throughout. In version 4, it promises deadlines.
TEST(HeadstackTrace, ADeadlineColumn_AnnouncesDeadlines_FromVersion4On) {
  for (const char version : {'1', '2', '3', '4'}) {
    std::istringstream in(std::string("headstack-trace ") + version +
                          "\ntime-unit us\nrequests\n0 R 1 1 -\n");
    EXPECT_EQ(read_trace(in, "test.trace")->header().has_deadlines, version == '4') << version;
  }
  std::istringstream without(
      "headstack-trace 4\ntime-unit us\ncolumns time operation lba blocks\nrequests\n");
  EXPECT_FALSE(read_trace(without, "test.trace")->header().has_deadlines);
}

// Data that the header does not announce are a bug of the writer, and must not be lost.
TEST(HeadstackTrace, WhatTheHeaderDoesNotAnnounce_IsNotDropped) {
  std::stringstream file;
  TraceWriter writer(file, {512, Loop::kOpen, ""});
  TraceRequest request{0, Operation::kRead, 0, 1};
  request.options.force_unit_access = true;
  EXPECT_THROW(writer.write(request), std::logic_error);
  EXPECT_THROW(writer.write({0, Operation::kVerify, 0, 1}), std::logic_error);
  TraceHeader priorities{512, Loop::kOpen, ""};
  priorities.has_priorities = true;  // version 4, in which announced deadlines have a column
  TraceWriter fourth(file, priorities);
  for (const Urgency& urgency :
       {Urgency{ServiceClass::kBestEffort}, Urgency{std::nullopt, std::uint8_t{0}}}) {
    TraceRequest urgent{0, Operation::kRead, 0, 1};
    urgent.urgency = urgency;
    EXPECT_THROW(fourth.write(urgent), std::logic_error);
    EXPECT_THROW(writer.write(urgent), std::logic_error);
  }
  EXPECT_THROW(fourth.write({0, Operation::kRead, 0, 1, 5 * kUs}), std::logic_error);
  EXPECT_NO_THROW(writer.write({0, Operation::kRead, 0, 1, 5 * kUs}));
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
  EXPECT_EQ(requests[3].arrival, 199'990 * kUs);  // after midnight
}

struct BadTrace {
  const char* what;
  std::string text;
  const char* place;  // file, line and field of the fault
  const char* remedy;
};

const BadTrace kBadTraces[] = {
    {"UnknownFormat", "hello\n", "test.trace:1: format", "name it (--from"},
    {"Empty", "", "test.trace:1: format", "the file is empty"},
    {"OtherVersion", "headstack-trace 5\n", "test.trace:1: version", "versions 1 to 4"},
    {"VersionOfTwoDigits", "headstack-trace 11\n", "test.trace:1: version", "versions 1 to 4"},
    {"OptionsInVersion2", "headstack-trace 2\ncolumns lba options\n", "test.trace:2: columns",
     "headstack-trace 3"},
    {"VerifyInVersion1", kHeader + "0 V 1 1 -\n", "test.trace:6: operation", "R, W or F"},
    {"UnknownOption", kOptionsHeader + "0 R 1 1 ordred\n", "test.trace:5: options", "use ordered"},
    {"EmptyOption", kOptionsHeader + "0 R 1 1 fua+\n", "test.trace:5: options", "use ordered"},
    {"TwoTags", kOptionsHeader + "0 R 1 1 ordered+untagged\n", "test.trace:5: options", "one of"},
    {"FuaTwice", kOptionsHeader + "0 R 1 1 fua+fua\n", "test.trace:5: options", "one of them"},
    {"TwoActs", kOptionsHeader + "0 R 1 1 abort=1+bus-reset=2\n", "test.trace:5: options",
     "one of"},
    {"AbortWithoutTime", kOptionsHeader + "0 R 1 1 abort\n", "test.trace:5: options", "abort=TIME"},
    {"AbortBadTime", kOptionsHeader + "0 R 1 1 abort=-1\n", "test.trace:5: options", "0 or more"},
    {"TagWithTime", kOptionsHeader + "0 R 1 1 ordered=1\n", "test.trace:5: options", "use ordered"},
    {"OddCdb", kOptionsHeader + "0 R 1 1 cdb=12\n", "test.trace:5: options", "cdb=16"},
    {"FlushWithFua", kOptionsHeader + "0 F 0 0 fua\n", "test.trace:5: options", "leave it out"},
    {"VerifyWithCdb", kOptionsHeader + "0 V 1 1 cdb=16\n", "test.trace:5: options", "leave it out"},
    {"FlushWithDpo", kOptionsHeader + "0 F 0 0 dpo\n", "test.trace:5: options", "leave it out"},
    {"ClassInVersion3", "headstack-trace 3\ncolumns lba class\n", "test.trace:2: columns",
     "headstack-trace 4"},
    {"StreamInVersion2", "headstack-trace 2\ncolumns lba stream\n", "test.trace:2: columns",
     "headstack-trace 4"},
    {"PriorityTwice", "headstack-trace 4\ncolumns priority priority\n", "test.trace:2: columns",
     "once"},
    {"UnknownClass", kUrgentHeader + "0 R 1 1 5 realtime 0 0\n", "test.trace:5: class",
     "use real-time"},
    {"RealTimeWithoutDeadline", kUrgentHeader + "0 R 1 1 - real-time 0 0\n", "test.trace:5: class",
     "give it a deadline"},
    {"NegativeDeadline", kUrgentHeader + "0 R 1 1 -5 - 0 0\n", "test.trace:5: deadline",
     "0 or more"},
    {"StreamPastTheLast", kUrgentHeader + "0 R 1 1 5 - 256 0\n", "test.trace:5: stream", "255"},
    {"NoStream", kUrgentHeader + "0 R 1 1 5 - x 0\n", "test.trace:5: stream", "correct"},
    {"PriorityPastTheLast", kUrgentHeader + "0 R 1 1 5 - 0 16\n", "test.trace:5: priority", "15"},
    {"NoPriority", kUrgentHeader + "0 R 1 1 5 - 0 -\n", "test.trace:5: priority", "correct"},
    {"ColumnsInVersion1", "headstack-trace 1\ncolumns lba\n", "test.trace:2: columns", "use block"},
    {"UnknownColumn", "headstack-trace 2\ncolumns lbb\n", "test.trace:2: columns", "use time"},
    {"ColumnTwice", "headstack-trace 2\ncolumns lba lba\n", "test.trace:2: columns", "once"},
    {"NoOperationColumn", "headstack-trace 2\ntime-unit us\ncolumns time lba blocks\nrequests\n",
     "test.trace:4: columns", "name it"},
    {"NoTimeColumn", "headstack-trace 2\ntime-unit us\ncolumns operation lba blocks\nrequests\n",
     "test.trace:4: columns", "name it"},
    {"ThinkInVersion1", "headstack-trace 1\nloop think\n", "test.trace:2: loop", "open or closed"},
    {"UnknownKey", "headstack-trace 1\nlop open\n", "test.trace:2: lop", "use block-bytes"},
    {"UnitTwice", "headstack-trace 1\ntime-unit us\nloop open\ntime-unit ms\nrequests\n",
     "test.trace:4: time-unit: stands twice", "drop one"},
    {"LoopTwice", "headstack-trace 1\nloop open\nloop open\n", "test.trace:3: loop", "drop one"},
    {"SourceTwice", "headstack-trace 1\nsource a\nsource\n", "test.trace:3: source", "drop one"},
    {"ColumnsTwice", "headstack-trace 2\ncolumns lba\ncolumns lba\n", "test.trace:3: columns",
     "drop one"},
    {"WordsBehindRequests", "headstack-trace 1\ntime-unit us\nrequests 5\n",
     "test.trace:3: requests: '5' after it", "write 'requests' alone"},
    {"NoUnit", "headstack-trace 1\nrequests\n", "time-unit", "add a line"},
    {"NoRequests", "headstack-trace 1\ntime-unit us\n", "requests", "write 'requests'"},
    {"BadOperation", kHeader + "0 X 1 1 -\n", "test.trace:6: operation", "R, W or F"},
    {"BadLba", kHeader + "0 R -1 1 -\n", "test.trace:6: lba", "correct"},
    {"NoBlocks", kHeader + "0 R 1 0 -\n", "test.trace:6: blocks", "1 or more"},
    {"FlushWithExtent", kHeader + "0 F 1 0 -\n", "test.trace:6: lba", "0 0"},
    {"FourFields", kHeader + "0 R 1 1\n", "test.trace:6: fields", "deadline"},
    {"BackInTime", kHeader + "5 R 1 1 -\n4 R 1 1 -\n", "test.trace:7: time", "sort"},
    {"NegativeTime", kHeader + "-5 R 1 1 -\n", "test.trace:6: time", "0 or more"},
    {"TimeEndsInPoint", kHeader + "5. R 1 1 -\n", "test.trace:6: time: '5.' is not", "5 or 0.5"},
    {"TimeBeginsWithPoint", kHeader + ".5 R 1 1 -\n", "test.trace:6: time: '.5' is not",
     "5 or 0.5"},
    {"Truncated", kHeader + "5 R 1 1 -\n7 R 1", "test.trace:7: line end", "truncated"},
    {"BelowAPicosecond", kHeader + "0.0000001 R 1 1 -\n", "test.trace:6: time", "round"},
    {"DiskSimTwoDevices", "0.0 0 1 1 1\n0.1 1 1 1 1\n", "test.trace:2: device", "--device"},
    {"DiskSimFourFields", "0.0 0 1 1 1\n0.1 0 1 1\n", "test.trace:2: fields", "time_ms device"},
    {"DiskSimBackInTime", "5.0 0 1 1 1\n0.1 0 1 1 1\n", "test.trace:2: time", "sort"},
    {"DiskSimBadFlags", "5.0 0 1 1 1\n5.0 0 1 1 z\n", "test.trace:2: flags", "correct"},
    {"DiskSimFlagsOf33Bits", "5.0 0 1 1 ffffffff\n5.0 0 1 1 100000000\n", "test.trace:2: flags",
     "correct"},
    {"NbdkitNoOffset", "2026-11-20 23:33:28.5 connection=1 Read id=1 count=0x200 ...\n",
     "test.trace:1: offset", "correct"},
    {"NoSuchFormatVersion", "$$TR_IOREC-1.3\nno form feed\n", "test.trace:1: header", "1.3"},
    {"SpcBadOpcode", "0,1,512,r,0\n0,1,512,q,0\n", "test.trace:2: opcode", "R or W"},
    {"MsrBadType", "1,h,0,Read,0,512,1\n1,h,0,Rad,0,512,1\n", "test.trace:2: Type", "Read or"},
    {"SystorBadResponse", "1.0,0.1,R,0,0,512\n1.0,z,R,0,0,512\n", "test.trace:2: Response", "0 or"},
    {"AlibabaBadLength", "1,R,0,512,5\n1,R,0,-1,5\n", "test.trace:2: length", "correct"},
    {"TencentBadType", "5,0,8,0,1\n5,0,8,2,1\n", "test.trace:2: IOType", "correct"},
    {"K5cloudBadOffset", "1,0.5,R,0,512\n1,0.5,R,x,512\n", "test.trace:2: Offset", "correct"},
    {"FiuFewFields", "1 2 p 3 8 R 6 0 m\n1 2 p 3 8 R 6 0\n", "test.trace:2: fields", "time_ns pid"},
    {"FiuBadMinor", "1 2 p 3 8 R 6 0 m\n1 2 p 3 8 R 6 x m\n", "test.trace:2: minor", "correct"},
    {"SsdsimBadOp", "0 0 1 8 1\n0 0 1 8 x\n", "test.trace:2: op", "correct"},
    {"ValidateBadCache", "R Hit 1 2 3.0 4.0\nR Mis 1 2 3.0 4.0\n", "test.trace:2: cache", "Miss"},
    {"FioBadVersion", "fio version 2 iolog\n/a read 0\n", "test.trace:2: fields", "a line is"},
    {"BlkparseBadSector", "8,0 0 1 0.0 1 D R x + 8 [p]\n", "test.trace:1: sector", "correct"},
    {"OfAVscsiRecordsLength", std::string(32, 'x'), "test.trace:1: format", "name it (--from"},
    {"TooFarOn", "0.0 0 1 1 1\n6480000001.0 0 1 1 1\n", "test.trace:2: time", "75 days"},
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
    auto logged = from_log->next();
    if (logged) logged->service.reset();  // the trace in the tree is older
    ASSERT_EQ(request, logged) << "line " << measured->line();
    writes += request->operation == Operation::kWrite ? 1 : 0;
    flushes += request->operation == Operation::kFlush ? 1 : 0;
  }
  EXPECT_FALSE(from_log->next().has_value());
  // The capture's own description counts 1,563 writes and 778 flushes.
  EXPECT_EQ(writes, 1563);
  EXPECT_EQ(flushes, 778);
}

}  // namespace
}  // namespace headstack::traces
