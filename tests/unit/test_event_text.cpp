// SPDX-License-Identifier: Apache-2.0
// Arguments of events in words: the layouts are those that firmware/events.h describes.
#include "host/observe/event_text.hpp"

#include <gtest/gtest.h>

#include "firmware/events.h"

namespace headstack::observe {
namespace {

TEST(EventText, HasEachPartOfTheArgument) {
  EXPECT_EQ(event_argument_text(TRACE_TASK_QUEUED, 7U << 16 | 12), "tag 7, task 12");
  EXPECT_EQ(event_argument_text(TRACE_SEEK_START, 4711U << 8 | 3), "cylinder 4711, head 3");
  EXPECT_EQ(event_argument_text(TRACE_ON_TRACK, 0xFFFFFFU << 8 | 255),
            "cylinder 16777215, head 255");
  EXPECT_EQ(event_argument_text(TRACE_COMMAND_RECEIVED, 0x2AU << 24 | 6U << 16 | 0x1234),
            "operation code 2ah, initiator 6, tag 4660");
  EXPECT_EQ(event_argument_text(TRACE_LIMIT_PASSED, 5U << 20 | 13U << 16 | 9),
            "duration 5, its policy 13, task 9");
  EXPECT_EQ(event_argument_text(TRACE_SENSE_SET, 5U << 16 | 0x24U << 8 | 1),
            "key 05h, ASC 24h, ASCQ 01h");
  EXPECT_EQ(event_argument_text(TRACE_MEDIA_RETRY, 0x10U << 16 | 2),
            "formatter error bits 10h, attempt 2");
  EXPECT_EQ(event_argument_text(TRACE_STATUS_SENT, 2U << 16 | 65'534), "status 02h, task 65534");
}

TEST(EventText, WholeArgument_IsOneNumber) {
  EXPECT_EQ(event_argument_text(TRACE_BOOTED, 4'294'967'295U), "bytes of RAM in use 4294967295");
  EXPECT_EQ(event_argument_text(TRACE_RUN_DONE, 3), "sectors done 3");
}

TEST(EventText, NoTask_IsSaid) {
  EXPECT_EQ(event_argument_text(TRACE_PLAN_END, 0xFFFF), "no task");
  EXPECT_EQ(event_argument_text(TRACE_PLAN_END, 0xFFFE), "task 65534");
}

TEST(EventText, ListedValues_AreTheirWords) {
  EXPECT_EQ(event_argument_text(TRACE_SPINDLE, 0), "at rest");
  EXPECT_EQ(event_argument_text(TRACE_SPINDLE, 4), "lost its speed");
  EXPECT_EQ(event_argument_text(TRACE_SPINDLE, 5), "") << "not in the list";
  EXPECT_EQ(event_argument_text(TRACE_IDLE, 0), "");
  EXPECT_EQ(event_argument_text(TRACE_BUS_RESET, 0), "");
}

TEST(EventText, UnknownEvent_HasNone) { EXPECT_EQ(event_argument_text(TRACE_EVENT_COUNT, 1), ""); }

// Each event of the table: no part of a layout is left in its words.
TEST(EventText, OfEveryEvent_HasNoShiftLeft) {
  for (unsigned number = 0; number < TRACE_EVENT_COUNT; ++number) {
    const std::string text = event_argument_text(number, 0x1234'5678);
    EXPECT_EQ(text.find_first_of("<|:;"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace headstack::observe
