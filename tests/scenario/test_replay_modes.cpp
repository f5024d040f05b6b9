// SPDX-License-Identifier: Apache-2.0
// The modes of a replay, on both platforms: loops with think times, addresses of another drive,
// several hosts, warm-up, the host's bus, the drive's cache.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>

#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t kPsPerMs = 1'000'000'000;

/// A line of records.csv by its columns' names.
using Record = std::map<std::string, std::string>;

std::int64_t number(const Record& record, const std::string& column) {
  return std::stoll(record.at(column));
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream in(line + ',');
  for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
  return fields;
}

class ReplayModes : public ReplayFixture, public testing::WithParamInterface<const char*> {
 protected:
  void write_requests(const std::string& header, const std::string& requests) const {
    std::ofstream(file("trace")) << header << "requests\n" << requests;
  }
  static constexpr const char* kThinkHeader =
      "headstack-trace 2\ntime-unit ms\nloop think\n"
      "columns operation lba blocks deadline initiator think service\n";

  int run_drive(const std::string& arguments, const std::string& out = "out",
                const std::string& drive = "hp_c3323a") const {
    return run("--platform " + std::string(GetParam()) + " --drive " + drive + " " + arguments,
               out);
  }

  std::vector<std::string> lines(const std::string& out = "out") const {
    std::istringstream in(slurp(file(out) + "/records.csv"));
    std::vector<std::string> all;
    for (std::string line; std::getline(in, line);) all.push_back(line);
    return all;
  }
  /// The records by the number of the command.
  std::map<int, Record> records(const std::string& out = "out") const {
    std::map<int, Record> all;
    const std::vector<std::string> text = lines(out);
    const std::vector<std::string> columns = fields_of(text.at(0));
    for (std::size_t i = 1; i < text.size(); ++i) {
      const std::vector<std::string> fields = fields_of(text[i]);
      Record record;
      for (std::size_t j = 0; j < columns.size(); ++j) record[columns[j]] = fields.at(j);
      all[std::stoi(record.at("command"))] = record;
    }
    return all;
  }

  /// The requests that the media served, in their order, from the run's event log: R or W.
  std::string chosen(const std::string& out) const {
    std::map<std::uint32_t, char> kind_of_task;
    std::istringstream in(slurp(file(out) + "/events.txt"));
    std::string edge, name, argument, order;
    char kind = '?';
    while (in >> edge >> name >> argument) {
      const auto value = static_cast<std::uint32_t>(std::stoul(argument, nullptr, 16));
      constexpr std::uint32_t kWrite10 = 0x2A;
      if (name == "COMMAND_RECEIVED") kind = value >> 24 == kWrite10 ? 'W' : 'R';
      if (name == "TASK_QUEUED") kind_of_task[value & 0xFFFF] = kind;
      if (name == "TASK_CHOSEN") order += kind_of_task.at(value);
    }
    return order;
  }
};

const std::string kUrgentHeader =
    "headstack-trace 4\ntime-unit ms\n"
    "columns time operation lba blocks deadline class stream priority\n";

