// SPDX-License-Identifier: Apache-2.0
// The driver of scsi_target against its register map (hdl/regs/scsi_target.rdl): the words that it
// writes, with their addresses. Offsets and bit positions are written out here, from the map, not
// taken from the generated header.
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/firmware/recorded_registers.hpp"

extern "C" {
#include "firmware/hal/scsi_target_hal.h"
}

namespace headstack::test {
namespace {

constexpr uint32_t kBase = 0x40004000;  // hdl/README.md, addresses
constexpr uint32_t kCtrl = kBase + 0x00;
constexpr uint32_t kStatus = kBase + 0x04;
constexpr uint32_t kCommand = kBase + 0x08;
constexpr uint32_t kTransfer = kBase + 0x0C;
constexpr uint32_t kResidue = kBase + 0x10;
constexpr uint32_t kFifo = kBase + 0x14;
constexpr uint32_t kAgreement = kBase + 0x18;
constexpr uint32_t kIntrState = kBase + 0x20;
constexpr uint32_t kIntrEnable = kBase + 0x24;

class ScsiTargetHalTest : public ::testing::Test {
 protected:
  void SetUp() override { registers() = {}; }
  static void answer(uint32_t address, uint32_t value) { registers().answers[address] = {value}; }
};

TEST_F(ScsiTargetHalTest, Enable_AllowsSelectionLast) {
  scsi_target_hal_enable(6);
  EXPECT_EQ(taken_writes(), (Writes{{kIntrEnable, 0x1FF}, {kCtrl, 0x67}}));
}

TEST_F(ScsiTargetHalTest, EventsAreAcknowledgedExactly) {
  answer(kIntrState, 0x11);
  EXPECT_EQ(scsi_target_hal_take_events(), SCSI_EVENT_SELECTED | SCSI_EVENT_TRANSFER_DONE);
  EXPECT_EQ(taken_writes(), (Writes{{kIntrState, 0x11}}));
}

TEST_F(ScsiTargetHalTest, ResetThatWaits_IsSeenAndStays) {
  answer(kIntrState, 0x80);
  EXPECT_TRUE(scsi_target_hal_reset_waits());
  answer(kIntrState, 0x17F);
  EXPECT_FALSE(scsi_target_hal_reset_waits());
  EXPECT_TRUE(taken_writes().empty());
}

TEST_F(ScsiTargetHalTest, TransferIsDescribedBeforeItIsStarted) {
  scsi_target_hal_start_transfer(SCSI_PHASE_DATA_IN, 0xFFFFFF, true);
  scsi_target_hal_start_transfer(SCSI_PHASE_MESSAGE_IN, 3, false);
  EXPECT_EQ(
      taken_writes(),
      (Writes{{kTransfer, 0x81FFFFFF}, {kCommand, 2}, {kTransfer, 0x07000003}, {kCommand, 2}}));
}

TEST_F(ScsiTargetHalTest, WholeItemsAreTakenAsFarAsTheFifoHolds) {
  scsi_target_hal_receive_whole(SCSI_PHASE_MESSAGE_OUT);
  scsi_target_hal_receive_whole(SCSI_PHASE_COMMAND);
  EXPECT_EQ(
      taken_writes(),
      (Writes{{kTransfer, 0x0E000010}, {kCommand, 2}, {kTransfer, 0x0A000010}, {kCommand, 2}}));
}

TEST_F(ScsiTargetHalTest, LastMessagesEndInBusFree) {
  scsi_target_hal_send_last(2);
  EXPECT_EQ(taken_writes(), (Writes{{kTransfer, 0x17000002}, {kCommand, 2}}));
}

TEST_F(ScsiTargetHalTest, OtherOperations) {
  scsi_target_hal_reselect(7);
  scsi_target_hal_release();
  scsi_target_hal_abort();
  EXPECT_EQ(taken_writes(),
            (Writes{{kTransfer, 0x20000000}, {kCommand, 0x71}, {kCommand, 3}, {kCommand, 4}}));
}

TEST_F(ScsiTargetHalTest, TakenCommand_IsDecodedFromStatus) {
  answer(kStatus, 0x070D0271);  // takes, 3 bytes of messages, 13 in all, COMMAND
  EXPECT_TRUE(scsi_target_hal_takes());
  const scsi_taken both = scsi_target_hal_taken();
  EXPECT_TRUE(both.has_command);
  EXPECT_EQ(both.messages, 3);
  EXPECT_EQ(both.bytes, 13);
  answer(kStatus, 0x06020671);
  EXPECT_FALSE(scsi_target_hal_takes());
  EXPECT_FALSE(scsi_target_hal_taken().has_command);
}

TEST_F(ScsiTargetHalTest, StatusGoesWithItsMessage) {
  scsi_target_hal_send_status(8, 0);
  EXPECT_EQ(taken_writes(),
            (Writes{{kFifo, 8}, {kFifo, 0}, {kTransfer, 0x23000001}, {kCommand, 2}}));
  answer(kStatus, 0x0701);
  EXPECT_TRUE(scsi_target_hal_sent_message());
  answer(kStatus, 0x0301);
  EXPECT_FALSE(scsi_target_hal_sent_message());
}

TEST_F(ScsiTargetHalTest, BytesGoThroughTheFifo) {
  scsi_target_hal_push(0xA5);
  EXPECT_EQ(taken_writes(), (Writes{{kFifo, 0xA5}}));
  answer(kFifo, 0x5A);
  EXPECT_EQ(scsi_target_hal_pop(), 0x5A);
}

TEST_F(ScsiTargetHalTest, AgreementIsOneWord) {
  const scsi_agreement agreement = {8, 15, true};
  scsi_target_hal_set_agreement(&agreement);
  EXPECT_EQ(taken_writes(), (Writes{{kAgreement, 0x10F08}}));
}

TEST_F(ScsiTargetHalTest, StatusBits) {
  answer(kStatus, 0xF1);  // connected, initiator 15
  EXPECT_TRUE(scsi_target_hal_connected());
  EXPECT_FALSE(scsi_target_hal_attention());
  EXPECT_FALSE(scsi_target_hal_selected_with_attention());
  EXPECT_EQ(scsi_target_hal_initiator(), 15);
  answer(kStatus, 0x0C);
  EXPECT_FALSE(scsi_target_hal_connected());
  EXPECT_TRUE(scsi_target_hal_attention());
  EXPECT_TRUE(scsi_target_hal_selected_with_attention());
  answer(kResidue, 0xFF000200);
  EXPECT_EQ(scsi_target_hal_residue(), 0x200U);
}

}  // namespace
}  // namespace headstack::test
