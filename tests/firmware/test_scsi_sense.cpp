// SPDX-License-Identifier: Apache-2.0
// Sense data in fixed format (SPC-2 7.20.2), and unit attentions in their order.
#include "tests/firmware/scsi_fixture.hpp"

namespace headstack::firmware {
namespace {

Bytes fixed(const sense& sense) {
  Bytes bytes(SENSE_BYTES, 0xEE);
  sense_put_fixed(&sense, bytes.data());
  return bytes;
}

struct Row {
  sense_code code;
  const char* text;  // key/ASC/ASCQ as SPC-2 tables 107 and C.1 assign them
};

TEST(ScsiSense, EveryCodeHasTheStandardsNumbers) {
  const Row rows[] = {
      {SENSE_NONE, "0/00/00"},
      {SENSE_WRITE_RECOVERED, "1/0C/00"},
      {SENSE_WRITE_MOVED, "1/0C/01"},
      {SENSE_READ_RECOVERED, "1/17/01"},
      {SENSE_READ_MOVED, "1/17/06"},
      {SENSE_READ_STAYS, "1/17/07"},
      {SENSE_DEFECT_LIST_NOT_FOUND, "1/1C/00"},
      {SENSE_ROUNDED_PARAMETER, "1/37/00"},
      {SENSE_NOT_READY, "2/04/00"},
      {SENSE_BECOMING_READY, "2/04/01"},
      {SENSE_START_REQUIRED, "2/04/02"},
      {SENSE_NO_INDEX, "4/01/00"},
      {SENSE_NO_SEEK_COMPLETE, "4/02/00"},
      {SENSE_WRITE_FAULT, "4/03/00"},
      {SENSE_NO_REFERENCE, "4/06/00"},
      {SENSE_READ_POSITIONING, "4/15/02"},
      {SENSE_NO_ADDRESS_MARK, "3/12/00"},
      {SENSE_UNIT_FAILURE, "4/3E/01"},
      {SENSE_FORMAT_IN_PROGRESS, "2/04/04"},
      {SENSE_WRITE_NOT_MOVED, "3/0C/02"},
      {SENSE_ID_CRC, "3/10/00"},
      {SENSE_UNRECOVERED_READ, "3/11/00"},
      {SENSE_READ_NOT_MOVED, "3/11/04"},
      {SENSE_RECORD_NOT_FOUND, "3/14/01"},
      {SENSE_MEDIUM_CORRUPTED, "3/31/00"},
      {SENSE_SEEK_POSITIONING, "4/15/01"},
      {SENSE_NO_SPARE, "4/32/00"},
      {SENSE_SELF_TEST_FAILED, "4/40/80"},
      {SENSE_TRACK_FOLLOWING, "4/09/00"},
      {SENSE_INTERNAL_FAILURE, "4/44/00"},
      {SENSE_PARAMETER_LIST_LENGTH, "5/1A/00"},
      {SENSE_INVALID_OPCODE, "5/20/00"},
      {SENSE_LBA_RANGE, "5/21/00"},
      {SENSE_INVALID_CDB_FIELD, "5/24/00"},
      {SENSE_LUN_NOT_SUPPORTED, "5/25/00"},
      {SENSE_INVALID_PARAMETER_FIELD, "5/26/00"},
      {SENSE_SAVING_NOT_SUPPORTED, "5/39/00"},
      {SENSE_TIMED_OUT_WAITING, "B/2E/01"},
      {SENSE_TIMED_OUT, "B/2E/02"},
      {SENSE_TIMED_OUT_RECOVERING, "B/2E/03"},
      {SENSE_DATA_UNAVAILABLE, "F/55/0A"},
      {SENSE_MEDIUM_MAY_HAVE_CHANGED, "6/28/00"},
      {SENSE_POWER_ON_OR_RESET, "6/29/00"},
      {SENSE_BUS_RESET, "6/29/02"},
      {SENSE_DEVICE_RESET, "6/29/03"},
      {SENSE_MODE_PARAMETERS_CHANGED, "6/2A/01"},
      {SENSE_LOG_PARAMETERS_CHANGED, "6/2A/02"},
      {SENSE_CLEARED_BY_ANOTHER_INITIATOR, "6/2F/00"},
      {SENSE_MESSAGE_ERROR, "B/43/00"},
      {SENSE_SELECT_FAILURE, "B/45/00"},
      {SENSE_PARITY, "B/47/00"},
      {SENSE_INITIATOR_DETECTED_ERROR, "B/48/00"},
      {SENSE_INVALID_MESSAGE, "B/49/00"},
      {SENSE_OVERLAPPED_COMMANDS, "B/4E/00"},
  };
  EXPECT_EQ(std::size(rows), static_cast<size_t>(SENSE_CODE_COUNT));
  for (const Row& row : rows) {
    EXPECT_EQ(sense_key_text(fixed(sense_plain(row.code))), row.text);
  }
}

// Byte 0 is 70h, with bit 7 for valid INFORMATION. Byte 7 is the number of bytes after it.
TEST(ScsiSense, PlainSenseHasNoInformation) {
  EXPECT_EQ(hex(fixed(sense_plain(SENSE_INVALID_OPCODE))),
            "70 00 05 00 00 00 00 0A 00 00 00 00 20 00 00 00 00 00");
}

TEST(ScsiSense, InformationIsABigEndianBlock) {
  EXPECT_EQ(hex(fixed(sense_at_lba(SENSE_UNRECOVERED_READ, 0x12345678))),
            "F0 00 03 12 34 56 78 0A 00 00 00 00 11 00 00 00 00 00");
}

// SPC-2 7.20.3: SKSV 80h, C/D 40h for the CDB; field pointer in bytes 16 and 17.
TEST(ScsiSense, FieldPointers_DistinguishCdbAndParameters) {
  EXPECT_EQ(hex(fixed(sense_cdb_field(2))),
            "70 00 05 00 00 00 00 0A 00 00 00 00 24 00 00 C0 00 02");
  EXPECT_EQ(hex(fixed(sense_parameter_field(0x103))),
            "70 00 05 00 00 00 00 0A 00 00 00 00 26 00 00 80 01 03");
}

// BPV 08h and the field's highest bit, where a field is less than a byte.
TEST(ScsiSense, FieldPointers_NameBits) {
  EXPECT_EQ(hex(fixed(sense_parameter_bit(1, 6))),
            "70 00 05 00 00 00 00 0A 00 00 00 00 26 00 00 8E 00 01");
}

// SCSI-2 9.2.10: the block at which a reassignment stopped, also in bytes 8 to 11.
TEST(ScsiSense, StoppedReassignmentNamesItsBlockTwice) {
  sense stopped = sense_at_lba(SENSE_NO_SPARE, 0x12345678);
  stopped.detail = SENSE_DETAIL_STOPPED_AT;
  EXPECT_EQ(hex(fixed(stopped)), "F0 00 04 12 34 56 78 0A 12 34 56 78 32 00 00 00 00 00");
}

// SCSI-2 8.2.14.1: SKSV and the progress as a number of 65,536.
TEST(ScsiSense, ProgressIsSenseKeySpecific) {
  sense progress = sense_plain(SENSE_FORMAT_IN_PROGRESS);
  progress.detail = SENSE_DETAIL_PROGRESS;
  progress.value = 0x4321;
  EXPECT_EQ(hex(fixed(progress)), "70 00 02 00 00 00 00 0A 00 00 00 00 04 04 00 80 43 21");
}

TEST(ScsiSense, EveryStatusButOkBecomesSense) {
  EXPECT_EQ(sense_from_status(STATUS_OK), SENSE_NONE);
  for (int status = STATUS_OK + 1; status < STATUS_COUNT; ++status) {
    EXPECT_NE(sense_from_status(static_cast<enum status>(status)), SENSE_NONE) << status;
  }
  EXPECT_EQ(sense_from_status(STATUS_DATA_DAMAGED), SENSE_UNRECOVERED_READ);
  EXPECT_EQ(sense_from_status(STATUS_SECTOR_NOT_FOUND), SENSE_RECORD_NOT_FOUND);
  EXPECT_EQ(sense_from_status(STATUS_BUSY), SENSE_INTERNAL_FAILURE);
}

TEST(ScsiNexus, AttentionsComeOutMostImportantFirst) {
  nexus nexus;
  nexus_init(&nexus);
  nexus_raise_attention(&nexus, SENSE_CLEARED_BY_ANOTHER_INITIATOR);
  nexus_raise_attention(&nexus, SENSE_MODE_PARAMETERS_CHANGED);
  nexus_raise_attention(&nexus, SENSE_MODE_PARAMETERS_CHANGED);
  EXPECT_EQ(nexus_take_attention(&nexus), SENSE_MODE_PARAMETERS_CHANGED);
  EXPECT_EQ(nexus_take_attention(&nexus), SENSE_CLEARED_BY_ANOTHER_INITIATOR);
  EXPECT_EQ(nexus_take_attention(&nexus), SENSE_NONE);
}

TEST(ScsiNexus, Reset_ReplacesThePendingUnitAttention) {
  nexus nexus;
  nexus_init(&nexus);
  nexus_raise_attention(&nexus, SENSE_POWER_ON_OR_RESET);
  nexus_raise_attention(&nexus, SENSE_MODE_PARAMETERS_CHANGED);
  nexus_raise_attention(&nexus, SENSE_DEVICE_RESET);
  EXPECT_EQ(nexus_take_attention(&nexus), SENSE_DEVICE_RESET);
  EXPECT_EQ(nexus_take_attention(&nexus), SENSE_NONE);
}

}  // namespace
}  // namespace headstack::firmware
