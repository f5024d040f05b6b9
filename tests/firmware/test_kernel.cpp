// The kernel: wire bytes, assertions.
#include <gtest/gtest.h>

#define FILE_ID FILE_ID_TEST
#include "firmware/events.h"
#include "firmware/kernel/assert.h"
#include "firmware/kernel/bytes.h"

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
