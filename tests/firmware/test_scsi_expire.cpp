// SPDX-License-Identifier: Apache-2.0
// A limit of a command's duration expires (SPC-5), seen on the bus. In each state of a task, its
// end is a status of its own, once, with the sense data that belong to it.
#include "tests/firmware/scsi_fixture.hpp"

namespace headstack::firmware {
namespace {

const Bytes kRead2 = {0x28, 0, 0, 0, 0, 0x10, 0, 0, 2, 0};
const Bytes kWrite2 = {0x2A, 0, 0, 0, 0, 0x10, 0, 0, 2, 0};
const Bytes kTestUnitReady = {0x00, 0, 0, 0, 0, 0};

class ScsiExpireTest : public ScsiBusFixture {
 protected:
  Lines expire(task* task, status why, bool acts = true) {
    EXPECT_EQ(host_task_expired(target_.get(), task, why), acts);
    bus_.run();
    return bus_.take_log();
  }
  const Lines kFailed{"RESEL 7", "MI 80 20 05", "ST 02", "MI 00", "FREE"};
};

struct Why {
  status why;
  const char* sense;
};

TEST_F(ScsiExpireTest, EachReasonHasItsSense) {
  for (const Why& c : {Why{STATUS_TIMED_OUT_WAITING, "B/2E/01"},
                       {STATUS_TIMED_OUT, "B/2E/02"},
                       {STATUS_TIMED_OUT_RECOVERING, "B/2E/03"}}) {
    connect({0xC0, 0x20, 5}, kRead2);
    EXPECT_EQ(expire(last(), c.why), kFailed);
    EXPECT_EQ(request_sense(), c.sense);
    // The sense data have no block.
    EXPECT_EQ(hex(last_data_in()).substr(0, 20), "70 00 0B 00 00 00 00");
    EXPECT_EQ(tasks_.count, 0U);
  }
}

// The core gets one call, to release the task.
TEST_F(ScsiExpireTest, WaitingTaskEnds_AndItsTagIsFree) {
  connect({0xC0, 0x20, 5}, kRead2);
  task* task = last();
  expire(task, STATUS_TIMED_OUT_WAITING);
  EXPECT_EQ(core_.aborted, (std::vector<struct task*>{task}));
  EXPECT_EQ(core_.ended_tags, (std::vector<uint16_t>{5}));
  EXPECT_EQ(tasks_.enabled.count, 0U);
  EXPECT_EQ(request_sense(), "B/2E/01");
  EXPECT_EQ(connect({0xC0, 0x20, 5}, kRead2).back(), "FREE");
  EXPECT_EQ(end(last())[2], "ST 00");
}

// The current sector is finished first. Then the core reports that it is done, which brings the
// status.
TEST_F(ScsiExpireTest, WhileTheCoreStillNeedsTheTask_TheStatusWaits) {
  connect({0xC0, 0x20, 5}, kWrite2);
  core_.lets_go = false;
  EXPECT_EQ(expire(last(), STATUS_TIMED_OUT), (Lines{}));
  EXPECT_EQ(end(last(), STATUS_ABORTED), kFailed);
  EXPECT_EQ(request_sense(), "B/2E/02");
}

// SCSI-2 6.1.7: the target ends the phase. Complete blocks count, and nothing more moves.
TEST_F(ScsiExpireTest, DataPhaseUnderWayEndsInItsMidst) {
  for (const Bytes& cdb : {kRead2, kWrite2}) {
    connect({0xC0, 0x20, 5}, cdb);
    bus_.hold_dma = true;
    grant(last(), 2);
    core_.moved_blocks.clear();
    EXPECT_EQ(expire(last(), STATUS_TIMED_OUT), (Lines{"ABORT"}));
    bus_.finish_dma(700);
    EXPECT_EQ(bus_.take_log(), (Lines{"ST 02", "MI 00", "FREE"}));
    EXPECT_EQ(core_.moved_blocks, (std::vector<uint32_t>{0}));
    EXPECT_EQ(request_sense(), "B/2E/02");
    bus_.hold_dma = false;
  }
}

TEST_F(ScsiExpireTest, DataThatWaitForTheBus_DoNotMove) {
  connect({0xC0, 0x20, 5}, kRead2);
  bus_.answer_reselect = false;
  EXPECT_EQ(grant(last(), 2), (Lines{}));
  EXPECT_EQ(expire(last(), STATUS_TIMED_OUT), (Lines{}));
  bus_.answer_reselect = true;
  bus_.run();
  EXPECT_EQ(bus_.take_log(), kFailed);
  EXPECT_EQ(request_sense(), "B/2E/02");
}

// The media are done with the task and its status waits for the bus, so it is not complete yet.
TEST_F(ScsiExpireTest, StatusThatWaitsForTheBus_IsTheLimits) {
  connect({0xC0, 0x20, 5}, kRead2);
  bus_.answer_reselect = false;
  last()->host_blocks_left = 0;
  end(last());
  EXPECT_EQ(expire(last(), STATUS_TIMED_OUT), (Lines{}));
  EXPECT_TRUE(core_.aborted.empty()) << "the core has said that it is done";
  bus_.answer_reselect = true;
  bus_.run();
  EXPECT_EQ(bus_.take_log(), kFailed);
}

// The task's own failure is reported, not its expiry.
TEST_F(ScsiExpireTest, Failure_IsNotReplaced) {
  connect({0xC0, 0x20, 5}, kRead2);
  bus_.answer_reselect = false;
  end(last(), STATUS_DATA_DAMAGED, 0x11);
  EXPECT_EQ(expire(last(), STATUS_TIMED_OUT, false), (Lines{}));
  bus_.answer_reselect = true;
  bus_.run();
  EXPECT_EQ(request_sense(), "3/11/00");
}

// Once the status is on its way it is too late.
TEST_F(ScsiExpireTest, StatusUnderWay_IsNotReplaced) {
  connect({0xC0, 0x20, 5}, kRead2);
  task* task = last();
  task->host_blocks_left = 0;
  bool acted = true;
  bus_.on_status = [&](uint8_t) {
    acted = host_task_expired(target_.get(), task, STATUS_TIMED_OUT);
  };
  EXPECT_EQ(end(task)[2], "ST 00");
  EXPECT_FALSE(acted);
  bus_.on_status = nullptr;
  EXPECT_EQ(request_sense(), "0/00/00");
}

// A reported status is never replaced, and an aborted task has no status.
TEST_F(ScsiExpireTest, TaskWithoutAPendingStatus_Continues) {
  connect({0xC0, 0x20, 5}, kWrite2);
  task* reported = last();
  core_.cache.mode.writes = true;
  grant(reported, 2);
  ASSERT_TRUE(task_is_reported(reported));
  EXPECT_EQ(expire(reported, STATUS_TIMED_OUT, false), (Lines{}));
  core_.cache.mode.writes = false;
  connect({0xC0, 0x20, 6}, kRead2);
  core_.lets_go = false;
  task* aborted = last();
  task_abort(&target_->device, aborted);
  EXPECT_EQ(expire(aborted, STATUS_TIMED_OUT, false), (Lines{}));
  EXPECT_EQ(reported->sense, static_cast<unsigned>(SENSE_NONE));
}

// Nothing of a nexus moves while its initiator owes a REQUEST SENSE (SCSI-2 7.6): the end comes
// after that.
TEST_F(ScsiExpireTest, DormantTaskEnds_AfterTheAllegiance) {
  connect({0xC0, 0x20, 4}, kRead2);
  connect({0xC0, 0x20, 5}, kRead2);
  task* second = last();
  end(core_.arrived[0], STATUS_DATA_DAMAGED, 0x10);
  ASSERT_EQ(second->state, TASK_DORMANT);
  EXPECT_EQ(expire(second, STATUS_TIMED_OUT_WAITING), (Lines{}));
  EXPECT_EQ(tasks_.dormant_count, 0U);
  EXPECT_EQ(request_sense(), "3/11/00");
  EXPECT_EQ((Lines(last_log_.end() - 5, last_log_.end())), kFailed);
  EXPECT_EQ(request_sense(), "B/2E/01");
}

// A task that may not disconnect keeps the bus, and ends there.
TEST_F(ScsiExpireTest, TaskThatHoldsTheBus_EndsOnIt) {
  connect({0x80, 0x20, 5}, kRead2);
  EXPECT_EQ(expire(last(), STATUS_TIMED_OUT), (Lines{"ST 02", "MI 00", "FREE"}));
  EXPECT_EQ(request_sense(), "B/2E/02");
}

// The end waits while the bus belongs to another command of the initiator.
TEST_F(ScsiExpireTest, AnotherConnectionIsNotDisturbed) {
  connect({0xC0, 0x20, 5}, kRead2);
  task* waiting = last();
  connect({0xC0, 0x20, 6}, kRead2);
  bus_.hold_dma = true;
  grant(last(), 2);
  EXPECT_EQ(expire(waiting, STATUS_TIMED_OUT_WAITING), (Lines{}));
  bus_.hold_dma = false;
  bus_.finish_dma(0);
  const Lines lines = bus_.take_log();
  EXPECT_EQ((Lines(lines.end() - 5, lines.end())), kFailed);
}

// A dormant task that ends is no longer dormant, whatever ends it (SCSI-2 6.6.10, INITIATOR
// DETECTED ERROR).
TEST_F(ScsiExpireTest, DormantTaskThatFails_IsDormantNoMore) {
  connect({0xC0, 0x20, 4}, kRead2);
  connect({0x80, 0x22, 5}, kRead2);
  ASSERT_EQ(last()->state, TASK_DORMANT);
  EXPECT_EQ(attention({0x05}), (Lines{"MO 05", "ST 02", "MI 00", "FREE"}));
  EXPECT_EQ(tasks_.dormant_count, 1U) << "the other one, which the allegiance holds";
  EXPECT_EQ(request_sense(), "B/48/00");
  EXPECT_EQ(tasks_.dormant_count, 0U);
}

// ---- policy "complete unavailable"

// SPC-5: GOOD with sense key COMPLETED. There is no autosense and no contingent allegiance here:
// the sense data wait for a REQUEST SENSE, and others go on.
TEST_F(ScsiExpireTest, Unavailable_IsGood_WithSenseForRequestSense) {
  connect({0xC0, 0x20, 4}, kRead2);
  task* other = last();
  connect({0xC0, 0x20, 5}, kRead2);
  EXPECT_EQ(expire(last(), STATUS_UNAVAILABLE),
            (Lines{"RESEL 7", "MI 80 20 05", "ST 00", "MI 00", "FREE"}));
  EXPECT_FALSE(target_->device.nexus[kHost].contingent_allegiance);
  EXPECT_EQ(other->state, TASK_ENABLED);
  EXPECT_EQ(request_sense(kOther), "0/00/00");
  EXPECT_EQ(request_sense(), "F/55/0A");
  EXPECT_EQ(hex(last_data_in()), "70 00 0F 00 00 00 00 0A 00 00 00 00 55 0A 00 00 00 00");
  EXPECT_EQ(request_sense(), "0/00/00");
}

TEST_F(ScsiExpireTest, Unavailable_AnotherCommandDropsTheSense) {
  connect({0xC0, 0x20, 5}, kRead2);
  expire(last(), STATUS_UNAVAILABLE);
  EXPECT_EQ(connect({0xC0}, kTestUnitReady)[3], "ST 00");
  EXPECT_EQ(request_sense(), "0/00/00");
}

TEST_F(ScsiExpireTest, Unavailable_InADataPhase_EndsIt) {
  connect({0xC0, 0x20, 5}, kRead2);
  bus_.hold_dma = true;
  grant(last(), 2);
  EXPECT_EQ(expire(last(), STATUS_UNAVAILABLE), (Lines{"ABORT"}));
  bus_.finish_dma(512);
  EXPECT_EQ(bus_.take_log(), (Lines{"ST 00", "MI 00", "FREE"}));
  EXPECT_EQ(request_sense(), "F/55/0A");
}

}  // namespace
}  // namespace headstack::firmware
