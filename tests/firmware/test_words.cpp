// SPDX-License-Identifier: Apache-2.0
// The kernel's words: their bits, their bytes on the wire, their arithmetic, and the statuses that
// mean success.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

#include "firmware/kernel/status.h"
#include "tests/firmware/words_probe.h"

namespace headstack {
namespace {

TEST(Bits, LoneBit_HasItsNumber) {
  for (std::uint32_t bit = 0; bit < 32; ++bit) {
    EXPECT_EQ(probe_bits_lowest(1U << bit), bit);
    EXPECT_EQ(probe_bits_highest(1U << bit), bit);
  }
}

TEST(Bits, TwoBits_OneIsTheLowest_AndOneTheHighest) {
  for (std::uint32_t high = 1; high < 32; ++high) {
    for (std::uint32_t low = 0; low < high; ++low) {
      const std::uint32_t ends = 1U << high | 1U << low;
      EXPECT_EQ(probe_bits_lowest(ends), low);
      EXPECT_EQ(probe_bits_highest(ends), high);
      const std::uint32_t between = (1U << high) - (1U << low);
      EXPECT_EQ(probe_bits_lowest(ends | between), low);
      EXPECT_EQ(probe_bits_highest(ends | between), high);
    }
  }
}

TEST(Bytes, Get_ReadsTheWireOrder) {
  const std::uint8_t wire[] = {0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0};
  EXPECT_EQ(probe_get_be16(wire), 0x1234U);
  EXPECT_EQ(probe_get_be24(wire), 0x123456U);
  EXPECT_EQ(probe_get_be32(wire), 0x12345678U);
  EXPECT_EQ(probe_get_be64(wire), 0x123456789ABCDEF0U);
  EXPECT_EQ(probe_get_le16(wire), 0x3412U);
  EXPECT_EQ(probe_get_le32(wire), 0x78563412U);
}

TEST(Bytes, Put_StoresTheWireOrder_AndNothingBeside) {
  const auto stored = [](auto put, std::size_t from) {
    std::vector<std::uint8_t> bytes(12, 0xEE);
    put(bytes.data() + from);
    return bytes;
  };
  using Bytes = std::vector<std::uint8_t>;
  EXPECT_EQ(stored([](auto* at) { probe_put_be16(at, 0x1234); }, 5),
            (Bytes{0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0x12, 0x34, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE}));
  EXPECT_EQ(stored([](auto* at) { probe_put_be24(at, 0x123456); }, 4),
            (Bytes{0xEE, 0xEE, 0xEE, 0xEE, 0x12, 0x34, 0x56, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE}));
  EXPECT_EQ(stored([](auto* at) { probe_put_be32(at, 0x12345678); }, 4),
            (Bytes{0xEE, 0xEE, 0xEE, 0xEE, 0x12, 0x34, 0x56, 0x78, 0xEE, 0xEE, 0xEE, 0xEE}));
  EXPECT_EQ(stored([](auto* at) { probe_put_be64(at, 0x123456789ABCDEF0); }, 2),
            (Bytes{0xEE, 0xEE, 0x12, 0x34, 0x56, 0x78, 0x9A, 0xBC, 0xDE, 0xF0, 0xEE, 0xEE}));
  EXPECT_EQ(stored([](auto* at) { probe_put_le16(at, 0x1234); }, 5),
            (Bytes{0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0x34, 0x12, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE}));
  EXPECT_EQ(stored([](auto* at) { probe_put_le32(at, 0x12345678); }, 4),
            (Bytes{0xEE, 0xEE, 0xEE, 0xEE, 0x78, 0x56, 0x34, 0x12, 0xEE, 0xEE, 0xEE, 0xEE}));
}

TEST(Bytes, CopyAndFill_ChangeOnlyTheirBytes) {
  const std::uint8_t from[] = {1, 2, 3, 4, 5};
  std::vector<std::uint8_t> to = {9, 9, 9, 9, 9};
  probe_copy(to.data() + 1, from + 1, 3);
  EXPECT_EQ(to, (std::vector<std::uint8_t>{9, 2, 3, 4, 9}));
  probe_fill(to.data() + 1, 7, 3);
  EXPECT_EQ(to, (std::vector<std::uint8_t>{9, 7, 7, 7, 9}));
  probe_copy(to.data(), from, 0);
  probe_fill(to.data() + 4, 1, 0);
  EXPECT_EQ(to, (std::vector<std::uint8_t>{9, 7, 7, 7, 9}));
}

TEST(Arithmetic, HighWord_IsTheProductsUpperHalf) {
  EXPECT_EQ(probe_multiply_high(0xFFFFFFFF, 0xFFFFFFFF), 0xFFFFFFFEU);
  EXPECT_EQ(probe_multiply_high(0x10000, 0xFFFF), 0U);
  EXPECT_EQ(probe_multiply_high(0x10000, 0x10000), 1U);
}

// Header: for any n and any divisor from 1 on. A quotient changes at a multiple of the divisor.
TEST(Arithmetic, QuotientByReciprocal_IsThatOfTheDivision) {
  for (const std::uint32_t divisor :
       {1U, 2U, 3U, 7U, 334U, 0x7FFFFFFFU, 0x80000000U, 0xFFFFFFFFU}) {
    const std::uint32_t reciprocal = 0xFFFFFFFFU / divisor;
    const std::uint32_t last = 0xFFFFFFFFU / divisor * divisor;
    for (const std::uint32_t n : {0U, divisor - 1, divisor, last - 1, last, 0xFFFFFFFFU}) {
      EXPECT_EQ(probe_divide_by_reciprocal(n, divisor, reciprocal), n / divisor)
          << n << " by " << divisor;
    }
  }
}

TEST(Arithmetic, Distance_HasNoSign) {
  EXPECT_EQ(probe_distance(5, 3), 2U);
  EXPECT_EQ(probe_distance(3, 5), 2U);
  EXPECT_EQ(probe_distance(4, 4), 0U);
  EXPECT_EQ(probe_distance(0, 0xFFFFFFFF), 0xFFFFFFFFU);
}

// Header: success is STATUS_OK, and the statuses below "Done, after errors that were recovered".
TEST(Status, RecoveredIsDone_AndNothingElse) {
  const std::set<int> done = {STATUS_OK,         STATUS_READ_RECOVERED,  STATUS_READ_MOVED,
                              STATUS_READ_STAYS, STATUS_WRITE_RECOVERED, STATUS_WRITE_MOVED};
  for (int status = 0; status < STATUS_COUNT; ++status) {
    EXPECT_EQ(probe_status_is_done(status) != 0, done.count(status) == 1) << status;
  }
}

}  // namespace
}  // namespace headstack
