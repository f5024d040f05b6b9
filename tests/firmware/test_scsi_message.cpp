// SPDX-License-Identifier: Apache-2.0
// Messages as in SCSI-2 6.6, and the drive's answers to SDTR and WDTR (6.6.21, 6.6.23).
#include <gtest/gtest.h>

#include <vector>

extern "C" {
#include "firmware/target/agreement.h"
#include "firmware/target/message.h"
}

namespace headstack::firmware {
namespace {

using Bytes = std::vector<uint8_t>;

struct Message {
  const char* name;
  Bytes bytes;
  message_kind kind;
  uint16_t size;
  uint32_t value;
  uint8_t code;
};

class ScsiMessageTest : public ::testing::TestWithParam<Message> {};

INSTANTIATE_TEST_SUITE_P(
    Layouts, ScsiMessageTest,
    ::testing::Values(
        Message{"CommandComplete", {0x00}, MESSAGE_KIND_SIMPLE, 1, 0, 0x00},
        Message{"Abort", {0x06}, MESSAGE_KIND_SIMPLE, 1, 0, 0x06},
        Message{"Reject", {0x07}, MESSAGE_KIND_SIMPLE, 1, 0, 0x07},
        Message{"BusDeviceReset", {0x0C}, MESSAGE_KIND_SIMPLE, 1, 0, 0x0C},
        // 12h .. 1Fh are reserved one-byte messages.
        Message{"ReservedOneByte", {0x1F}, MESSAGE_KIND_SIMPLE, 1, 0, 0x1F},
        Message{"SimpleTag", {0x20, 0xFE}, MESSAGE_KIND_TAG, 2, 0xFE, 0x20},
        Message{"HeadOfQueueTag", {0x21, 0x00}, MESSAGE_KIND_TAG, 2, 0x00, 0x21},
        Message{"OrderedTag", {0x22, 0xFF}, MESSAGE_KIND_TAG, 2, 0xFF, 0x22},
        Message{"IgnoreWideResidue", {0x23, 0x01}, MESSAGE_KIND_UNKNOWN, 2, 0x01, 0x23},
        Message{"ReservedTwoByte", {0x2F, 0x55}, MESSAGE_KIND_UNKNOWN, 2, 0x55, 0x2F},
        Message{"ReservedBehindTwoByte", {0x30}, MESSAGE_KIND_SIMPLE, 1, 0, 0x30},
        Message{"IdentifyWithDisconnect", {0xC3}, MESSAGE_KIND_IDENTIFY, 1, 0xC3, 0xC3},
        Message{"IdentifyLowest", {0x80}, MESSAGE_KIND_IDENTIFY, 1, 0x80, 0x80},
        Message{"JustBelowIdentify", {0x7F}, MESSAGE_KIND_SIMPLE, 1, 0, 0x7F},
        Message{"Synchronous", {1, 3, 1, 0x19, 0x0F}, MESSAGE_KIND_SYNCHRONOUS, 5, 0x190F, 1},
        Message{"Wide", {1, 2, 3, 1}, MESSAGE_KIND_WIDE, 4, 1, 3},
        Message{"LongTag", {1, 4, 0x80, 0x22, 0x12, 0x34}, MESSAGE_KIND_LONG_TAG, 6, 0x1234, 0x22},
        Message{"LongTagOfNoKind", {1, 4, 0x80, 0x23, 0, 1}, MESSAGE_KIND_UNKNOWN, 6, 0, 0x80},
        Message{"Deadline", {1, 5, 0x81, 0, 1, 0x86, 0xA0}, MESSAGE_KIND_DEADLINE, 7, 100000, 0x81},
        Message{"Urgency",
                {1, 8, 0x81, 0, 1, 0x86, 0xA0, 1, 200, 15},
                MESSAGE_KIND_URGENCY,
                10,
                100000,
                0x81},
        Message{"UrgencyOfNoClass",
                {1, 8, 0x81, 0, 0, 0, 1, 2, 0, 0},
                MESSAGE_KIND_UNKNOWN,
                10,
                0,
                0x81},
        Message{"UrgencyOfNoPriority",
                {1, 8, 0x81, 0, 0, 0, 1, 0, 0, 16},
                MESSAGE_KIND_UNKNOWN,
                10,
                0,
                0x81},
        Message{
            "UrgencyCutShort", {1, 7, 0x81, 0, 0, 0, 1, 0, 0}, MESSAGE_KIND_UNKNOWN, 9, 0, 0x81},
        Message{"SynchronousTooLong", {1, 4, 1, 0x19, 0x0F, 0}, MESSAGE_KIND_UNKNOWN, 6, 0, 1},
        Message{"ParallelProtocol", {1, 6, 4, 9, 0, 15, 1, 2}, MESSAGE_KIND_UNKNOWN, 8, 0, 4}),
    [](const auto& test_info) { return test_info.param.name; });

TEST_P(ScsiMessageTest, IsTakenApartAtItsLength) {
  const Message& c = GetParam();
  Bytes bytes = c.bytes;
  bytes.push_back(0xEE);  // another message follows
  const message message = message_next(bytes.data(), static_cast<uint32_t>(bytes.size()));
  EXPECT_EQ(message.kind, c.kind);
  EXPECT_EQ(message.size, c.size);
  EXPECT_EQ(message.value, c.value);
  EXPECT_EQ(message.code, c.code);
}

TEST_P(ScsiMessageTest, IsIncompleteUntilItsLastByte) {
  const Message& c = GetParam();
  for (uint32_t count = 0; count < c.size; ++count) {
    const message message = message_next(c.bytes.data(), count);
    EXPECT_EQ(message.kind, MESSAGE_KIND_INCOMPLETE) << count;
    EXPECT_GT(message.size, 0U) << count;
    // The parser never asks for more bytes than the message has: the initiator would have to send
    // another one.
    EXPECT_LE(message.size, c.size - count) << count;
  }
  EXPECT_NE(message_next(c.bytes.data(), c.size).kind, MESSAGE_KIND_INCOMPLETE);
}

// SCSI-2 6.5: an extended message length of 0 stands for 256.
TEST(ScsiMessage, ExtendedLengthZeroIs256) {
  const Bytes bytes = {1, 0};
  EXPECT_EQ(message_next(bytes.data(), 2).kind, MESSAGE_KIND_INCOMPLETE);
  EXPECT_EQ(message_next(bytes.data(), 2).size, 256U);
}

TEST(ScsiMessage, BuildersWriteTheStandardsBytes) {
  uint8_t bytes[MESSAGE_BYTES_MAX];
  const auto built = [&bytes](uint32_t count) { return Bytes(bytes, bytes + count); };
  EXPECT_EQ(built(message_put_identify(bytes, 5)), (Bytes{0x85}));  // targets leave bit 6 clear
  EXPECT_EQ(built(message_put_tag(bytes, 0xFE, false)), (Bytes{0x20, 0xFE}));
  EXPECT_EQ(built(message_put_tag(bytes, 0xFE, true)), (Bytes{1, 4, 0x80, 0x20, 0x00, 0xFE}));
  EXPECT_EQ(built(message_put_synchronous(bytes, 25, 15)), (Bytes{1, 3, 1, 25, 15}));
  EXPECT_EQ(built(message_put_wide(bytes, 1)), (Bytes{1, 2, 3, 1}));
}

struct Synchronous {
  uint8_t period, offset, answered_period, answered_offset, clocks;
};

// Clocks: the period in ns (4 ns units) in whole SoC clocks of 25 ns, rounded up so as never to be
// faster.
TEST(ScsiAgreement, SynchronousAnswerIsNeitherFasterNorDeeperThanOffered) {
  const Synchronous cases[] = {
      {0x19, 0x0F, 0x19, 0x0F, 4},   // 100 ns: the fastest
      {0x18, 0x0F, 0x19, 0x0F, 4},   // 96 ns: too fast
      {0x00, 0x01, 0x19, 0x01, 4},   // as fast as possible
      {0x1A, 0x0F, 0x1A, 0x0F, 5},   // 104 ns
      {0x1F, 0x08, 0x1F, 0x08, 5},   // 124 ns
      {0x20, 0x08, 0x20, 0x08, 6},   // 128 ns
      {0x32, 0x08, 0x32, 0x08, 8},   // 200 ns
      {0xFF, 0x01, 0xFF, 0x01, 41},  // 1020 ns
      {0x19, 0x10, 0x19, 0x0F, 4},   // one more than the drive has
      {0x19, 0xFF, 0x19, 0x0F, 4},   // unlimited
      {0x19, 0x00, 0x19, 0x00, 4},   // asynchronous
  };
  const agreement_limits limits = agreement_limits_of(16, 100, 15);
  for (const Synchronous& c : cases) {
    scsi_agreement agreement = {4, 0, true};
    uint8_t period = c.period;
    uint8_t offset = c.offset;
    agreement_synchronous(&limits, &agreement, &period, &offset);
    EXPECT_EQ(period, c.answered_period) << int{c.period};
    EXPECT_EQ(offset, c.answered_offset) << int{c.offset};
    EXPECT_EQ(agreement.period_clocks, c.clocks) << int{c.period};
    EXPECT_EQ(agreement.offset, c.answered_offset);
    EXPECT_TRUE(agreement.wide);  // untouched
  }
}

TEST(ScsiAgreement, WideEndsTheSynchronousAgreement) {
  const uint8_t cases[][2] = {{0, 0}, {1, 1}, {2, 1}, {0xFF, 1}};
  const agreement_limits limits = agreement_limits_of(16, 100, 15);
  for (const auto& c : cases) {
    scsi_agreement agreement = {4, 15, false};
    uint8_t exponent = c[0];
    agreement_wide(&limits, &agreement, &exponent);
    EXPECT_EQ(exponent, c[1]);
    EXPECT_EQ(agreement.wide, c[1] == 1);
    EXPECT_EQ(agreement.offset, 0);
  }
}

// Periods in units of 4 ns, rounded up. Speeds that the block does not support are no use to a
// faster interface.
TEST(ScsiAgreement, LimitsAreTheInterfacesOwn_AsFarAsTheBlockFollows) {
  struct Case {
    uint32_t width_bits, period_ns, offset;
    uint8_t period, answered_offset, exponent;
  };
  const Case cases[] = {
      {16, 100, 15, 25, 15, 1}, {8, 200, 7, 50, 7, 0},   {16, 25, 31, 25, 15, 1},
      {8, 201, 0, 51, 0, 0},    {8, 5000, 1, 255, 1, 0},
  };
  for (const Case& c : cases) {
    const agreement_limits limits = agreement_limits_of(c.width_bits, c.period_ns, c.offset);
    EXPECT_EQ(limits.period, c.period) << c.period_ns;
    EXPECT_EQ(limits.offset, c.answered_offset) << c.period_ns;
    EXPECT_EQ(limits.wide_exponent, c.exponent) << c.period_ns;
    scsi_agreement agreement = {4, 0, false};
    uint8_t exponent = 1;
    agreement_wide(&limits, &agreement, &exponent);
    EXPECT_EQ(exponent, c.exponent);
  }
}

}  // namespace
}  // namespace headstack::firmware
