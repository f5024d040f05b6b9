// SPDX-License-Identifier: Apache-2.0
// Faults on the bus and reactions of initiators: parity, ATN, rejections, initiators that are gone
// (SCSI-2 6.1.9, 6.2, 6.6).
#include "tests/firmware/scsi_fixture.hpp"

extern "C" {
#include "firmware/device/task_management.h"
}

namespace headstack::firmware {
namespace {

const Bytes kTestUnitReady = {0x00, 0, 0, 0, 0, 0};
const Bytes kRead2 = {0x28, 0, 0, 0, 0, 0x10, 0, 0, 2, 0};
const Bytes kWrite2 = {0x2A, 0, 0, 0, 0, 0x10, 0, 0, 2, 0};

class ScsiRecoveryTest : public ScsiBusFixture {};

// ---- parity

// SCSI-2 6.1.9.2: bytes are taken until ATN falls, then the phase continues and all of them are
// sent again.
TEST_F(ScsiRecoveryTest, DamagedMessagesAreSentAgain) {
  for (const uint64_t damaged : {1, 2, 3}) {
    bus_ = FakeBus();
    bus_.layer = target_.get();
    bus_.damaged_bytes = {damaged};
    EXPECT_EQ(
        connect({0xC0, 0x20, 0x05}, kTestUnitReady),
        (Lines{"SEL 7", "MO C0 20 05 C0 20 05", "CO 00 00 00 00 00 00", "ST 00", "MI 00", "FREE"}))
        << "byte " << damaged;
  }
}

// Three repetitions fail: the fourth attempt is the last.
TEST_F(ScsiRecoveryTest, MessagesDamagedFourTimesFreeTheBus) {
  bus_.damaged_bytes = {1, 2, 3, 4};
  EXPECT_EQ(connect({0xC0}, kTestUnitReady), (Lines{"SEL 7", "MO C0 C0 C0 C0", "FREE"}));
}

TEST_F(ScsiRecoveryTest, MessagesDamagedThreeTimesStillWork) {
  bus_.damaged_bytes = {1, 2, 3};
  EXPECT_EQ(connect({0xC0}, kTestUnitReady)[1], "MO C0 C0 C0 C0");
  EXPECT_EQ(last_log_[3], "ST 00");
}

// SCSI-2 6.6.19: after RESTORE POINTERS the command is sent from its beginning.
TEST_F(ScsiRecoveryTest, DamagedCommandIsFetchedAgain) {
  bus_.damaged_bytes = {4};  // third byte of the CDB
  bus_.on_message_in = [this](const Bytes& message) {
    if (message[0] == MESSAGE_RESTORE_POINTERS) {
      bus_.command.assign(kTestUnitReady.begin(), kTestUnitReady.end());
    }
  };
  EXPECT_EQ(connect({0xC0}, kTestUnitReady),
            (Lines{"SEL 7", "MO C0", "CO 00 00 00", "MI 03", "CO 00 00 00 00 00 00", "ST 00",
                   "MI 00", "FREE"}));
}

TEST_F(ScsiRecoveryTest, CommandDamagedFourTimesIsAborted) {
  bus_.damaged_bytes = {2, 3, 4, 5};
  bus_.on_message_in = [this](const Bytes& message) {
    if (message[0] == MESSAGE_RESTORE_POINTERS) {
      bus_.command.assign(kTestUnitReady.begin(), kTestUnitReady.end());
    }
  };
  EXPECT_EQ(connect({0xC0}, kTestUnitReady),
            (Lines{"SEL 7", "MO C0", "CO 00", "MI 03", "CO 00", "MI 03", "CO 00", "MI 03", "CO 00",
                   "ST 02", "MI 00", "FREE"}));
  bus_.on_message_in = nullptr;
  EXPECT_EQ(request_sense(), "B/47/00");
}

TEST_F(ScsiRecoveryTest, DamagedParameterDataIsNotUsed) {
  bus_.data_out = {0, 0, 0, 0, 0x0A, 10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0};
  bus_.damaged_bytes = {1 + 6 + 8};
  EXPECT_EQ(connect({0xC0}, {0x15, 0x10, 0, 0, 16, 0})[4], "ST 02");
  EXPECT_EQ(request_sense(), "B/47/00");
  EXPECT_FALSE(mode_unrestricted_reordering(&target_->device.unit.modes));
}

TEST_F(ScsiRecoveryTest, DamagedWriteDataAbortsTheTask) {
  connect({0xC0, 0x20, 5}, kWrite2);
  bus_.damage_dma = true;
  EXPECT_EQ(grant(last(), 2),
            (Lines{"RESEL 7", "MI 80 20 05", "DMA-OUT 1024", "ST 02", "MI 00", "FREE"}));
  EXPECT_EQ(core_.moved_blocks, (std::vector<uint32_t>{0}));
  EXPECT_EQ(core_.aborted, (std::vector<task*>{last()}));
  EXPECT_EQ(core_.ended_tags, (std::vector<uint16_t>{5}));
  EXPECT_EQ(request_sense(), "B/47/00");
}

// The media still works for the task: the drive disconnects, and the status waits for the core.
TEST_F(ScsiRecoveryTest, DamagedWriteData_WaitUntilTheCoreReleasesTheTask) {
  core_.lets_go = false;
  connect({0xC0, 0x20, 5}, kWrite2);
  bus_.damage_dma = true;
  EXPECT_EQ(grant(last(), 2),
            (Lines{"RESEL 7", "MI 80 20 05", "DMA-OUT 1024", "MI 02 04", "FREE"}));
  EXPECT_EQ(end(last()), (Lines{"RESEL 7", "MI 80 20 05", "ST 02", "MI 00", "FREE"}));
  EXPECT_EQ(request_sense(), "B/47/00");
}

// SCSI-2 6.6.10, 6.6.13: the initiator reports damaged bytes.
TEST_F(ScsiRecoveryTest, MessageParityErrorRepeatsTheMessage) {
  answer_message(MESSAGE_DISCONNECT, {MESSAGE_PARITY_ERROR});
  EXPECT_EQ(connect({0xC0, 0x20, 5}, kRead2),
            (Lines{"SEL 7", "MO C0 20 05", "CO 28 00 00 00 00 10 00 00 02 00", "MI 04", "MO 09",
                   "MI 04", "FREE"}));
  answer_message(0x80, {MESSAGE_PARITY_ERROR});
  EXPECT_EQ(end(last()),
            (Lines{"RESEL 7", "MI 80 20 05", "MO 09", "MI 80 20 05", "ST 00", "MI 00", "FREE"}));
}

TEST_F(ScsiRecoveryTest, MessageParityErrorOnCommandCompleteRepeatsIt) {
  answer_message(MESSAGE_COMMAND_COMPLETE, {MESSAGE_PARITY_ERROR});
  const Lines log = connect({0xC0}, kTestUnitReady);
  EXPECT_EQ(Lines(log.begin() + 3, log.end()), (Lines{"ST 00", "MI 00", "MO 09", "MI 00", "FREE"}));
}

TEST_F(ScsiRecoveryTest, InitiatorDetectedErrorInStatusEndsInCheckCondition) {
  bus_.on_status = [this](uint8_t) {
    bus_.message_out = {MESSAGE_INITIATOR_DETECTED_ERROR};
    bus_.on_status = nullptr;
  };
  const Lines log = connect({0xC0}, kTestUnitReady);
  EXPECT_EQ(Lines(log.begin() + 3, log.end()), (Lines{"ST 00", "MO 05", "ST 02", "MI 00", "FREE"}));
  EXPECT_EQ(request_sense(), "B/48/00");
}

TEST_F(ScsiRecoveryTest, InitiatorDetectedErrorInDataAbortsTheTask) {
  connect({0xC0, 0x20, 5}, kRead2);
  core_.on_moved = [this](task*, uint32_t) {
    bus_.message_out = {MESSAGE_INITIATOR_DETECTED_ERROR};
  };
  EXPECT_EQ(grant(last(), 2),
            (Lines{"RESEL 7", "MI 80 20 05", "DMA-IN 1024", "MO 05", "ST 02", "MI 00", "FREE"}));
  EXPECT_EQ(request_sense(), "B/48/00");
}

// ---- selection

// SCSI-2 6.2.1: the first message is IDENTIFY, ABORT or BUS DEVICE RESET, or the bus is freed.
TEST_F(ScsiRecoveryTest, AnyOtherFirstMessageFreesTheBus) {
  for (const uint8_t first : {0x00, 0x05, 0x07, 0x08, 0x09, 0x0D, 0x0E}) {
    EXPECT_EQ(connect({first}, kTestUnitReady).back(), "FREE") << int{first};
    EXPECT_EQ(last_log_.size(), 3U) << int{first};
  }
  EXPECT_EQ(connect({0x20, 5}, kTestUnitReady), (Lines{"SEL 7", "MO 20 05", "FREE"}));
}

// SCSI-2 6.6.7: reserved bits and target routines are not supported.
TEST_F(ScsiRecoveryTest, IdentifyWithUnsupportedBitsIsRejected) {
  for (const uint8_t identify : {0xE0, 0xD0, 0xC8}) {
    EXPECT_EQ(connect({identify}, kTestUnitReady)[2], "MI 07") << int{identify};
  }
}

TEST_F(ScsiRecoveryTest, TagAfterTheCommandIsRejected) {
  connect({0x80}, kRead2);
  EXPECT_EQ(attention({0x20, 9}), (Lines{"MO 20 09", "MI 07"}));
  EXPECT_EQ(end(last()), (Lines{"ST 00", "MI 00", "FREE"}));
}

TEST_F(ScsiRecoveryTest, SecondIdentifyForAnotherUnitFreesTheBusAndEndsTheTask) {
  connect({0x80}, kRead2);
  EXPECT_EQ(attention({0x81}), (Lines{"MO 81", "FREE"}));
  EXPECT_EQ(tasks_.count, 0);
}

// SCSI-2 6.6.3: BUS FREE after the message tells its initiator that the reset is done.
TEST_F(ScsiRecoveryTest, DeviceResetRightAfterAnIdentifyForAnotherUnitResets) {
  connect({0x80}, kTestUnitReady);
  connect({0x80}, kRead2);
  EXPECT_EQ(attention({0x84, MESSAGE_BUS_DEVICE_RESET}), (Lines{"MO 84 0C", "FREE"}));
  EXPECT_EQ(tasks_.count, 0);
  EXPECT_EQ(connect({0x80}, kTestUnitReady)[3], "ST 02");
}

// ABORT and CLEAR QUEUE would be for a unit that does not exist.
TEST_F(ScsiRecoveryTest, AbortRightAfterAnIdentifyForAnotherUnitIsNotForUnit0) {
  connect({0xC0, 0x20, 5}, kRead2);
  for (const uint8_t code : {MESSAGE_ABORT, MESSAGE_ABORT_TAG, MESSAGE_CLEAR_QUEUE}) {
    connect({0x80, 0x20, 6}, kRead2);
    EXPECT_EQ(attention({0x84, code}).back(), "FREE");
    EXPECT_NE(task_set_find(&tasks_, 7, false, 5), nullptr) << int{code};
    EXPECT_EQ(tasks_.count, 1) << int{code};
  }
}

TEST_F(ScsiRecoveryTest, SecondIdentifyMayGrantDisconnection) {
  connect({0x80}, kRead2);
  EXPECT_EQ(attention({0xC0}), (Lines{"MO C0", "MI 04", "FREE"}));
}

TEST_F(ScsiRecoveryTest, MessageLongerThanTheDriveHoldsIsReadAndRejected) {
  Bytes messages(43, 0xEE);
  messages[0] = 0xC0;
  messages[1] = MESSAGE_EXTENDED;
  messages[2] = 40;
  const Lines log = connect(messages, kTestUnitReady);
  EXPECT_EQ(log[1], "MO " + hex(messages));
  EXPECT_EQ(log[2], "MI 07");
  EXPECT_EQ(log[4], "ST 00");
}

TEST_F(ScsiRecoveryTest, ManyMessagesInOnePhaseAreAllTaken) {
  Bytes messages(40, MESSAGE_NO_OPERATION);
  messages[0] = 0xC0;
  const Lines log = connect(messages, kTestUnitReady);
  EXPECT_EQ(log[1], "MO " + hex(messages));
  EXPECT_EQ(log[3], "ST 00");
}

// ---- disconnection

// SCSI-2 6.6.14: the drive stays when DISCONNECT is rejected.
TEST_F(ScsiRecoveryTest, RejectedDisconnectKeepsTheConnection) {
  answer_message(MESSAGE_DISCONNECT, {MESSAGE_REJECT});
  EXPECT_EQ(connect({0xC0, 0x20, 5}, kRead2),
            (Lines{"SEL 7", "MO C0 20 05", "CO 28 00 00 00 00 10 00 00 02 00", "MI 04", "MO 07"}));
  EXPECT_EQ(grant(last(), 2), (Lines{"DMA-IN 1024"}));
  EXPECT_EQ(end(last()), (Lines{"ST 00", "MI 00", "FREE"}));
}

TEST_F(ScsiRecoveryTest, LostArbitrationIsTriedAgain) {
  connect({0xC0, 0x20, 5}, kRead2);
  bus_.lose_arbitration = true;
  EXPECT_EQ(end(last()), (Lines{"RESEL 7", "MI 80 20 05", "ST 00", "MI 00", "FREE"}));
}

TEST_F(ScsiRecoveryTest, SelectionThatComesFirstIsServedFirst) {
  connect({0xC0, 0x20, 5}, kRead2);
  bus_.answer_reselect = false;
  host_task_finished(target_.get(), last(), STATUS_OK, 0);  // reselection under way
  bus_.answer_reselect = true;
  bus_.abandon_reselection();
  EXPECT_EQ(connect({0xC0}, kTestUnitReady, kOther),
            (Lines{"SEL 6", "MO C0", "CO 00 00 00 00 00 00", "ST 00", "MI 00", "FREE", "RESEL 7",
                   "MI 80 20 05", "ST 00", "MI 00", "FREE"}));
}

// 250 ms (SCSI-2 5.7.17) at 40 ticks per us; three times.
TEST_F(ScsiRecoveryTest, InitiatorThatIsGoneLosesItsTask) {
  core_.now_ticks = 1000;
  connect({0xC0, 0x20, 5}, kRead2);
  bus_.answer_reselect = false;
  host_task_finished(target_.get(), last(), STATUS_OK, 0);
  for (int failure = 1; failure <= 3; ++failure) {
    EXPECT_EQ(target_->alarm.due, 1000U + 250U * 40000U);
    EXPECT_EQ(tasks_.count, 1);
    target_on_alarm(target_.get());
  }
  EXPECT_EQ(target_->alarm.due, UINT64_MAX);
  EXPECT_EQ(tasks_.count, 0);
  EXPECT_EQ(bus_.take_log(), (Lines{"ABORT", "ABORT", "ABORT"}));
}

// SCSI-2 6.1.4.2: the initiator may have noticed the reselection just before the drive gave it up.
TEST_F(ScsiRecoveryTest, LateResponse_GetsItsIdentify) {
  connect({0xC0, 0x20, 5}, kRead2);
  bus_.answer_reselect = false;
  host_task_finished(target_.get(), last(), STATUS_OK, 0);
  bus_.aborts_end_reselections = false;
  target_on_alarm(target_.get());
  bus_.answer_late();
  EXPECT_EQ(bus_.take_log(), (Lines{"ABORT", "RESEL 7", "MI 80 20 05", "ST 00", "MI 00", "FREE"}));
}

// IDENTIFY, a tag and 16 bytes are more than the FIFO holds.
TEST_F(ScsiRecoveryTest, CommandThatTheFifoCannotHoldComesInTwoParts) {
  for (int selection = 0; selection < 2; ++selection) {  // the block takes one of the two
    const Bytes read16 = {0x88, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 2, 0, 0};
    EXPECT_EQ(connect({0xC0, 0x20, 5}, read16),
              (Lines{"SEL 7", "MO C0 20 05", "CO " + hex(read16), "MI 04", "FREE"}));
    EXPECT_EQ(last()->lba, 7U);
    EXPECT_EQ(last()->blocks, 2U);
    end(last(), STATUS_OK, 0);
  }
}

// SCSI-2 6.1.9.2 and 6.6.19: the whole command is sent again.
TEST_F(ScsiRecoveryTest, FaultInTheSecondPartOfACommandRepeatsAllOfIt) {
  for (int selection = 0; selection < 2; ++selection) {
    const Bytes read16 = {0x88, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 2, 0, 0};
    Bytes twice(read16.begin(), read16.end() - 1);  // the drive asks for no byte after the fault
    twice.insert(twice.end(), read16.begin(), read16.end());
    bus_.damaged_bytes = {bus_.bytes_seen() + 3 + 15};
    const Lines log = connect({0xC0, 0x20, 5}, twice);
    EXPECT_EQ(log.at(3), "MI 03");  // RESTORE POINTERS
    EXPECT_EQ(last()->lba, 7U);
    EXPECT_EQ(last()->blocks, 2U);
    end(last(), STATUS_OK, 0);
  }
}

TEST_F(ScsiRecoveryTest, RejectedIdentifyEndsTheTask) {
  connect({0xC0, 0x20, 5}, kRead2);
  answer_message(0x80, {MESSAGE_REJECT});
  EXPECT_EQ(end(last()), (Lines{"RESEL 7", "MI 80 20 05", "MO 07", "FREE"}));
  EXPECT_EQ(tasks_.count, 0);
}

// ---- writes that were reported before they ended

// SBC-2 6.3.3, WCE: status when the data are in the buffer; the task goes on without a nexus.
TEST_F(ScsiRecoveryTest, ReportedWriteHasItsStatus_AndItsTagIsFree) {
  core_.cache.mode.writes = true;
  core_.on_enabled = [this](task* task) { host_task_granted(target_.get(), task, task->blocks); };
  EXPECT_EQ(connect({0xC0, 0x20, 0x05}, kWrite2),
            (Lines{"SEL 7", "MO C0 20 05", "CO 2A 00 00 00 00 10 00 00 02 00", "DMA-OUT 1024",
                   "ST 00", "MI 00", "FREE"}));
  EXPECT_EQ(task_set_find(&tasks_, kHost, false, 5), nullptr);
  ASSERT_EQ(core_.enabled.size(), 1U);
  EXPECT_TRUE(core_.ended_tags.empty());
  host_task_finished(target_.get(), core_.enabled[0], STATUS_OK, 0);
  EXPECT_EQ(core_.ended_tags, std::vector<uint16_t>{5});
  EXPECT_EQ(connect({0xC0}, kTestUnitReady)[3], "ST 00");
}

// SCSI-2 8.2.14.2: response code 71h, once, with the next command, which is not executed.
TEST_F(ScsiRecoveryTest, ReportedWriteThatFailsIsADeferredError) {
  core_.cache.mode.writes = true;
  core_.on_enabled = [this](task* task) { host_task_granted(target_.get(), task, task->blocks); };
  (void)connect({0xC0, 0x20, 0x05}, kWrite2);
  host_task_finished(target_.get(), core_.enabled[0], STATUS_SECTOR_NOT_FOUND, 0x11);
  EXPECT_EQ(connect({0xC0}, kTestUnitReady)[3], "ST 02");
  const Lines sense = connect({0xC0}, {0x03, 0, 0, 0, 18, 0});
  EXPECT_EQ(sense[3], "DI F1 00 03 00 00 00 11 0A 00 00 00 00 14 01 00 00 00 00");
  EXPECT_EQ(connect({0xC0}, kTestUnitReady)[3], "ST 00");
}

// ABORT or RST cuts off the status that would report the error. The next command reports it, in its
// order.
TEST_F(ScsiRecoveryTest, DeferredErrorThatIsCutOff_IsReportedAgain) {
  core_.cache.mode.writes = true;
  core_.on_enabled = [this](task* task) { host_task_granted(target_.get(), task, task->blocks); };
  for (const uint8_t lba : {uint8_t{0x10}, uint8_t{0x20}}) {
    (void)connect({0xC0, 0x20, lba}, {0x2A, 0, 0, 0, 0, lba, 0, 0, 2, 0});
  }
  for (task* task : core_.enabled) {
    host_task_finished(target_.get(), task, STATUS_SECTOR_NOT_FOUND, task->lba + 1);
  }
  bus_.on_status = [this](uint8_t) { bus_.message_out = {MESSAGE_ABORT}; };
  EXPECT_EQ(connect({0xC0}, kTestUnitReady).back(), "FREE");
  bus_.on_status = [this](uint8_t) { bus_.reset(); };
  (void)connect({0xC0}, kTestUnitReady);
  bus_.on_status = nullptr;
  EXPECT_EQ(request_sense(), "6/29/02");
  for (const char* lba : {"11", "21"}) {
    EXPECT_EQ(connect({0xC0}, kTestUnitReady)[3], "ST 02");
    const Lines sense = connect({0xC0}, {0x03, 0, 0, 0, 18, 0});
    EXPECT_EQ(sense[3],
              std::string("DI F1 00 03 00 00 00 ") + lba + " 0A 00 00 00 00 14 01 00 00 00 00");
  }
  EXPECT_EQ(connect({0xC0}, kTestUnitReady)[3], "ST 00");
}

// RST instead of the REQUEST SENSE that would have fetched the error: it is reported again. ABORT
// ends the allegiance (SCSI-2 7.6) and discards its sense data.
TEST_F(ScsiRecoveryTest, DeferredErrorWhoseSenseAResetClears_IsReportedAgain) {
  core_.cache.mode.writes = true;
  core_.on_enabled = [this](task* task) { host_task_granted(target_.get(), task, task->blocks); };
  (void)connect({0xC0, 0x20, 0x05}, kWrite2);
  host_task_finished(target_.get(), core_.enabled[0], STATUS_SECTOR_NOT_FOUND, 0x11);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(connect({0xC0}, kTestUnitReady)[3], "ST 02");
    bus_.reset();
    bus_.run();
    EXPECT_EQ(request_sense(), "6/29/02");
  }
  EXPECT_EQ(connect({0xC0}, kTestUnitReady)[3], "ST 02");
  const Lines sense = connect({0xC0}, {0x03, 0, 0, 0, 18, 0});
  EXPECT_EQ(sense[3], "DI F1 00 03 00 00 00 11 0A 00 00 00 00 14 01 00 00 00 00");
  bus_.reset();
  bus_.run();
  EXPECT_EQ(request_sense(), "6/29/02");
  EXPECT_EQ(connect({0xC0}, kTestUnitReady)[3], "ST 00") << "it was told";
}

// The contingent allegiance of its initiator has withdrawn the write. If it were reported now,
// tasks that overlap it would wait for that initiator.
TEST_F(ScsiRecoveryTest, WithdrawnWriteIsNotReported) {
  core_.cache.mode.writes = true;
  (void)connect({0xC0, 0x20, 0x05}, kWrite2);
  task* const write = last();
  bus_.hold_dma = true;
  (void)grant(write, 2);
  const sense sense = sense_plain(SENSE_PARITY);
  task_check_condition(&target_->device, kHost, &sense, nullptr);
  EXPECT_EQ(write->state, TASK_DORMANT);
  bus_.finish_dma(0);
  bus_.run();
  EXPECT_EQ(write->flags & (TASK_FLAG_REPORTED | TASK_FLAG_SILENT), 0);
  EXPECT_NE(task_set_find(&tasks_, kHost, false, 5), nullptr) << "its status is owed";
  EXPECT_EQ(core_.resumed, 0U);
  task_end_allegiance(&target_->device, kHost);
  EXPECT_EQ(write->state, TASK_ENABLED);
  EXPECT_EQ(core_.resumed, 1U);
  task_end_allegiance(&target_->device, kHost);
  EXPECT_EQ(core_.resumed, 1U) << "there was none";
}

// Each lost write is reported, the oldest first. One that was reported before the first was known
// is not lost.
TEST_F(ScsiRecoveryTest, EveryLostWrite_IsASeparateDeferredError) {
  core_.cache.mode.writes = true;
  core_.on_enabled = [this](task* task) { host_task_granted(target_.get(), task, task->blocks); };
  for (const uint8_t lba : {uint8_t{0x10}, uint8_t{0x20}, uint8_t{0x30}}) {
    (void)connect({0xC0, 0x20, lba}, {0x2A, 0, 0, 0, 0, lba, 0, 0, 2, 0});
  }
  ASSERT_EQ(core_.enabled.size(), 3U);
  for (task* task : core_.enabled) {
    host_task_finished(target_.get(), task, STATUS_SECTOR_NOT_FOUND, task->lba + 1);
  }
  for (const char* lba : {"11", "21", "31"}) {
    EXPECT_EQ(connect({0xC0}, kTestUnitReady)[3], "ST 02");
    const Lines sense = connect({0xC0}, {0x03, 0, 0, 0, 18, 0});
    EXPECT_EQ(sense[3],
              std::string("DI F1 00 03 00 00 00 ") + lba + " 0A 00 00 00 00 14 01 00 00 00 00");
  }
  EXPECT_EQ(connect({0xC0}, kTestUnitReady)[3], "ST 00");
  EXPECT_EQ(tasks_.count, 0);
}

// SBC-2 5.18: GOOD means that the blocks are on the media. They are not, and any initiator that
// synchronizes must be informed.
TEST_F(ScsiRecoveryTest, LostWriteFailsASynchronizeCacheOfAnotherInitiator_Once) {
  core_.cache.mode.writes = true;
  core_.on_enabled = [this](task* task) { host_task_granted(target_.get(), task, task->blocks); };
  (void)connect({0xC0, 0x20, 0x05}, kWrite2);
  host_task_finished(target_.get(), core_.enabled[0], STATUS_SECTOR_NOT_FOUND, 0x10);
  core_.on_enabled = nullptr;
  const Bytes synchronize = {0x35, 0, 0, 0, 0, 0x10, 0, 0, 1, 0};
  const Bytes elsewhere = {0x35, 0, 0, 0, 0, 0x12, 0, 0, 1, 0};
  EXPECT_EQ(execute(elsewhere, kOther), COMMAND_TASK);
  EXPECT_EQ(execute(synchronize, kOther, TASK_SIMPLE, 2), COMMAND_CHECK);
  EXPECT_EQ(sense_text(), "3/14/01");
  EXPECT_FALSE(command_.sense.is_deferred);
  EXPECT_EQ(execute(synchronize, kOther, TASK_SIMPLE, 3), COMMAND_TASK);
  EXPECT_EQ(execute(kTestUnitReady, kHost), COMMAND_CHECK) << "its own initiator hears of it still";
  EXPECT_TRUE(command_.sense.is_deferred);
}

TEST_F(ScsiRecoveryTest, LostWriteFailsTheSynchronizeCacheThatWaitsForIt) {
  core_.cache.mode.writes = true;
  core_.on_enabled = [this](task* task) { host_task_granted(target_.get(), task, task->blocks); };
  (void)connect({0xC0, 0x20, 0x05}, kWrite2);
  core_.on_enabled = nullptr;
  ASSERT_EQ(execute({0x35, 0, 0, 0, 0, 0x10, 0, 0, 1, 0}, kOther), COMMAND_TASK);
  task* const synchronize = last();
  EXPECT_EQ(synchronize->state, TASK_DORMANT);
  host_task_finished(target_.get(), core_.enabled[0], STATUS_SECTOR_NOT_FOUND, 0x10);
  EXPECT_EQ(synchronize->state, TASK_ENABLED);
  EXPECT_EQ(synchronize->sense, static_cast<uint32_t>(SENSE_RECORD_NOT_FOUND));
  EXPECT_EQ(synchronize->sense_information, 0x10U);
}

// With IMMED the status has been sent already, so the initiator has no report. It has none of an
// aborted command either.
TEST_F(ScsiRecoveryTest, LostWriteFailsASynchronizeCacheAfterAnImmediateOne) {
  core_.cache.mode.writes = true;
  core_.on_enabled = [this](task* task) { host_task_granted(target_.get(), task, task->blocks); };
  (void)connect({0xC0, 0x20, 0x05}, kWrite2);
  core_.on_enabled = nullptr;
  ASSERT_EQ(execute({0x35, 2, 0, 0, 0, 0x10, 0, 0, 1, 0}, kOther), COMMAND_DONE);
  ASSERT_EQ(execute({0x35, 0, 0, 0, 0, 0x10, 0, 0, 1, 0}, 5), COMMAND_TASK);
  core_.lets_go = false;
  task* const aborted = last();
  task_abort(&target_->device, aborted);
  host_task_finished(target_.get(), core_.enabled[0], STATUS_SECTOR_NOT_FOUND, 0x10);
  host_task_finished(target_.get(), aborted, STATUS_OK, 0);
  for (const uint8_t initiator : {kOther, uint8_t{5}}) {
    EXPECT_EQ(execute({0x35, 0, 0, 0, 0, 0x10, 0, 0, 1, 0}, initiator, TASK_SIMPLE, 2),
              COMMAND_CHECK);
    EXPECT_EQ(sense_text(), "3/14/01");
  }
}

// SCSI-2 8.2.14.2: a read that waits for a write fails where that write has lost its blocks. So do
// reads of other initiators. Blocks before the one that failed are on the media.
TEST_F(ScsiRecoveryTest, LostWriteFailsTheReadsThatWaitForItsLostBlocks) {
  core_.cache.mode.writes = true;
  core_.on_enabled = [this](task* task) { host_task_granted(target_.get(), task, task->blocks); };
  (void)connect({0xC0, 0x20, 0x05}, {0x2A, 0, 0, 0, 0, 0x10, 0, 0, 8, 0});  // blocks 10h to 17h
  core_.on_enabled = nullptr;
  struct Reader {
    Bytes cdb;
    std::uint8_t initiator;
    std::uint32_t told;  // first lost block of the read; 0: it ends well
  };
  const std::vector<Reader> readers = {
      {{0x28, 0, 0, 0, 0, 0x14, 0, 0, 1, 0}, kHost, 0x14},
      {{0x28, 0, 0, 0, 0, 0x0C, 0, 0, 7, 0}, kOther, 0x12},
      {{0x28, 0, 0, 0, 0, 0x17, 0, 0, 4, 0}, kHost, 0x17},
      {{0x2F, 0, 0, 0, 0, 0x12, 0, 0, 1, 0}, kHost, 0x12},
      {{0x28, 0, 0, 0, 0, 0x10, 0, 0, 2, 0}, kHost, 0},
      {{0x28, 0, 0, 0, 0, 0x18, 0, 0, 2, 0}, kHost, 0},
      {{0x2A, 0, 0, 0, 0, 0x13, 0, 0, 1, 0}, kHost, 0},
  };
  std::vector<task*> tasks;
  for (const Reader& reader : readers) {
    const auto tag = static_cast<std::uint8_t>(tasks.size() + 0x10);
    ASSERT_EQ(execute(reader.cdb, reader.initiator, TASK_SIMPLE, tag), COMMAND_TASK);
    tasks.push_back(last());
  }
  host_task_finished(target_.get(), core_.enabled[0], STATUS_SECTOR_NOT_FOUND, 0x12);
  for (std::size_t i = 0; i < readers.size(); ++i) {
    const sense_code expected = readers[i].told != 0 ? SENSE_RECORD_NOT_FOUND : SENSE_NONE;
    EXPECT_EQ(tasks[i]->sense, static_cast<uint32_t>(expected)) << "reader " << i;
    EXPECT_EQ(readers[i].told != 0 ? tasks[i]->sense_information : 0U, readers[i].told) << i;
  }
}

// A read that the drive had before the write is not affected. With unrestricted reordering the
// write need not wait for it.
TEST_F(ScsiRecoveryTest, LostWrite_DoesNotFailAnOlderRead) {
  tasks_.restricted = false;
  ASSERT_EQ(execute({0x28, 0, 0, 0, 0, 0x10, 0, 0, 2, 0}, kOther), COMMAND_TASK);
  task* const older = last();
  core_.cache.mode.writes = true;
  core_.on_enabled = [this](task* task) { host_task_granted(target_.get(), task, task->blocks); };
  (void)connect({0xC0, 0x20, 0x05}, kWrite2);
  task* const write = core_.enabled.back();
  ASSERT_NE(write, older);
  host_task_finished(target_.get(), write, STATUS_SECTOR_NOT_FOUND, 0x10);
  EXPECT_NE(target_->device.nexus[kHost].lost_first, TASK_NONE)
      << "the write was reported, and is lost";
  EXPECT_EQ(older->sense, static_cast<uint32_t>(SENSE_NONE));
}

// SAM-2 4.8: a nexus is I_T_L_Q.
TEST_F(ScsiRecoveryTest, CommandForAnotherUnit_DoesNotAffectTheTasksOfUnit0) {
  (void)connect({0xC0, 0x20, 0x05}, kRead2);
  EXPECT_EQ(connect({0xC1}, {0x12, 0, 0, 0, 36, 0})[4], "ST 00") << "INQUIRY, untagged";
  EXPECT_EQ(connect({0xC1, 0x20, 0x05}, kTestUnitReady)[3], "ST 02") << "the same tag";
  EXPECT_EQ(tasks_.count, 1);
  EXPECT_FALSE(target_->device.nexus[kHost].contingent_allegiance) << "that was LUN 1's condition";
  EXPECT_EQ(core_.aborted.size(), 0U);
}

// SCSI-2 6.6.21: both sides have the agreement from the answer on, which was never sent here.
TEST_F(ScsiRecoveryTest, InitiatorThatAbortsBeforeTheAnswerHasNoAgreement) {
  (void)connect({0xC0, 1, 3, 1, 0x19, 8, MESSAGE_ABORT}, {});
  EXPECT_EQ(target_->agreement[kHost].offset, 0);
  (void)connect({0xC0, 1, 3, 1, 0x19, 8}, kTestUnitReady);
  EXPECT_EQ(target_->agreement[kHost].offset, 8);
}

// Whatever the core returns for a task that may not disconnect, one status is sent.
TEST_F(ScsiRecoveryTest, TaskThatMayNotStay_IsRefused) {
  core_.hold = BUS_HOLD_TURNED_AWAY;
  EXPECT_EQ(connect({0x80}, kRead2)[3], "ST 08") << "BUSY: untagged";
  EXPECT_EQ(connect({0x80, 0x20, 1}, kRead2)[3], "ST 28") << "QUEUE FULL";
  EXPECT_EQ(tasks_.count, 0);
  core_.turns_away = true;
  EXPECT_EQ(connect({0xC0, 0x20, 1}, kRead2)[3], "ST 28") << "others, in its favour";
  core_.hold = BUS_HOLD_SERVED;
  EXPECT_EQ(connect({0x80, 0x20, 1}, kRead2).back(), "CO 28 00 00 00 00 10 00 00 02 00");
  (void)end(last());
}

// SCSI-2 7.3: after BUSY or QUEUE FULL no part of the command has been done. A save that the drive
// cannot serve first, whose initiator rejects DISCONNECT, leaves the pages and their saved values.
TEST_F(ScsiRecoveryTest, RefusedModeSelect_LeavesThePages) {
  constexpr uint8_t kOther = kHost - 1;
  const Bytes list = {0, 0, 0, 0, 0x0A, 10, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0};
  const Bytes select = {0x15, 0x11, 0, 0, static_cast<uint8_t>(list.size()), 0};
  config_.keeps_modes = true;
  for (const bool refuses : {true, false}) {
    const mode_pages before = target_->device.unit.modes;
    const uint32_t applied = core_.modes_changed;
    core_.hold = BUS_HOLD_TURNED_AWAY;
    bus_.data_out.assign(list.begin(), list.end());
    if (refuses) answer_message(MESSAGE_DISCONNECT, {MESSAGE_REJECT});
    const Lines log = connect({0xC0, 0x20, 9}, select);
    EXPECT_EQ(std::count(log.begin(), log.end(), "ST 28"), refuses ? 1 : 0);
    const bool same = std::memcmp(&before, &target_->device.unit.modes, sizeof before) == 0;
    EXPECT_EQ(same, refuses);
    EXPECT_EQ(core_.modes_changed, applied + (refuses ? 0U : 1U)) << "once it has left the bus";
    EXPECT_EQ(target_->device.nexus[kOther].attentions != 0, !refuses) << "2A/01";
  }
  (void)end(last());
}

// The policy keeps slots for real time (message 81h: due in a second). Its limit is the number of
// tasks up to which best effort is accepted.
TEST_F(ScsiRecoveryTest, BestEffortBeyondItsLimit_IsQueueFull_AndRealTimeIsNot) {
  core_.scheduler.best_effort_most = 1;
  for (std::uint8_t tag = 1; tag <= 2; ++tag) {
    (void)connect({0xC0, 0x20, tag}, kRead2);
    EXPECT_EQ(tasks_.count, tag);
  }
  EXPECT_EQ(connect({0xC0, 0x20, 3}, kRead2)[3], "ST 28") << "two are there";
  EXPECT_EQ(tasks_.count, 2);
  (void)connect({0xC0, 0x20, 3, 1, 5, 0x81, 0, 0x0F, 0x42, 0x40}, kRead2);
  EXPECT_EQ(tasks_.count, 3) << "real time";
  core_.scheduler.best_effort_most = 3;
  (void)connect({0xC0, 0x20, 4}, kRead2);
  EXPECT_EQ(tasks_.count, 4);
}

}  // namespace
}  // namespace headstack::firmware
