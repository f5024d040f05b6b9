// SPDX-License-Identifier: Apache-2.0
// The drivers of the disk's side against their register maps (hdl/regs/*.rdl): words that they
// write, their addresses, and the meaning of words that they read. Offsets and bit positions are
// written out here, from the maps, not taken from the generated headers.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tests/firmware/recorded_registers.hpp"

extern "C" {
#include "firmware/hal/buffer_mgr_hal.h"
#include "firmware/hal/formatter_hal.h"
#include "firmware/hal/irq_ctrl_hal.h"
#include "firmware/hal/servo_hal.h"
#include "firmware/hal/testdev_hal.h"
#include "firmware/hal/timer_hal.h"
}

namespace headstack::test {
namespace {

// hdl/README.md, addresses.
constexpr uint32_t kTimer = 0x40000000;
constexpr uint32_t kIrqCtrl = 0x40001000;
constexpr uint32_t kTestdev = 0x40003000;
constexpr uint32_t kBuffer = 0x40005000;
constexpr uint32_t kFormatter = 0x40006000;
constexpr uint32_t kServo = 0x40007000;
constexpr uint32_t kBufferRam = 0x50000000;

class DiskHalTest : public ::testing::Test {
 protected:
  void SetUp() override { registers() = {}; }
  static void answer(uint32_t address, std::deque<uint32_t> values) {
    registers().answers[address] = std::move(values);
  }
};

/// Events are read from INTR_STATE, 20h or 10h, and exactly those are written back to clear.
TEST_F(DiskHalTest, Events_AreAcknowledgedExactly) {
  struct Case {
    uint32_t state, enable, events;
    uint32_t (*take)();
    void (*let)(uint32_t);
  };
  const Case cases[] = {
      {kBuffer + 0x10, kBuffer + 0x14, 0x2, buffer_mgr_hal_take_events, buffer_mgr_hal_enable},
      {kFormatter + 0x20, kFormatter + 0x24, 0xA, formatter_hal_take_events, formatter_hal_enable},
      {kServo + 0x20, kServo + 0x24, 0x55, servo_hal_take_events, servo_hal_enable}};
  for (const Case& each : cases) {
    answer(each.state, {each.events});
    EXPECT_EQ(each.take(), each.events);
    EXPECT_EQ(taken_writes(), (Writes{{each.state, each.events}}));
    each.let(each.events);
    EXPECT_EQ(taken_writes(), (Writes{{each.enable, each.events}}));
  }
  formatter_hal_forget(FORMATTER_EVENT_SECTOR);
  EXPECT_EQ(taken_writes(), (Writes{{kFormatter + 0x20, 0x4}}));
}

// ---------------------------------------------------------------------------------- buffer manager

TEST_F(DiskHalTest, SectorSize_IsASeparateWord) {
  buffer_mgr_hal_configure(520);
  EXPECT_EQ(taken_writes(), (Writes{{kBuffer + 0x00, 520}}));
}

// Segments from 80h on, 10h each: BASE, SIZE, LEVEL, CONTROL.
TEST_F(DiskHalTest, Segment_IsDescribed_ThenEmptied_ThenFilled) {
  buffer_mgr_hal_set_segment(0, 0x1000, 16, 0);
  EXPECT_EQ(taken_writes(),
            (Writes{{kBuffer + 0x80, 0x1000}, {kBuffer + 0x84, 16}, {kBuffer + 0x8C, 0x1}}));
  buffer_mgr_hal_set_segment(7, 0x1FFFFC, 0xFFFF, 0xFFFF);
  EXPECT_EQ(
      taken_writes(),
      (Writes{{kBuffer + 0xF0, 0x1FFFFC}, {kBuffer + 0xF4, 0xFFFF}, {kBuffer + 0xFC, 0xFFFF0001}}));
}

TEST_F(DiskHalTest, RingThatBeginsAfterItsFirstSector_DropsTheBlocksBefore) {
  buffer_mgr_hal_set_ring(2, 0x200, 16, 0, 5);
  EXPECT_EQ(taken_writes(),
            (Writes{{kBuffer + 0xA0, 0x200}, {kBuffer + 0xA4, 16}, {kBuffer + 0xAC, 0x50001}}));
  buffer_mgr_hal_set_ring(2, 0x200, 16, 15, 3);
  EXPECT_EQ(taken_writes(), (Writes{{kBuffer + 0xA0, 0x200},
                                    {kBuffer + 0xA4, 16},
                                    {kBuffer + 0xAC, 0xF0001},
                                    {kBuffer + 0xAC, 0x2},
                                    {kBuffer + 0xAC, 0x30000}}));
}

TEST_F(DiskHalTest, Segment_ByHand) {
  buffer_mgr_hal_produce(1, 9);
  buffer_mgr_hal_discard(1);
  buffer_mgr_hal_skip(1, 9);
  EXPECT_EQ(taken_writes(),
            (Writes{{kBuffer + 0x9C, 0x90000}, {kBuffer + 0x9C, 0x2}, {kBuffer + 0x9C, 0x90004}}));
  answer(kBuffer + 0x98, {0xABCD0010});
  EXPECT_EQ(buffer_mgr_hal_level(1), 0x10U);
  answer(kBuffer + 0x90, {0x1000});
  EXPECT_EQ(buffer_mgr_hal_first_byte(1), 0x1000U);
}

// Setting HOST.enable or DISK.enable starts at the segment's pointer: it is cleared first.
TEST_F(DiskHalTest, Channel_IsOff_BeforeItIsOn) {
  buffer_mgr_hal_start_host(7, true);
  EXPECT_EQ(taken_writes(), (Writes{{kBuffer + 0x04, 0}, {kBuffer + 0x04, 0x117}}));
  buffer_mgr_hal_start_host(2, false);
  EXPECT_EQ(taken_writes(), (Writes{{kBuffer + 0x04, 0}, {kBuffer + 0x04, 0x102}}));
  buffer_mgr_hal_start_disk(7, true, 0);
  EXPECT_EQ(taken_writes(), (Writes{{kBuffer + 0x08, 0}, {kBuffer + 0x08, 0x117}}));
  buffer_mgr_hal_start_disk(2, false, BUFFER_MGR_NO_NOTICE);
  EXPECT_EQ(taken_writes(), (Writes{{kBuffer + 0x08, 0}, {kBuffer + 0x08, 0xFFFF0102}}));
  buffer_mgr_hal_stop_host();
  buffer_mgr_hal_stop_disk();
  EXPECT_EQ(taken_writes(), (Writes{{kBuffer + 0x04, 0}, {kBuffer + 0x08, 0}}));
}

TEST_F(DiskHalTest, Window_IsTheWholeMemory) {
  buffer_mgr_hal_write_word(0, 1);
  buffer_mgr_hal_write_word(0x1FFFFC, 2);
  EXPECT_EQ(taken_writes(), (Writes{{kBufferRam, 1}, {kBufferRam + 0x1FFFFC, 2}}));
  answer(kBufferRam + 0x1FFFFC, {0x12345678});
  EXPECT_EQ(buffer_mgr_hal_read_word(0x1FFFFC), 0x12345678U);
}

// --------------------------------------------------------------------------------------- formatter

TEST_F(DiskHalTest, Format_AndPatience) {
  formatter_hal_configure(12, 520, 15);
  EXPECT_EQ(taken_writes(), (Writes{{kFormatter + 0x0C, 0x208000C}, {kFormatter + 0x10, 15}}));
}

TEST_F(DiskHalTest, Run_IsDescribedBeforeItIsStartedOrChained) {
  const formatter_run run = {0xABCDEF, 0x12, 0xFFFE, 0xFFFF};
  const std::pair<uint32_t, uint32_t> track = {kFormatter + 0x04, 0x12ABCDEF};
  const std::pair<uint32_t, uint32_t> start = {kFormatter + 0x08, 0xFFFFFFFE};
  for (const auto& [operation, code] :
       {std::pair{FORMATTER_READ, 1U}, {FORMATTER_WRITE, 2U}, {FORMATTER_VERIFY, 3U}}) {
    formatter_hal_start(operation, &run);
    EXPECT_EQ(taken_writes(), (Writes{track, start, {kFormatter, code}}));
  }
  formatter_hal_chain(&run);
  EXPECT_EQ(
      taken_writes(),
      (Writes{{kFormatter + 0x28, 0x12ABCDEF}, {kFormatter + 0x2C, 0xFFFFFFFE}, {kFormatter, 5}}));
  formatter_hal_abort();
  EXPECT_EQ(taken_writes(), (Writes{{kFormatter, 4}}));
}

TEST_F(DiskHalTest, Formatter_ReportsItsState) {
  answer(kFormatter + 0x14, {0xFFFF0002});
  EXPECT_FALSE(formatter_hal_busy());
  answer(kFormatter + 0x14, {0x1});
  EXPECT_TRUE(formatter_hal_busy());
  answer(kFormatter + 0x18, {0xA1B2C3D4});  // runs, index pulses, done
  const formatter_progress progress = formatter_hal_progress();
  EXPECT_EQ(progress.done, 0xC3D4U);
  EXPECT_EQ(progress.runs, 0xA1U);
  // The bits of the sector concerned are not among the causes.
  answer(kFormatter + 0x1C, {0xFFFF0155});
  EXPECT_EQ(formatter_hal_errors(), 0x155U);
  answer(kFormatter + 0x1C, {0x000000AA});
  EXPECT_EQ(formatter_hal_errors(), 0xAAU);
}

// ------------------------------------------------------------------------------------------- servo

TEST_F(DiskHalTest, Movement_HasItsTargetFirst) {
  servo_hal_seek(0x7ABCDE, 0x12, true);
  EXPECT_EQ(taken_writes(), (Writes{{kServo + 0x00, 0x12FABCDE}, {kServo + 0x04, 1}}));
  servo_hal_set_target(0x7ABCDE, 0x12, false);
  EXPECT_EQ(taken_writes(), (Writes{{kServo + 0x00, 0x127ABCDE}}));
  servo_hal_spin_up();
  servo_hal_spin_down();
  servo_hal_recalibrate();
  EXPECT_EQ(taken_writes(), (Writes{{kServo + 0x04, 2}, {kServo + 0x04, 3}, {kServo + 0x04, 4}}));
  servo_hal_capture_index(true);
  servo_hal_capture_index(false);
  EXPECT_EQ(taken_writes(), (Writes{{kServo + 0x1C, 1}, {kServo + 0x1C, 0}}));
}

TEST_F(DiskHalTest, Servo_ReportsEachLevelSeparately) {
  bool (*const levels[])() = {servo_hal_on_track, servo_hal_write_ready, servo_hal_seeking,
                              servo_hal_at_speed};
  for (uint32_t set = 0; set < 4; ++set) {
    answer(kServo + 0x08, {1U << set});
    for (uint32_t asked = 0; asked < 4; ++asked)
      EXPECT_EQ(levels[asked](), asked == set) << asked << " of " << set;
  }
}

// A pulse between the reads: the values belong to two pulses, and are read again.
TEST_F(DiskHalTest, Index_IsThatOfOnePulse) {
  answer(kServo + 0x18, {7, 8, 8});
  answer(kServo + 0x14, {0x1, 0x2});
  answer(kServo + 0x10, {0xFFFFFFFF, 0x10});
  servo_index index = servo_hal_index();
  EXPECT_EQ(index.count, 8U);
  EXPECT_EQ(index.tick, 0x2'0000'0010U);
  registers() = {};
  answer(kServo + 0x18, {9});
  answer(kServo + 0x14, {0x3});
  answer(kServo + 0x10, {0x20});
  index = servo_hal_index();
  EXPECT_EQ(index.count, 9U);
  EXPECT_EQ(index.tick, 0x3'0000'0020U);
  EXPECT_EQ(registers().reads.size(), 4U) << "once where no pulse passed";
}

// ------------------------------------------------------------------------------------------- timer

// The low word wraps between two reads: high, low and high are read until both high words are
// equal.
TEST_F(DiskHalTest, Time_IsThatOfOneMoment) {
  answer(kTimer + 0x04, {0x1, 0x2, 0x2});
  answer(kTimer + 0x00, {0xFFFFFFFF, 0x0});
  EXPECT_EQ(timer_hal_now(), 0x2'0000'0000U);
  registers() = {};
  answer(kTimer + 0x04, {0x3});
  answer(kTimer + 0x00, {0x89ABCDEF});
  EXPECT_EQ(timer_hal_now(), 0x3'89AB'CDEFU);
  EXPECT_EQ(registers().reads,
            (std::vector<uint32_t>{kTimer + 0x04, kTimer + 0x00, kTimer + 0x04}));
  EXPECT_EQ(timer_hal_now32(), 0x89ABCDEFU);
}

TEST_F(DiskHalTest, Timer_IsOff_WhileItsTwoWordsDoNotBelongTogether) {
  timer_hal_start(0x2'8000'0001);
  EXPECT_EQ(taken_writes(), (Writes{{kTimer + 0x10, 0},
                                    {kTimer + 0x08, 0x80000001},
                                    {kTimer + 0x0C, 0x2},
                                    {kTimer + 0x10, 1}}));
  timer_hal_stop();
  EXPECT_EQ(taken_writes(), (Writes{{kTimer + 0x10, 0}}));
}

// ----------------------------------------------------------------- interrupt controller, test
// device

TEST_F(DiskHalTest, Sources_AreEnabledAndRead) {
  irq_ctrl_hal_enable(IRQ_SERVO | IRQ_BUFFER_MGR);
  EXPECT_EQ(taken_writes(), (Writes{{kIrqCtrl + 0x04, 0xA}}));
  answer(kIrqCtrl + 0x00, {0x15});
  EXPECT_EQ(irq_ctrl_hal_pending(), IRQ_SCSI_TARGET | IRQ_FORMATTER | IRQ_TIMER);
}

TEST_F(DiskHalTest, TestDevice_EndsTheSimulationWithACode) {
  testdev_hal_exit(0xFF1234);
  EXPECT_EQ(taken_writes(), (Writes{{kTestdev + 0x04, 0xFF1234}}));
}

}  // namespace
}  // namespace headstack::test
