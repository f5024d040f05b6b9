// SPDX-License-Identifier: Apache-2.0
// Commands without a bus: the outcome of each CDB. Layouts and limits are from SPC-2, SBC-2 and,
// where stated, SCSI-2.
#include <string>

#include "firmware/device/command_rows.h"
#include "tests/firmware/scsi_fixture.hpp"

namespace headstack::firmware {
namespace {

class ScsiCommandTest : public ScsiFixture {
 protected:
  void SetUp() override {
    ScsiFixture::SetUp();
    make_ready();
  }
  // "GOOD", "TASK", "DATA", "BUSY", "FULL", "RESERVED" or the sense.
  std::string outcome(command_result result) const {
    switch (result) {
      case COMMAND_DONE: return "GOOD";
      case COMMAND_CHECK: return sense_text();
      case COMMAND_NEEDS_DATA: return "DATA";
      case COMMAND_TASK: return "TASK";
      case COMMAND_BUSY: return "BUSY";
      case COMMAND_QUEUE_FULL: return "FULL";
      case COMMAND_RESERVED: return "RESERVED";
    }
    return "?";
  }
  std::string run(const Bytes& cdb, uint8_t initiator = kHost, uint8_t lun = 0) {
    return outcome(execute(cdb, initiator, TASK_SIMPLE, next_tag_++, lun));
  }

