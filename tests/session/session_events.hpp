// SPDX-License-Identifier: Apache-2.0
// Sessions with one small exercise, and all events of their firmware.
#pragma once

#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "firmware/events.h"
#include "firmware/queue/task.h"
#include "host/replay/urgency_message.hpp"
#include "host/session/session.hpp"
#include "sim/drive/load.hpp"
#include "tests/paths.hpp"

namespace headstack::session {

using Events = std::vector<std::tuple<std::uint64_t, unsigned, std::uint32_t>>;

class EventLog : public observe::RunObserver {
 public:
  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override {
    events.emplace_back(edge, number, argument);
  }
  Events events;
};

inline drive::DriveDescription small_drive() {
  return drive::load(std::string(test::source_root()) + "/sim/drives/zoned_179mb.toml").description;
}

/// Blocks in which consecutive bytes differ.
inline std::vector<std::uint8_t> pattern(std::uint32_t blocks) {
  std::vector<std::uint8_t> data(blocks * 512);
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = static_cast<std::uint8_t>(i * 7 + i / 512);
  }
  return data;
}

/// A write and two reads, 4,000 blocks apart.
inline void exercise(Session& session) {
  session.make_ready();
  session.write_blocks(100, pattern(4));
  session.read_blocks(4100, 4);
  session.read_blocks(100, 4);
}

inline Events events_of(const Options& options, PlatformMaker make_rtl = nullptr) {
  EventLog log;
  Session session(small_drive(), options, {&log}, make_rtl);
  exercise(session);
  return log.events;
}

/// A request's deadline on its way into the drive's queue.
struct Arrived {
  Picoseconds left = 0;     // from the message's first byte until the deadline
  Picoseconds counted = 0;  // from the task's queueing until the deadline
  Picoseconds late = 0;     // the queue's deadline minus the host's
  Picoseconds way = 0;      // from the message's first byte until the task is queued
  bool real_time = false;
  std::uint32_t stream = 0, priority = 0;
};

constexpr std::uint8_t kStandIn = 13;  // the stream of a request that names none
/// Deadlines of the requests below; the second is longer than the drive can count.
constexpr Picoseconds kUsualDeadline = 26 * kPicosecondsPerMillisecond + 999'999;
constexpr Picoseconds kFarDeadline = 1800 * kPicosecondsPerSecond;
constexpr Picoseconds kPastDeadline = 5;

/// Four reads, and their data in the queue.
inline std::vector<Arrived> arrived_of(Options options, PlatformMaker make_rtl = nullptr) {
  struct Queued : observe::RunObserver {
    void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t /*argument*/) override {
      if (number == TRACE_TASK_QUEUED) at.push_back(soc::time_of_edge(edge));
    }
    std::vector<Picoseconds> at;
  } queued;
  std::vector<traces::TraceRequest> requests(4);
  requests[0].deadline = kUsualDeadline;
  requests[0].urgency = {traces::ServiceClass::kRealTime, std::uint8_t{200}, 1};
  requests[1].deadline = kFarDeadline;
  requests[2].deadline = kPastDeadline;
  requests[2].urgency.priority = 15;

  options.look = Look::kCycles;
  Session session(small_drive(), options, {&queued}, make_rtl);
  session.make_ready();
  queued.at.clear();
  const Picoseconds submitted = session.now();
  std::vector<Picoseconds> sent(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    initiator::Command command;
    command.cdb = {0x28, 0, 0, 0, static_cast<std::uint8_t>(8 * i), 0, 0, 0, 1, 0};
    command.direction = initiator::Direction::kIn;
    command.length = 512;
    command.tag_type = initiator::TagType::kSimple;
    command.tag = static_cast<std::uint16_t>(1 + i);
    if (replay::wants_urgency(requests[i])) {
      const Picoseconds due = submitted + requests[i].deadline.value_or(0);
      command.dated_message = [&, i, due](Picoseconds now) {
        sent[i] = now;
        return replay::urgency_message(requests[i], due - now, kStandIn);
      };
    }
    session.submit(std::move(command));
  }
  session.run_until([&] { return session.queue().size() == requests.size(); },
                    10 * kPicosecondsPerMillisecond);
  std::vector<Arrived> arrived;
  for (const observe::QueuedTask& task : session.queue()) {
    const std::size_t i = task.tag - 1;
    Arrived one;
    const Picoseconds due = submitted + requests[i].deadline.value_or(0);
    one.left = due - sent[i];
    one.counted = task.age + task.slack.value_or(0);
    one.late = session.now() + task.slack.value_or(0) - due;
    one.way = queued.at.at(i) - sent[i];
    one.real_time = task.slack.has_value();
    one.stream = task.stream;
    one.priority = task.priority;
    arrived.push_back(one);
  }
  return arrived;
}

/// Expects the trace's deadlines in the queue, to the units on the way: microseconds in the
/// message, 64 ticks (1.6 us) in the queue.
inline void expect_as_the_trace_says(const std::vector<Arrived>& arrived) {
  constexpr Picoseconds kUs = kPicosecondsPerMicrosecond;
  constexpr Picoseconds kUnit = TASK_ARRIVED_TICKS * soc::kClockPeriodPs;
  constexpr Picoseconds kFarthest = CANDIDATE_SLACK_MAX_64TICKS * kUnit;
  ASSERT_EQ(arrived.size(), 4U);
  const auto expect = [&](std::size_t i, Picoseconds counted, std::uint32_t stream,
                          std::uint32_t priority) {
    EXPECT_TRUE(arrived[i].real_time) << i;
    // The drive counts from the message, which is sent before the command arrives.
    EXPECT_GT(arrived[i].counted, counted - arrived[i].way - 2 * kUs) << i;
    EXPECT_LT(arrived[i].counted, counted + 2 * kUs) << i;
    EXPECT_EQ(arrived[i].stream, stream) << i;
    EXPECT_EQ(arrived[i].priority, priority) << i;
  };
  expect(0, arrived[0].left, 200, 1);
  expect(1, kFarthest, kStandIn, 0);
  expect(2, 0, kStandIn, 15);
  // The drive has the message when its last byte has come: by that much its deadline is later than
  // the host's.
  EXPECT_GT(arrived[0].late, -2 * kUs);
  EXPECT_LT(arrived[0].late, 20 * kUs);
  EXPECT_LT(arrived[0].way, 60 * kUs);
  EXPECT_FALSE(arrived[3].real_time) << "no message: best effort";
  EXPECT_EQ(arrived[3].stream, 7U) << "its initiator's SCSI id";
  EXPECT_EQ(arrived[3].priority, 0U);
}

}  // namespace headstack::session
