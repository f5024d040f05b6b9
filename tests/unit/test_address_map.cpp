// SPDX-License-Identifier: Apache-2.0
// Addresses on a drive of another size: each mapping at its edges.
#include <gtest/gtest.h>

#include "host/traces/address_map.hpp"

namespace headstack::traces {
namespace {

std::uint64_t mapped(const AddressMap& map, std::uint64_t lba, std::uint32_t blocks) {
  TraceRequest request;
  request.lba = lba;
  request.blocks = blocks;
  map.apply(request);
  EXPECT_EQ(request.blocks, blocks);
  return request.lba;
}

TEST(AddressMap, None_ChangesNothing) {
  EXPECT_EQ(mapped({AddressMapping::kNone, 0, 0}, 123'456, 8), 123'456U);
}

TEST(AddressMap, Fold_IsModulo_AndTheLastRequestEndsAtTheEnd) {
  const AddressMap map(AddressMapping::kFold, 1000, 0);
  EXPECT_EQ(mapped(map, 999, 1), 999U);
  EXPECT_EQ(mapped(map, 1000, 1), 0U);
  EXPECT_EQ(mapped(map, 5992, 8), 992U);  // ends at the end
  EXPECT_EQ(mapped(map, 5993, 8), 992U);  // would reach one past it
  EXPECT_EQ(mapped(map, 5993, 1000), 0U);
}

TEST(AddressMap, Scale_KeepsOrderAndEnds) {
  const AddressMap map(AddressMapping::kScale, 1000, 3000);
  EXPECT_EQ(mapped(map, 0, 1), 0U);
  EXPECT_EQ(mapped(map, 2999, 1), 999U);  // floor(999.67)
  EXPECT_EQ(mapped(map, 1499, 1), 499U);  // floor(499.67)
  EXPECT_EQ(mapped(map, 2999, 30), 970U);
}

TEST(AddressMap, Scale_KeepsPagesOnPages) {
  const AddressMap map(AddressMapping::kScale, 1000, 3000);
  EXPECT_EQ(mapped(map, 1496, 8), 496U);  // floor(498.67), then down to a multiple of 8
  EXPECT_EQ(mapped(map, 1497, 8), 499U);  // was on no page
  EXPECT_EQ(mapped(map, 2992, 16), 984U);
}

TEST(AddressMap, Scale_IsExactWhereDoubleIsNot) {
  // (2^48 - 1) * (2^48 - 3) / (2^48 - 1) has no rounding in 128 bits.
  const std::uint64_t end = (std::uint64_t{1} << 48) - 1;
  const AddressMap map(AddressMapping::kScale, end - 2, end);
  EXPECT_EQ(mapped(map, end - 1, 1), end - 3 - 0U);
}

TEST(AddressMap, Scale_PastTheEndItWasTold_IsAnError) {
  const AddressMap map(AddressMapping::kScale, 1000, 3000);
  TraceRequest request;
  request.lba = 3000;
  request.blocks = 1;
  EXPECT_THROW(map.apply(request), TraceError);
}

TEST(AddressMap, Flush_HasNoAddress) {
  TraceRequest request;
  request.operation = Operation::kFlush;
  AddressMap(AddressMapping::kScale, 10, 20).apply(request);
  EXPECT_EQ(request.lba, 0U);
}

TEST(AddressMap, NoCapacity_OrNoEnd_IsRefused) {
  EXPECT_THROW(AddressMap(AddressMapping::kFold, 0, 0), std::invalid_argument);
  EXPECT_THROW(AddressMap(AddressMapping::kScale, 10, 0), std::invalid_argument);
}

}  // namespace
}  // namespace headstack::traces