// A run that sends no deadlines has the same columns, with the values of the trace.
TEST_P(ReplayModes, Deadlines_AreInRecordsAndSummary_AndBecomeAnExitStatus) {
  write_requests(kUrgentHeader,
                 "0 R 100 8 3000 real-time 3 1\n0 W 90000 8 - best-effort - 0\n"
                 "1 R 500000 8 0.001 - - 0\n1 R 900000 8 - - 7 15\n");
  for (const char* use : {"none", "message"}) {
    ASSERT_EQ(run_drive(std::string("--deadlines ") + use, use), 0) << errors();
    auto all = records(use);
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(number(all[0], "deadline_ps"), 3000 * kPsPerMs);
    EXPECT_EQ(all[0]["class"] + all[0]["stream"] + all[0]["priority"], "real-time31");
    // A request that names no stream belongs to its host's, whose number is the SCSI id.
    EXPECT_EQ(all[1]["deadline_ps"] + all[1]["class"] + all[1]["stream"], "best-effort7");
    EXPECT_EQ(number(all[2], "deadline_ps"), kPsPerMs / 1000);
    EXPECT_EQ(all[3]["stream"] + all[3]["priority"], "715");
    const Json deadlines = summary(use)["result"]["deadlines"];
    EXPECT_EQ(deadlines["commands"], 2);
    EXPECT_EQ(deadlines["missed"], 1);
    EXPECT_EQ(deadlines["tardiness_ps"]["max"], number(all[2], "response_ps") - kPsPerMs / 1000);
  }
  // The message takes time on the bus: ten bytes, and the firmware's work for them.
  EXPECT_GT(number(records("message")[0], "command_ps"), number(records("none")[0], "command_ps"));
  EXPECT_EQ(number(records("message")[1], "command_ps"), number(records("none")[1], "command_ps"))
      << "best effort without a stream says nothing";
  EXPECT_EQ(run_drive("stop.fail_on=missed-deadline=50%"), 0) << errors();
  EXPECT_EQ(run_drive("stop.fail_on=missed-deadline=49.9%"), 1);
  EXPECT_THAT(errors(), AllOf(testing::StartsWith("headstack: error: stop.fail_on"),
                              HasSubstr("1 missed deadline, 50.000 % of 2 deadlines")));
  EXPECT_THAT(summary("out")["failure"].get<std::string>(), HasSubstr("stop.fail_on"));
  write_requests(kThinkHeader, "R 100 8 - 0 1 -\n");
  EXPECT_EQ(run_drive("stop.fail_on=missed-deadline"), 1);
  EXPECT_THAT(errors(), HasSubstr("no command had a deadline"));
}

// Two hosts each set limits of their own. The second read's limit passes while it waits.
TEST_P(ReplayModes, DurationLimits_AreMadeOfTheDeadlines_AndAct) {
  write_requests(kUrgentHeader,
                 "0 R 100 8 5000 - - 0\n0 R 500000 8 0.5 - - 0\n0 W 90000 8 640 - - 0\n"
                 "0 R 900000 8 - - - 0\n0 V 700 8 900 - - 0\n");
  for (const char* policy : {"complete", "abort"}) {
    ASSERT_EQ(run_drive(std::string("--hosts 2 --deadlines cdl settings.cdl_policy=") + policy), 0)
        << errors();
    const Json limits = summary("out")["duration_limits"];
    EXPECT_EQ(limits["policy"], policy);
    // 500 us are 1,000 units of 500 ns; 640 ms are 64 of 10 ms.
    EXPECT_EQ(limits["reads_ps"], (Json{kPsPerMs / 2, 5000 * kPsPerMs}));
    EXPECT_EQ(limits["writes_ps"], (Json{640 * kPsPerMs}));
    EXPECT_EQ(limits["commands"], 3);
    EXPECT_EQ(limits["deadlines_without"], 1) << "a verify names no descriptor";
    EXPECT_EQ(limits["longer_ps"]["max"], 0);
    auto all = records();
    const bool aborts = std::string(policy) == "abort";
    EXPECT_EQ(all[1]["status"], aborts ? "2" : "0");
    for (const int kept : {0, 2, 3, 4}) EXPECT_EQ(all[kept]["status"], "0") << kept;
    const Json deadlines = summary("out")["result"]["deadlines"];
    EXPECT_EQ(deadlines["missed"], 1);
    // The status comes when the limit has passed, as soon as the bus is free for it.
    if (aborts) {
      EXPECT_LT(deadlines["tardiness_ps"]["max"], 2 * kPsPerMs);
    }
  }
}

TEST_P(ReplayModes, DurationLimits_WithResetsOrWithoutDeadlines_AreErrors) {
  write_requests(kUrgentHeader, "0 R 100 8 5000 - - 0\n");
  EXPECT_EQ(run_drive("--deadlines cdl hosts.every.bus_reset=5"), 1);
  EXPECT_THAT(errors(), HasSubstr("a reset clears the drive's limits"));
  write_requests(kUrgentHeader, "0 R 100 8 - - - 0\n");
  EXPECT_EQ(run_drive("--deadlines cdl"), 1);
  EXPECT_THAT(errors(), HasSubstr("no read or write has a deadline"));
}

