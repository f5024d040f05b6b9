// SPDX-License-Identifier: Apache-2.0
// READ BUFFER and WRITE BUFFER (SPC-2 7.13, 7.26): modes, buffers, offsets and lengths, and the
// statuses for the core's answers. A part has at most 1,024 bytes, the drive's room for data of a
// command.
#include <algorithm>
#include <random>

#include "tests/firmware/scsi_fixture.hpp"

namespace headstack::firmware {
namespace {

constexpr uint8_t kData = 2, kDescriptor = 3;
constexpr uint8_t kMap = 0x01, kLocations = 0x10, kUnknown = 0x77;
constexpr uint32_t kRoom = 1024;
constexpr uint32_t kMapBytes = 0x1234, kLocationBytes = 2600;

class ScsiBufferTest : public ScsiFixture {
 protected:
  void SetUp() override {
    ScsiFixture::SetUp();
    make_ready();
    std::mt19937 random(13);
    for (const auto& [id, bytes] : {std::pair{kMap, kMapBytes}, {kLocations, kLocationBytes}}) {
      Bytes& buffer = core_.buffers[id];
      while (buffer.size() < bytes) buffer.push_back(static_cast<uint8_t>(random()));
    }
  }

  static Bytes cdb(uint8_t operation, uint8_t mode, uint8_t id, uint32_t offset, uint32_t length) {
    const auto byte = [](uint32_t value, unsigned shift) {
      return static_cast<uint8_t>(value >> shift);
    };
    return {operation,
            mode,
            id,
            byte(offset, 16),
            byte(offset, 8),
            byte(offset, 0),
            byte(length, 16),
            byte(length, 8),
            byte(length, 0),
            0};
  }
  // The data in hex, or sense and field pointer: "5/24/00 at 3".
  std::string read(uint8_t mode, uint8_t id, uint32_t offset, uint32_t length) {
    if (execute(cdb(0x3C, mode, id, offset, length)) == COMMAND_DONE) return hex(reply());
    return complaint();
  }
  // "GOOD", "BUSY", "QUEUE FULL", or the sense.
  std::string write(uint8_t mode, uint8_t id, uint32_t offset, const Bytes& data,
                    task_attribute attribute = TASK_SIMPLE) {
    const auto length = static_cast<uint32_t>(data.size());
    command_result result = execute(cdb(0x3B, mode, id, offset, length), kHost, attribute);
    if (result == COMMAND_NEEDS_DATA) {
      EXPECT_EQ(command_.data_count, length);
      result = finish(data);
    }
    switch (result) {
      case COMMAND_DONE: return "GOOD";
      case COMMAND_BUSY: return "BUSY";
      case COMMAND_QUEUE_FULL: return "QUEUE FULL";
      default: return complaint();
    }
  }
  std::string complaint() const {
    const bool is_cdb = command_.sense.detail == SENSE_DETAIL_CDB_FIELD;
    EXPECT_TRUE(is_cdb || command_.sense.detail == SENSE_DETAIL_PARAMETER_FIELD);
    return sense_text() + (is_cdb ? " at " : " in data at ") + std::to_string(command_.sense.value);
  }
  // Bytes of a buffer, as READ BUFFER sends them.
  std::string part(uint8_t id, uint32_t offset, uint32_t count) {
    const Bytes& all = core_.buffers.at(id);
    return hex(Bytes(all.begin() + offset, all.begin() + offset + count));
  }
};

// ---- READ BUFFER, descriptor mode (SPC-2 7.13.5)

// The offset boundary is 1, which means multiples of 2; the capacity has three bytes.
TEST_F(ScsiBufferTest, Descriptor_HasBoundaryAndCapacity) {
  EXPECT_EQ(read(kDescriptor, kMap, 0, 4), "01 00 12 34");
  EXPECT_EQ(read(kDescriptor, kLocations, 0, 4), "01 00 0A 28");
  core_.buffers[kMap].resize(0x018000);  // pairs of groups have as many
  EXPECT_EQ(read(kDescriptor, kMap, 0, 255), "01 01 80 00") << "four bytes, whatever the length";
  EXPECT_EQ(read(kDescriptor, kMap, 0, 2), "01 01");
  EXPECT_EQ(read(kDescriptor, kMap, 0, 0), "");
}

TEST_F(ScsiBufferTest, Descriptor_OfNoBuffer_IsAllZeros) {
  EXPECT_EQ(read(kDescriptor, kUnknown, 0, 4), "00 00 00 00");
  core_.buffers[kMap].clear();  // a drive without a map
  EXPECT_EQ(read(kDescriptor, kMap, 0, 4), "00 00 00 00");
}

// The offset is reserved.
TEST_F(ScsiBufferTest, Descriptor_HasNoOffset) {
  for (const uint32_t offset : {1U, 2U, 0x10000U}) {
    EXPECT_EQ(read(kDescriptor, kMap, offset, 4), "5/24/00 at 3");
    EXPECT_EQ(read(kDescriptor, kUnknown, offset, 4), "5/24/00 at 3");
  }
}

// ---- READ BUFFER, data mode (SPC-2 7.13.4)

TEST_F(ScsiBufferTest, Read_SendsTheLesserOfLengthAndBuffer) {
  EXPECT_EQ(read(kData, kMap, 0, 16), part(kMap, 0, 16));
  EXPECT_EQ(read(kData, kMap, 2, 16), part(kMap, 2, 16));
  EXPECT_EQ(read(kData, kLocations, 0, 16), part(kLocations, 0, 16));
  EXPECT_EQ(read(kData, kMap, 0, 0), "") << "no data is no error";
  EXPECT_EQ(read(kData, kMap, 8, 1), part(kMap, 8, 1));
  EXPECT_EQ(read(kData, kMap, 8, 7), part(kMap, 8, 7)) << "cut by the allocation length only";
  // The last bytes of the buffer.
  EXPECT_EQ(read(kData, kLocations, kLocationBytes - 2, 2),
            part(kLocations, kLocationBytes - 2, 2));
  EXPECT_EQ(read(kData, kLocations, kLocationBytes - 2, 3),
            part(kLocations, kLocationBytes - 2, 2));
  EXPECT_EQ(read(kData, kLocations, kLocationBytes - 2, 0xFFFFFF),
            part(kLocations, kLocationBytes - 2, 2));
}

TEST_F(ScsiBufferTest, Read_HasAtMostTheRoomForACommand) {
  for (const uint32_t length : {kRoom - 1, kRoom, kRoom + 1, 0xFFFFFFU}) {
    EXPECT_EQ(read(kData, kMap, 0, length), part(kMap, 0, std::min(length, kRoom))) << length;
    EXPECT_EQ(read(kData, kMap, 0x200, length), part(kMap, 0x200, std::min(length, kRoom)));
  }
}

TEST_F(ScsiBufferTest, Read_OddOrBeyondTheEnd_IsAnInvalidOffset) {
  for (const uint32_t offset : {1U, 3U, kLocationBytes - 1, kLocationBytes, kLocationBytes + 1,
                                kLocationBytes + 2, 0x10000U, 0xFFFFFEU, 0xFFFFFFU}) {
    EXPECT_EQ(read(kData, kLocations, offset, 2), "5/24/00 at 3") << offset;
    EXPECT_EQ(read(kData, kLocations, offset, 0), "5/24/00 at 3") << offset;
  }
}

TEST_F(ScsiBufferTest, Read_OfAnUnknownBuffer_IsAnInvalidField) {
  EXPECT_EQ(read(kData, kUnknown, 0, 2), "5/24/00 at 2");
  EXPECT_EQ(read(kData, kUnknown, 1, 2), "5/24/00 at 2") << "of two wrong fields the first";
  core_.buffers[kMap].clear();
  EXPECT_EQ(read(kData, kMap, 0, 2), "5/24/00 at 2");
}

// The parts of random lengths, one after the other, make up the buffer.
TEST_F(ScsiBufferTest, RandomParts_AreTheBuffer) {
  std::mt19937 random(714);
  for (int round = 0; round < 20; ++round) {
    Bytes all;
    while (all.size() < kMapBytes) {
      const uint32_t length = random() % 3 == 0 ? 2 * (random() % 1000) : 2 + 2 * (random() % 40);
      ASSERT_EQ(execute(cdb(0x3C, kData, kMap, static_cast<uint32_t>(all.size()), length)),
                COMMAND_DONE);
      const Bytes got = reply();
      const auto left = static_cast<uint32_t>(kMapBytes - all.size());
      ASSERT_EQ(got.size(), std::min({length, left, kRoom}));
      all.insert(all.end(), got.begin(), got.end());
    }
    ASSERT_EQ(all, core_.buffers.at(kMap));
  }
}

// ---- WRITE BUFFER, data mode (SPC-2 7.26)

TEST_F(ScsiBufferTest, Write_ReachesTheCoreAsItIs) {
  Bytes wanted = core_.buffers.at(kMap);
  const std::pair<uint32_t, uint32_t> parts[] = {{0, 2}, {2, kRoom}, {kMapBytes - 6, 6}};
  for (const auto& [offset, count] : parts) {
    Bytes data(count);
    for (uint32_t i = 0; i < count; ++i) data[i] = static_cast<uint8_t>(offset + 3 * i + 1);
    EXPECT_EQ(write(kData, kMap, offset, data), "GOOD");
    std::copy(data.begin(), data.end(), wanted.begin() + offset);
    const auto& last = core_.buffer_writes.back();
    EXPECT_EQ(last.id, kMap);
    EXPECT_EQ(last.offset, offset);
    EXPECT_EQ(last.count, count);
  }
  EXPECT_EQ(core_.buffer_writes.size(), std::size(parts));
  EXPECT_EQ(core_.buffers.at(kMap), wanted);
  EXPECT_EQ(read(kData, kMap, 2, kRoom), part(kMap, 2, kRoom));
}

// A length of 0 is no error, for any buffer and offset.
TEST_F(ScsiBufferTest, Write_OfNothing_IsGood) {
  EXPECT_EQ(write(kData, kMap, 0, {}), "GOOD");
  EXPECT_EQ(write(kData, kUnknown, 3, {}), "GOOD");
  EXPECT_TRUE(core_.buffer_writes.empty());
}

// Odd or too long writes are refused without a data phase, and the core is not called.
TEST_F(ScsiBufferTest, Write_OddOrTooLong_IsAnInvalidField) {
  EXPECT_EQ(write(kData, kMap, 1, Bytes(2)), "5/24/00 at 3");
  EXPECT_EQ(write(kData, kMap, 0xFFFFFF, Bytes(2)), "5/24/00 at 3");
  EXPECT_EQ(write(kData, kMap, 0, Bytes(1)), "5/24/00 at 6");
  EXPECT_EQ(write(kData, kMap, 0, Bytes(kRoom - 1)), "5/24/00 at 6");
  EXPECT_EQ(write(kData, kMap, 0, Bytes(kRoom + 1)), "5/24/00 at 6");
  EXPECT_EQ(write(kData, kMap, 0, Bytes(kRoom + 2)), "5/24/00 at 6");
  EXPECT_EQ(write(kData, kMap, 1, Bytes(1)), "5/24/00 at 3") << "of two wrong fields the first";
  EXPECT_EQ(execute(cdb(0x3B, kData, kMap, 0, 0x10002)), COMMAND_CHECK);
  EXPECT_EQ(complaint(), "5/24/00 at 6");
  EXPECT_TRUE(core_.buffer_writes.empty());
  EXPECT_EQ(write(kData, kMap, 0, Bytes(kRoom)), "GOOD");
}

// BUSY and QUEUE FULL ask the host to send the command again (SCSI-2 7.3). It is the drive's rule
// that a tagged command gets QUEUE FULL (docs/bus.md).
TEST_F(ScsiBufferTest, Write_EndsWithTheCoresStatus) {
  const Bytes data = {0, 1, 0, 2, 0, 3};
  const Bytes before = core_.buffers.at(kMap);
  core_.buffer_bad = 4;
  core_.buffer_answer = BUFFER_NO_SUCH;
  EXPECT_EQ(write(kData, kUnknown, 2, data), "5/24/00 at 2");
  core_.buffer_answer = BUFFER_BAD_OFFSET;
  EXPECT_EQ(write(kData, kMap, 2, data), "5/24/00 at 3");
  core_.buffer_answer = BUFFER_BUSY;
  EXPECT_EQ(write(kData, kMap, 2, data, TASK_UNTAGGED), "BUSY");
  EXPECT_EQ(write(kData, kMap, 2, data), "QUEUE FULL");
  core_.buffer_answer = BUFFER_BAD_BYTES;
  for (const uint32_t bad : {0U, 4U}) {
    core_.buffer_bad = bad;
    EXPECT_EQ(write(kData, kMap, 2, data), "5/26/00 in data at " + std::to_string(bad));
  }
  EXPECT_EQ(core_.buffer_writes.size(), 6U);
  EXPECT_EQ(core_.buffers.at(kMap), before);
  core_.buffer_answer = BUFFER_TAKEN;
  EXPECT_EQ(write(kData, kMap, 2, data), "GOOD");
}

// ---- modes

// READ BUFFER has data and descriptors, WRITE BUFFER data. All other modes of SPC-2 7.13 and 7.26
// are an invalid field, before any other.
TEST_F(ScsiBufferTest, OtherModes_AreAnInvalidField) {
  for (uint8_t mode = 0; mode < 16; ++mode) {
    SCOPED_TRACE(int{mode});
    if (mode != kData && mode != kDescriptor) {
      EXPECT_EQ(read(mode, kMap, 0, 4), "5/24/00 at 1");
      EXPECT_EQ(read(mode, kUnknown, 1, 4), "5/24/00 at 1");
    }
    if (mode == kData) continue;
    EXPECT_EQ(write(mode, kMap, 0, Bytes(4)), "5/24/00 at 1");
    EXPECT_EQ(write(mode, kMap, 1, {}), "5/24/00 at 1") << "no data, too";
  }
  EXPECT_TRUE(core_.buffer_writes.empty());
}

// The commands over the bus: the phases of each, and no data phase for a wrong field.
TEST_F(ScsiBufferTest, OverTheBus) {
  core_.buffers[kMap] = {0, 2, 0, 1, 0, 0};
  EXPECT_EQ(hex([&] {
              connect({0x80}, cdb(0x3C, kData, kMap, 2, 255));
              return last_data_in();
            }()),
            "00 01 00 00");
  bus_.data_out = {0, 0, 0, 2};
  connect({0x80}, cdb(0x3B, kData, kMap, 0, 4));
  EXPECT_TRUE(bus_.data_out.empty());
  EXPECT_EQ(hex(core_.buffers.at(kMap)), "00 00 00 02 00 00");
  bus_.data_out = {0, 1};
  connect({0x80}, cdb(0x3B, kData, kMap, 1, 2));
  EXPECT_EQ(bus_.data_out.size(), 2U) << "refused before the data";
  EXPECT_EQ(request_sense(), "5/24/00");
}

}  // namespace
}  // namespace headstack::firmware
