// SPDX-License-Identifier: Apache-2.0
// Stages of a command record add up exactly, and summaries follow their definitions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "host/report/summary.hpp"
#include "tests/support.hpp"

namespace headstack::report {
namespace {

using traces::Operation;
using traces::TraceRequest;

const TraceRequest kRead{0, Operation::kRead, 100, 8, std::nullopt};

TEST(CommandRecord, Stages_SumToTheResponse) {
  CommandRecord record(1, kRead, 100);
  record.enter(Stage::kSelection, 130);
  record.enter(Stage::kQueued, 150);
  record.enter(Stage::kSeek, 150);
  record.enter(Stage::kRotation, 400);
  record.enter(Stage::kSeek, 500);  // the seek to the next track
  record.enter(Stage::kStatus, 510);
  record.complete(530, 0);
  EXPECT_EQ(record.find_fault().text, "");
  EXPECT_EQ(record.response(), 430);
  const auto times = record.stage_times();
  EXPECT_EQ(times[static_cast<std::size_t>(Stage::kIssued)], 30);
  EXPECT_EQ(times[static_cast<std::size_t>(Stage::kQueued)], 0);
  EXPECT_EQ(times[static_cast<std::size_t>(Stage::kSeek)], 260);
  EXPECT_EQ(times[static_cast<std::size_t>(Stage::kRotation)], 100);
  EXPECT_EQ(times[static_cast<std::size_t>(Stage::kStatus)], 20);
}

TEST(CommandRecord, Incomplete_IsAFault) {
  CommandRecord record(7, kRead, 0);
  EXPECT_THAT(record.find_fault().text, testing::HasSubstr("command 7: never completed"));
}

TEST(CommandRecord, TimeRunningBackwards_IsABug) {
  CommandRecord record(1, kRead, 100);
  record.enter(Stage::kQueued, 200);
  EXPECT_DEATH(record.enter(Stage::kSeek, 199), "order of time");
  record.complete(300, 0);
  EXPECT_DEATH(record.enter(Stage::kSeek, 301), "after its completion");
}

TEST(CommandRecord, CsvLine_HasAFieldPerColumn) {
  CommandRecord record(1, kRead, 100);
  record.complete(200, 2);
  const std::string header = record_csv_header();
  std::string line;
  append_record_csv_line(line, record);
  EXPECT_EQ(std::count(header.begin(), header.end(), ','),
            std::count(line.begin(), line.end(), ','));
  EXPECT_EQ(line.substr(0, 34), "1,read,100,8,100,200,100,2,,100,0,");
}

TEST(CommandRecord, CsvLine_HasTheSenseOfACheckCondition) {
  EXPECT_THAT(record_csv_header(), testing::HasSubstr(",response_ps,status,sense,issued_ps,"));
  CommandRecord record(1, kRead, 100);
  record.complete(200, 2);
  record.set_sense(Sense{0xB, 0x2E, 0x01});
  std::string line;
  append_record_csv_line(line, record);
  EXPECT_THAT(line, testing::StartsWith("1,read,100,8,100,200,100,2,B/2E/01,100,0,"));
  record.set_sense(Sense{4, 0x03, 0x00, true});
  line.clear();
  append_record_csv_line(line, record);
  EXPECT_THAT(line, testing::StartsWith("1,read,100,8,100,200,100,2,4/03/00 deferred,100,"));
}

// SCSI-2 tables 27 and 71 have the statuses and the sense keys.
TEST(Summary, CountsCommandsByTheirSense_AndOtherStatusesByName) {
  Summary summary;
  const auto add = [&summary](std::uint8_t status, const std::optional<Sense>& sense,
                              const char* outcome = kCompleteOutcome) {
    CommandRecord record(1, kRead, 100);
    record.complete(200, status);
    record.set_sense(sense);
    record.set_ending(outcome, 1);
    summary.add(record);
  };
  add(0x00, std::nullopt);
  add(0x02, Sense{4, 0x02, 0x00});
  add(0x02, Sense{4, 0x02, 0x00});
  add(0x02, Sense{3, 0x11, 0x00});
  add(0x02, std::nullopt);
  add(0x18, std::nullopt);
  add(0xFF, std::nullopt, "aborted");
  EXPECT_EQ(summary.failed(), 6U);
  const std::string text = summary.to_table();
  for (const char* line :
       {"  2 CHECK CONDITION: 4/02/00 no seek complete\n",
        "  1 CHECK CONDITION: 3/11/00 unrecovered read error\n",
        "  1 CHECK CONDITION, without sense data\n",
        "  1 RESERVATION CONFLICT, without sense data\n", "  1 of them: aborted\n"}) {
    EXPECT_THAT(text, testing::HasSubstr(line));
  }
  const auto json = summary.to_json();
  ASSERT_EQ(json["sense"].size(), 2U);
  EXPECT_EQ(json["sense"][1]["sense"], "4/02/00");
  EXPECT_EQ(json["sense"][1]["commands"], 2);
  EXPECT_EQ(json["statuses"]["RESERVATION CONFLICT"], 1);
  EXPECT_FALSE(Summary().to_json().contains("sense"));
}

TEST(CommandRecord, CsvColumnsOfSomeRuns_StandBehindTheOthers_EmptyWhereNothingIsKnown) {
  traces::TraceRequest request = kRead;
  request.initiator = 3;
  request.deadline = 5000;
  CommandRecord record(1, request, 100);
  record.complete(200, 0);
  const RecordColumns columns{true, true, true};
  EXPECT_THAT(record_csv_header(columns),
              testing::EndsWith(",search_exposed_ps,initiator,measured_service_ps,deadline_ps"));
  std::string line;
  append_record_csv_line(line, record, columns);
  EXPECT_THAT(line, testing::EndsWith(",0,3,,5000\n"));
  request.service = 70;
  request.deadline.reset();
  CommandRecord other(1, request, 100);
  other.complete(200, 0);
  line.clear();
  append_record_csv_line(line, other, columns);
  EXPECT_THAT(line, testing::EndsWith(",0,3,70,\n"));
}

TEST(CommandRecord, CsvColumnsOfUrgency_StandBehindTheDeadline) {
  traces::TraceRequest request = kRead;
  request.deadline = 5000;
  request.urgency = {std::nullopt, std::uint8_t{255}, 15};
  RecordColumns columns;
  columns.deadline = columns.urgency = columns.ending = true;
  EXPECT_THAT(record_csv_header(columns),
              testing::EndsWith(",deadline_ps,class,stream,priority,outcome,tries"));
  CommandRecord record(1, request, 100);
  record.complete(200, 0);
  std::string line;
  append_record_csv_line(line, record, columns);
  EXPECT_THAT(line, testing::EndsWith(",5000,real-time,255,15,complete,1\n"));
  CommandRecord plain(1, kRead, 100);
  plain.complete(200, 0);
  line.clear();
  append_record_csv_line(line, plain, columns);
  EXPECT_THAT(line, testing::EndsWith(",,best-effort,,0,complete,1\n"));
  // A request that names no stream has the drive's number for it.
  line.clear();
  append_record_csv_line(line, plain, columns, std::uint8_t{7});
  EXPECT_THAT(line, testing::EndsWith(",,best-effort,7,0,complete,1\n"));
  line.clear();
  append_record_csv_line(line, record, columns, std::uint8_t{7});
  EXPECT_THAT(line, testing::EndsWith(",5000,real-time,255,15,complete,1\n"));
}

// A command that ends at its deadline meets it. A picosecond later, or without GOOD, it misses.
TEST(Summary, MissedDeadlines_ByClass) {
  Summary summary;
  const auto add = [&summary](Picoseconds deadline, Picoseconds response, std::uint8_t status,
                              std::optional<traces::ServiceClass> service_class) {
    traces::TraceRequest request = kRead;
    request.deadline = deadline;
    request.urgency.service_class = service_class;
    CommandRecord record(0, request, 100);
    record.complete(100 + response, status);
    summary.add(record);
  };
  add(5000, 5000, 0, std::nullopt);
  add(5000, 5001, 0, std::nullopt);
  add(-10, 5, 0, traces::ServiceClass::kRealTime);
  add(5000, 10, 2, traces::ServiceClass::kBestEffort);
  const auto json = summary.to_json()["deadlines"];
  EXPECT_EQ(json["commands"], 4);
  EXPECT_EQ(json["missed"], 3);
  EXPECT_EQ(json["missed_share"], 0.75);
  EXPECT_EQ(json["late"], 2);
  EXPECT_EQ(json["tardiness_ps"]["mean"], 8);
  EXPECT_EQ(json["tardiness_ps"]["max"], 15);
  EXPECT_EQ(json["classes"]["real-time"]["commands"], 3);
  EXPECT_EQ(json["classes"]["real-time"]["missed"], 2);
  EXPECT_EQ(json["classes"]["best-effort"]["missed"], 1);
  EXPECT_EQ(json["classes"]["best-effort"]["late"], 0);
  Summary none;
  CommandRecord record(0, kRead, 100);
  record.complete(200, 0);
  none.add(record);
  EXPECT_FALSE(none.to_json().contains("deadlines"));
}

// The nearest rank, by its definition: of 1 to 10, p50 is rank 5, p90 rank 9 and p99 rank 10.
TEST(Distribution, NearestRank) {
  const Distribution d = distribution({10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
  EXPECT_EQ(d.count, 10U);
  EXPECT_EQ(d.mean, 5);
  EXPECT_EQ(d.p50, 5);
  EXPECT_EQ(d.p90, 9);
  EXPECT_EQ(d.p99, 10);
  EXPECT_EQ(d.max, 10);
  EXPECT_EQ(distribution({42}).p50, 42);
  EXPECT_EQ(distribution({}).count, 0U);
}

// Times that are kept in a file give the same figures as sorting, at sizes around the limit of
// memory.
TEST(ResponseTimes, BeyondMemory_AreTheSameFigures) {
  constexpr std::size_t kSizes[] = {ResponseTimes::kInMemory, ResponseTimes::kInMemory + 1,
                                    2 * ResponseTimes::kInMemory + 77};
  for (const std::size_t size : kSizes) {
    std::mt19937_64 random(size);
    ResponseTimes times;
    std::vector<Picoseconds> all;
    for (std::size_t i = 0; i < size; ++i) {
      // Numbers of few digits and of many: up to 2^8, 2^30 and 2^50.
      const auto time = static_cast<Picoseconds>(random() >> (i % 3 == 0   ? 56
                                                              : i % 3 == 1 ? 34
                                                                           : 14));
      times.add(time);
      all.push_back(time);
    }
    const Distribution sorted = distribution(std::move(all));
    const Distribution found = times.distribution();
    EXPECT_EQ(times.count(), size);
    EXPECT_EQ(found.count, sorted.count);
    EXPECT_EQ(found.mean, sorted.mean);
    EXPECT_EQ(found.p50, sorted.p50);
    EXPECT_EQ(found.p90, sorted.p90);
    EXPECT_EQ(found.p99, sorted.p99);
    EXPECT_EQ(found.max, sorted.max);
  }
}

// Two commands of 10 ms, one after another. Each is on the media for 4 ms.
TEST(Summary, FiguresByHand) {
  Summary summary;
  for (int i = 0; i < 2; ++i) {
    CommandRecord record(static_cast<std::uint64_t>(i), kRead, from_ms(10.0 * i));
    record.enter(Stage::kMediaTransfer, from_ms(10.0 * i + 5));
    record.enter(Stage::kStatus, from_ms(10.0 * i + 9));
    record.complete(from_ms(10.0 * i + 10), i == 1 ? 2 : 0);
    summary.add(record);
  }
  EXPECT_EQ(summary.elapsed(), from_ms(20));
  EXPECT_DOUBLE_EQ(summary.commands_per_second(), 100);
  EXPECT_DOUBLE_EQ(summary.utilization(), 0.4);
  EXPECT_DOUBLE_EQ(summary.mean_outstanding(), 1.0);
  EXPECT_EQ(summary.failed(), 1U);
  EXPECT_EQ(summary.to_json()["blocks"], 16);
  EXPECT_EQ(summary.first_fault().text, "");
}

TEST(Summary, RecordThatNeverCompleted_IsReported) {
  Summary summary;
  summary.add(CommandRecord(3, kRead, 0));
  EXPECT_EQ(summary.commands(), 0U);
  EXPECT_THAT(summary.first_fault().text, testing::HasSubstr("command 3"));
}

}  // namespace
}  // namespace headstack::report