// A host with one command out at a time keeps the second waiting: that counts.
TEST_P(ReplayModes, Deadline_CountsFromTheArrival) {
  write_requests(kUrgentHeader, "0 R 100 8 500 - - 0\n1 R 500000 8 500 - - 0\n");
  ASSERT_EQ(run_drive("--depth 1 --deadlines message"), 0) << errors();
  auto all = records();
  const std::int64_t arrived = number(all[0], "submitted_ps") + kPsPerMs;
  EXPECT_GT(number(all[1], "submitted_ps"), arrived);
  EXPECT_EQ(number(all[1], "submitted_ps") + number(all[1], "deadline_ps"),
            arrived + 500 * kPsPerMs);
}

// Version 1 always has the column. Its first request decides whether the column is used.
TEST_P(ReplayModes, DeadlineThatNothingAnnounced_IsAWarning_WithARemedyThatHelps) {
  const std::string requests = "0 R 100 8 -\n1 R 200 8 30\n";
  write_requests("headstack-trace 1\ntime-unit ms\n", requests);
  EXPECT_EQ(run_drive(""), 0);
  EXPECT_THAT(errors(), AllOf(HasSubstr("1 deadlines have no column in records.csv"),
                              HasSubstr("'headstack-trace 4'")));
  EXPECT_EQ(records()[1].count("deadline_ps"), 0U);
  EXPECT_EQ(summary("out")["result"]["deadlines"]["commands"], 1) << "counted all the same";
  write_requests("headstack-trace 4\ntime-unit ms\n", requests);
  EXPECT_EQ(run_drive(""), 0);
  EXPECT_EQ(errors(), "");
  EXPECT_EQ(number(records()[1], "deadline_ps"), 30 * kPsPerMs);
}

