// SPDX-License-Identifier: Apache-2.0
// Connections, phase by phase and byte by byte (SCSI-2 6.1, 6.2, 6.6). The tests compare the
// transcript of the bus.
#include "tests/firmware/scsi_fixture.hpp"

namespace headstack::firmware {
namespace {

const Bytes kTestUnitReady = {0x00, 0, 0, 0, 0, 0};
const Bytes kRead2 = {0x28, 0, 0, 0, 0, 0x10, 0, 0, 2, 0};  // 2 blocks: 1024 bytes
const Bytes kWrite2 = {0x2A, 0, 0, 0, 0, 0x10, 0, 0, 2, 0};

class ScsiConnectionTest : public ScsiBusFixture {};

// ---- commands without media

TEST_F(ScsiConnectionTest, CommandStatusMessageBusFree) {
  EXPECT_EQ(connect({0xC0, 0x20, 0x05}, kTestUnitReady),
            (Lines{"SEL 7", "MO C0 20 05", "CO 00 00 00 00 00 00", "ST 00", "MI 00", "FREE"}));
}

// Without ATN there is no message, and the logical unit is that of the CDB (SCSI-2 7.2.2).
TEST_F(ScsiConnectionTest, SelectionWithoutAttentionGoesToCommand) {
  bus_.with_attention = false;
  EXPECT_EQ(connect({}, kTestUnitReady),
            (Lines{"SEL 7", "CO 00 00 00 00 00 00", "ST 00", "MI 00", "FREE"}));
  EXPECT_EQ(connect({}, {0x00, 0x20, 0, 0, 0, 0})[2], "ST 02");
}

// SCSI-2 7.2.2: without IDENTIFY, the CDB names the logical unit. Later versions reserve these
// bits.
TEST_F(ScsiConnectionTest, WithoutIdentify_AScsi2CdbNamesTheUnit) {
  bus_.with_attention = false;
  const Bytes inquiry = {0x12, 0x20, 0, 0, 1, 0};
  EXPECT_EQ(connect({}, inquiry)[2], "DI 7F");
  EXPECT_EQ(connect({}, {0x12, 0, 0, 0, 1, 0})[2], "DI 00");
  config_.scsi_version = 7;
  EXPECT_EQ(connect({}, inquiry)[2], "ST 02");
  EXPECT_EQ(connect({}, {0x12, 0, 0, 0, 1, 0})[2], "DI 00");
}

// SCSI-2 7.2.2: IDENTIFY has precedence.
TEST_F(ScsiConnectionTest, AfterIdentify_TheUnitOfTheCdbMeansNothing) {
  EXPECT_EQ(connect({0xC0}, {0x12, 0x20, 0, 0, 1, 0})[3], "DI 00");
  EXPECT_EQ(connect({0xC1}, {0x12, 0x00, 0, 0, 1, 0})[3], "DI 7F");
}

TEST_F(ScsiConnectionTest, DataInComesInFifoLoads) {
  const Lines log = connect({0xC0}, {0x03, 0, 0, 0, 18, 0});
  EXPECT_EQ(log, (Lines{"SEL 7", "MO C0", "CO 03 00 00 00 12 00",
                        "DI 70 00 00 00 00 00 00 0A 00 00 00 00 00 00 00 00 00 00", "ST 00",
                        "MI 00", "FREE"}));
}

TEST_F(ScsiConnectionTest, AllocationLengthZeroHasNoDataPhase) {
  EXPECT_EQ(connect({0xC0}, {0x12, 0, 0, 0, 0, 0}),
            (Lines{"SEL 7", "MO C0", "CO 12 00 00 00 00 00", "ST 00", "MI 00", "FREE"}));
}

TEST_F(ScsiConnectionTest, DataOutIsFetchedWholeBeforeStatus) {
  bus_.data_out = {0, 0, 0, 0, 0x0A, 10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0};
  const Lines log = connect({0xC0}, {0x15, 0x10, 0, 0, 16, 0});
  EXPECT_EQ(log[3], "DO 00 00 00 00 0A 0A 00 10 00 00 00 00 00 00 00 00");
  EXPECT_EQ(log[4], "ST 00");
  EXPECT_TRUE(mode_unrestricted_reordering(&target_->device.unit.modes));
}

// SCSI-2 6.6.8: 23h 01h: the last byte of the last transfer does not count.
TEST_F(ScsiConnectionTest, OddByteOnAWideBusIsDeclared) {
  target_->agreement[kHost].wide = true;
  Lines log = connect({0xC0}, {0x12, 0, 0, 0, 5, 0});
  EXPECT_EQ(log[3], "DI 00 00 02 02 1F");
  EXPECT_EQ(log[4], "MI 23 01");
  EXPECT_EQ(log[5], "ST 00");
  log = connect({0xC0}, {0x12, 0, 0, 0, 6, 0});
  EXPECT_EQ(log[4], "ST 00");
}

TEST_F(ScsiConnectionTest, LongCommandsAreFetchedByTheirGroup) {
  const Lines log = connect({0xC0}, {0x9E, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0});
  EXPECT_EQ(log[2], "CO 9E 10 00 00 00 00 00 00 00 00 00 00 00 08 00 00");
  EXPECT_EQ(log[3], "DI 00 00 00 00 00 01 86 9F");
}

TEST_F(ScsiConnectionTest, CheckConditionKeepsTheSenseForRequestSense) {
  EXPECT_EQ(connect({0xC0}, {0x02, 0, 0, 0, 0, 0})[3], "ST 02");
  EXPECT_EQ(request_sense(), "5/20/00");
  EXPECT_EQ(request_sense(), "0/00/00");
}

TEST_F(ScsiConnectionTest, AnyOtherCommandDropsTheSense) {
  connect({0xC0}, {0x02, 0, 0, 0, 0, 0});
  connect({0xC0}, kTestUnitReady);
  EXPECT_EQ(request_sense(), "0/00/00");
}

TEST_F(ScsiConnectionTest, SenseIsKeptPerInitiator) {
  connect({0xC0}, {0x02, 0, 0, 0, 0, 0}, kHost);
  connect({0xC0}, {0x28, 0, 0, 2, 0, 0, 0, 0, 1, 0}, kOther);
  EXPECT_EQ(request_sense(kHost), "5/20/00");
  EXPECT_EQ(request_sense(kOther), "5/21/00");
}

// ---- tasks

TEST_F(ScsiConnectionTest, TaggedReadDisconnectsAndReselectsForDataAndStatus) {
  EXPECT_EQ(connect({0xC0, 0x22, 0x05}, kRead2),
            (Lines{"SEL 7", "MO C0 22 05", "CO 28 00 00 00 00 10 00 00 02 00", "MI 04", "FREE"}));
  EXPECT_EQ(last()->attribute, TASK_ORDERED);
  // Reselections name the task by SIMPLE QUEUE TAG (SCSI-2 6.6.17). All blocks are granted, and the
  // status is not known yet.
  EXPECT_EQ(grant(last(), 2), (Lines{"RESEL 7", "MI 80 20 05", "DMA-IN 1024", "MI 02 04", "FREE"}));
  EXPECT_EQ(core_.begun_blocks, (std::vector<uint32_t>{2}));
  EXPECT_EQ(core_.moved_blocks, (std::vector<uint32_t>{2}));
  EXPECT_EQ(end(last()), (Lines{"RESEL 7", "MI 80 20 05", "ST 00", "MI 00", "FREE"}));
  EXPECT_EQ(core_.ended_tags, (std::vector<uint16_t>{5}));
  EXPECT_EQ(tasks_.count, 0);
}

// The arguments are those of firmware/events.h.
TEST_F(ScsiConnectionTest, TracePort_GetsAnEventOfEveryStation) {
  connect({0xC0, 0x20, 0x05}, kRead2);
  const uint32_t index = task_set_index(&tasks_, last());
  end(last(), STATUS_DATA_DAMAGED);
  EXPECT_EQ(core_.events,
            (std::vector<std::pair<uint32_t, uint32_t>>{{TRACE_SELECTED, 7},
                                                        {TRACE_COMMAND_RECEIVED, 0x28070005},
                                                        {TRACE_BUS_FREE, 7},
                                                        {TRACE_RESELECTED, 0x70005},
                                                        {TRACE_SENSE_SET, 0x31100},
                                                        {TRACE_STATUS_SENT, 0x20000 | index},
                                                        {TRACE_BUS_FREE, 7}}));
}

TEST_F(ScsiConnectionTest, DataAndStatus_ShareAConnection_IfBothAreReady) {
  connect({0xC0, 0x20, 0x05}, kRead2);
  core_.on_moved = [this](task* task, uint32_t) {
    host_task_finished(target_.get(), task, STATUS_OK, 0);
  };
  EXPECT_EQ(grant(last(), 2),
            (Lines{"RESEL 7", "MI 80 20 05", "DMA-IN 1024", "ST 00", "MI 00", "FREE"}));
}

// A reconnection restores the saved pointers (SCSI-2 6.6.7). All that a read has moved is saved
// before DISCONNECT, including the last block. Otherwise the initiator counts it as a residue when
// the status comes.
TEST_F(ScsiConnectionTest, PartOfTheDataSavesThePointers) {
  connect({0xC0, 0x20, 0x05}, kRead2);
  EXPECT_EQ(grant(last(), 1), (Lines{"RESEL 7", "MI 80 20 05", "DMA-IN 512", "MI 02 04", "FREE"}));
  EXPECT_EQ(last()->host_blocks_left, 1U);
  EXPECT_EQ(grant(last(), 1), (Lines{"RESEL 7", "MI 80 20 05", "DMA-IN 512", "MI 02 04", "FREE"}));
}

TEST_F(ScsiConnectionTest, GrantInsideTheDataPhaseKeepsTheConnection) {
  connect({0xC0, 0x20, 0x05}, kRead2);
  bool granted = false;
  core_.on_moved = [&](task* task, uint32_t) {
    if (!std::exchange(granted, true)) host_task_granted(target_.get(), task, 1);
  };
  EXPECT_EQ(grant(last(), 1),
            (Lines{"RESEL 7", "MI 80 20 05", "DMA-IN 512", "DMA-IN 512", "MI 02 04", "FREE"}));
}

TEST_F(ScsiConnectionTest, WriteWithAFreeSegmentTakesItsDataAtOnce) {
  core_.on_arrived = [this](task* task) { host_task_granted(target_.get(), task, 2); };
  EXPECT_EQ(connect({0xC0, 0x20, 0x05}, kWrite2),
            (Lines{"SEL 7", "MO C0 20 05", "CO 2A 00 00 00 00 10 00 00 02 00", "DMA-OUT 1024",
                   "MI 04", "FREE"}));
  EXPECT_EQ(end(last()), (Lines{"RESEL 7", "MI 80 20 05", "ST 00", "MI 00", "FREE"}));
}

// Three tasks have waited for the bus while a fourth had it; the media waits for the last of them.
TEST_F(ScsiConnectionTest, PrioritizedTask_PrecedesOthersThatWait) {
  std::vector<task*> tasks;
  for (const uint8_t tag : {1, 2, 3, 4}) {
    connect({0xC0, 0x20, tag}, kWrite2);
    tasks.push_back(last());
  }
  core_.on_moved = [&](task* task, uint32_t) {
    if (task != tasks[0]) return;
    for (int i = 1; i < 4; ++i) host_task_granted(target_.get(), tasks[i], 1);
    host_task_prioritized(target_.get(), tasks[3]);
  };
  const Lines lines = grant(tasks[0], 1);
  Lines reselections;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(reselections),
               [](const std::string& line) { return line.rfind("MI 80 20", 0) == 0; });
  EXPECT_EQ(reselections, (Lines{"MI 80 20 01", "MI 80 20 04", "MI 80 20 02", "MI 80 20 03"}));
}

TEST_F(ScsiConnectionTest, HurryWithoutAWishForTheBusIsNothing) {
  connect({0xC0, 0x20, 5}, kWrite2);
  host_task_prioritized(target_.get(), last());
  EXPECT_EQ(grant(last(), 1), (Lines{"RESEL 7", "MI 80 20 05", "DMA-OUT 512", "MI 02 04", "FREE"}));
}

TEST_F(ScsiConnectionTest, WithoutThePrivilegeTheDriveStaysConnected) {
  EXPECT_EQ(connect({0x80}, kRead2), (Lines{"SEL 7", "MO 80", "CO 28 00 00 00 00 10 00 00 02 00"}));
  EXPECT_EQ(grant(last(), 2), (Lines{"DMA-IN 1024"}));
  EXPECT_EQ(end(last()), (Lines{"ST 00", "MI 00", "FREE"}));
}

TEST_F(ScsiConnectionTest, UntaggedTaskIsReselectedByIdentifyAlone) {
  connect({0xC0}, kRead2);
  EXPECT_EQ(end(last()), (Lines{"RESEL 7", "MI 80", "ST 00", "MI 00", "FREE"}));
}

// The drive's own message 80h has a tag of 16 bits, and reselections use the same form.
TEST_F(ScsiConnectionTest, LongTag_IsReturnedInItsLongForm) {
  connect({0xC0, 1, 4, 0x80, 0x21, 0x12, 0x34}, kRead2);
  EXPECT_EQ(last()->tag, 0x1234);
  EXPECT_EQ(last()->attribute, TASK_HEAD_OF_QUEUE);
  EXPECT_EQ(end(last())[1], "MI 80 01 04 80 20 12 34");
}

// Message 81h, short: 1,000,000 us are 625,000 times 64 ticks; the stream is the initiator's.
TEST_F(ScsiConnectionTest, DeadlineReachesTheCandidate) {
  connect({0xC0, 0x20, 1, 1, 5, 0x81, 0x00, 0x0F, 0x42, 0x40}, kRead2);
  const candidate& urgent = last()->candidate;
  EXPECT_TRUE(candidate_is_real_time(&urgent));
  EXPECT_EQ(candidate_slack(&urgent, urgent.arrived_64ticks), 625000);
  EXPECT_EQ(urgent.stream, 7U);
  EXPECT_EQ(urgent.priority, 0U);
  connect({0xC0, 0x20, 2}, kRead2);
  EXPECT_FALSE(candidate_is_real_time(&last()->candidate));
  EXPECT_EQ(last()->candidate.stream, 7U);
}

// firmware/transfer/service_tasks.h: a command is received when all of it is there, whatever the
// firmware has done since.
TEST_F(ScsiConnectionTest, ReceiptOfACommand_IsThatOfItsLastByte) {
  core_.ticks_per_look = 10;
  core_.now_ticks = 64'000;
  connect({0xC0, 0x20, 1}, kRead2);
  EXPECT_EQ(core_.received.back(), 64'000U) << "before the firmware did anything for it";
  EXPECT_EQ(last()->candidate.arrived_64ticks, 1000U);

  // A message with an urgency precedes the command, and the clock is read when it comes.
  core_.now_ticks = 640'000;
  connect({0xC0, 0x20, 2, 1, 5, 0x81, 0x00, 0x0F, 0x42, 0x40}, kRead2);
  EXPECT_EQ(core_.received.back(), 640'010U);

  // REASSIGN BLOCKS is received when its list is there, which comes in two pieces: the clock is
  // read the third time.
  core_.now_ticks = 6'400'000;
  bus_.data_out = {0, 0, 0, 4, 0, 0, 0, 10};
  connect({0xC0, 0x20, 3}, {0x07, 0, 0, 0, 0, 0});
  ASSERT_EQ(core_.received.size(), 3U);
  EXPECT_EQ(core_.received.back(), 6'400'020U);
}

// Message 81h, long: class, stream and priority after the microseconds.
TEST_F(ScsiConnectionTest, UrgencyReachesTheCandidate) {
  connect({0xC0, 0x20, 1, 1, 8, 0x81, 0x00, 0x00, 0x00, 0x00, 1, 200, 15}, kRead2);
  EXPECT_TRUE(candidate_is_real_time(&last()->candidate));
  EXPECT_EQ(candidate_slack(&last()->candidate, last()->candidate.arrived_64ticks), 0);  // at once
  EXPECT_EQ(last()->candidate.stream, 200U);
  EXPECT_EQ(last()->candidate.priority, 15U);
  connect({0xC0, 0x20, 2, 1, 8, 0x81, 0x00, 0x00, 0x00, 0x40, 0, 255, 1}, kRead2);
  EXPECT_FALSE(candidate_is_real_time(&last()->candidate));
  EXPECT_EQ(last()->candidate.stream, 255U);
  EXPECT_EQ(last()->candidate.priority, 1U);
}

// 4,294 s would wrap: the farthest deadline is 28 minutes ahead.
TEST_F(ScsiConnectionTest, DeadlineFarAheadIsCut) {
  connect({0xC0, 0x20, 1, 1, 5, 0x81, 0xFF, 0xFF, 0xFF, 0xFF}, kRead2);
  const candidate& urgent = last()->candidate;
  EXPECT_EQ(candidate_slack(&urgent, urgent.arrived_64ticks),
            static_cast<std::int32_t>(CANDIDATE_SLACK_MAX_64TICKS));
}

// An invalid urgency is rejected, and the command arrives as best effort.
TEST_F(ScsiConnectionTest, UrgencyOfNoClassIsRejected) {
  const Lines lines = connect({0xC0, 0x20, 1, 1, 8, 0x81, 0, 0, 0, 1, 2, 0, 0}, kRead2);
  EXPECT_NE(std::find(lines.begin(), lines.end(), "MI 07"), lines.end());
}

TEST_F(ScsiConnectionTest, InitiatorWithoutAnId_IsNotDisconnected) {
  EXPECT_EQ(connect({0xC0}, kRead2, config_.own_id).back(), "CO 28 00 00 00 00 10 00 00 02 00");
}

TEST_F(ScsiConnectionTest, WishesAreServedByAgeAndAcrossConnections) {
  connect({0xC0, 0x20, 1}, kRead2);
  connect({0xC0, 0x20, 2}, kRead2);
  connect({0x80}, kRead2, kOther);  // holds the bus
  task* const holder = last();
  host_task_finished(target_.get(), core_.arrived[1], STATUS_OK, 0);
  host_task_finished(target_.get(), core_.arrived[0], STATUS_OK, 0);
  EXPECT_TRUE(bus_.take_log().empty());
  EXPECT_EQ(end(holder),
            (Lines{"ST 00", "MI 00", "FREE", "RESEL 7", "MI 80 20 02", "ST 00", "MI 00", "FREE",
                   "RESEL 7", "MI 80 20 01", "ST 00", "MI 00", "FREE"}));
}

TEST_F(ScsiConnectionTest, QueueFullIsAStatusWithoutSense) {
  for (uint8_t tag = 0; tag < kTaskLimit; ++tag) connect({0xC0, 0x20, tag}, kRead2);
  EXPECT_EQ(connect({0xC0, 0x20, 0x99}, kRead2)[3], "ST 28");
  EXPECT_EQ(connect({0xC0}, kRead2, kOther)[3], "ST 08");
  EXPECT_FALSE(target_->device.nexus[kHost].contingent_allegiance);
}

TEST_F(ScsiConnectionTest, FailedTaskReportsItsBlock) {
  connect({0xC0, 0x20, 5}, kRead2);
  EXPECT_EQ(end(last(), STATUS_DATA_DAMAGED, 0x11)[2], "ST 02");
  connect({0xC0}, {0x03, 0, 0, 0, 18, 0});
  EXPECT_EQ(hex(last_data_in()), "F0 00 03 00 00 00 11 0A 00 00 00 00 11 00 00 00 00 00");
}

TEST_F(ScsiConnectionTest, ErrorStopsADataPhaseThatWaitsForTheMedia) {
  connect({0xC0, 0x20, 5}, kRead2);
  bus_.hold_dma = true;
  EXPECT_EQ(grant(last(), 2), (Lines{"RESEL 7", "MI 80 20 05", "DMA-IN 1024"}));
  EXPECT_EQ(end(last(), STATUS_SECTOR_NOT_FOUND, 0x11), (Lines{"ABORT"}));
  bus_.finish_dma(512);
  EXPECT_EQ(bus_.take_log(), (Lines{"ST 02", "MI 00", "FREE"}));
  EXPECT_EQ(core_.moved_blocks, (std::vector<uint32_t>{1}));
  EXPECT_EQ(request_sense(), "3/14/01");
}

// ---- contingent allegiance

// SCSI-2 7.6: the initiator gets nothing more until it requests the sense data. Others are served.
TEST_F(ScsiConnectionTest, CheckConditionHoldsTheInitiatorsQueue) {
  connect({0xC0, 0x20, 1}, kRead2);
  connect({0xC0, 0x20, 2}, kRead2);
  connect({0xC0, 0x20, 3}, kRead2, kOther);
  const std::vector<task*> tasks = core_.arrived;
  end(tasks[0], STATUS_DATA_DAMAGED, 0x10);
  EXPECT_EQ(core_.withdrawn, (std::vector<task*>{tasks[1]}));
  tasks[1]->state = TASK_ACTIVE;
  EXPECT_EQ(end(tasks[1]), (Lines{}));
  EXPECT_EQ(end(tasks[2])[0], "RESEL 6");
  EXPECT_EQ(request_sense(), "3/11/00");
  EXPECT_EQ(last_log_[7], "RESEL 7");
  EXPECT_EQ(last_log_[8], "MI 80 20 02");
}

struct QueueError {
  uint8_t control;  // byte 3 of the control page
  uint16_t left_of_host, left_of_other;
  bool other_hears;
};

// SPC-2 table 157: QERR 00b nobody, 01b all tasks, 11b those of the same initiator.
TEST_F(ScsiConnectionTest, QueueErrorManagementEndsOtherTasks) {
  for (const QueueError& c : {QueueError{0x00, 1, 1, false}, QueueError{0x02, 0, 0, true},
                              QueueError{0x06, 0, 1, false}}) {
    power_on();
    make_ready();
    core_.arrived.clear();
    bus_.data_out = {0, 0, 0, 0, 0x0A, 10, 0, c.control, 0, 0, 0, 0, 0, 0, 0, 0};
    connect({0xC0}, {0x15, 0x10, 0, 0, 16, 0});
    target_->device.nexus[kOther].attentions = 0;
    connect({0xC0, 0x20, 1}, kRead2);
    connect({0xC0, 0x20, 2}, kRead2);
    connect({0xC0, 0x20, 3}, kRead2, kOther);
    end(core_.arrived[0], STATUS_DATA_DAMAGED, 0x10);
    EXPECT_EQ(task_set_live_of(&tasks_, kHost), c.left_of_host) << int{c.control};
    EXPECT_EQ(task_set_live_of(&tasks_, kOther), c.left_of_other) << int{c.control};
    EXPECT_EQ(request_sense(kOther), c.other_hears ? "6/2F/00" : "0/00/00") << int{c.control};
    EXPECT_EQ(request_sense(kHost), "3/11/00");
  }
}

/// SCSI-2 7.6: contingent allegiance comes after the status CHECK CONDITION. An initiator that
/// aborts the command instead learns of none, and would never get its other commands back.
TEST_F(ScsiConnectionTest, CheckConditionThatAbortTagCutsOff_EndsNoOtherTask) {
  bus_.data_out = {0, 0, 0, 0, 0x0A, 10, 0, 0x02, 0, 0, 0, 0, 0, 0, 0, 0};
  connect({0xC0}, {0x15, 0x10, 0, 0, 16, 0});
  target_->device.nexus[kOther].attentions = 0;
  connect({0xC0, 0x20, 1}, kRead2);
  connect({0xC0, 0x20, 3}, kRead2, kOther);
  bus_.on_status = [this](uint8_t status) {
    EXPECT_EQ(status, 0x02);
    bus_.message_out = {MESSAGE_ABORT_TAG};
    bus_.on_status = nullptr;
  };
  const Lines log = connect({0xC0, 0x20, 2}, {0x02, 0, 0, 0, 0, 0});
  EXPECT_EQ(std::count(log.begin(), log.end(), "MI 00"), 0) << "no COMMAND COMPLETE";
  EXPECT_EQ(task_set_live_of(&tasks_, kHost), 1);
  EXPECT_EQ(task_set_live_of(&tasks_, kOther), 1);
  EXPECT_EQ(request_sense(kHost), "0/00/00");
  EXPECT_EQ(request_sense(kOther), "0/00/00");
}

// ---- negotiation

TEST_F(ScsiConnectionTest, SynchronousNegotiationIsAnsweredBeforeTheCommand) {
  EXPECT_EQ(connect({0xC0, 1, 3, 1, 0x0C, 0x1F}, kTestUnitReady),
            (Lines{"SEL 7", "MO C0 01 03 01 0C 1F", "MI 01 03 01 19 0F", "CO 00 00 00 00 00 00",
                   "ST 00", "MI 00", "FREE"}));
  EXPECT_EQ(bus_.agreement.period_clocks, 4);
  EXPECT_EQ(bus_.agreement.offset, 15);
}

TEST_F(ScsiConnectionTest, WideThenSynchronousInOnePhase) {
  const Lines log = connect({0xC0, 1, 2, 3, 1, 1, 3, 1, 0x32, 8}, kTestUnitReady);
  EXPECT_EQ(log[2], "MI 01 02 03 01 01 03 01 32 08");
  EXPECT_TRUE(bus_.agreement.wide);
  EXPECT_EQ(bus_.agreement.period_clocks, 8);
  EXPECT_EQ(bus_.agreement.offset, 8);
}

TEST_F(ScsiConnectionTest, AgreementsArePerInitiatorAndRestoredAtReselection) {
  connect({0xC0, 0x20, 1, 1, 3, 1, 0x19, 8}, kRead2);
  connect({0xC0}, kTestUnitReady, kOther);
  EXPECT_EQ(bus_.agreement.offset, 0);
  grant(core_.arrived[0], 1);
  EXPECT_EQ(bus_.agreement.offset, 8);
}

// SCSI-2 6.6.21: if the answer is rejected, transfers are asynchronous.
TEST_F(ScsiConnectionTest, RejectedAnswerMeansNoAgreement) {
  bus_.on_message_in = [this](const Bytes& message) {
    if (message[0] == MESSAGE_EXTENDED) bus_.message_out = {MESSAGE_REJECT};
  };
  const Lines log = connect({0xC0, 1, 3, 1, 0x19, 8}, kTestUnitReady);
  EXPECT_EQ(log[3], "MO 07");
  EXPECT_EQ(log[4], "CO 00 00 00 00 00 00");
  EXPECT_EQ(bus_.agreement.offset, 0);
  EXPECT_EQ(target_->agreement[kHost].offset, 0);
}

// SCSI-2 6.6.23: transfers have eight bits and are asynchronous, also for the data of this
// connection.
TEST_F(ScsiConnectionTest, RejectedWidthMeansNoAgreement) {
  connect({0xC0, 1, 2, 3, 1, 1, 3, 1, 0x32, 8}, kTestUnitReady);
  ASSERT_TRUE(bus_.agreement.wide);
  ASSERT_EQ(bus_.agreement.offset, 8);
  bus_.on_message_in = [this](const Bytes& message) {
    if (message[0] == MESSAGE_EXTENDED) bus_.message_out = {MESSAGE_REJECT};
  };
  connect({0xC0, 1, 2, 3, 1}, kTestUnitReady);
  EXPECT_FALSE(bus_.agreement.wide);
  EXPECT_EQ(bus_.agreement.offset, 0);
  EXPECT_FALSE(target_->agreement[kHost].wide);
}

// After two answers, MESSAGE REJECT refers to the last (SCSI-2 6.6.14): the width is agreed.
TEST_F(ScsiConnectionTest, RejectedSecondAnswerLeavesTheFirst) {
  bus_.on_message_in = [this](const Bytes& message) {
    if (message[0] == MESSAGE_EXTENDED) bus_.message_out = {MESSAGE_REJECT};
  };
  connect({0xC0, 1, 2, 3, 1, 1, 3, 1, 0x32, 8}, kTestUnitReady);
  EXPECT_TRUE(bus_.agreement.wide);
  EXPECT_EQ(bus_.agreement.offset, 0);
  EXPECT_TRUE(target_->agreement[kHost].wide);
}

// ATN falls within a message (SCSI-2 6.2.1): MESSAGE REJECT, and the command continues.
TEST_F(ScsiConnectionTest, MessageThatIsCutShortIsRejected) {
  for (const Bytes& cut : {Bytes{1}, Bytes{0x20}, Bytes{1, 3}, Bytes{1, 3, 1}, Bytes{1, 2, 3}}) {
    Bytes said = {0xC0};
    said.insert(said.end(), cut.begin(), cut.end());
    const Lines log = connect(said, kTestUnitReady);
    EXPECT_EQ(std::count(log.begin(), log.end(), "MI 07"), 1) << testing::PrintToString(cut);
    EXPECT_EQ(std::count(log.begin(), log.end(), "ST 00"), 1) << testing::PrintToString(cut);
  }
}

// SCSI-2 6.6.14: the rejection comes before further message bytes are requested, so that it is
// clear which message it means.
TEST_F(ScsiConnectionTest, EachUnknownMessageIsRejectedAtOnce) {
  const Lines log = connect({0xC0, 1, 6, 4, 9, 0, 15, 1, 2, 0x23, 0x01, 8}, kTestUnitReady);
  EXPECT_EQ(log, (Lines{"SEL 7", "MO C0 01 06 04 09 00 0F 01 02", "MI 07", "MO 23 01", "MI 07",
                        "MO 08", "CO 00 00 00 00 00 00", "ST 00", "MI 00", "FREE"}));
}

// SCSI-2 6.6.17: one queue tag message for a command.
TEST_F(ScsiConnectionTest, SecondTagIsRejectedAtOnceAndTheFirstCounts) {
  const Lines log = connect({0xC0, 0x20, 5, 0x20, 6, 8}, kRead2);
  EXPECT_EQ(log, (Lines{"SEL 7", "MO C0 20 05 20 06", "MI 07", "MO 08",
                        "CO 28 00 00 00 00 10 00 00 02 00", "MI 04", "FREE"}));
  EXPECT_EQ(last()->tag, 5);
}

TEST_F(ScsiConnectionTest, InitiatorThatRepliesToReplies_IsFinallyRejected) {
  Bytes messages = {0xC0};
  for (uint32_t i = 0; i <= CONNECTION_NEGOTIATIONS; ++i) {
    messages.insert(messages.end(), {1, 3, 1, 0x19, 8});
  }
  const Lines log = connect(messages, kTestUnitReady);
  EXPECT_EQ(log[2].substr(log[2].size() - 2), "07");
  EXPECT_EQ(bus_.agreement.offset, 0) << "SCSI-2 6.6.21: a rejected SDTR is no agreement";
}

// SCSI-2 6.6.23: a rejected WDTR leaves no agreement about width or offset.
TEST_F(ScsiConnectionTest, RefusedWidth_LeavesEightBitsAsynchronous) {
  connect({0xC0, 1, 2, 3, 1, 1, 3, 1, 0x19, 8}, kTestUnitReady);
  ASSERT_TRUE(bus_.agreement.wide);
  Bytes messages = {0xC0};
  for (uint32_t i = 0; i < CONNECTION_NEGOTIATIONS; ++i) {
    messages.insert(messages.end(), {1, 3, 1, 0x19, 8});
  }
  messages.insert(messages.end(), {1, 2, 3, 1});
  connect(messages, kTestUnitReady);
  EXPECT_FALSE(bus_.agreement.wide);
  EXPECT_EQ(bus_.agreement.offset, 0);
}

// ---- extended messages of all lengths

/// SCSI-2 6.6.2: a length of 0 stands for 256. The code 7Fh is reserved.
Bytes long_message(uint32_t length) {
  Bytes message = {1, static_cast<uint8_t>(length), 0x7F};
  const uint32_t count = length == 0 ? 256 : length;
  for (uint32_t i = 1; i < count; ++i) message.push_back(static_cast<uint8_t>(0x80 + i));
  return message;
}

/// The drive sends MESSAGE REJECT for the long message before it requests the next one (SCSI-2
/// 6.6.14). Then the negotiation has its answer: host and drive agree.
struct Negotiated {
  const char* name;
  Bytes message;
  const char* answer;
  bool wide;
  uint8_t offset;
};

class ScsiLongMessages : public ScsiConnectionTest,
                         public ::testing::WithParamInterface<Negotiated> {
 protected:
  void expect_rejected_and_answered(const Lines& log, uint32_t length) {
    const Negotiated& next = GetParam();
    const auto rejected = std::find(log.begin(), log.end(), "MI 07");
    ASSERT_NE(rejected, log.end()) << length;
    EXPECT_EQ(std::count(log.begin(), log.end(), "MI 07"), 1) << length;
    ASSERT_GT(log.end() - rejected, 2) << length;
    EXPECT_EQ(*(rejected + 1), "MO " + hex(next.message)) << length;
    EXPECT_EQ(*(rejected + 2), next.answer) << length;
    EXPECT_EQ(bus_.agreement.wide, next.wide) << length;
    EXPECT_EQ(bus_.agreement.offset, next.offset) << length;
    EXPECT_EQ(bus_.agreement.wide, target_->agreement[kHost].wide);
    EXPECT_EQ(bus_.agreement.offset, target_->agreement[kHost].offset);
    bus_.agreement = target_->agreement[kHost] = {};
  }
  Bytes before_next(uint32_t length) {
    Bytes messages = long_message(length);
    const Bytes& next = GetParam().message;
    messages.insert(messages.end(), next.begin(), next.end());
    return messages;
  }
};

INSTANTIATE_TEST_SUITE_P(
    , ScsiLongMessages,
    ::testing::Values(Negotiated{"BeforeWdtr", {1, 2, 3, 1}, "MI 01 02 03 01", true, 0},
                      Negotiated{"BeforeSdtr", {1, 3, 1, 25, 8}, "MI 01 03 01 19 08", false, 8}),
    [](const auto& test) { return test.param.name; });

TEST_P(ScsiLongMessages, AfterIdentify_AreRejectedAtTheirEnd) {
  for (uint32_t length = 0; length < 256; ++length) {
    Bytes messages = before_next(length);
    messages.insert(messages.begin(), 0xC0);
    const Lines log = connect(messages, kTestUnitReady);
    expect_rejected_and_answered(log, length);
    EXPECT_EQ(std::count(log.begin(), log.end(), "ST 00"), 1) << length;
  }
}

TEST_P(ScsiLongMessages, AfterDisconnect_AreRejectedAtTheirEnd) {
  for (uint32_t length = 0; length < 256; ++length) {
    answer_message(MESSAGE_DISCONNECT, before_next(length));
    const Lines log = connect({0xC0, 0x20, 1}, kRead2);
    expect_rejected_and_answered(log, length);
    grant(last(), 2);
    end(last());
  }
}

TEST_P(ScsiLongMessages, AfterTheStatus_AreRejectedAtTheirEnd) {
  for (uint32_t length = 0; length < 256; ++length) {
    const Bytes messages = before_next(length);
    bus_.on_status = [this, messages](uint8_t) {
      bus_.message_out.assign(messages.begin(), messages.end());
      bus_.on_status = nullptr;
    };
    const Lines log = connect({0xC0}, kTestUnitReady);
    expect_rejected_and_answered(log, length);
  }
}

TEST_F(ScsiConnectionTest, LongMessages_AreRejected_AndTheCommandContinues) {
  for (uint32_t length = 0; length < 256; ++length) {
    Bytes messages = long_message(length);
    messages.insert(messages.begin(), 0xC0);
    const Lines log = connect(messages, kTestUnitReady);
    EXPECT_EQ(std::count(log.begin(), log.end(), "MI 07"), 1) << length;
    EXPECT_EQ(std::count(log.begin(), log.end(), "ST 00"), 1) << length;
  }
}

// SCSI-2 6.6.14: a message that ATN cuts short is rejected as well, at any place.
TEST_F(ScsiConnectionTest, LongMessageThatIsCutShort_IsRejected) {
  const Bytes whole = long_message(200);
  for (size_t count = 1; count < whole.size(); ++count) {
    Bytes messages(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(count));
    messages.insert(messages.begin(), 0xC0);
    const Lines log = connect(messages, kTestUnitReady);
    EXPECT_EQ(std::count(log.begin(), log.end(), "MI 07"), 1) << count;
    EXPECT_EQ(std::count(log.begin(), log.end(), "ST 00"), 1) << count;
  }
}

// SCSI-2 6.2.1: only IDENTIFY, ABORT and BUS DEVICE RESET open a connection, whatever the length.
TEST_F(ScsiConnectionTest, ExtendedMessageInPlaceOfIdentify_EndsTheConnection) {
  for (const uint32_t length : {1U, 30U, 31U, 100U, 255U, 0U}) {
    const Lines log = connect(long_message(length), kTestUnitReady);
    EXPECT_EQ(log.back(), "FREE") << length;
    EXPECT_EQ(std::count(log.begin(), log.end(), "ST 00"), 0) << length;
    bus_.command.clear();
  }
}

// SCSI-2 6.1.9.2: with bad parity all bytes are read and sent again, and then rejected at the same
// place.
TEST_F(ScsiConnectionTest, LongMessageWithBadParity_IsReadToItsEndAndSentAgain) {
  for (const uint32_t damaged : {3U, 17U, 34U, 60U, 70U}) {
    Bytes messages = long_message(64);
    messages.insert(messages.begin(), 0xC0);
    const Bytes width = {1, 2, 3, 1};
    messages.insert(messages.end(), width.begin(), width.end());
    ASSERT_EQ(messages.size(), 71U);
    bus_.damaged_bytes = {bus_.bytes_seen() + damaged};
    const Lines log = connect(messages, kTestUnitReady);
    EXPECT_EQ(std::count(log.begin(), log.end(), "MI 07"), 1) << damaged;
    EXPECT_EQ(std::count(log.begin(), log.end(), "MI 01 02 03 01"), 1) << damaged;
    EXPECT_TRUE(target_->agreement[kHost].wide);
    target_->agreement[kHost] = {};
  }
}

}  // namespace
}  // namespace headstack::firmware
