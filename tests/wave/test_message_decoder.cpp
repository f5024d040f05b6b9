// SPDX-License-Identifier: Apache-2.0
// Messages among the bytes of the bus (SCSI-2 6.6), for waves.
#include <gtest/gtest.h>

#include <vector>

#include "host/wave/scsi_names.hpp"

namespace headstack::wave {
namespace {

struct Case {
  const char* what;
  std::vector<std::uint8_t> bytes;
  std::vector<unsigned> messages;
};

TEST(MessageDecoder, FindsWhereMessagesBegin) {
  constexpr unsigned kExtended = MessageDecoder::kExtended;
  const Case cases[] = {
      {"one byte each", {0x02, 0x04}, {0x02, 0x04}},
      {"every IDENTIFY is one", {0xC0, 0x87}, {0x80, 0x80}},
      {"a tag's number is no message", {0xC0, 0x20, 0x04, 0x00}, {0x80, 0x20, 0x00}},
      {"extended, named by its code",
       {0x01, 0x03, 0x01, 0x0C, 0x08, 0x08},
       {0x01, kExtended | 0x01, 0x08}},
      {"extended of one byte", {0x01, 0x01, 0x7F, 0x08}, {0x01, kExtended | 0x7F, 0x08}},
  };
  for (const Case& one : cases) {
    MessageDecoder decoder;
    std::vector<unsigned> messages;
    for (const std::uint8_t byte : one.bytes) {
      if (const auto message = decoder.byte(byte)) messages.push_back(*message);
    }
    EXPECT_EQ(messages, one.messages) << one.what;
  }
}

TEST(MessageDecoder, AnotherPhase_EndsWhatWasBegun) {
  MessageDecoder decoder;
  decoder.byte(0x20);
  decoder.end();
  EXPECT_EQ(decoder.byte(0x04), 0x04U);
}

}  // namespace
}  // namespace headstack::wave
