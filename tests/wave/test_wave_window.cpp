// SPDX-License-Identifier: Apache-2.0
// When waves are recorded: the words of the command line, and the events that open and close a
// window.
#include "host/options/wave_window.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "firmware/events.h"
#include "host/wave/wave_windows.hpp"

namespace headstack::wave {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class Parse>
std::string error_of(Parse parse) {
  try {
    parse();
  } catch (const options::WindowError& error) {
    return error.what();
  }
  return "";
}

TEST(WaveTime, IsExactToThePicosecond) {
  EXPECT_EQ(options::parse_time("1ps"), 1);
  EXPECT_EQ(options::parse_time("0.001ns"), 1);
  EXPECT_EQ(options::parse_time("2.5us"), 2'500'000);
  EXPECT_EQ(options::parse_time("1.25ms"), 1'250'000'000);
  EXPECT_EQ(options::parse_time("0.000000000001s"), 1);
  EXPECT_EQ(options::parse_time("8640000s"), 8'640'000 * kPicosecondsPerSecond);
}

TEST(WaveTime, WhatIsNoTime_IsAnErrorThatSaysHow) {
  for (const char* bad :
       {"", "1", "ms", "1 ms", "-1ms", "1.ms", ".5ms", "1..2ms", "1e3ms", "1hour"}) {
    EXPECT_THAT(error_of([&] { options::parse_time(bad); }),
                HasSubstr("a number and ps, ns, us, ms or s"))
        << bad;
  }
  EXPECT_THAT(error_of([] { options::parse_time("0.5ps"); }), HasSubstr("finer than a picosecond"));
  EXPECT_THAT(error_of([] { options::parse_time("8640001s"); }), HasSubstr("more than 100 days"));
}

TEST(WaveWindow, EachKindIsRead) {
  const options::WaveWindow time = options::parse_window("time:1ms..1.5ms");
  EXPECT_EQ(time.begin, kPicosecondsPerMillisecond);
  EXPECT_EQ(time.end, 1'500'000'000);
  EXPECT_EQ(options::parse_window("time:1ms..").end, options::kNever);
  const options::WaveWindow commands = options::parse_window("cmd:17..20");
  EXPECT_EQ(commands.first, 17U);
  EXPECT_EQ(commands.last, 20U);
  EXPECT_EQ(options::parse_window("cmd:3").last, 3U);
  const options::WaveWindow event = options::parse_window("event:SEEK_START:2");
  EXPECT_EQ(event.event, TRACE_SEEK_START);
  EXPECT_EQ(event.count, 2U);
  EXPECT_EQ(options::parse_window("event:SEEK_START").count, 1U);
  EXPECT_EQ(options::parse_trigger("missed-revolution").event, TRACE_MISSED_REVOLUTION);
  EXPECT_EQ(options::parse_trigger("firmware").kind, options::WaveWindow::Kind::kFirmware);
}

struct BadWindow {
  const char* text;
  const char* message;
};
constexpr BadWindow kBadWindows[] = {
    {"", "time:1ms..2.5ms, cmd:17..20 or event:NAME"},
    {"17..20", "time:1ms..2.5ms, cmd:17..20 or event:NAME"},
    {"time", "time:1ms..2.5ms, cmd:17..20 or event:NAME"},
    {"time:1ms", "say time:T..U"},
    {"time:2ms..1ms", "ends before it has begun"},
    {"time:1ms..1ms", "ends before it has begun"},
    {"time:1..2", "a number and ps, ns, us, ms or s"},
    {"cmd:", "names no commands"},
    {"cmd:-1", "names no commands"},
    {"cmd:5..3", "say cmd:3..5"},
    {"event:SEEK_STRAT", "did you mean 'SEEK_START'?"},
    {"event:SEEK_START:0", "say 1 for the first"},
};

TEST(WaveWindow, WhatIsNoWindow_IsAnErrorThatSaysHow) {
  for (const BadWindow& bad : kBadWindows) {
    EXPECT_THAT(error_of([&] { options::parse_window(bad.text); }), HasSubstr(bad.message))
        << bad.text;
  }
  EXPECT_THAT(error_of([] { options::parse_trigger("missed-revolutions"); }),
              HasSubstr("did you mean 'missed-revolution'?"));
}

TEST(WaveWindows, WithoutAny_TheWholeRunIsWanted) {
  WaveWindows windows({}, 1);
  EXPECT_FALSE(windows.wanted());
  EXPECT_EQ(windows.next_change(), 0);
  windows.time_is(0);
  EXPECT_TRUE(windows.wanted());
  EXPECT_EQ(windows.next_change(), options::kNever);
}

TEST(WaveWindows, Time_OpensAndClosesAtItsEnds) {
  WaveWindows windows({options::parse_window("time:10ps..20ps")}, 1);
  EXPECT_EQ(windows.next_change(), 10);
  windows.time_is(9);
  EXPECT_FALSE(windows.wanted());
  windows.time_is(10);
  EXPECT_TRUE(windows.wanted());
  EXPECT_EQ(windows.next_change(), 20);
  windows.time_is(20);
  EXPECT_FALSE(windows.wanted());
  EXPECT_EQ(windows.next_change(), options::kNever);
}

TEST(WaveWindows, Commands_FromTheFirstIssueToTheLastCompletion) {
  WaveWindows windows({options::parse_window("cmd:2..3")}, 1);
  windows.command_issued(1);
  EXPECT_FALSE(windows.wanted());
  windows.command_issued(2);
  EXPECT_TRUE(windows.wanted());
  windows.command_issued(3);
  windows.command_completed(3);
  windows.command_completed(1);
  EXPECT_TRUE(windows.wanted()) << "2 is still out";
  windows.command_issued(2);  // issued again, as the drive had no room
  windows.command_completed(2);
  EXPECT_FALSE(windows.wanted());
}

TEST(WaveWindows, Event_ItsOccurrenceAndNoOther) {
  WaveWindows windows({options::parse_window("event:SEEK_START:2")}, 100);
  windows.event(5, TRACE_SEEK_START);
  windows.event(6, TRACE_ON_TRACK);
  EXPECT_FALSE(windows.wanted());
  windows.event(7, TRACE_SEEK_START);
  EXPECT_TRUE(windows.wanted());
  EXPECT_EQ(windows.next_change(), 107);
  windows.time_is(107);
  windows.event(200, TRACE_SEEK_START);
  EXPECT_FALSE(windows.wanted());
}

TEST(WaveWindows, Trigger_EachOccurrence_AndOneWithinMakesItLonger) {
  WaveWindows windows({options::parse_trigger("media-retry")}, 100);
  windows.event(10, TRACE_MEDIA_RETRY);
  windows.event(60, TRACE_MEDIA_RETRY);
  EXPECT_EQ(windows.next_change(), 160);
  windows.time_is(160);
  EXPECT_FALSE(windows.wanted());
  windows.event(500, TRACE_MEDIA_RETRY);
  EXPECT_TRUE(windows.wanted());
}

TEST(WaveWindows, Firmware_FromItsWordToItsWord) {
  WaveWindows windows({options::parse_trigger("firmware")}, 100);
  windows.event(1, TRACE_WAVE_OFF);
  EXPECT_FALSE(windows.wanted());
  windows.event(2, TRACE_WAVE_ON);
  windows.event(3, TRACE_WAVE_ON);
  EXPECT_EQ(windows.next_change(), options::kNever);
  EXPECT_TRUE(windows.wanted());
  windows.event(4, TRACE_WAVE_OFF);
  EXPECT_FALSE(windows.wanted());
}

TEST(WaveWindows, Overlapping_AreOne_AndWhatNeverCame_IsNamed) {
  WaveWindows windows(
      {options::parse_window("time:10ps..30ps"), options::parse_window("time:20ps..40ps"),
       options::parse_window("cmd:9"), options::parse_trigger("bus-reset")},
      1);
  windows.time_is(10);
  windows.time_is(20);
  windows.time_is(30);
  EXPECT_TRUE(windows.wanted());
  windows.time_is(40);
  EXPECT_FALSE(windows.wanted());
  EXPECT_THAT(windows.not_come(),
              ElementsAre("observe.waves.windows cmd:9", "observe.waves.on bus-reset"));
}

}  // namespace
}  // namespace headstack::wave