  uint16_t next_tag_ = 100;
};

const Bytes kTestUnitReady = {0x00, 0, 0, 0, 0, 0};
const Bytes kInquiry = {0x12, 0, 0, 0, 255, 0};
const Bytes kRequestSense = {0x03, 0, 0, 0, 18, 0};
const Bytes kReportLuns = {0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0};
const Bytes kRead10 = {0x28, 0, 0, 0, 0, 0, 0, 0, 1, 0};

struct Case {
  const char* name;
  Bytes cdb;
  const char* outcome;
  int bad_byte = 0;  // field pointer
};

class ScsiCdbTest : public ScsiCommandTest, public ::testing::WithParamInterface<Case> {};

// The drive has 100000 = 186A0h blocks.
const Case kCases[] = {
    {"TestUnitReady", {0x00, 0, 0, 0, 0, 0}, "GOOD"},
    {"LunBitsAreIgnoredAfterIdentify", {0x00, 0xE0, 0, 0, 0, 0}, "GOOD"},
    {"ReservedBitInByte1", {0x00, 0x01, 0, 0, 0, 0}, "5/24/00", 1},
    {"ReservedByte4", {0x00, 0, 0, 0, 1, 0}, "5/24/00", 4},
    {"LinkBit", {0x00, 0, 0, 0, 0, 0x01}, "5/24/00", 5},
    {"NacaBit", {0x00, 0, 0, 0, 0, 0x04}, "5/24/00", 5},
    {"UnknownOpcode", {0x02, 0, 0, 0, 0, 0}, "5/20/00"},
    {"UnknownOpcodeOfReservedGroup", {0x60, 0, 0, 0, 0, 0}, "5/20/00"},
    {"VendorOpcode", {0xC0, 0, 0, 0, 0, 0}, "5/20/00"},
    // READ(6): 21 bits of LBA.
    {"Read6", {0x08, 0, 0, 0, 1, 0}, "TASK"},
    {"Read6LastBlock", {0x08, 0x01, 0x86, 0x9F, 1, 0}, "TASK"},
    {"Read6PastEnd", {0x08, 0x01, 0x86, 0xA0, 1, 0}, "5/21/00"},
    {"Read6LengthZeroIs256Fits", {0x08, 0x01, 0x85, 0xA0, 0, 0}, "TASK"},
    {"Read6LengthZeroIs256TooLong", {0x08, 0x01, 0x85, 0xA1, 0, 0}, "5/21/00"},
    {"Write6", {0x0A, 0, 0, 0, 1, 0}, "TASK"},
    {"Read10", {0x28, 0, 0, 0, 0, 0, 0, 0, 1, 0}, "TASK"},
    {"Read10DpoFua", {0x28, 0x18, 0, 0, 0, 0, 0, 0, 1, 0}, "TASK"},
    {"Read10Relative", {0x28, 0x01, 0, 0, 0, 0, 0, 0, 1, 0}, "5/24/00", 1},
    {"Read10ReservedByte6", {0x28, 0, 0, 0, 0, 0, 1, 0, 1, 0}, "5/24/00", 6},
    {"Read10NoBlocks", {0x28, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "GOOD"},
    {"Read10NoBlocksAtEnd", {0x28, 0, 0, 1, 0x86, 0xA0, 0, 0, 0, 0}, "GOOD"},
    {"Read10NoBlocksPastEnd", {0x28, 0, 0, 1, 0x86, 0xA1, 0, 0, 0, 0}, "5/21/00"},
    {"Read10LastTwo", {0x28, 0, 0, 1, 0x86, 0x9E, 0, 0, 2, 0}, "TASK"},
    {"Read10OneTooMany", {0x28, 0, 0, 1, 0x86, 0x9E, 0, 0, 3, 0}, "5/21/00"},
    {"Read10HighestLba", {0x28, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0xFF, 0xFF, 0}, "5/21/00"},
    {"Write10", {0x2A, 0, 0, 0, 0, 0, 0, 0, 1, 0}, "TASK"},
    {"Write10OneTooMany", {0x2A, 0, 0, 1, 0x86, 0x9F, 0, 0, 2, 0}, "5/21/00"},
    {"Read16", {0x88, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}, "TASK"},
    {"Read16LastBlock", {0x88, 0, 0, 0, 0, 0, 0, 1, 0x86, 0x9F, 0, 0, 0, 1, 0, 0}, "TASK"},
    {"Read16HighWordOfLba", {0x88, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}, "5/21/00"},
    {"Read16WrappingRange",
     {0x88, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 2, 0, 0},
     "5/21/00"},
    {"Read16LongestLength",
     {0x88, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0},
     "5/21/00"},
    {"Write16", {0x8A, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}, "TASK"},
    {"Verify10", {0x2F, 0, 0, 0, 0, 0, 0, 0, 1, 0}, "TASK"},
    {"Verify10ByteCheck", {0x2F, 0x02, 0, 0, 0, 0, 0, 0, 1, 0}, "5/24/00", 1},
    {"Verify10NoBlocks", {0x2F, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "GOOD"},
    {"Verify10PastEnd", {0x2F, 0, 0, 1, 0x86, 0xA0, 0, 0, 1, 0}, "5/21/00"},
    {"SynchronizeCache", {0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "TASK"},
    {"SynchronizeCacheImmediately", {0x35, 0x02, 0, 0, 0, 0, 0, 0, 0, 0}, "GOOD"},
    {"SynchronizeCachePastEnd", {0x35, 0, 0, 1, 0x86, 0xA0, 0, 0, 1, 0}, "5/21/00"},
    {"Start", {0x1B, 0, 0, 0, 1, 0}, "TASK"},
    {"StopImmediately", {0x1B, 1, 0, 0, 0, 0}, "GOOD"},
    {"StartLoadEject", {0x1B, 0, 0, 0, 3, 0}, "5/24/00", 4},
    {"StartPowerCondition", {0x1B, 0, 0, 0, 0x10, 0}, "5/24/00", 4},
    {"InquiryPageWithoutEvpd", {0x12, 0, 0x80, 0, 255, 0}, "5/24/00", 2},
    {"InquiryUnknownPage", {0x12, 1, 0x81, 0, 255, 0}, "5/24/00", 2},
    {"InquiryCommandData", {0x12, 2, 0, 0, 255, 0}, "5/24/00", 1},
    {"ReadCapacity10WithLba", {0x25, 0, 0, 0, 0, 1, 0, 0, 0, 0}, "5/24/00", 5},
    {"ReadCapacity10Partial", {0x25, 0, 0, 0, 0, 0, 0, 0, 1, 0}, "GOOD"},
    {"ReadCapacity10PartialLastBlock", {0x25, 0, 0, 1, 0x86, 0x9F, 0, 0, 1, 0}, "GOOD"},
    {"ReadCapacity10PartialPastEnd", {0x25, 0, 0, 1, 0x86, 0xA0, 0, 0, 1, 0}, "5/21/00"},
    {"ReadCapacity10ReservedByte8", {0x25, 0, 0, 0, 0, 0, 0, 0, 2, 0}, "5/24/00", 8},
    {"ReadCapacity16WithLba",
     {0x9E, 0x10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 32, 0, 0},
     "5/24/00",
     9},
    {"ReadCapacity16Partial", {0x9E, 0x10, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 32, 1, 0}, "GOOD"},
    {"ReadCapacity16PartialPastEnd",
     {0x9E, 0x10, 0, 0, 0, 0, 0, 1, 0x86, 0xA0, 0, 0, 0, 32, 1, 0},
     "5/21/00"},
    {"ReadCapacity16PartialHighWordOfLba",
     {0x9E, 0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 32, 1, 0},
     "5/21/00"},
    {"Read12", {0xA8, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}, "TASK"},
    {"Read12DpoFua", {0xA8, 0x18, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}, "TASK"},
    {"Read12Relative", {0xA8, 0x01, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}, "5/24/00", 1},
    {"Read12NoBlocksAtEnd", {0xA8, 0, 0, 1, 0x86, 0xA0, 0, 0, 0, 0, 0, 0}, "GOOD"},
    {"Read12LastBlock", {0xA8, 0, 0, 1, 0x86, 0x9F, 0, 0, 0, 1, 0, 0}, "TASK"},
    {"Read12OneTooMany", {0xA8, 0, 0, 1, 0x86, 0x9F, 0, 0, 0, 2, 0, 0}, "5/21/00"},
    {"Read12LongestLength", {0xA8, 0, 0, 0, 0, 1, 255, 255, 255, 255, 0, 0}, "5/21/00"},
    {"Write12", {0xAA, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}, "TASK"},
    {"Write12EraseBypass", {0xAA, 0x04, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}, "5/24/00", 1},
    {"WriteAndVerify", {0x2E, 0, 0, 0, 0, 0, 0, 0, 1, 0}, "TASK"},
    {"WriteAndVerifyDpo", {0x2E, 0x10, 0, 0, 0, 0, 0, 0, 1, 0}, "TASK"},
    {"WriteAndVerifyByteCheck", {0x2E, 0x02, 0, 0, 0, 0, 0, 0, 1, 0}, "5/24/00", 1},
    {"WriteAndVerifyRelative", {0x2E, 0x01, 0, 0, 0, 0, 0, 0, 1, 0}, "5/24/00", 1},
    {"WriteAndVerifyNoBlocks", {0x2E, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "GOOD"},
    {"WriteAndVerifyPastEnd", {0x2E, 0, 0, 1, 0x86, 0xA0, 0, 0, 1, 0}, "5/21/00"},
    {"Seek6LastBlock", {0x0B, 0x01, 0x86, 0x9F, 0, 0}, "TASK"},
    {"Seek6PastEnd", {0x0B, 0x01, 0x86, 0xA0, 0, 0}, "5/21/00"},
    {"Seek6ReservedByte", {0x0B, 0, 0, 0, 1, 0}, "5/24/00", 4},
    {"Seek10LastBlock", {0x2B, 0, 0, 1, 0x86, 0x9F, 0, 0, 0, 0}, "TASK"},
    {"Seek10PastEnd", {0x2B, 0, 0, 1, 0x86, 0xA0, 0, 0, 0, 0}, "5/21/00"},
    {"Seek10Immediately", {0x2B, 0x01, 0, 0, 0, 0, 0, 0, 0, 0}, "5/24/00", 1},
    {"RezeroUnit", {0x01, 0, 0, 0, 0, 0}, "TASK"},
    {"RezeroUnitReservedByte", {0x01, 0, 1, 0, 0, 0}, "5/24/00", 2},
    {"Reserve10", {0x56, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "GOOD"},
    {"Reserve10Extent", {0x56, 0x01, 0, 0, 0, 0, 0, 0, 0, 0}, "5/24/00", 1},
    {"Reserve10ThirdParty", {0x56, 0x10, 0, 0, 0, 0, 0, 0, 0, 0}, "5/24/00", 1},
    {"Reserve10LongId", {0x56, 0x02, 0, 0, 0, 0, 0, 0, 0, 0}, "5/24/00", 1},
    {"Reserve10List", {0x56, 0, 0, 0, 0, 0, 0, 0, 8, 0}, "5/24/00", 8},
    {"Release10", {0x57, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "GOOD"},
    {"Release10ThirdParty", {0x57, 0x10, 0, 0, 0, 0, 0, 0, 0, 0}, "5/24/00", 1},
    {"PreventRemoval", {0x1E, 0, 0, 0, 1, 0}, "GOOD"},
    {"AllowRemoval", {0x1E, 0, 0, 0, 0, 0}, "GOOD"},
    {"PreventRemovalReservedBit", {0x1E, 0, 0, 0, 2, 0}, "5/24/00", 4},
    {"ServiceActionUnknown", {0x9E, 0x11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0}, "5/24/00", 1},
    {"ReportLunsTooShort", {0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 15, 0, 0}, "5/24/00", 6},
    {"ReserveExtent", {0x16, 1, 0, 0, 0, 0}, "5/24/00", 1},
    {"ReserveThirdParty", {0x16, 0x10, 0, 0, 0, 0}, "5/24/00", 1},
    {"ModeSenseUnknownPage", {0x1A, 0, 0x05, 0, 255, 0}, "5/24/00", 2},
    {"ModeSenseSubpage", {0x1A, 0, 0x0A, 1, 255, 0}, "5/24/00", 3},
    {"ModeSelectNothing", {0x15, 0x10, 0, 0, 0, 0}, "GOOD"},
    // SCSI-2 8.2.8: PF 0 is no error. SP 1 is an error without saved pages, whatever the list.
    {"ModeSelectWithoutPageFormat", {0x15, 0, 0, 0, 24, 0}, "DATA"},
    {"ModeSelectSavesNothing", {0x15, 0x11, 0, 0, 0, 0}, "5/24/00", 1},
    {"ModeSelectSaves", {0x15, 0x11, 0, 0, 24, 0}, "5/24/00", 1},
    {"ModeSelect10Saves", {0x55, 0x11, 0, 0, 0, 0, 0, 0, 28, 0}, "5/24/00", 1},
    // SCSI-2 8.2.10.3: PC 3 fails without saved values.
    {"ModeSenseSaved", {0x1A, 0, 0xCA, 0, 255, 0}, "5/39/00"},
    {"ModeSense10AllSaved", {0x5A, 0, 0xFF, 0, 0, 0, 0, 1, 0, 0}, "5/39/00"},
    {"ModeSelect6", {0x15, 0x10, 0, 0, 24, 0}, "DATA"},
    {"ModeSelect10LongestList", {0x55, 0x10, 0, 0, 0, 0, 0, 4, 0, 0}, "DATA"},
    {"ModeSelect10TooLong", {0x55, 0x10, 0, 0, 0, 0, 0, 4, 1, 0}, "5/1A/00"},
};

INSTANTIATE_TEST_SUITE_P(Cdb, ScsiCdbTest, ::testing::ValuesIn(kCases),
                         [](const auto& test_info) { return test_info.param.name; });

TEST_P(ScsiCdbTest, LeadsTo) {
  const Case& c = GetParam();
  EXPECT_EQ(run(c.cdb), c.outcome);
  if (c.bad_byte == 0) return;
  EXPECT_EQ(command_.sense.detail, SENSE_DETAIL_CDB_FIELD);
  EXPECT_EQ(command_.sense.value, static_cast<uint32_t>(c.bad_byte));
}

struct Layout {
  const char* name;
  Bytes cdb;    // a CDB that is executed
  Bytes used;   // bits of byte 1, 2, ... that have a meaning here
  Bytes fixed;  // those of the used bits that allow only some values; missing bytes have none
};

class ScsiLayoutTest : public ScsiCommandTest, public ::testing::WithParamInterface<Layout> {};

// SCSI-2 8.2 and 9.2, SPC-2 7, SBC-2 5: the table of each CDB. Byte 1 begins with the logical unit
// of SCSI-2, unless it has a service action or an LBA. The control byte, last, has no bit for this
// drive.
const Layout kLayouts[] = {
    {"TestUnitReady", {0x00, 0, 0, 0, 0, 0}, {0xE0, 0, 0, 0, 0}, {}},
    {"RequestSense", {0x03, 0, 0, 0, 18, 0}, {0xE0, 0, 0, 0xFF, 0}, {}},
    {"FormatUnit", {0x04, 0, 0, 0, 0, 0}, {0xFF, 0, 0xFF, 0xFF, 0}, {0x1F, 0, 0xFF, 0xFE}},
    {"ReassignBlocks", {0x07, 0, 0, 0, 0, 0}, {0xE0, 0, 0, 0, 0}, {}},
    {"Read6", {0x08, 0, 0, 0, 1, 0}, {0xFF, 0xFF, 0xFF, 0xFF, 0}, {}},
    {"Write6", {0x0A, 0, 0, 0, 1, 0}, {0xFF, 0xFF, 0xFF, 0xFF, 0}, {}},
    {"Inquiry", {0x12, 0, 0, 0, 36, 0}, {0xE1, 0xFF, 0xFF, 0xFF, 0}, {0, 0xFF}},
    {"ModeSelect6", {0x15, 0x10, 0, 0, 0, 0}, {0xF1, 0, 0, 0xFF, 0}, {0x11}},
    {"Reserve6", {0x16, 0, 0, 0, 0, 0}, {0xE0, 0, 0, 0, 0}, {}},
    {"Release6", {0x17, 0, 0, 0, 0, 0}, {0xE0, 0, 0, 0, 0}, {}},
    {"ModeSense6", {0x1A, 0, 0x08, 0, 255, 0}, {0xE8, 0xFF, 0xFF, 0xFF, 0}, {0, 0xFF, 0xFF}},
    {"StartStopUnit", {0x1B, 1, 0, 0, 1, 0}, {0xE1, 0, 0, 0x01, 0}, {}},
    {"SendDiagnostic", {0x1D, 4, 0, 0, 0, 0}, {0xF7, 0, 0xFF, 0xFF, 0}, {0x17, 0, 0xFF, 0xFF}},
    {"ReadCapacity10",
     {0x25, 0, 0, 0, 0, 0, 0, 0, 1, 0},
     {0xE0, 255, 255, 255, 255, 0, 0, 0x01, 0},
     {}},
    {"Read12",
     {0xA8, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0},
     {0xF8, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0},
     {}},
    {"Write12",
     {0xAA, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0},
     {0xF8, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0},
     {}},
    {"WriteAndVerify10",
     {0x2E, 0, 0, 0, 0, 0, 0, 0, 1, 0},
     {0xF0, 255, 255, 255, 255, 0, 255, 255, 0},
     {}},
    {"Seek6", {0x0B, 0, 0, 0, 0, 0}, {0xFF, 0xFF, 0xFF, 0, 0}, {}},
    {"Seek10", {0x2B, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {0xE0, 255, 255, 255, 255, 0, 0, 0, 0}, {}},
    {"RezeroUnit", {0x01, 0, 0, 0, 0, 0}, {0xE0, 0, 0, 0, 0}, {}},
    {"Reserve10", {0x56, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {0xE0, 0, 0, 0, 0, 0, 0, 0, 0}, {}},
    {"Release10", {0x57, 0, 0, 0, 0, 0, 0, 0, 0, 0}, {0xE0, 0, 0, 0, 0, 0, 0, 0, 0}, {}},
    {"PreventAllow", {0x1E, 0, 0, 0, 0, 0}, {0xE0, 0, 0, 0x01, 0}, {}},
    {"Read10", {0x28, 0, 0, 0, 0, 0, 0, 0, 1, 0}, {0xF8, 255, 255, 255, 255, 0, 255, 255, 0}, {}},
    {"Write10", {0x2A, 0, 0, 0, 0, 0, 0, 0, 1, 0}, {0xF8, 255, 255, 255, 255, 0, 255, 255, 0}, {}},
    {"Verify10", {0x2F, 0, 0, 0, 0, 0, 0, 0, 1, 0}, {0xF0, 255, 255, 255, 255, 0, 255, 255, 0}, {}},
    {"SynchronizeCache10",
     {0x35, 2, 0, 0, 0, 0, 0, 0, 1, 0},
     {0xE2, 255, 255, 255, 255, 0, 255, 255, 0},
     {}},
    {"ReadDefectData10",
     {0x37, 0, 0x18, 0, 0, 0, 0, 0, 4, 0},
     {0xE0, 0x1F, 0, 0, 0, 0, 255, 255, 0},
     {0, 0x07}},
    {"LogSelect",
     {0x4C, 2, 0, 0, 0, 0, 0, 0, 0, 0},
     {0xE2, 0xFF, 0xFF, 0, 0, 0, 255, 255, 0},
     {0, 0xFF, 0xFF, 0, 0, 0, 0xFF, 0xFF}},
    {"LogSense",
     {0x4D, 0, 0x40, 0, 0, 0, 0, 0, 4, 0},
     {0xE0, 0xFF, 0xFF, 0, 255, 255, 255, 255, 0},
     {0, 0xFF, 0xFF, 0, 0xFF, 0xFF}},
    {"ModeSelect10",
     {0x55, 0x10, 0, 0, 0, 0, 0, 0, 0, 0},
     {0xF1, 0, 0, 0, 0, 0, 255, 255, 0},
     {0x11}},
    {"ModeSense10",
     {0x5A, 0, 0x08, 0, 0, 0, 0, 0, 255, 0},
     {0xE8, 0xFF, 0xFF, 0, 0, 0, 255, 255, 0},
     {0, 0xFF, 0xFF}},
    {"Read16",
     {0x88, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0},
     {0x19, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0xC0, 0},
     {}},
    {"Write16",
     {0x8A, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0},
     {0x19, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0xC0, 0},
     {}},
    {"ReadCapacity16",
     {0x9E, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 1, 0},
     {0x1F, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0x01, 0},
     {0x1F}},
    {"ReportLuns",
     {0xA0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0},
     {0, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0},
     {0, 0, 0, 0, 0, 0, 0, 0, 0x1F}},
    {"ReportSupportedOperationCodes",
     {0xA3, 0x0C, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0},
     {0x1F, 0x87, 255, 255, 255, 255, 255, 255, 255, 0, 0},
     {0x1F, 0x07}},
    {"ReadDefectData12",
     {0xB7, 0x18, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0},
     {0xFF, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0},
     {0x07}},
};

INSTANTIATE_TEST_SUITE_P(Cdb, ScsiLayoutTest, ::testing::ValuesIn(kLayouts),
                         [](const auto& test_info) { return std::string(test_info.param.name); });

// A reserved bit is an invalid field, and the sense data name its byte. A bit with a meaning is
// accepted.
TEST_P(ScsiLayoutTest, HasTheBitsOfItsStandard) {
  const Layout& layout = GetParam();
  ASSERT_EQ(layout.used.size() + 1, layout.cdb.size());
  for (std::size_t byte = 1; byte < layout.cdb.size(); ++byte) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      const auto mask = static_cast<uint8_t>(1U << bit);
      if (byte <= layout.fixed.size() && (layout.fixed[byte - 1] & mask) != 0) continue;
      SCOPED_TRACE(testing::Message() << "byte " << byte << ", bit " << bit);
      SetUp();
      Bytes cdb = layout.cdb;
      cdb[byte] = static_cast<uint8_t>(cdb[byte] | mask);
      const bool is_used = (layout.used[byte - 1] & mask) != 0;
      if (is_used) {
        EXPECT_NE(run(cdb), "5/24/00");
      } else {
        EXPECT_EQ(run(cdb), "5/24/00");
        EXPECT_EQ(command_.sense.detail, SENSE_DETAIL_CDB_FIELD);
        EXPECT_EQ(command_.sense.value, byte);
      }
    }
  }
}

// Bits 7-5 of byte 1 are a logical unit in SCSI-2 alone (7.2.2). SBC-2 and SPC-2 reserve them.
TEST_P(ScsiLayoutTest, OfALaterVersion_HasNoLogicalUnitInByte1) {
  const Layout& layout = GetParam();
  const bool is_action = layout.fixed.size() == 1 && layout.fixed[0] == 0x1F;
  for (const uint8_t bits : {0x20, 0x40, 0x80, 0xE0}) {
    SetUp();
    config_.scsi_version = 7;
    Bytes cdb = layout.cdb;
    cdb[1] = static_cast<uint8_t>(cdb[1] | bits);
    EXPECT_EQ(run(cdb), "5/24/00") << unsigned{bits} << is_action;
    EXPECT_EQ(command_.sense.value, 1U);
  }
  SetUp();
  config_.scsi_version = 7;
  EXPECT_NE(run(layout.cdb), "5/24/00");
}

// ---- media commands

// SCSI-2 9.2.15, 9.2.13: the arm moves to the block without a data transfer.
TEST_F(ScsiCommandTest, SeeksNameOneBlock) {
  const std::pair<Bytes, uint32_t> cases[] = {{{0x0B, 0xE1, 0x02, 0x03, 0, 0}, 0x10203},
                                              {{0x2B, 0, 0, 1, 2, 3, 0, 0, 0, 0}, 0x10203},
                                              {{0x01, 0, 0, 0, 0, 0}, 0}};
  for (const auto& [cdb, lba] : cases) {
    SetUp();
    ASSERT_EQ(execute(cdb), COMMAND_TASK);
    EXPECT_EQ(command_.task->operation, TASK_SEEK);
    EXPECT_EQ(command_.task->lba, lba);
    EXPECT_EQ(command_.task->blocks, 1U);
    EXPECT_EQ(command_.task->host_blocks_left, 0U);
  }
}

TEST_F(ScsiCommandTest, TwelveBytesHaveALengthOfFour) {
  ASSERT_EQ(execute({0xA8, 0x10, 0, 0, 0x12, 0x34, 0, 1, 0x02, 0x03, 0, 0}), COMMAND_TASK);
  EXPECT_EQ(command_.task->operation, TASK_READ);
  EXPECT_EQ(command_.task->lba, 0x1234U);
  EXPECT_EQ(command_.task->blocks, 0x10203U);
  EXPECT_EQ(command_.task->flags & (TASK_FLAG_FORCE_UNIT_ACCESS | TASK_FLAG_DISABLE_PAGE_OUT),
            TASK_FLAG_DISABLE_PAGE_OUT);
  ASSERT_EQ(execute({0xAA, 0x08, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0}, kOther), COMMAND_TASK);
  EXPECT_EQ(command_.task->operation, TASK_WRITE);
  EXPECT_EQ(command_.task->verifies, 0U);
  EXPECT_EQ(command_.task->flags & TASK_FLAG_FORCE_UNIT_ACCESS, TASK_FLAG_FORCE_UNIT_ACCESS);
}

// SCSI-2 9.2.23: data that are to be verified must be on the media first, whatever the cache
// allows.
TEST_F(ScsiCommandTest, WriteThatIsVerified_GoesToTheMedia) {
  ASSERT_EQ(execute({0x2E, 0, 0, 0, 0, 5, 0, 0, 2, 0}), COMMAND_TASK);
  EXPECT_EQ(command_.task->operation, TASK_WRITE);
  EXPECT_EQ(command_.task->verifies, 1U);
  EXPECT_EQ(command_.task->host_blocks_left, 2U);
  EXPECT_NE(command_.task->flags & TASK_FLAG_FORCE_UNIT_ACCESS, 0);
  ASSERT_EQ(execute({0x2A, 0, 0, 0, 0, 5, 0, 0, 2, 0}, kOther), COMMAND_TASK);
  EXPECT_EQ(command_.task->verifies, 0U);
}

TEST_F(ScsiCommandTest, Task_HasTheFieldsOfTheCdb) {
  core_.now_ticks = 0x123456789;
  ASSERT_EQ(execute({0x8A, 0x18, 0, 0, 0, 0, 0, 1, 0x02, 0x03, 0, 0, 1, 4, 0, 0}, kOther,
                    TASK_ORDERED, 0xBEEF),
            COMMAND_TASK);
  const task& task = *command_.task;
  EXPECT_EQ(task.lba, 0x10203U);
  EXPECT_EQ(task.blocks, 0x104U);
  EXPECT_EQ(task.host_blocks_left, 0x104U);
  EXPECT_EQ(task.host_blocks_granted, 0U);
  EXPECT_EQ(task.operation, TASK_WRITE);
  EXPECT_EQ(task.attribute, TASK_ORDERED);
  EXPECT_EQ(task.tag, 0xBEEF);
  EXPECT_EQ(task.initiator, kOther);
  EXPECT_EQ(task.candidate.arrived_64ticks, 0x123456789U / 64);
  EXPECT_EQ(task.flags & (TASK_FLAG_FORCE_UNIT_ACCESS | TASK_FLAG_DISABLE_PAGE_OUT),
            TASK_FLAG_FORCE_UNIT_ACCESS | TASK_FLAG_DISABLE_PAGE_OUT);
  EXPECT_EQ(core_.arrived, (std::vector<struct task*>{command_.task}));
  EXPECT_EQ(core_.enabled, (std::vector<struct task*>{command_.task}));
}

TEST_F(ScsiCommandTest, Read6_HasTwentyOneAddressBits_ForAnyLunBits) {
  ASSERT_EQ(execute({0x08, 0xE1, 0x02, 0x03, 1, 0}), COMMAND_TASK);
  EXPECT_EQ(command_.task->lba, 0x10203U);
}

TEST_F(ScsiCommandTest, Read6LengthZeroMakes256Blocks) {
  ASSERT_EQ(execute({0x08, 0, 0x02, 0x03, 0, 0}), COMMAND_TASK);
  EXPECT_EQ(command_.task->lba, 0x203U);
  EXPECT_EQ(command_.task->blocks, 256U);
  EXPECT_EQ(command_.task->operation, TASK_READ);
}

TEST_F(ScsiCommandTest, VerifyMovesNoDataToTheHost) {
  ASSERT_EQ(execute({0x2F, 0, 0, 0, 0, 5, 0, 0, 9, 0}), COMMAND_TASK);
  EXPECT_EQ(command_.task->blocks, 9U);
  EXPECT_EQ(command_.task->host_blocks_left, 0U);
}

TEST_F(ScsiCommandTest, SynchronizeCacheOfNoBlocksReachesTheEnd) {
  ASSERT_EQ(execute({0x35, 0, 0, 0, 0, 10, 0, 0, 0, 0}), COMMAND_TASK);
  EXPECT_EQ(command_.task->operation, TASK_SYNCHRONIZE);
  EXPECT_EQ(command_.task->lba, 10U);
  EXPECT_EQ(command_.task->blocks, kBlocks - 10);
}

// SCSI-2 8.2.14: INFORMATION is the block to which the sense data refer.
TEST_F(ScsiCommandTest, LbaOutOfRangeNamesTheFirstBlockThatIsNot) {
  EXPECT_EQ(run({0x28, 0, 0, 1, 0x86, 0x9E, 0, 0, 3, 0}), "5/21/00");
  EXPECT_EQ(command_.sense.detail, SENSE_DETAIL_INFORMATION);
  EXPECT_EQ(command_.sense.value, kBlocks);
  EXPECT_EQ(run({0x28, 0, 0, 2, 0, 0, 0, 0, 1, 0}), "5/21/00");
  EXPECT_EQ(command_.sense.value, 0x20000U);
  EXPECT_EQ(run({0x88, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}), "5/21/00");
  EXPECT_EQ(command_.sense.detail, SENSE_DETAIL_NONE);  // does not fit four bytes
}

TEST_F(ScsiCommandTest, StartAndStopAreBarriers) {
  run(kRead10);
  ASSERT_EQ(execute({0x1B, 0, 0, 0, 0, 0}, kOther, TASK_UNTAGGED), COMMAND_TASK);
  EXPECT_EQ(command_.task->operation, TASK_STOP);
  EXPECT_EQ(command_.task->attribute, TASK_ORDERED);
  EXPECT_EQ(command_.task->state, TASK_DORMANT);
  EXPECT_EQ(task_set_find(&tasks_, kOther, true, 0), command_.task);
}

TEST_F(ScsiCommandTest, ImmediateStartHoldsNoTagAndEndsSilently) {
  ASSERT_EQ(execute({0x1B, 1, 0, 0, 1, 0}, kHost, TASK_SIMPLE, 5), COMMAND_DONE);
  ASSERT_EQ(core_.enabled.size(), 1U);
  EXPECT_EQ(core_.enabled[0]->operation, TASK_START);
  EXPECT_EQ(task_set_find(&tasks_, kHost, false, 5), nullptr);
  host_task_finished(target_.get(), core_.enabled[0], STATUS_OK, 0);
  EXPECT_EQ(tasks_.count, 0);
  EXPECT_TRUE(bus_.take_log().empty());
}

// ---- the set is full

TEST_F(ScsiCommandTest, QueueFullComesWithTheTaskAfterTheLast) {
  for (uint16_t i = 0; i < kTaskLimit; ++i) EXPECT_EQ(run(kRead10), "TASK") << i;
  EXPECT_EQ(run(kRead10), "FULL");
  EXPECT_EQ(run(kTestUnitReady), "GOOD");  // needs no task
  EXPECT_EQ(outcome(execute(kRead10, kOther, TASK_UNTAGGED)), "BUSY");
  host_task_finished(target_.get(), core_.arrived[0], STATUS_OK,
                     0);  // the status is still owed, so the task is still there
  EXPECT_EQ(run(kRead10), "FULL");
  task_set_remove(&tasks_, core_.arrived[1]);
  EXPECT_EQ(run(kRead10), "TASK");
  EXPECT_EQ(run(kRead10), "FULL");
}

// ---- overlapped

// SCSI-2 7.5.2: an incorrect initiator connection ends all of that initiator's tasks.
TEST_F(ScsiCommandTest, TagStillInUseEndsTheInitiatorsTasks) {
  execute(kRead10, kHost, TASK_SIMPLE, 1);
  execute(kRead10, kHost, TASK_SIMPLE, 2);
  execute(kRead10, kOther, TASK_SIMPLE, 1);
  EXPECT_EQ(outcome(execute(kRead10, kHost, TASK_SIMPLE, 1)), "B/4E/00");
  EXPECT_EQ(core_.aborted.size(), 2U);
  EXPECT_EQ(task_set_live_of(&tasks_, kHost), 0);
  EXPECT_EQ(task_set_live_of(&tasks_, kOther), 1);
  EXPECT_EQ(target_->device.nexus[kOther].attentions, 0);
}

TEST_F(ScsiCommandTest, UntaggedBesideTaggedIsOverlappedButRequestSenseIsNot) {
  execute(kRead10, kHost, TASK_SIMPLE, 1);
  EXPECT_EQ(outcome(execute(kRequestSense, kHost, TASK_UNTAGGED)), "GOOD");
  EXPECT_EQ(outcome(execute(kTestUnitReady, kHost, TASK_UNTAGGED)), "B/4E/00");
}

TEST_F(ScsiCommandTest, TaggedBesideUntaggedIsOverlapped) {
  EXPECT_EQ(outcome(execute(kRead10, kHost, TASK_UNTAGGED)), "TASK");
  EXPECT_EQ(outcome(execute(kRead10, kOther, TASK_UNTAGGED)), "TASK");
  EXPECT_EQ(outcome(execute(kRead10, kHost, TASK_SIMPLE, 0)), "B/4E/00");
}

// ---- logical units, readiness

TEST_F(ScsiCommandTest, OnlyThreeCommands_AcceptOtherLogicalUnits) {
  EXPECT_EQ(run(kTestUnitReady, kHost, 1), "5/25/00");
  EXPECT_EQ(run(kRead10, kHost, 7), "5/25/00");
  EXPECT_EQ(run({0x02, 0, 0, 0, 0, 0}, kHost, 1), "5/25/00");
  ASSERT_EQ(run(kInquiry, kHost, 1), "GOOD");
  EXPECT_EQ(reply()[0], 0x7F);  // SPC-2 7.3.2: qualifier 3, type 1Fh
  ASSERT_EQ(run(kRequestSense, kHost, 1), "GOOD");
  EXPECT_EQ(sense_key_text(reply()), "5/25/00");
  EXPECT_EQ(run(kReportLuns, kHost, 1), "GOOD");
}

TEST_F(ScsiCommandTest, NotReady_HasItsReason) {
  const std::pair<sense_code, const char*> causes[] = {{SENSE_NOT_READY, "2/04/00"},
                                                       {SENSE_BECOMING_READY, "2/04/01"},
                                                       {SENSE_START_REQUIRED, "2/04/02"}};
  for (const auto& [code, text] : causes) {
    host_medium_ready(target_.get(), code);
    EXPECT_EQ(run(kTestUnitReady), text);
    EXPECT_EQ(run(kRead10), text);
    EXPECT_EQ(run({0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0}), text);
    EXPECT_EQ(run(kInquiry), "GOOD");
    EXPECT_EQ(run({0x1A, 0, 0x3F, 0, 255, 0}), "GOOD");
    EXPECT_EQ(run({0x28, 0, 0, 0, 0, 0, 1, 0, 1, 0}), "5/24/00");  // a bad CDB is bad all the same
  }
  host_medium_ready(target_.get(), SENSE_NONE);
  EXPECT_EQ(run(kTestUnitReady), "GOOD");
}

// ---- unit attention

// SCSI-2 7.9: the attention is reported once per initiator. INQUIRY, REPORT LUNS and REQUEST SENSE
// are executed.
TEST_F(ScsiCommandTest, PowerOnAttentionIsReportedOncePerInitiator) {
  power_on();
  host_medium_ready(target_.get(), SENSE_NONE);
  EXPECT_EQ(run(kInquiry), "GOOD");
  EXPECT_EQ(run(kReportLuns), "GOOD");
  EXPECT_EQ(run(kTestUnitReady), "6/29/00");
  EXPECT_EQ(run(kTestUnitReady), "GOOD");
  EXPECT_EQ(run(kTestUnitReady, kOther), "6/29/00");
  EXPECT_EQ(run(kTestUnitReady, 15), "6/29/00");
}

TEST_F(ScsiCommandTest, RequestSenseReportsAndClearsAnAttention) {
  nexus_raise_attention(&target_->device.nexus[kHost], SENSE_MODE_PARAMETERS_CHANGED);
  ASSERT_EQ(run(kRequestSense), "GOOD");
  EXPECT_EQ(sense_key_text(reply()), "6/2A/01");
  ASSERT_EQ(run(kRequestSense), "GOOD");
  EXPECT_EQ(sense_key_text(reply()), "0/00/00");
}

TEST_F(ScsiCommandTest, AttentionComesBeforeABadOpcodeOrField) {
  nexus_raise_attention(&target_->device.nexus[kHost], SENSE_BUS_RESET);
  EXPECT_EQ(run({0x02, 0, 0, 0, 0, 0}), "6/29/02");
  EXPECT_EQ(run({0x02, 0, 0, 0, 0, 0}), "5/20/00");
}

// ---- data in

// SPC-2 table 46, byte by byte.
TEST_F(ScsiCommandTest, InquiryReturnsStandardData) {
  config_.scsi_version = 7;
  ASSERT_EQ(run(kInquiry), "GOOD");
  const Bytes data = reply();
  ASSERT_EQ(data.size(), 74U);
  EXPECT_EQ(data[0], 0x00);    // direct access
  EXPECT_EQ(data[1], 0x00);    // not removable
  EXPECT_EQ(data[2], 0x07);    // SPC-5: from there on hosts ask for duration limits
  EXPECT_EQ(data[3], 0x02);    // response data format
  EXPECT_EQ(data[4], 74 - 5);  // additional length
  EXPECT_EQ(data[7], 0x32);    // WBUS16, SYNC, CMDQUE
  EXPECT_EQ(std::string(data.begin() + 8, data.begin() + 36), "HEADSTCKTEST DRIVE      0001");
  EXPECT_EQ(hex(Bytes(data.begin() + 58, data.begin() + 64)), "00 40 05 C0 03 20");
}

// SCSI-2 table 45: a drive of its time has nothing after the product's revision.
TEST_F(ScsiCommandTest, InquiryOfAScsi2Drive_EndsWithTheRevision) {
  config_.scsi_version = 7;
  ASSERT_EQ(run(kInquiry), "GOOD");
  Bytes expected = reply();
  expected.resize(36);
  expected[2] = 0x02;
  expected[4] = 36 - 5;
  config_.scsi_version = UNIT_VERSION_2;
  ASSERT_EQ(run(kInquiry), "GOOD");
  EXPECT_EQ(hex(reply()), hex(expected));
  ASSERT_EQ(run({0x12, 1, 0x80, 0, 255, 0}), "GOOD") << "no page goes";
}

TEST_F(ScsiCommandTest, AllocationLengthCutsWithoutChangingTheLengthByte) {
  config_.scsi_version = 7;
  for (const uint8_t length : {0, 1, 5, 36, 73, 74, 75}) {
    ASSERT_EQ(run({0x12, 0, 0, 0, length, 0}), "GOOD");
    EXPECT_EQ(reply().size(), std::min<size_t>(length, 74));
    EXPECT_EQ(data_[4], 74 - 5);  // SPC-2 4.2.5
  }
}

// SPC-3 6.4.1: the allocation length has 16 bits. A length of 256 or more must not count as less
// than 255.
TEST_F(ScsiCommandTest, AllocationLengthOfInquiryHasTwoBytes) {
  config_.scsi_version = 7;
  for (const uint8_t upper : {1, 2, 255}) {
    ASSERT_EQ(run({0x12, 0, 0, upper, 0, 0}), "GOOD");
    EXPECT_EQ(reply().size(), 74U);
    ASSERT_EQ(run({0x12, 1, 0x83, upper, 4, 0}), "GOOD");
    EXPECT_EQ(reply().size(), 28U);
  }
}

TEST_F(ScsiCommandTest, VitalProductDataPages) {
  ASSERT_EQ(run({0x12, 1, 0x00, 0, 255, 0}), "GOOD");
  EXPECT_EQ(hex(reply()), "00 00 00 04 00 80 83 87");
  ASSERT_EQ(run({0x12, 1, 0x80, 0, 255, 0}), "GOOD");
  EXPECT_EQ(hex(reply()), "00 80 00 0C 53 4E 30 30 30 30 30 30 30 30 34 32");  // SN0000000042
  // SPC-2 8.4.3: code set ASCII, T10 vendor identification: vendor, then serial number.
  ASSERT_EQ(run({0x12, 1, 0x83, 0, 255, 0}), "GOOD");
  const Bytes data = reply();
  ASSERT_EQ(data.size(), 28U);
  EXPECT_EQ(hex(Bytes(data.begin(), data.begin() + 8)), "00 83 00 18 02 01 00 14");
  EXPECT_EQ(std::string(data.begin() + 8, data.end()), "HEADSTCKSN0000000042");
  // SPC-3 7.6.6: the subpages of duration limits are each I_T nexus's own (3), all else is shared.
  ASSERT_EQ(run({0x12, 1, 0x87, 0, 255, 0}), "GOOD");
  EXPECT_EQ(hex(reply()),
            "00 87 00 14 0A 03 03 00 0A 04 03 00 0A 07 03 00 0A 08 03 00 3F FF 00 00");
}

TEST_F(ScsiCommandTest, ReadCapacityIsTheLastBlock) {
  ASSERT_EQ(run({0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0}), "GOOD");
  EXPECT_EQ(hex(reply()), "00 01 86 9F 00 00 02 00");
  ASSERT_EQ(run({0x9E, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0}), "GOOD");
  EXPECT_EQ(hex(reply()), "00 00 00 00 00 01 86 9F 00 00 02 00");
  ASSERT_EQ(run({0x9E, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0}), "GOOD");
  EXPECT_EQ(reply().size(), 8U);
}

// SCSI-2 9.2.7: PMI asks for the last block before a substantial delay. The fake core's cylinders
// have 200 blocks.
TEST_F(ScsiCommandTest, ReadCapacityWithPmi_IsTheLastBlockOfTheCylinder) {
  ASSERT_EQ(run({0x25, 0, 0, 0, 0, 199, 0, 0, 1, 0}), "GOOD");
  EXPECT_EQ(hex(reply()), "00 00 00 C7 00 00 02 00");
  ASSERT_EQ(run({0x25, 0, 0, 0, 0, 200, 0, 0, 1, 0}), "GOOD");
  EXPECT_EQ(hex(reply()), "00 00 01 8F 00 00 02 00");
  ASSERT_EQ(run({0x9E, 0x10, 0, 0, 0, 0, 0, 0, 0, 200, 0, 0, 0, 32, 1, 0}), "GOOD");
  EXPECT_EQ(hex(reply()), "00 00 00 00 00 00 01 8F 00 00 02 00");
  EXPECT_EQ(run({0x25, 0, 0, 1, 0x86, 0xA0, 0, 0, 1, 0}), "5/21/00");
  EXPECT_EQ(command_.sense.value, kBlocks) << "INFORMATION";
}

// ---- a stop that is not awaited

// SCSI-2 9.2.17: after its GOOD the unit is stopped, for all hosts, while earlier tasks go on.
TEST_F(ScsiCommandTest, ImmediateStop_IsInForceFromItsGoodOn) {
  ASSERT_EQ(execute(kRead10), COMMAND_TASK);
  task* read = command_.task;
  EXPECT_EQ(run({0x1B, 1, 0, 0, 0, 0}), "GOOD");
  for (const uint8_t host : {kHost, kOther}) {
    EXPECT_EQ(run(kTestUnitReady, host), "2/04/02");
    EXPECT_EQ(run(kRead10, host), "2/04/02");
    EXPECT_EQ(run({0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0}, host), "2/04/02");
    EXPECT_EQ(run(kInquiry, host), "GOOD");
  }
  EXPECT_EQ(target_->device.unit.not_ready, SENSE_NONE) << "the spindle turns for the read";
  host_task_finished(target_.get(), read, STATUS_OK, 0);
  bus_.run();
  ASSERT_EQ(core_.enabled.back()->operation, TASK_STOP);
  host_medium_ready(target_.get(), SENSE_START_REQUIRED);
  host_task_finished(target_.get(), core_.enabled.back(), STATUS_OK, 0);
  EXPECT_EQ(run(kTestUnitReady), "2/04/02");
  host_medium_ready(target_.get(), SENSE_NONE);  // A start came after it.
  EXPECT_EQ(run(kTestUnitReady), "GOOD");
}

// A stop that is awaited stops nothing before its turn: its own status reports the end.
TEST_F(ScsiCommandTest, StopThatIsAwaited_IsInForceWhenItBegins) {
  run(kRead10);
  ASSERT_EQ(execute({0x1B, 0, 0, 0, 0, 0}, kOther), COMMAND_TASK);
  EXPECT_EQ(run(kTestUnitReady), "GOOD");
}

// SPC-2 7.19: a list of one entry of 8 bytes.
TEST_F(ScsiCommandTest, ReportLunsListsUnitZero) {
  ASSERT_EQ(run(kReportLuns), "GOOD");
  EXPECT_EQ(hex(reply()), "00 00 00 08 00 00 00 00 00 00 00 00 00 00 00 00");
}

// ---- reservation

// SCSI-2 9.2.12: INQUIRY, REQUEST SENSE and RELEASE are always allowed.
TEST_F(ScsiCommandTest, Reservation_ExcludesOtherInitiators) {
  EXPECT_EQ(run({0x16, 0, 0, 0, 0, 0}), "GOOD");
  EXPECT_EQ(run({0x16, 0, 0, 0, 0, 0}), "GOOD");  // again, by the holder
  EXPECT_EQ(run(kRead10), "TASK");
  EXPECT_EQ(run(kRead10, kOther), "RESERVED");
  EXPECT_EQ(run({0x16, 0, 0, 0, 0, 0}, kOther), "RESERVED");
  EXPECT_EQ(run(kInquiry, kOther), "GOOD");
  EXPECT_EQ(run(kRequestSense, kOther), "GOOD");
  EXPECT_EQ(run({0x17, 0, 0, 0, 0, 0}, kOther), "GOOD");  // releases nothing
  EXPECT_EQ(run(kTestUnitReady, kOther), "RESERVED");
  EXPECT_EQ(run({0x17, 0, 0, 0, 0, 0}), "GOOD");
  EXPECT_EQ(run(kTestUnitReady, kOther), "GOOD");
}

// Both lengths reserve and release the same unit (SPC-2 7.21, 7.17).
TEST_F(ScsiCommandTest, ReservationOfEitherLength_IsReleasedByEither) {
  const Bytes reserves[] = {{0x16, 0, 0, 0, 0, 0}, {0x56, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
  const Bytes releases[] = {{0x17, 0, 0, 0, 0, 0}, {0x57, 0, 0, 0, 0, 0, 0, 0, 0, 0}};
  for (const Bytes& reserve : reserves) {
    for (const Bytes& release : releases) {
      EXPECT_EQ(run(reserve), "GOOD");
      EXPECT_EQ(run(reserve, kOther), "RESERVED");
      EXPECT_EQ(run(release, kOther), "GOOD") << "releases nothing";
      EXPECT_EQ(run(kTestUnitReady, kOther), "RESERVED");
      EXPECT_EQ(run(release), "GOOD");
      EXPECT_EQ(run(kTestUnitReady, kOther), "GOOD");
    }
  }
}

// SCSI-2 9.2.12: PREVENT has a conflict, and its opposite has none.
TEST_F(ScsiCommandTest, ReservationKeepsPreventOut_ButNotAllow) {
  ASSERT_EQ(run({0x16, 0, 0, 0, 0, 0}), "GOOD");
  EXPECT_EQ(run({0x1E, 0, 0, 0, 1, 0}, kOther), "RESERVED");
  EXPECT_EQ(run({0x1E, 0, 0, 0, 0, 0}, kOther), "GOOD");
  EXPECT_EQ(run({0x1E, 0, 0, 0, 1, 0}), "GOOD");
  host_medium_ready(target_.get(), SENSE_START_REQUIRED);
  EXPECT_EQ(run({0x1E, 0, 0, 0, 1, 0}), "GOOD") << "no medium is needed";
}

// SCSI-2 7.9: a unit attention comes ahead of any answer to the command. SCSI-2 9.2.12: whatever
// else another host sends is rejected by RESERVATION CONFLICT: its fields and the unit's state have
// no effect.
TEST_F(ScsiCommandTest, Reservation_IsCheckedAfterUnitAttention_AndBeforeFieldsAndReadiness) {
  const Bytes bad_field{0x16, 1, 0, 0, 0, 0};  // RESERVE of an extent
  ASSERT_EQ(run({0x16, 0, 0, 0, 0, 0}), "GOOD");
  nexus_raise_attention(&target_->device.nexus[kOther], SENSE_BUS_RESET);
  EXPECT_EQ(run(kTestUnitReady, kOther), "6/29/02");
  EXPECT_EQ(run(bad_field, kOther), "RESERVED");
  EXPECT_EQ(run(bad_field), "5/24/00") << "of its holder it is read";
  host_medium_ready(target_.get(), SENSE_BECOMING_READY);
  EXPECT_EQ(run(kTestUnitReady, kOther), "RESERVED");
  EXPECT_EQ(run(kTestUnitReady), "2/04/01") << "to its holder it is told";
}

// Groups of operation codes (SPC-2 7.1).
// SCSI-2 6.6.8: of a wide bus's last word of a piece, no byte is lost. So each piece but the last
// is of even length, also after a pattern of odd length.
TEST_F(ScsiCommandTest, PiecesOfAFormat_AreWholeWords_AndNameItsBlocks) {
  for (const uint32_t length : {1U, 2U, 511U, 512U}) {
    for (const uint32_t count : {0U, 1U, 2U, 255U, 256U, 257U, 511U, 512U, 513U, 1024U}) {
      SCOPED_TRACE(testing::Message() << length << " bytes of pattern, " << count << " blocks");
      const auto byte = [](uint32_t value) { return static_cast<uint8_t>(value); };
      Bytes list = {0, 0x88, byte(count * 4 >> 8), byte(count * 4),
                    0, 1,    byte(length >> 8),    byte(length)};
      for (uint32_t i = 0; i < length; ++i) list.push_back(byte(i * 7 + 1));
      for (uint32_t i = 0; i < count; ++i) {
        list.insert(list.end(), {0, 0, byte((i * 3 + 0x102) >> 8), byte(i * 3 + 0x102)});
      }
      target_->device.unit.maintenance.task = nullptr;
      command_result result = execute({0x04, 0x18, 0, 0, 0, 0}, kHost, TASK_SIMPLE, 1);
      uint32_t at = 0;
      while (result == COMMAND_NEEDS_DATA) {
        const uint32_t piece = command_.data_count;
        ASSERT_LE(at + piece, list.size());
        ASSERT_TRUE(piece % 2 == 0 || at + piece == list.size()) << "piece at " << at;
        result = finish(Bytes(list.begin() + at, list.begin() + at + piece));
        at += piece;
      }
      ASSERT_EQ(result, COMMAND_TASK);
      EXPECT_EQ(at, list.size());
      const maintenance_order& order = target_->device.unit.maintenance;
      ASSERT_EQ(order.pattern_bytes, length);
      EXPECT_TRUE(std::equal(order.pattern, order.pattern + length, list.begin() + 8));
      ASSERT_EQ(order.count, count);
      for (uint32_t i = 0; i < count; ++i) ASSERT_EQ(order.list[i], i * 3 + 0x102) << i;
      target_->device.unit.maintenance.task = nullptr;
      task_abort(&target_->device, command_.task);
    }
  }
}

TEST(ScsiCdbLength, FollowsTheGroup) {
  const std::pair<uint8_t, uint32_t> cases[] = {{0x00, 6},  {0x1F, 6},  {0x20, 10}, {0x5F, 10},
                                                {0x60, 6},  {0x7F, 6},  {0x80, 16}, {0x9F, 16},
                                                {0xA0, 12}, {0xBF, 12}, {0xC0, 6},  {0xFF, 6}};
  for (const auto& [opcode, bytes] : cases)
    EXPECT_EQ(command_cdb_bytes(opcode), bytes) << int{opcode};
}

}  // namespace
}  // namespace headstack::firmware