TEST_P(ReplayModes, Think_FromTheCompletionToTheNextIssue) {
  write_requests(kThinkHeader,
                 "R 100 8 - 0 4.5 12.25\n"
                 "R 5000 8 - 1 0 -\n"
                 "R 9000 8 - 0 2 3\n"
                 "R 90000 8 - 0 0 1\n");
  ASSERT_EQ(run_drive("load.think_scale=2"), 0) << errors();
  auto all = records();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(number(all[0], "submitted_ps"), number(all[1], "submitted_ps"));
  EXPECT_EQ(number(all[2], "submitted_ps") - number(all[0], "completed_ps"), 9 * kPsPerMs);
  EXPECT_EQ(number(all[3], "submitted_ps") - number(all[2], "completed_ps"), 4 * kPsPerMs);
  EXPECT_EQ(summary("out")["loop"], "think");
  // The measured time is in its column, and empty for a request without one.
  EXPECT_THAT(lines()[0], testing::EndsWith(",search_exposed_ps,measured_service_ps"));
  EXPECT_EQ(number(all[0], "measured_service_ps"), 12'250'000'000);
  EXPECT_EQ(all[1]["measured_service_ps"], "");
}

// Observers have no effect on several hosts and their think times either.
TEST_P(ReplayModes, SeveralHosts_LookedAt_TheSameBits) {
  write_requests(kThinkHeader,
                 "W 100 8 - 0 1 -\nW 100 8 - 1 1 -\nR 100 8 - 1 1 -\nR 100 8 - 0 1 -\n");
  ASSERT_EQ(run_drive("--hosts 2 --verify", "plain"), 0) << errors();
  ASSERT_EQ(run_drive("--hosts 2 --verify observe.events=true observe.timeline=true", "watched"), 0)
      << errors();
  EXPECT_EQ(summary("watched")["event_hash"], summary("plain")["event_hash"]);
  EXPECT_EQ(lines("watched"), lines("plain"));
}

TEST_P(ReplayModes, ThinkTime_OfEveryRequest_OnATraceWithoutOne) {
  write_requests("headstack-trace 1\ntime-unit us\n", "0 R 100 8 -\n1 R 5000 8 -\n");
  ASSERT_EQ(run_drive("--loop think load.think=5ms"), 0) << errors();
  auto all = records();
  EXPECT_EQ(number(all[1], "submitted_ps") - number(all[0], "completed_ps"), 5 * kPsPerMs);
  EXPECT_EQ(run_drive("--loop think"), 1);
  EXPECT_THAT(errors(), AllOf(HasSubstr("no think times"), HasSubstr("load.think")));
  EXPECT_EQ(run_drive("load.think=5ms"), 1);
  EXPECT_THAT(errors(), AllOf(HasSubstr("its loop has no think times"), HasSubstr("load.loop")));
}

TEST_P(ReplayModes, AddressesOfALargerDrive_FoldOrScale) {
  write_requests("headstack-trace 1\ntime-unit us\nloop closed\n",
                 "- W 4112016 8 -\n- R 4112016 8 -\n- R 2056008 8 -\n");
  EXPECT_EQ(run_drive(""), 1);
  EXPECT_THAT(errors(), HasSubstr("load.map"));
  ASSERT_EQ(run_drive("load.map=fold --verify"), 0) << errors();
  EXPECT_EQ(records()[0]["lba"], "0");
  EXPECT_EQ(summary("out")["map_addresses"], "fold");
  // The end is that of the trace, 4112024, or a given one.
  ASSERT_EQ(run_drive("load.map=scale --verify"), 0) << errors();
  EXPECT_EQ(records()[2]["lba"], "1028000");
  ASSERT_EQ(run_drive("load.map=scale load.trace_end=8224032"), 0) << errors();
  EXPECT_EQ(records()[0]["lba"], "1028000");
  EXPECT_EQ(run_drive("load.map=scale load.trace_end=4112016"), 1);
  EXPECT_THAT(errors(), HasSubstr("past the given end"));
}

// Hosts use the same blocks: each read must return the version that the drive received last.
TEST_P(ReplayModes, SeveralHosts_WithTheirOwnTags_AndEveryByteRight) {
  std::mt19937_64 random(3);
  std::ostringstream requests;
  for (int i = 0; i < 40; ++i) {
    requests << (random() % 2 == 0 ? "R " : "W ") << random() % 40 << ' ' << 1 + random() % 20
             << " - " << random() % 5 << " 0 -\n";
  }
  write_requests(kThinkHeader, requests.str());
  ASSERT_EQ(run_drive("--hosts 3 --verify --policy stf"), 0) << errors();
  expect_sound(summary("out"), 40);
  EXPECT_EQ(summary("out")["initiators"], 3);
  std::map<std::string, int> commands;
  for (auto& [name, record] : records()) ++commands[record["initiator"]];
  EXPECT_EQ(commands.size(), 3U) << "0 and 3, 1 and 4, 2";
  // Hosts send as fast as they can, with the same tags open at a time.
  ASSERT_EQ(run_drive("--loop closed --depth 12 --hosts 3 --verify"), 0) << errors();
  expect_sound(summary("out"), 40);
}

TEST_P(ReplayModes, FifteenHosts_OnAWideBusOnly) {
  std::string requests;
  for (int i = 0; i < 15; ++i) {
    requests += "W " + std::to_string(100 * i) + " 1 - " + std::to_string(i) + " 0 -\n";
  }
  write_requests(kThinkHeader, requests);
  ASSERT_EQ(run_drive("--hosts 15", "out", "cheetah_9lp"), 0) << errors();
  expect_sound(summary("out"), 15);
  EXPECT_EQ(run_drive("--hosts 15 hosts.bus=fast", "out", "cheetah_9lp"), 2);
  EXPECT_THAT(errors(), HasSubstr("narrow bus"));
  EXPECT_EQ(run_drive("--hosts 8"), 1);
  EXPECT_THAT(errors(), HasSubstr("the drive's bus is narrow; use 7 at most"));
}

TEST_P(ReplayModes, WarmUp_IsServed_ButHasNoRecords) {
  write_requests("headstack-trace 1\ntime-unit ms\n",
                 "0 W 10 8 -\n20 W 20 8 -\n40 R 10 8 -\n60 R 20 8 -\n");
  ASSERT_EQ(run_drive("--verify", "all"), 0) << errors();
  ASSERT_EQ(run_drive("--verify load.warm_up=2", "two"), 0) << errors();
  ASSERT_EQ(run_drive("--verify load.warm_up=40ms", "time"), 0) << errors();
  const Json all = summary("all");
  for (const char* out : {"two", "time"}) {
    const Json result = summary(out);
    expect_sound(result, 2);
    EXPECT_EQ(result["warm_up_commands"], 2);
    EXPECT_EQ(result["verified_blocks"], 16) << "what it wrote counts";
    EXPECT_EQ(result["event_hash"], all["event_hash"]) << "nothing else happens";
    EXPECT_EQ(lines(out)[1], lines("all")[3]) << "the records are the same lines, the others not";
    EXPECT_EQ(lines(out).size(), 3U);
  }
  EXPECT_EQ(all.count("warm_up_commands"), 0U);
}

// The drive's electronics send at whole periods of their clock of 25 ns: 204 ns are 225.
TEST_P(ReplayModes, BusOfAnOlderHost_TakesLongerForTheData) {
  constexpr int kBytes = 8 * 512;
  write_requests("headstack-trace 1\ntime-unit us\nloop closed\n", "- R 100 8 -\n");
  ASSERT_EQ(run_drive("hosts.bus=fast"), 0) << errors();
  const std::int64_t fast = number(records()[0], "bus_data_ps");
  struct Case {
    const char* bus;
    std::int64_t period_ns;
  };
  for (const Case& c : {Case{"sync:200:8", 200}, Case{"sync:204:8", 225}}) {
    ASSERT_EQ(run_drive(std::string("hosts.bus=") + c.bus), 0) << errors();
    const std::int64_t more_ns = (number(records()[0], "bus_data_ps") - fast) / 1000;
    EXPECT_NEAR(static_cast<double>(more_ns), static_cast<double>(kBytes * (c.period_ns - 100)),
                1000)
        << c.bus;
  }
  EXPECT_EQ(run_drive("hosts.bus=sync:202"), 2);
  EXPECT_THAT(errors(), HasSubstr("202 is no multiple of 4; say 200 or 204"));
}

TEST_P(ReplayModes, Cache_IsSetOnTheDrive_OrRefused) {
  write_requests("headstack-trace 1\ntime-unit us\nloop closed\n", "- R 100 8 -\n- R 100 8 -\n");
  ASSERT_EQ(run_drive("--depth 1", "off"), 0) << errors();
  ASSERT_EQ(run_drive("--depth 1 --cache read", "read"), 0) << errors();
  EXPECT_GT(number(records("off")[1], "media_transfer_ps"), 0);
  EXPECT_EQ(number(records("read")[1], "media_transfer_ps"), 0) << "from the buffer";
  EXPECT_EQ(summary("read")["cache"], "read");
  EXPECT_EQ(summary("off").count("cache"), 0U);
  // SCSI-2 7.5.4: segments larger than the buffer are rounded, with a message for the user.
  ASSERT_EQ(run_drive("--cache read:segments=4,segment-blocks=60000", "rounded"), 0) << errors();
  EXPECT_THAT(errors(), HasSubstr("it has 4 segments of"));
  EXPECT_EQ(summary("rounded").count("setup_notes"), 1U);
  EXPECT_EQ(run_drive("--cache read:segments=255"), 1);
  EXPECT_THAT(errors(),
              AllOf(HasSubstr("the drive does not take"), HasSubstr("cache read:segments=255")));
}

// `space:1` of Abbott and Garcia-Molina (1990, section 3): reads go before writes as long as a
// frame is free. All come at once, far apart, so that the policy cannot be meant; 4 segments are 4
// frames. The first access is that of the write that came first, when nothing else waited.
TEST_P(ReplayModes, WriteThreshold_OfSpace_ServesReadsFirstUntilTheBufferIsFull) {
  const auto load = [this](int writes) {
    std::string requests;
    for (int i = 0; i < writes; ++i)
      requests += "- W " + std::to_string(1000 + 100'000 * i) + " 8 -\n";
    for (int i = 0; i < 12; ++i)
      requests += "- R " + std::to_string(50'000 + 100'000 * i) + " 8 -\n";
    write_requests("headstack-trace 1\ntime-unit us\nloop closed\n", requests);
  };
  constexpr const char* kArguments =
      "--depth 32 --policy fcfs --cache read-write:segments=4,segment-blocks=16 "
      "--verify observe.events=true settings.write_threshold=";
  // When the first is written one frame is free.
  load(4);
  ASSERT_EQ(run_drive(std::string(kArguments) + "space:1", "room"), 0) << errors();
  EXPECT_THAT(chosen("room"), testing::StartsWith("W" + std::string(12, 'R')));
  EXPECT_EQ(summary("room")["write_buffer"]["outside"], 0);
  EXPECT_EQ(summary("room")["write_threshold"], "space:1");
  EXPECT_EQ(summary("room")["policy"], "fcfs");
  // Of nine, five find none: one is free when six are written.
  load(9);
  ASSERT_EQ(run_drive(std::string(kArguments) + "space:1", "full"), 0) << errors();
  EXPECT_THAT(chosen("full"), testing::StartsWith(std::string(6, 'W') + std::string(12, 'R')));
  EXPECT_EQ(summary("full")["write_buffer"]["outside"], 5);
  EXPECT_GT(summary("full")["write_buffer"]["longest_outside_ps"], 0);
  EXPECT_THAT(slurp(file("stdout")), HasSubstr("write threshold space:1: 5 writes found no free"));
  ASSERT_EQ(run_drive(std::string(kArguments) + "none", "none"), 0) << errors();
  EXPECT_EQ(chosen("none"), std::string(9, 'W') + std::string(12, 'R')) << "fcfs";
  EXPECT_EQ(summary("none").count("write_buffer"), 0U);
}

// Every policy that knows deadlines, with both prices where it has them: records and events of 300
// commands are the same bytes.
class UrgentPolicies : public ReplayFixture, public testing::WithParamInterface<const char*> {};
TEST_P(UrgentPolicies, AreTheSameOnBothPlatforms) {
  std::mt19937_64 random(301);
  std::ofstream trace(file("trace"));
  trace << kUrgentHeader << "requests\n";
  for (int i = 0; i < 300; ++i) {
    const bool is_read = random() % 4 != 0, is_urgent = random() % 3 != 0;
    const std::uint64_t lba = random() % 1'900'000, blocks = 1 + random() % 16;
    trace << 8 * i << (is_read ? " R " : " W ") << lba << ' ' << blocks << ' '
          << (is_urgent ? std::to_string(10 + random() % 300) + " real-time" : "- best-effort")
          << " - 0\n";
  }
  trace.close();
  for (const char* platform : {"rtl", "vp"}) {
    ASSERT_EQ(run(std::string("--drive hp_c3323a --depth 32 --deadlines message "
                              "observe.events=true --verify --policy ") +
                      GetParam() + " --platform " + platform,
                  platform),
              0)
        << errors();
  }
  EXPECT_EQ(slurp(file("rtl") + "/records.csv"), slurp(file("vp") + "/records.csv"));
  EXPECT_TRUE(slurp(file("rtl") + "/events.txt") == slurp(file("vp") + "/events.txt"));
  const Json deadlines = summary("vp")["result"]["deadlines"];
  EXPECT_GT(deadlines["missed"], 0) << "or nothing was at stake";
  EXPECT_LT(deadlines["missed"], deadlines["commands"]);
}
// fdscan by the drive's own predictor and stfd run on every test run, the others in the wide tests.
INSTANTIATE_TEST_SUITE_P(Deadlines, UrgentPolicies,
                         testing::Values("edf", "dscan", "fdscan", "fdscan:price=exact", "scanedf",
                                         "stfd", "walk"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

// Five requests a millisecond apart, and one command at a time: the drive serves one after the
// other, and the others wait in the host. `arrived_ps` repeats the trace's times; a response has no
// wait of the host in it. The summary's times from the arrival are those of the records.
TEST_P(ReplayModes, OpenLoop_ReportsWaitsInTheHost) {
  constexpr std::int64_t kGap = 1'000'000'000;
  write_requests("headstack-trace 1\ntime-unit ms\nloop open\n",
                 "0 R 100 8 -\n1 R 900000 8 -\n2 R 200 8 -\n3 R 800000 8 -\n4 R 300 8 -\n");
  ASSERT_EQ(run_drive("--depth 1"), 0) << errors();
  const std::map<int, Record> all = records();
  ASSERT_EQ(all.size(), 5U);
  const auto number = [&all](int command, const char* column) {
    return std::stoll(all.at(command).at(column));
  };
  std::int64_t sum = 0, most = 0;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(number(i, "arrived_ps") - number(0, "arrived_ps"), i * kGap);
    EXPECT_EQ(number(i, "response_ps"), number(i, "completed_ps") - number(i, "submitted_ps"));
    if (i > 0) {
      EXPECT_GE(number(i, "submitted_ps"), number(i - 1, "completed_ps"));
    }
    const std::int64_t from_arrival = number(i, "completed_ps") - number(i, "arrived_ps");
    sum += from_arrival;
    most = std::max(most, from_arrival);
  }
  const Json result = summary("out")["result"];
  EXPECT_EQ(result["waited_in_host"], 4) << "all but the first: each takes longer than 1 ms";
  EXPECT_EQ(result["from_arrival_ps"]["mean"], sum / 5) << "rounded down";
  EXPECT_EQ(result["from_arrival_ps"]["max"], most);
  EXPECT_THAT(slurp(file("out/summary.txt")),
              testing::HasSubstr("4 requests waited in their hosts"));

  // With room for all requests none waits there.
  ASSERT_EQ(run_drive("--depth 8", "wide"), 0);
  EXPECT_THAT(slurp(file("wide/summary.txt")), testing::Not(testing::HasSubstr("in their hosts")));
  EXPECT_FALSE(summary("wide")["result"].contains("from_arrival_ps"));
  for (const auto& [command, record] : records("wide")) {
    EXPECT_EQ(record.at("arrived_ps"), record.at("submitted_ps")) << command;
  }
}

/// Clock edges of the longest decision in a run's event log.
std::uint64_t longest_decision_edges(const std::string& events) {
  std::istringstream in(slurp(events));
  std::uint64_t edge = 0, began = 0, longest = 0;
  std::string name, argument;
  while (in >> edge >> name >> argument) {
    if (name == "PLAN_BEGIN") began = edge;
    if (name == "PLAN_END") longest = std::max(longest, edge - began);
  }
  return longest;
}

// A decision of `walk` among so many takes longer than the selection time-out of 250 ms. A host
// that answers a reselection meanwhile has answered in time, however late the firmware looks.
TEST_F(ReplayFixture, DecisionsLongerThanATimeOut_LoseNoCommand) {
  constexpr int kDepth = 4'096;
  constexpr int kRequests = kDepth + 500;
  constexpr std::uint32_t kLongestDeadlineUs = 65'000'000;
  std::mt19937_64 random(4096);
  std::ofstream trace(file("trace"));
  trace << "headstack-trace 4\ntime-unit us\nloop closed\n"
           "columns time operation lba blocks deadline\nrequests\n";
  for (int i = 0; i < kRequests; ++i) {
    trace << "- R " << random() % 17'918'000 << " 8 " << random() % kLongestDeadlineUs << '\n';
  }
  trace.close();
  ASSERT_EQ(run("--platform vp --drive cheetah_9lp --policy walk --deadlines message "
                "observe.events=true stop.watchdog=300s --depth " +
                    std::to_string(kDepth),
                "out"),
            0)
      << errors();
  expect_sound(summary("out"), kRequests);
  EXPECT_GT(longest_decision_edges(file("out") + "/events.txt"), 10'000'000U) << "250 ms at 40 MHz";
}

// Both platforms decide alike, at the same edges: records and events of 300 commands are the same
// bytes.
TEST_F(ReplayFixture, WriteThresholds_AreTheSameOnBothPlatforms) {
  std::mt19937_64 random(300);
  std::ofstream trace(file("trace"));
  trace << kUrgentHeader << "requests\n";
  for (int i = 0; i < 150; ++i) {
    const bool is_read = random() % 2 == 0;
    const std::uint64_t lba = random() % 1'900'000, blocks = 1 + random() % 33;
    trace << 5 * i << (is_read ? " R " : " W ") << lba << ' ' << blocks
          << (is_read ? " " + std::to_string(20 + random() % 200) + " real-time" : " - best-effort")
          << " - 0\n";
  }
  trace.close();
  for (const char* threshold : {"space:1", "time", "time:30:0.5", "free:2"}) {
    for (const char* platform : {"rtl", "vp"}) {
      ASSERT_EQ(run(std::string("--drive hp_c3323a --depth 32 --deadlines message --policy "
                                "fdscan observe.events=true --verify "
                                "--cache read-write:segments=4,segment-blocks=16 "
                                "settings.write_threshold=") +
                        threshold + " --platform " + platform,
                    platform),
                0)
          << errors();
    }
    EXPECT_EQ(slurp(file("rtl") + "/records.csv"), slurp(file("vp") + "/records.csv")) << threshold;
    EXPECT_TRUE(slurp(file("rtl") + "/events.txt") == slurp(file("vp") + "/events.txt"))
        << threshold;
    EXPECT_GT(summary("vp")["write_buffer"]["outside"], 0) << threshold;
  }
}

TEST_P(ReplayModes, IncompatibleKeys_NameARemedy) {
  write_requests("headstack-trace 1\ntime-unit us\nloop closed\n", "- R 100 8 -\n");
  struct Case {
    const char* arguments;
    const char* error;
  };
  constexpr Case kCases[] = {
      {"load.map=wrap", "load.map: 'wrap' is not known"},
      {"--hosts 16", "hosts.number: 16 is out of range; give 1 .. 15 hosts"},
      {"--cache off:segments=1", "a cache that is off has no parameters"},
      {"settings.write_threshold=space:1 --cache read", "set settings.cache to read-write"},
      {"settings.write_threshold=space --cache read-write", "give space:FRAMES, as in space:1"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(run_drive(c.arguments), 2) << c.arguments;
    EXPECT_THAT(errors(), HasSubstr(c.error)) << c.arguments;
  }
}

// N of hosts.every.NAME counts the requests: of 60, every 7th is 8 of them. Two acts of one request
// are two acts; of two tags, the first in host/README.md counts.
TEST_P(ReplayModes, ActionsOfHosts_AreDone_AndCounted) {
  write_trace(3, 60, 4'000, 1'000);
  ASSERT_EQ(
      run_drive("--depth 8 --policy stf --hosts 2 --verify hosts.retry=all --cache read-write "
                "hosts.every.abort=11:2ms hosts.every.clear_queue=17 "
                "hosts.every.device_reset=25 hosts.every.ordered=7 "
                "hosts.every.head_of_queue=9 hosts.every.untagged=13 "
                "hosts.every.no_disconnect=5 hosts.every.fua=4"),
      0)
      << errors();
  const Json result = summary("out");
  expect_sound(result, 60);
  EXPECT_EQ(result["aborts"].get<int>() + result["aborts_too_late"].get<int>(), 5);
  EXPECT_EQ(result["clear_queues"], 3);
  EXPECT_EQ(result["device_resets"], 2);
  EXPECT_GT(result["sent_again"], 0) << "a reset ends what is out";
  std::map<std::string, int> words;
  for (const auto& [number, record] : records()) {
    std::istringstream options(record.at("options"));
    for (std::string word; std::getline(options, word, '+');) {
      ++words[word.substr(0, word.find('='))];
    }
  }
  EXPECT_EQ(words["no-disconnect"], 12);
  EXPECT_EQ(words["fua"], 15);
  EXPECT_EQ(words["untagged"], 4);
  EXPECT_EQ(words["head-of-queue"], 6);
  EXPECT_EQ(words["ordered"], 8);
}

// SCSI-2 8.2.14.2: the write's status was GOOD before its blocks were on the media. The next
// command is sent again, and all commands are GOOD: the summary and a warning report the loss.
TEST_P(ReplayModes, DeferredError_IsReported) {
  const std::string drive = file("flawed.toml");
  std::ofstream(drive) << slurp(test::source_dir() / "sim/drives/hp_c3323a.toml")
                       << "\n[[specimen.flaws]]\nkind = \"write_fault\"\nlba = 502\n";
  write_requests("headstack-trace 1\ntime-unit us\nloop closed\n",
                 "- W 500 8 -\n- W 1500 8 -\n- R 9000 8 -\n- R 20000 8 -\n");
  ASSERT_EQ(run_drive("--depth 1 --cache read-write", "out", drive), 0) << errors();
  const Json result = summary("out");
  EXPECT_EQ(result["deferred_errors"], Json::parse(R"([{"sense": "4/03/00", "lba": 502}])"));
  EXPECT_THAT(errors(), HasSubstr("deferred error 4/03/00 at block 502: a write that was GOOD"));
  EXPECT_THAT(slurp(file("out/summary.txt")), HasSubstr("deferred errors: 1"));
  ASSERT_EQ(run_drive("--depth 1 --cache read-write", "sound"), 0) << errors();
  EXPECT_FALSE(summary("sound").contains("deferred_errors"));
  EXPECT_THAT(errors(), testing::Not(HasSubstr("deferred")));
}

INSTANTIATE_TEST_SUITE_P(Scenario, ReplayModes, testing::Values("rtl", "vp"),
                         [](const auto& platform) { return std::string(platform.param); });

}  // namespace
}  // namespace headstack::scenario
