// SPDX-License-Identifier: Apache-2.0
// Check codes and hashes of the media store, against published values.

#include <gtest/gtest.h>

#include <string>

#include "sim/media/check_code.hpp"
#include "sim/media/fnv1a.hpp"
#include "sim/media/media_geometry.hpp"
#include "tests/unit/test_media_support.hpp"

namespace headstack::media {
namespace {

const Bytes kNineDigits = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};

TEST(MediaCheckCode, Crc32_GivesThePublishedCheckValue) {
  // "check" of CRC-32/ISO-HDLC in the catalogue of parametrised CRC algorithms.
  EXPECT_EQ(crc32_ieee(kNineDigits.data(), kNineDigits.size()), 0xCBF43926U);
}

TEST(MediaCheckCode, Crc32_OfNothingIsZero) {
  // The preset is all ones, and the result is complemented: ~~0.
  EXPECT_EQ(crc32_ieee(nullptr, 0), 0U);
}

TEST(MediaCheckCode, Crc32_FedInPiecesEqualsFedAtOnce) {
  for (std::size_t cut = 0; cut <= kNineDigits.size(); ++cut) {
    const std::uint32_t head = crc32_ieee(kNineDigits.data(), cut);
    EXPECT_EQ(crc32_ieee(kNineDigits.data() + cut, kNineDigits.size() - cut, head), 0xCBF43926U);
  }
}

TEST(MediaCheckCode, Crc32_OfDataAndItsOwnCodeIsTheResidue) {
  // The residue of CRC-32/ISO-HDLC is 0xDEBB20E3 (same catalogue), complemented as our result is.
  // The code follows the data there, least significant byte first.
  Bytes message = kNineDigits;
  for (int i = 0; i < 4; ++i) message.push_back(static_cast<std::uint8_t>(0xCBF43926U >> (8 * i)));
  EXPECT_EQ(crc32_ieee(message.data(), message.size()), ~0xDEBB20E3U);
}

TEST(MediaCheckCode, DefaultForFourBytes_IsCrc32BigEndian) {
  Bytes check(4);
  default_check_code(4)(kNineDigits.data(), kNineDigits.size(), check.data());
  EXPECT_EQ(check, (Bytes{0xCB, 0xF4, 0x39, 0x26}));
}

TEST(MediaCheckCode, Default_ExistsForFourAndZeroBytesOnly) {
  for (std::uint32_t bytes = 0; bytes <= kMaxCheckBytes; ++bytes) {
    EXPECT_EQ(static_cast<bool>(default_check_code(bytes)), bytes == 0 || bytes == 4) << bytes;
  }
}

TEST(MediaFnv1a, GivesThePublishedValues) {
  // draft-eastlake-fnv, test vectors of 64-bit FNV-1a.
  const struct {
    std::string text;
    std::uint64_t hash;
  } cases[] = {
      {"", 0xCBF29CE484222325ULL}, {"a", 0xAF63DC4C8601EC8CULL}, {"foobar", 0x85944171F73967E8ULL}};
  for (const auto& a_case : cases) {
    const Bytes bytes(a_case.text.begin(), a_case.text.end());
    Fnv1a64 hash;
    hash.add(bytes.data(), bytes.size());
    EXPECT_EQ(hash.value(), a_case.hash) << a_case.text;
  }
}

TEST(MediaFnv1a, NumberIsAddedAsLittleEndianBytes) {
  const Bytes bytes = {0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01};
  Fnv1a64 by_bytes;
  by_bytes.add(bytes.data(), bytes.size());
  Fnv1a64 by_number;
  by_number.add_u64(0x0102030405060708ULL);
  EXPECT_EQ(by_number.value(), by_bytes.value());
}

TEST(MediaGeometryCheck, Limits_AreAcceptedAndOneBeyondIsNamed) {
  const struct {
    MediaGeometry geometry;
    bool has_own_code;
    const char* named;  // the field that the message must name; null: no error
  } cases[] = {
      {{1, 1, 0}, false, nullptr},
      {{kMaxSectorCount, kMaxSectorBytes, kMaxCheckBytes}, true, nullptr},
      {{0, 512, 4}, false, "sector_count"},
      {{kMaxSectorCount + 1, 512, 4}, false, "sector_count"},
      {{1, 0, 4}, false, "sector_bytes"},
      {{1, kMaxSectorBytes + 1, 4}, false, "sector_bytes"},
      {{1, 512, kMaxCheckBytes + 1}, true, "check_bytes"},
      {{1, 512, 3}, false, "check_bytes"},
      {{1, 512, 5}, false, "check_bytes"},
      {{1, 512, 5}, true, nullptr},
  };
  for (const auto& a_case : cases) {
    const std::string error = find_geometry_error(a_case.geometry, a_case.has_own_code);
    if (a_case.named == nullptr) {
      EXPECT_EQ(error, "");
    } else {
      EXPECT_NE(error.find(a_case.named), std::string::npos) << error;
    }
  }
}

}  // namespace
}  // namespace headstack::media
