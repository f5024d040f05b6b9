// SPDX-License-Identifier: Apache-2.0
// READ DEFECT DATA (SCSI-2 9.2.8; the 12-byte form SBC-2 5.13): lists that are longer than the
// drive's room for data, which comes in pieces.
#include "tests/firmware/scsi_fixture.hpp"

namespace headstack::firmware {
namespace {

constexpr uint32_t kDescriptorBytes = 8;
constexpr uint8_t kPrimary = 0x10, kGrown = 0x08, kPhysicalSector = 5;

class ScsiDefectDataTest : public ScsiBusFixture {
 protected:
  /// All data of a command.
  Bytes data_of(const Bytes& cdb) {
    Bytes all;
    for (const std::string& line : connect({0xC0}, cdb)) {
      if (line.rfind("DI ", 0) != 0) continue;
      const Bytes piece = parse_hex(line.substr(3));
      all.insert(all.end(), piece.begin(), piece.end());
    }
    return all;
  }
  /// Table 110: cylinder, head, sector.
  static void append(Bytes& data, const defect_place& at) {
    for (const unsigned shift : {16, 8, 0}) {
      data.push_back(static_cast<uint8_t>(at.cylinder >> shift));
    }
    data.push_back(static_cast<uint8_t>(at.head));
    for (const unsigned shift : {24, 16, 8, 0}) {
      data.push_back(static_cast<uint8_t>(at.sector >> shift));
    }
  }
};

// On both sides of what fits: 1,024 bytes with the header, and pieces after them.
TEST_F(ScsiDefectDataTest, AListOfAnyLength_IsWhole) {
  for (const std::size_t header : {4U, 8U}) {
    for (const uint32_t count : {0U, 126U, 127U, 128U, 129U, 255U, 256U, 400U}) {
      SCOPED_TRACE(testing::Message() << header << ' ' << count);
      core_.primary.clear();
      core_.grown.clear();
      const uint32_t bytes = count * kDescriptorBytes;
      Bytes expected(header);
      expected[1] = kPrimary | kGrown | kPhysicalSector;
      expected[header - 2] = static_cast<uint8_t>(bytes >> 8);
      expected[header - 1] = static_cast<uint8_t>(bytes);
      for (uint32_t i = 0; i < count; ++i) {
        const defect_place at = {DEFECT_TRACK, 70'000 + i, i % 4, 1'000 + 3 * i, 0};
        (i < count / 2 ? core_.primary : core_.grown).push_back(at);
        append(expected, at);
      }
      const uint8_t lists = kPrimary | kGrown | kPhysicalSector;
      const Bytes ten = {0x37, 0, lists, 0, 0, 0, 0, 0xFF, 0xFF, 0};
      const Bytes twelve = {0xB7, lists, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0};
      EXPECT_TRUE(data_of(header == 4 ? ten : twelve) == expected);
    }
  }
}

}  // namespace
}  // namespace headstack::firmware
