// SPDX-License-Identifier: Apache-2.0
// Early ends of tasks: abort messages, clear queue, bus device reset, bus reset (SCSI-2 6.2.2,
// 6.6).
#include "tests/firmware/scsi_fixture.hpp"

namespace headstack::firmware {
namespace {

const Bytes kRead2 = {0x28, 0, 0, 0, 0, 0x10, 0, 0, 2, 0};

class ScsiAbortTest : public ScsiBusFixture {};

// ---- aborts

TEST_F(ScsiAbortTest, AbortTagEndsThatTaskAlone) {
  connect({0xC0, 0x20, 1}, kRead2);
  connect({0xC0, 0x20, 2}, kRead2);
  EXPECT_EQ(connect({0xC0, 0x20, 1, MESSAGE_ABORT_TAG}, {}),
            (Lines{"SEL 7", "MO C0 20 01 0D", "FREE"}));
  EXPECT_EQ(core_.aborted, (std::vector<task*>{core_.arrived[0]}));
  EXPECT_EQ(task_set_find(&tasks_, kHost, false, 1), nullptr);
  EXPECT_NE(task_set_find(&tasks_, kHost, false, 2), nullptr);
}

TEST_F(ScsiAbortTest, AbortTagOfNoTaskOnlyFreesTheBus) {
  connect({0xC0, 0x20, 1}, kRead2);
  EXPECT_EQ(connect({0xC0, 0x20, 9, MESSAGE_ABORT_TAG}, {}).back(), "FREE");
  EXPECT_EQ(tasks_.count, 1);
}

TEST_F(ScsiAbortTest, AbortEndsTheInitiatorsTasks) {
  connect({0xC0, 0x20, 1}, kRead2);
  connect({0xC0, 0x20, 2}, kRead2);
  connect({0xC0, 0x20, 1}, kRead2, kOther);
  connect({0xC0, MESSAGE_ABORT}, {});
  EXPECT_EQ(task_set_live_of(&tasks_, kHost), 0);
  EXPECT_EQ(task_set_live_of(&tasks_, kOther), 1);
  EXPECT_EQ(target_->device.nexus[kOther].attentions, 0);
}

// Before IDENTIFY there is no nexus to abort (SCSI-2 6.6.1).
TEST_F(ScsiAbortTest, AbortWithoutIdentifyTouchesNoTask) {
  connect({0xC0, 0x20, 1}, kRead2);
  EXPECT_EQ(connect({MESSAGE_ABORT}, {}), (Lines{"SEL 7", "MO 06", "FREE"}));
  EXPECT_EQ(tasks_.count, 1);
}

TEST_F(ScsiAbortTest, AbortOfAWaitingConnectionEndsItsTask) {
  connect({0x80}, kRead2);
  EXPECT_EQ(attention({MESSAGE_ABORT}), (Lines{"MO 06", "FREE"}));
  EXPECT_EQ(tasks_.count, 0);
}

// SCSI-2 6.6.4: CLEAR QUEUE ends all initiators' tasks, and the others get a unit attention.
TEST_F(ScsiAbortTest, ClearQueue_EndsTheTasksOfAllInitiators) {
  connect({0xC0, 0x20, 1}, kRead2);
  connect({0xC0, 0x20, 1}, kRead2, kOther);
  connect({0xC0, MESSAGE_CLEAR_QUEUE}, {});
  EXPECT_EQ(tasks_.count, 0);
  EXPECT_EQ(request_sense(kOther), "6/2F/00");
  EXPECT_EQ(request_sense(kHost), "0/00/00");
  EXPECT_EQ(request_sense(5), "0/00/00");  // had no task
}

// The core needs the aborted task a little longer. Its tag is free at once, its memory and its
// place in the set later.
TEST_F(ScsiAbortTest, AbortedTaskMayOutliveItsNexus) {
  core_.lets_go = false;
  connect({0xC0, 0x20, 1}, kRead2);
  task* const old = last();
  connect({0xC0, 0x20, 1, MESSAGE_ABORT_TAG}, {});
  EXPECT_EQ(tasks_.count, 1);
  EXPECT_EQ(connect({0xC0, 0x20, 1}, kRead2).back(), "FREE");  // the same tag, not overlapped
  EXPECT_NE(last(), old);
  EXPECT_EQ(end(old), (Lines{}));  // no status
  EXPECT_EQ(end(last()), (Lines{"RESEL 7", "MI 80 20 01", "ST 00", "MI 00", "FREE"}));
}

// A request for the bus does not outlive the task.
TEST_F(ScsiAbortTest, AbortedTaskIsNotReselected) {
  connect({0xC0, 0x20, 1}, kRead2);
  connect({0x80}, kRead2, kOther);  // holds the bus
  task* const holder = last();
  host_task_finished(target_.get(), core_.arrived[0], STATUS_OK, 0);
  EXPECT_EQ(attention({MESSAGE_CLEAR_QUEUE}), (Lines{"MO 0E", "FREE"}));
  EXPECT_EQ(core_.aborted, (std::vector<task*>{holder}));  // the other had ended already
  EXPECT_EQ(tasks_.count, 0);
}

// ---- resets

class ScsiResetTest : public ScsiBusFixture {
 protected:
  // Prepares something of every kind of state that a reset clears.
  void prepare() {
    bus_.data_out = {0, 0, 0, 0, 0x0A, 10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0};
    connect({0xC0, 1, 3, 1, 0x19, 8}, {0x15, 0x10, 0, 0, 16, 0});
    connect({0xC0}, {0x16, 0, 0, 0, 0, 0});  // RESERVE
    connect({0xC0, 0x20, 1}, kRead2);
  }
  void expect_reset(const char* attention) {
    EXPECT_EQ(tasks_.count, 0);
    EXPECT_EQ(target_->device.reserved_by, DEVICE_NOT_RESERVED);
    EXPECT_FALSE(mode_unrestricted_reordering(&target_->device.unit.modes));  // the saved values
    EXPECT_TRUE(tasks_.restricted);
    EXPECT_EQ(target_->agreement[kHost].offset, 0);
    for (const uint8_t initiator : {kHost, kOther, uint8_t{15}}) {
      EXPECT_EQ(request_sense(initiator), attention) << int{initiator};
    }
  }
};

TEST_F(ScsiResetTest, BusDeviceResetResetsEverything) {
  prepare();
  EXPECT_EQ(connect({0xC0, MESSAGE_BUS_DEVICE_RESET}, {}, kOther),
            (Lines{"SEL 6", "MO C0 0C", "FREE"}));
  expect_reset("6/29/03");
}

TEST_F(ScsiResetTest, BusDeviceResetNeedsNoIdentify) {
  prepare();
  connect({MESSAGE_BUS_DEVICE_RESET}, {}, kOther);
  expect_reset("6/29/03");
}

TEST_F(ScsiResetTest, BusResetInTheMiddleOfATransfer) {
  prepare();
  bus_.hold_dma = true;
  EXPECT_EQ(grant(last(), 2).back(), "DMA-IN 1024");
  bus_.reset();
  EXPECT_EQ(core_.moved_blocks, (std::vector<uint32_t>{0}));
  EXPECT_EQ(core_.aborted, (std::vector<task*>{last()}));
  bus_.take_log();
  expect_reset("6/29/02");
}

TEST_F(ScsiResetTest, BusResetWhileReselectingCancelsTheAlarm) {
  prepare();
  bus_.answer_reselect = false;
  host_task_finished(target_.get(), last(), STATUS_OK, 0);
  EXPECT_NE(target_->alarm.due, UINT64_MAX);
  bus_.reset();
  EXPECT_EQ(target_->alarm.due, UINT64_MAX);
  target_on_alarm(target_.get());  // late: nothing to stop
  EXPECT_EQ(bus_.take_log(), (Lines{"RST"}));
  expect_reset("6/29/02");
}

// The reset came after a byte, before the firmware read it: the next connection's messages begin
// with their own first byte.
TEST_F(ScsiResetTest, BusResetLeavesNothingInTheFifo) {
  bus_.push(0x00);
  bus_.reset();
  bus_.take_log();
  EXPECT_EQ(connect({0xC0, 0x20, 1}, {0x00, 0, 0, 0, 0, 0}),
            (Lines{"SEL 7", "MO C0 20 01", "CO 00 00 00 00 00 00", "ST 02", "MI 00", "FREE"}));
  EXPECT_EQ(request_sense(), "6/29/02");
}

// The core releases the task after the reset, and so grants more from inside the end of the data
// phase: no initiator is reselected.
TEST_F(ScsiResetTest, GrantDuringTheReset_HasNoEffect) {
  prepare();
  bus_.hold_dma = true;
  core_.lets_go = false;
  grant(last(), 1);
  core_.on_moved = [this](task* task, uint32_t) {
    if (task->host_blocks_left > task->host_blocks_granted)
      host_task_granted(target_.get(), task, 1);
  };
  task* const old = last();
  bus_.reset();
  bus_.run();
  EXPECT_EQ(bus_.take_log(), (Lines{"RST"}));
  EXPECT_EQ(end(old), (Lines{}));
  expect_reset("6/29/02");
}

// SCSI-2 7.9: a unit attention stands until it has been reported. If its CHECK CONDITION was cut
// off, it has not been.
TEST_F(ScsiResetTest, UnitAttentionWhoseStatusIsCutOff_IsReportedAgain) {
  connect({0xC0}, {0, 0, 0, 0, 0, 0}, kOther);
  prepare();
  core_.reset_waits = false;
  bus_.reset();
  bus_.take_log();
  for (const Bytes& command : {Bytes{0, 0, 0, 0, 0, 0}, Bytes{0x03, 0, 0, 0, 18, 0}}) {
    bus_.on_status = [this](uint8_t) {
      bus_.message_out = {MESSAGE_ABORT};
      bus_.on_status = nullptr;
    };
    const Lines log = connect({0xC0}, command);
    EXPECT_EQ(log.back(), "FREE");
    EXPECT_EQ(std::count(log.begin(), log.end(), "MI 00"), 0) << "no COMMAND COMPLETE";
  }
  expect_reset("6/29/02");
}

// ABORT TAG leaves a contingent allegiance unchanged. A unit attention that it cut off is pending
// again, but is not sense data, too.
TEST_F(ScsiResetTest, UnitAttentionCutOffByAbortTag_IsReportedOnce) {
  prepare();
  core_.reset_waits = false;
  bus_.reset();
  bus_.take_log();
  bus_.on_status = [this](uint8_t) {
    bus_.message_out = {MESSAGE_ABORT_TAG};
    bus_.on_status = nullptr;
  };
  const Lines log = connect({0xC0, 0x20, 0x05}, {0, 0, 0, 0, 0, 0});
  EXPECT_EQ(std::count(log.begin(), log.end(), "MI 00"), 0) << "no COMMAND COMPLETE";
  EXPECT_EQ(request_sense(), "6/29/02");
  EXPECT_EQ(connect({0xC0}, {0, 0, 0, 0, 0, 0})[3], "ST 00");
}

// RST came and went while the firmware was busy. Later events may concern a connection that has
// ended: the bus may belong to others by now.
TEST_F(ScsiResetTest, BetweenRstAndItsEvent_NoInitiatorIsReselected) {
  prepare();
  core_.reset_waits = true;
  host_task_finished(target_.get(), last(), STATUS_OK, 0);
  bus_.run();
  EXPECT_EQ(bus_.take_log(), (Lines{}));
  core_.reset_waits = false;
  bus_.reset();
  EXPECT_EQ(bus_.take_log(), (Lines{"RST"}));
  expect_reset("6/29/02");
}

TEST_F(ScsiResetTest, BetweenRstAndItsEvent_TheNextConnectionIsNotTouched) {
  connect({0x80, 0x20, 1}, kRead2);  // the bus is held
  ASSERT_EQ(target_->connection.state, CONNECTION_WAITING);
  core_.reset_waits = true;
  bus_.message_out = {0xC0};
  bus_.command = {0x12, 0, 0, 0, 0, 0};
  host_task_finished(target_.get(), last(), STATUS_OK, 0);  // status and COMMAND COMPLETE are due
  bus_.run();
  EXPECT_EQ(bus_.take_log(), (Lines{}));
  core_.reset_waits = false;
  bus_.take_nothing();
  bus_.deliver(SCSI_EVENT_BUS_RESET | SCSI_EVENT_SELECTED);
  bus_.run();
  EXPECT_EQ(bus_.take_log(), (Lines{"MO C0", "CO 12 00 00 00 00 00", "ST 00", "MI 00", "FREE"}));
  expect_reset("6/29/02");
}

}  // namespace
}  // namespace headstack::firmware
