// SPDX-License-Identifier: Apache-2.0
// What hosts do besides sending the requests of the trace. It tests which requests they change,
// when they act, what they send again and in which order, and what a command's end means.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "host/replay/act_agenda.hpp"
#include "host/replay/host_queue.hpp"
#include "host/replay/order_check.hpp"
#include "host/replay/request_source.hpp"
#include "host/replay/trace_command.hpp"
#include "host/run/options.hpp"
#include "host/traces/trace_formats.hpp"
#include "tests/support.hpp"

namespace headstack::options {
namespace {

using initiator::Completion;
using initiator::Outcome;
using options::Setting;
using testing::ElementsAre;
using testing::HasSubstr;
using traces::Act;
using traces::Operation;
using traces::Tagging;
using traces::TraceRequest;
using Fate = replay::BlockHistory::Fate;

constexpr Picoseconds kMs = kPicosecondsPerMillisecond;

// ------------------------------------------------------------------------------------------- words

TEST(HostHabits, WordsOfRepeats) {
  EXPECT_EQ(parse_repeat("50", true).requests, 50U);
  EXPECT_EQ(parse_repeat("50", true).delay.earliest, 0);
  EXPECT_EQ(parse_repeat("50", true).delay.latest, 20 * kMs);
  EXPECT_EQ(parse_repeat("50:5ms", false).delay.earliest, 5 * kMs);
  EXPECT_EQ(parse_repeat("50:1ms..2ms", false).delay.latest, 2 * kMs);
  EXPECT_EQ(parse_repeat("100ms", true).time, 100 * kMs);
  EXPECT_EQ(parse_repeat("100ms", true).requests, 0U);
  EXPECT_EQ(parse_bus_reset("7").requests, 7U);
  EXPECT_EQ(parse_bus_reset("1s").time, 1000 * kMs);
}

TEST(HostHabits, ChangesOfSettings_HaveNoDelay) {
  EXPECT_EQ(parse_change("500").requests, 500U);
  EXPECT_EQ(parse_change("100ms").time, 100 * kMs);
  EXPECT_THROW(parse_change("500:5ms"), OptionError);
  EXPECT_THROW(parse_change("0.5ms"), OptionError);
}

TEST(HostHabits, Errors_NameWhatWouldBeRight) {
  struct Case {
    const char* text;
    bool may_be_time;
    const char* error;
  };
  constexpr Case kCases[] = {
      {"0", true, "'0' is not a whole number from 1"},
      {"", true, "is no time"},
      {"x", true, "'x' is no time: say a number and ps"},
      {"5ms", false, "'5ms' is no number of requests: say 50"},
      {"5:", true, "'' is no time"},
      {"5:3", true, "'3' is no time"},
      {"5:2ms..1ms", true, "earlier time first"},
      {"5ms:1ms", true, "a time takes none"},
      {"1us", true, "'1us' is too often: give 1ms"},
  };
  for (const Case& c : kCases) {
    std::string error;
    try {
      (void)parse_repeat(c.text, c.may_be_time);
    } catch (const OptionError& problem) {
      error = problem.what();
    }
    EXPECT_THAT(error, HasSubstr(c.error)) << c.text;
  }
  try {
    (void)parse_bus_reset("499ms");
    FAIL();
  } catch (const OptionError& error) {
    EXPECT_THAT(error.what(), HasSubstr("hosts.every.device_reset=499ms"))
        << "the reset-to-selection time is 250 ms";
  }
}

// ---------------------------------------------------------------------------------- which requests

TraceRequest request_of(Operation operation, std::uint64_t lba = 100, std::uint32_t blocks = 8) {
  TraceRequest request;
  request.operation = operation;
  request.lba = operation == Operation::kFlush ? 0 : lba;
  request.blocks = operation == Operation::kFlush ? 0 : blocks;
  return request;
}

TEST(HostHabits, EachNth_CountedFromOne_AndTagsByPrecedence) {
  HostHabits habits;
  habits.untagged_every = 4;
  habits.head_of_queue_every = 3;
  habits.ordered_every = 2;
  std::string tags;
  for (std::uint64_t number = 0; number < 12; ++number) {
    TraceRequest request = request_of(Operation::kRead);
    apply_habits(habits, 1, number, request);
    tags += "sohu"[static_cast<int>(request.options.tagging)];
  }
  EXPECT_EQ(tags, "sohushsuhosu") << "6 is h and no o, 12 is u";
}

TEST(HostHabits, WhatTheTraceSays_Stays) {
  HostHabits habits;
  habits.acts = {{Act::kBusReset, {1, 0, {5, 5}}}};
  habits.cdb = "16";
  TraceRequest request = request_of(Operation::kRead);
  request.options.tagging = Tagging::kOrdered;
  request.options.act = Act::kAbort;
  request.options.act_delay = 7;
  request.options.cdb_bytes = 6;
  apply_habits(habits, 1, 0, request);
  EXPECT_EQ(request.options.tagging, Tagging::kOrdered);
  EXPECT_EQ(request.options.act, Act::kAbort);
  EXPECT_EQ(request.options.act_delay, 7);
  EXPECT_EQ(request.options.cdb_bytes, 6);
}

TEST(HostHabits, NoRequestGetsWhatItCannotHave) {
  HostHabits habits;
  habits.fua_every = habits.dpo_every = habits.no_disconnect_every = 1;
  habits.cdb = "16";
  for (const Operation operation :
       {Operation::kRead, Operation::kWrite, Operation::kFlush, Operation::kVerify}) {
    TraceRequest request = request_of(operation);
    apply_habits(habits, 1, 0, request);
    EXPECT_FALSE(find_contradiction(request.operation, request.options));
    EXPECT_TRUE(request.options.keeps_bus);
    EXPECT_EQ(request.options.force_unit_access,
              operation == Operation::kRead || operation == Operation::kWrite);
  }
  habits.verify_every = 1;
  TraceRequest request = request_of(Operation::kRead);
  request.options.force_unit_access = true;
  apply_habits(habits, 1, 0, request);
  EXPECT_EQ(request.operation, Operation::kVerify);
  EXPECT_FALSE(find_contradiction(request.operation, request.options));
}

// The same seed gives the same choices, which cover all of their range.
TEST(HostHabits, Chances_FollowFromSeedAndNumber) {
  HostHabits habits;
  habits.acts = {{Act::kAbort, {2, 0, {3 * kMs, 4 * kMs}}}};
  habits.cdb = "mixed";
  std::map<int, int> lengths;
  Picoseconds least = 9 * kMs;
  Picoseconds most = 0;
  for (std::uint64_t number = 0; number < 300; ++number) {
    TraceRequest request = request_of(Operation::kRead);
    TraceRequest again = request;
    TraceRequest other = request;
    apply_habits(habits, 5, number, request);
    apply_habits(habits, 5, number, again);
    apply_habits(habits, 6, number, other);
    EXPECT_EQ(request, again);
    ++lengths[request.options.cdb_bytes];
    if (number % 2 == 0) continue;
    EXPECT_NE(request.options.act_delay, other.options.act_delay) << number;
    least = std::min(least, request.options.act_delay);
    most = std::max(most, request.options.act_delay);
  }
  EXPECT_EQ(lengths.size(), 3U);
  for (const auto& [length, count] : lengths) EXPECT_NEAR(count, 100, 33) << length << ": 4 sigma";
  EXPECT_GE(least, 3 * kMs);
  EXPECT_LE(most, 4 * kMs);
  EXPECT_LT(least, 3 * kMs + kMs / 10);
  EXPECT_GT(most, 4 * kMs - kMs / 10);
}

TEST(HostHabits, Flushes_StandBehindTheirRequest_AndThinkInItsPlace) {
  std::istringstream text(
      "headstack-trace 2\ntime-unit ms\nloop think\ncolumns operation lba blocks initiator think\n"
      "requests\nW 1 1 3 5\nW 2 1 4 6\nW 3 1 3 7\n");
  const auto reader = traces::read_trace(text, "t");
  replay::ReplayOptions options;
  options.habits.flush_every = 2;
  options.initiators = 3;
  replay::RequestSource source(options, *reader, 100);
  std::string told;
  while (const replay::RunRequest* next = source.peek()) {
    const replay::RunRequest request = *next;
    (void)source.take();
    told += fmt::format("{}{}:{}:{} ", traces::operation_letter(request.request.operation),
                        request.number, request.request.initiator, *request.request.think / kMs);
  }
  EXPECT_EQ(told, "W0:0:5 W1:1:0 F2:1:6 W3:0:7 ");
}

// -----------------------------------------------------------------------------------------
// commands

TEST(TraceCommand, LengthsOfTheCdb) {
  using Bytes = std::vector<std::uint8_t>;
  const auto cdb = [](TraceRequest request, std::uint8_t bytes, bool fua = false) {
    request.options.cdb_bytes = bytes;
    request.options.force_unit_access = fua;
    return replay::trace_command(request, {}, 0, 1, 512).cdb;
  };
  // SCSI-2 9.2.5: 21 bits of address, and a length of 0 means 256.
  const TraceRequest last = request_of(Operation::kRead, 0x1F'FFFF, 256);
  EXPECT_EQ(cdb(last, 6), (Bytes{0x08, 0x1F, 0xFF, 0xFF, 0, 0}));
  EXPECT_EQ(cdb(request_of(Operation::kWrite, 0x10203, 255), 6),
            (Bytes{0x0A, 0x01, 0x02, 0x03, 255, 0}));
  EXPECT_EQ(cdb(request_of(Operation::kRead, 0x20'0000, 1), 6)[0], 0x28) << "no 21 bits";
  EXPECT_EQ(cdb(request_of(Operation::kRead, 0, 257), 6)[0], 0x28);
  EXPECT_EQ(cdb(last, 6, true), (Bytes{0x28, 0x08, 0, 0x1F, 0xFF, 0xFF, 0, 1, 0, 0})) << "no FUA";
  EXPECT_EQ(cdb(request_of(Operation::kWrite, 0x0102'0304, 0x0506), 16, true),
            (Bytes{0x8A, 0x08, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 5, 6, 0, 0}));
  EXPECT_EQ(cdb(request_of(Operation::kVerify, 9, 3), 10),
            (Bytes{0x2F, 0, 0, 0, 0, 9, 0, 0, 3, 0}));
}

TEST(TraceCommand, TagAndPrivilege) {
  TraceRequest request = request_of(Operation::kRead);
  EXPECT_TRUE(replay::trace_command(request, {}, 0, 1, 512).may_disconnect);
  request.options.keeps_bus = true;
  EXPECT_FALSE(replay::trace_command(request, {}, 0, 1, 512).may_disconnect);
  // SCSI-2 6.6.17: the codes of the messages.
  const std::pair<Tagging, int> kCodes[] = {{Tagging::kSimple, 0x20},
                                            {Tagging::kHeadOfQueue, 0x21},
                                            {Tagging::kOrdered, 0x22},
                                            {Tagging::kUntagged, 0}};
  for (const auto& [tagging, code] : kCodes) {
    request.options.tagging = tagging;
    EXPECT_EQ(static_cast<int>(replay::trace_command(request, {}, 0, 1, 512).tag_type), code);
  }
}

// ----------------------------------------------------------------------------------------- the
// acts

TEST(ActAgenda, BehindRequests_AndByTime_HostAfterHost) {
  HostHabits habits;
  habits.acts = {{Act::kDeviceReset, {0, 10 * kMs, {}}}};
  habits.changes[static_cast<std::size_t>(Setting::kPolicy)] = {2, 0, {}};
  replay::ActAgenda agenda(habits, 2);
  agenda.begin(100 * kMs);
  TraceRequest request = request_of(Operation::kRead);
  request.initiator = 1;
  request.options.act = Act::kAbort;
  request.options.act_delay = 3 * kMs;
  agenda.request_issued(102 * kMs, 6, request);
  agenda.request_issued(103 * kMs, 7, request_of(Operation::kRead));
  std::vector<std::string> told;
  for (Picoseconds now = 100 * kMs; now <= 125 * kMs; now += kMs) {
    while (const auto act = agenda.take(now)) {
      EXPECT_EQ(act->setting, act->act == Act::kNone ? Setting::kPolicy : Setting::kCache);
      told.push_back(fmt::format("{} {} by {}", now / kMs, to_string(act->act), act->host));
    }
  }
  EXPECT_THAT(told, ElementsAre("103 none by 0", "105 abort by 1", "110 device-reset by 0",
                                "120 device-reset by 1"));
  EXPECT_EQ(agenda.next(), 130 * kMs);
}

// ----------------------------------------------------------------------------------- a host's
// queue

using Admits = replay::HostQueue::Admits;

replay::Job job_of(std::uint64_t number, Tagging tagging = Tagging::kSimple) {
  replay::Job job;
  job.request.number = number;
  job.request.request.options.tagging = tagging;
  return job;
}

TEST(HostQueue, UntaggedRequests_AreAlone) {
  replay::HostQueue queue;
  for (const std::uint64_t number : {1, 2, 4}) queue.add(job_of(number));
  queue.add_again(job_of(3, Tagging::kUntagged));
  const replay::Job first = queue.take();
  const replay::Job second = queue.take();
  EXPECT_FALSE(queue.may_go(0, Admits::kAll)) << "the untagged one waits for the others";
  queue.ended(first);
  EXPECT_FALSE(queue.may_go(0, Admits::kAll));
  queue.ended(second);
  ASSERT_TRUE(queue.may_go(0, Admits::kAll));
  const replay::Job untagged = queue.take();
  EXPECT_EQ(untagged.request.number, 3U);
  EXPECT_FALSE(queue.may_go(0, Admits::kAll)) << "and they for it";
  queue.ended(untagged);
  EXPECT_TRUE(queue.may_go(0, Admits::kAll));
}

TEST(HostQueue, Busy_HoldsForATime_QueueFull_UntilOneEnds) {
  replay::HostQueue queue;
  queue.add(job_of(1));
  const replay::Job out = queue.take();
  queue.add(job_of(2));
  queue.hold_until(10);
  EXPECT_FALSE(queue.may_go(9, Admits::kAll));
  EXPECT_EQ(queue.due(9), 10);
  EXPECT_TRUE(queue.may_go(10, Admits::kAll));
  EXPECT_EQ(queue.due(10), std::nullopt);
  queue.hold_until_one_ends();
  EXPECT_FALSE(queue.may_go(10, Admits::kAll));
  queue.ended(out);
  EXPECT_TRUE(queue.may_go(10, Admits::kAll));
}

// Another host may have cleared what the queue was full of. Then none ends before TEST UNIT READY
// has brought the unit attention.
TEST(HostQueue, AnErrand_GoesThoughTheQueueWasFull) {
  replay::HostQueue queue;
  queue.add(job_of(1));
  const replay::Job out = queue.take();
  queue.add(job_of(2));
  queue.hold_until_one_ends();
  replay::Job errand;
  errand.errand = std::make_shared<replay::Errand>();
  queue.add_first(errand);
  EXPECT_TRUE(queue.may_go(0, Admits::kAll));
  const replay::Job sent = queue.take();
  EXPECT_FALSE(queue.may_go(0, Admits::kAll)) << "the requests behind it go on waiting";
  queue.ended(sent);
  queue.ended(out);
}

TEST(HostQueue, Errands_GoWhileRequestsWait_AndAgainKeepsTheOrder) {
  replay::HostQueue queue;
  for (const std::uint64_t number : {5, 6}) queue.add(job_of(number));
  for (const std::uint64_t number : {3, 2, 4}) queue.add_again(job_of(number));
  EXPECT_FALSE(queue.may_go(0, Admits::kErrands));
  replay::Job errand;
  errand.errand = std::make_shared<replay::Errand>();
  queue.add_first(errand);
  EXPECT_TRUE(queue.may_go(0, Admits::kErrands));
  (void)queue.take();
  std::vector<std::uint64_t> numbers;
  while (!queue.empty()) numbers.push_back(queue.take().request.number);
  EXPECT_THAT(numbers, ElementsAre(2, 3, 4, 5, 6));
}

// What has failed may have dropped the commands of other hosts: until all have found out, no errand
// that could fail in turn goes, either.
TEST(HostQueue, Recovery_GoesAlone) {
  replay::HostQueue queue;
  queue.add(job_of(1));
  replay::Job errand;
  errand.errand = std::make_shared<replay::Errand>();
  queue.add_first(errand);
  EXPECT_TRUE(queue.may_go(0, Admits::kErrands));
  EXPECT_FALSE(queue.may_go(0, Admits::kRecovery));
  replay::Job recovery;
  recovery.errand = std::make_shared<replay::Errand>();
  recovery.errand->recovers = true;
  queue.add_first(recovery);
  queue.add_first(errand);
  EXPECT_TRUE(queue.may_go(0, Admits::kRecovery)) << "a later errand does not stand in its way";
  EXPECT_TRUE(queue.take().recovers());
  EXPECT_FALSE(queue.may_go(0, Admits::kRecovery));
}

// ------------------------------------------------------------------------------------ how they end

struct EndCase {
  const char* what;
  Outcome outcome;
  std::uint8_t status;
  std::vector<std::uint8_t> sense;  // response code, key, ASC
  replay::EndKind kind;
  Fate fate;
};

class EndOfCommand : public testing::TestWithParam<EndCase> {};

TEST_P(EndOfCommand, IsWhatTheStandardSays) {
  const EndCase& c = GetParam();
  Completion completion;
  completion.outcome = c.outcome;
  completion.status = c.status;
  if (!c.sense.empty()) {
    completion.sense.assign(18, 0);
    completion.sense[0] = c.sense[0];
    completion.sense[2] = c.sense[1];
    completion.sense[12] = c.sense[2];
  }
  EXPECT_EQ(replay::ending_of(completion, false).kind, c.kind);
  EXPECT_EQ(replay::ending_of(completion, false).fate, c.fate);
}

// SCSI-2 7.3 (status), 8.2.14.3 (sense keys). UNIT ATTENTION, NOT READY, ILLEGAL REQUEST and DATA
// PROTECT come instead of carrying the command out; RECOVERED ERROR comes after it.
const EndCase kEnds[] = {
    {"Good", Outcome::kComplete, 0x00, {}, replay::EndKind::kDone, Fate::kDone},
    {"Busy", Outcome::kComplete, 0x08, {}, replay::EndKind::kBusy, Fate::kNoEffect},
    {"QueueFull", Outcome::kComplete, 0x28, {}, replay::EndKind::kQueueFull, Fate::kNoEffect},
    {"Reserved", Outcome::kComplete, 0x18, {}, replay::EndKind::kFailed, Fate::kNoEffect},
    {"NoSense", Outcome::kComplete, 0x02, {}, replay::EndKind::kFailed, Fate::kPerhaps},
    {"Recovered", Outcome::kComplete, 0x02, {0x70, 1, 0x17}, replay::EndKind::kDone, Fate::kDone},
    {"NotReady", Outcome::kComplete, 0x02, {0x70, 2, 4}, replay::EndKind::kFailed, Fate::kNoEffect},
    {"Medium", Outcome::kComplete, 0x02, {0x70, 3, 0x11}, replay::EndKind::kFailed, Fate::kPerhaps},
    {"Hardware",
     Outcome::kComplete,
     0x02,
     {0x70, 4, 0x15},
     replay::EndKind::kFailed,
     Fate::kPerhaps},
    {"Illegal",
     Outcome::kComplete,
     0x02,
     {0x70, 5, 0x21},
     replay::EndKind::kFailed,
     Fate::kNoEffect},
    {"Attention",
     Outcome::kComplete,
     0x02,
     {0x70, 6, 0x29},
     replay::EndKind::kLost,
     Fate::kNoEffect},
    {"Deferred",
     Outcome::kComplete,
     0x02,
     {0x71, 3, 0x0C},
     replay::EndKind::kLost,
     Fate::kNoEffect},
    {"Overlapped",
     Outcome::kComplete,
     0x02,
     {0x70, 0xB, 0x4E},
     replay::EndKind::kLost,
     Fate::kPerhaps},
    {"BusReset", Outcome::kBusReset, 0, {}, replay::EndKind::kLost, Fate::kPerhaps},
    {"Cleared", Outcome::kClearedByUnitAttention, 0, {}, replay::EndKind::kLost, Fate::kPerhaps},
    {"Qerr", Outcome::kClearedByQueueError, 0, {}, replay::EndKind::kLost, Fate::kPerhaps},
    {"Overlap", Outcome::kClearedByOverlap, 0, {}, replay::EndKind::kLost, Fate::kPerhaps},
    {"AbortedByAnother", Outcome::kAborted, 0, {}, replay::EndKind::kLost, Fate::kPerhaps},
    {"NoTarget", Outcome::kSelectionTimeOut, 0, {}, replay::EndKind::kBroken, Fate::kPerhaps},
};
INSTANTIATE_TEST_SUITE_P(Unit, EndOfCommand, testing::ValuesIn(kEnds), test::case_name<EndCase>);

TEST(Retry, ByPolicy) {
  for (const RetryPolicy policy : {RetryPolicy::kNone, RetryPolicy::kLost, RetryPolicy::kAll}) {
    EXPECT_TRUE(replay::wants_retry(replay::EndKind::kBusy, policy));
    EXPECT_TRUE(replay::wants_retry(replay::EndKind::kQueueFull, policy));
    EXPECT_FALSE(replay::wants_retry(replay::EndKind::kDone, policy));
    EXPECT_FALSE(replay::wants_retry(replay::EndKind::kFailed, policy));
    EXPECT_EQ(replay::wants_retry(replay::EndKind::kLost, policy), policy != RetryPolicy::kNone);
    EXPECT_EQ(replay::wants_retry(replay::EndKind::kAborted, policy), policy == RetryPolicy::kAll);
  }
}

// ---------------------------------------------------------------------------------- order of ends

/// Words: s1 (o1, h1) command 1 arrives, SIMPLE (ORDERED, HEAD OF QUEUE); e1 it ends, w1 as a write
/// that is reported early, x1 dropped. Statuses follow each other by the order of words, but for
/// e1@7, given at 7 and heard of now. What has overtaken what: "2<1".
std::string overtaken(const std::string& words) {
  replay::OrderCheck check;
  std::map<int, replay::OrderCheck::Ticket> tickets;
  std::string told;
  Picoseconds now = 100;
  std::istringstream in(words);
  for (std::string word; in >> word; ++now) {
    const int number = std::stoi(word.substr(1));
    const auto id = static_cast<std::uint64_t>(number);
    const std::size_t at = word.find('@');
    const Picoseconds status = at == std::string::npos ? now : std::stoi(word.substr(at + 1));
    switch (word[0]) {
      case 's': tickets[number] = check.arrived({id, Tagging::kSimple}); continue;
      case 'o': tickets[number] = check.arrived({id, Tagging::kOrdered}); continue;
      case 'h': tickets[number] = check.arrived({id, Tagging::kHeadOfQueue}); continue;
      case 'k': tickets[number] = check.arrived({id, Tagging::kSimple, 0, true}); continue;
      case 'K': tickets[number] = check.arrived({id, Tagging::kSimple, 1, true}); continue;
      default: break;
    }
    const auto found = word[0] == 'x' ? check.ended(tickets[number], std::nullopt, false)
                                      : check.ended(tickets[number], status, word[0] == 'w');
    if (found) told += fmt::format("{}<{} ", found->first, found->second);
  }
  return told;
}

// SAM-2 7.6.
TEST(OrderCheck, EndsInTheOrderThatTagsAskFor) {
  EXPECT_EQ(overtaken("s1 s2 e2 e1"), "") << "SIMPLE ones in any order";
  EXPECT_EQ(overtaken("s1 o2 e1 e2"), "");
  EXPECT_EQ(overtaken("s1 o2 e2 e1"), "2<1 ") << "ORDERED waits for all that are older";
  EXPECT_EQ(overtaken("o1 s2 e2 e1"), "2<1 ") << "and all younger ones for it";
  EXPECT_EQ(overtaken("s1 h2 e2 e1"), "") << "HEAD OF QUEUE passes";
  EXPECT_EQ(overtaken("o1 h2 e2 e1"), "");
  EXPECT_EQ(overtaken("h1 s2 e2 e1"), "2<1 ") << "but is not passed";
  EXPECT_EQ(overtaken("h1 h2 e1 e2"), "");
  EXPECT_EQ(overtaken("h1 h2 e2 e1"), "");
}

// Else it would keep from the bus what those before it need.
TEST(OrderCheck, OneThatKeepsTheBus_PassesAllButOrderedOnesOfItsHost) {
  EXPECT_EQ(overtaken("h1 k2 e2 e1"), "");
  EXPECT_EQ(overtaken("o1 k2 e2 e1"), "2<1 ");
  EXPECT_EQ(overtaken("o1 K2 e2 e1"), "") << "of another host";
  EXPECT_EQ(overtaken("k1 o2 e2 e1"), "2<1 ") << "and is passed no more than others";
}

TEST(OrderCheck, WhatWasDropped_OrReportedEarly_OrHeardOfLate_OvertakesNothing) {
  EXPECT_EQ(overtaken("s1 o2 e2 x1"), "") << "it may have been dropped long ago";
  EXPECT_EQ(overtaken("s1 o2 x2 e1"), "");
  EXPECT_EQ(overtaken("s1 o2 w2 e1"), "") << "a cached write";
  EXPECT_EQ(overtaken("o1 s2 e2 w1"), "2<1 ") << "which is passed no more than others";
  EXPECT_EQ(overtaken("s1 o2 e2@50 e1@40"), "") << "its host fetched sense data first";
  EXPECT_EQ(overtaken("s1 o2 e2@50 e1@60"), "2<1 ");
}

}  // namespace
}  // namespace headstack::options
