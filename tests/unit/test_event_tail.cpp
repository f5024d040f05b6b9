// SPDX-License-Identifier: Apache-2.0
// The events of a post-mortem: those around the instant that it names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "firmware/events.h"
#include "host/run/post_mortem.hpp"
#include "sim/soc/soc_ports.hpp"

namespace headstack::run {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::uint64_t kEdgesPerMs = 40'000;  // 40 MHz

std::vector<std::string> lines(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

Picoseconds ms(std::uint64_t number) {
  return static_cast<Picoseconds>(number) * kPicosecondsPerMillisecond;
}

/// One event in each `per_ms`th part of a millisecond, up to a time.
EventTail filled(std::uint64_t per_ms, std::uint64_t until_ms) {
  EventTail tail;
  for (std::uint64_t i = 0; i < until_ms * per_ms; ++i) {
    tail.firmware_event(i * kEdgesPerMs / per_ms, TRACE_MARKER, static_cast<std::uint32_t>(i));
  }
  return tail;
}

TEST(EventTail, EqualEventsInARow_AreOneLine) {
  EventTail tail;
  for (std::uint64_t i = 0; i < 40; ++i) tail.firmware_event(100 + i, TRACE_SELECTED, 3);
  tail.firmware_event(200, TRACE_SELECTED, 4);
  tail.firmware_event(300, TRACE_SELECTED, 3);
  const auto text = lines(tail.around(tail.last_at()));
  ASSERT_EQ(text.size(), 3U);
  EXPECT_THAT(text[0], HasSubstr("initiator 3  x 40 times, the last at 0.003475 ms")) << "edge 139";
  EXPECT_THAT(text[1], HasSubstr("initiator 4"));
  EXPECT_THAT(text[2], testing::EndsWith("initiator 3"));
}

TEST(EventTail, EndOfTheRun_HasTheLastHundred) {
  const EventTail tail = filled(100, 20);
  const auto text = lines(tail.around(tail.last_at()));
  ASSERT_EQ(text.size(), EventTail::kLines);
  EXPECT_THAT(text.back(), HasSubstr(" 1999"));
}

// A record whose error was found long after the instant of its fault.
TEST(EventTail, EarlierInstant_HasEventsBeforeAndAfterIt) {
  const EventTail tail = filled(100, 20);
  const auto text = lines(tail.around(ms(7)));
  ASSERT_EQ(text.size(), EventTail::kLines);
  EXPECT_THAT(text.front(), HasSubstr("6.400000 ms")) << "60 lines before it";
  EXPECT_THAT(text.back(), HasSubstr("7.390000 ms"));
}

TEST(EventTail, QuietTime_HasWhatLedToIt) {
  EventTail tail;
  for (std::uint32_t i = 0; i < 50; ++i) tail.firmware_event(i, TRACE_MARKER, i);
  EXPECT_EQ(lines(tail.around(ms(30'000))).size(), 50U) << "a watchdog's time is long past them";
}

TEST(EventTail, NothingYet_IsEmpty) {
  EXPECT_EQ(EventTail().around(0), "");
  EXPECT_EQ(EventTail().last_at(), 0);
}

// Thousands of events may come from the instant of a fault until it is found.
TEST(EventTail, ManyEventsSince_LeaveThoseAroundTheInstant) {
  const EventTail tail = filled(1000, 4);
  EXPECT_THAT(lines(tail.around(ms(1))).front(), HasSubstr("0.940000 ms"));
}

}  // namespace
}  // namespace headstack::run
