// The kernel: wire bytes, the event ring, the dispatcher, assertions.
#include <gtest/gtest.h>

#include <vector>

#define FILE_ID FILE_ID_TEST
#include "firmware/events.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"
#include "firmware/kernel/dispatcher.h"

namespace {

int interrupts_off_depth = 0;

}  // namespace

// The processor of this test: it only counts.
extern "C" void cpu_interrupts_off() { ++interrupts_off_depth; }
extern "C" void cpu_interrupts_on() { --interrupts_off_depth; }
extern "C" void cpu_wait_for_interrupt() {}

namespace headstack {
namespace {

TEST(Bytes, BigEndian_IsTheOrderOnTheWire) {
  const std::uint8_t wire[] = {0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0};
  EXPECT_EQ(bytes_get_be16(wire), 0x1234U);
  EXPECT_EQ(bytes_get_be24(wire), 0x123456U);
  EXPECT_EQ(bytes_get_be32(wire), 0x12345678U);
  EXPECT_EQ(bytes_get_be64(wire), 0x123456789ABCDEF0U);
  EXPECT_EQ(bytes_get_le16(wire), 0x3412U);
  EXPECT_EQ(bytes_get_le32(wire), 0x78563412U);
}

TEST(Bytes, PutThenGet_IsTheSame_AndTheNeighboursStay) {
  std::uint8_t bytes[10];
  const auto edges_kept = [&] { return bytes[0] == 0xEE && bytes[9] == 0xEE; };
  bytes_fill(bytes, 0xEE, 10);
  bytes_put_be64(bytes + 1, 0xFEDCBA9876543210U);
  EXPECT_EQ(bytes_get_be64(bytes + 1), 0xFEDCBA9876543210U);
  EXPECT_TRUE(edges_kept());
  bytes_fill(bytes + 1, 0xEE, 8);
  bytes_put_be24(bytes + 1, 0xABCDEF);
  EXPECT_EQ(bytes_get_be24(bytes + 1), 0xABCDEFU);
  EXPECT_EQ(bytes[4], 0xEE);
  bytes_put_le32(bytes + 5, 0x80000001U);
  EXPECT_EQ(bytes_get_le32(bytes + 5), 0x80000001U);
  EXPECT_EQ(bytes[5], 0x01);
  EXPECT_TRUE(edges_kept());
}

TEST(EventQueue, Sources_AreServedInTheOrderTheyFirstSpoke) {
  ::event_queue queue{};
  event_queue_init(&queue);
  event_queue_post(&queue, 3, 0x1);
  event_queue_post(&queue, 0, 0x8);
  event_queue_post(&queue, 3, 0x4);  // joins what waits
  ::event event{};
  ASSERT_TRUE(event_queue_take(&queue, &event));
  EXPECT_EQ(event.source, 3U);
  EXPECT_EQ(event.bits, 0x5U);
  ASSERT_TRUE(event_queue_take(&queue, &event));
  EXPECT_EQ(event.source, 0U);
  EXPECT_EQ(event.bits, 0x8U);
  EXPECT_FALSE(event_queue_take(&queue, &event));
  EXPECT_EQ(event.source, 0U);
}

TEST(EventQueue, EverySourceFits_AndTheRingWraps) {
  ::event_queue queue{};
  event_queue_init(&queue);
  for (std::uint32_t round = 0; round < 3; ++round) {
    for (std::uint32_t i = 0; i < EVENT_SOURCES_MAX; ++i) {
      event_queue_post(&queue, (i + round) % EVENT_SOURCES_MAX, i + 1);
      event_queue_post(&queue, (i + round) % EVENT_SOURCES_MAX, i + 1);
    }
    for (std::uint32_t i = 0; i < EVENT_SOURCES_MAX; ++i) {
      ::event event{};
      ASSERT_TRUE(event_queue_take(&queue, &event));
      EXPECT_EQ(event.source, (i + round) % EVENT_SOURCES_MAX);
      EXPECT_EQ(event.bits, i + 1);
    }
  }
}

TEST(EventQueue, NothingRaised_IsABug) {
  ::event_queue queue{};
  event_queue_init(&queue);
  EXPECT_DEATH(event_queue_post(&queue, 0, 0), "file id 1");
  EXPECT_DEATH(event_queue_post(&queue, EVENT_SOURCES_MAX, 1), "file id 1");
}

struct Served {
  ::dispatcher dispatcher{};
  std::vector<std::pair<int, std::uint32_t>> calls;
  int idles = 0;
  bool repost = false;
};

void serve_first(void* context, std::uint32_t bits) {
  auto* served = static_cast<Served*>(context);
  EXPECT_EQ(interrupts_off_depth, 0) << "handlers run with interrupts on";
  served->calls.emplace_back(0, bits);
  // An interrupt comes while the handler runs.
  EXPECT_EQ(dispatcher_waiting(&served->dispatcher, 0), 0U) << "its own are served";
  if (served->repost) {
    dispatcher_post(&served->dispatcher, 1, 0x10);
    EXPECT_EQ(dispatcher_waiting(&served->dispatcher, 1), 0x10U);
  }
  served->repost = false;
}

void serve_second(void* context, std::uint32_t bits) {
  static_cast<Served*>(context)->calls.emplace_back(1, bits);
}

void count_idle(void* context) {
  EXPECT_EQ(interrupts_off_depth, 1) << "nothing can come between the last look and the sleep";
  ++static_cast<Served*>(context)->idles;
}

TEST(Dispatcher, RunsEachHandlerToItsEnd_ThenIdles) {
  static const ::event_handler kHandlers[] = {serve_first, serve_second};
  interrupts_off_depth = 0;
  Served served;
  dispatcher_init(&served.dispatcher, kHandlers, 2, &served);
  dispatcher_post(&served.dispatcher, 0, 0x3);
  served.repost = true;
  dispatcher_serve_all(&served.dispatcher, count_idle);
  EXPECT_EQ(served.calls, (std::vector<std::pair<int, std::uint32_t>>{{0, 0x3}, {1, 0x10}}));
  EXPECT_EQ(served.idles, 1);
  EXPECT_EQ(interrupts_off_depth, 0);
}

TEST(Assert, FailureNamesFileAndLine) {
  EXPECT_EQ(ASSERT_CODE(FILE_ID_TEST, 0x1234), 0xFF1234U);
  EXPECT_DEATH(ASSERT(1 + 1 == 3), "file id 255, line");
}

TEST(TraceEvents, EveryNumber_HasARegister) {
#define EXPECT_IN_RANGE(number, name, argument) EXPECT_LT(number, TRACE_EVENT_COUNT) << #name;
  TRACE_EVENTS(EXPECT_IN_RANGE)
#undef EXPECT_IN_RANGE
}

}  // namespace
}  // namespace headstack
