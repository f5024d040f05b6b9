// SPDX-License-Identifier: Apache-2.0
// Packets of the remote protocol: GDB manual, "Remote Protocol", Overview.
#include "host/debug/packet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace headstack::debug {
namespace {

using Kind = PacketReader::Kind;
using testing::ElementsAre;

/// All items in a text: packets as their payloads, others as a word in angle brackets.
std::vector<std::string> items(PacketReader& reader) {
  std::vector<std::string> result;
  while (const auto item = reader.next()) {
    switch (item->kind) {
      case Kind::kPacket: result.push_back(item->payload); break;
      case Kind::kInterrupt: result.emplace_back("<interrupt>"); break;
      case Kind::kReceived: result.emplace_back("<+>"); break;
      case Kind::kNotReceived: result.emplace_back("<->"); break;
      case Kind::kDamaged: result.emplace_back("<damaged>"); break;
      case Kind::kForeign: result.push_back("<foreign " + item->payload + ">"); break;
    }
  }
  return result;
}

std::vector<std::string> items(std::string_view bytes) {
  PacketReader reader;
  reader.feed(bytes);
  return items(reader);
}

// The sums are those of the manual's definition: 'g' is 67h, "OK" 4Fh + 4Bh = 9Ah.
TEST(Packet, WholePacket_IsItsPayload) {
  EXPECT_THAT(items("$g#67"), ElementsAre("g"));
  EXPECT_THAT(items("+$OK#9a$g#67-"), ElementsAre("<+>", "OK", "g", "<->"));
  EXPECT_THAT(items("$#00"), ElementsAre("")) << "the empty packet is one";
}

TEST(Packet, SumInEitherCase_IsGood) { EXPECT_THAT(items("$OK#9A"), ElementsAre("OK")); }

TEST(Packet, PacketInPieces_ComesWithItsLastByte) {
  const std::string bytes = "$qSupported#37";
  PacketReader reader;
  for (std::size_t i = 0; i + 1 < bytes.size(); ++i) {
    reader.feed(bytes.substr(i, 1));
    EXPECT_THAT(items(reader), ElementsAre()) << "byte " << i;
  }
  reader.feed(bytes.substr(bytes.size() - 1));
  EXPECT_THAT(items(reader), ElementsAre("qSupported"));
}

TEST(Packet, WrongSum_IsDamaged) {
  EXPECT_THAT(items("$g#66$g#67"), ElementsAre("<damaged>", "g"));
  EXPECT_THAT(items("$g#6x$g#67"), ElementsAre("<damaged>", "g"));
}

TEST(Packet, PacketBrokenOffByAnother_IsDamaged) {
  EXPECT_THAT(items("$m0,1$g#67"), ElementsAre("<damaged>", "g"));
  EXPECT_THAT(items("$m0,1#$g#67"), ElementsAre("<damaged>", "g"));
  EXPECT_THAT(items("$m0,1#6$g#67"), ElementsAre("<damaged>", "g"));
}

TEST(Packet, Interrupt_IsSeenBetweenPackets) {
  EXPECT_THAT(items("\x03$g#67\x03"), ElementsAre("<interrupt>", "g", "<interrupt>"));
}

// `}` and the byte XORed with 20h stand for the byte.
TEST(Packet, EscapedBytes_AreTheBytes) {
  PacketReader reader;
  const std::string payload("X0,4:$#}*\x03\x00z", 12);
  reader.feed(frame(payload));
  EXPECT_THAT(items(reader), ElementsAre(payload));
  EXPECT_EQ(frame("}"), "$}]#da") << "7Dh XOR 20h is 5Dh, and 7Dh + 5Dh is DAh";
}

TEST(Packet, LongestPayload_IsTaken_OneMoreIsDamaged) {
  PacketReader reader;
  reader.feed(frame(std::string(kPacketBytes, 'a')));
  EXPECT_EQ(reader.next()->payload.size(), kPacketBytes);
  reader.feed(frame(std::string(kPacketBytes + 1, 'a')));
  EXPECT_EQ(reader.next()->kind, Kind::kDamaged);
  reader.feed(std::string("$") + std::string(3 * kPacketBytes, 'a'));
  EXPECT_EQ(reader.next()->kind, Kind::kDamaged) << "and it is not kept for ever";
  EXPECT_FALSE(reader.next());
}

TEST(Packet, Numbers_EndWhereTheirDigitsDo) {
  std::string_view text = "1f,20:x";
  EXPECT_EQ(take_number(text), 0x1FU);
  EXPECT_TRUE(take(text, ","));
  EXPECT_EQ(take_number(text), 0x20U);
  EXPECT_EQ(text, ":x");
  EXPECT_FALSE(take_number(text)) << "no digit";
  text = "ffffffffffffffff";
  EXPECT_EQ(take_number(text), ~std::uint64_t{0});
  text = "10000000000000000";
  EXPECT_FALSE(take_number(text)) << "one digit more than 64 bits have";
}

TEST(Packet, Hexadecimal_GoesBothWays) {
  EXPECT_EQ(to_hex(std::uint64_t{0x12345678}, 4), "78563412") << "low byte first, as in memory";
  EXPECT_EQ(from_hex("4f4B"), "OK");
  EXPECT_FALSE(from_hex("4f4"));
  EXPECT_FALSE(from_hex("4g"));
}

// GDB manual, "Remote Protocol", Overview: between packets come `+`, `-` and 03h. A caller
// that sends another byte does not speak this protocol, and its next bytes are no packet.
TEST(Packet, AnyOtherByteOutsideOfAPacket_IsTheLastThing) {
  for (int byte = 0; byte < 256; ++byte) {
    const auto character = static_cast<char>(byte);
    const bool is_ours = character == '+' || character == '-' || character == '$' || byte == 3;
    if (is_ours) continue;
    for (const std::string before : {"", "+", "-", "\x03", "$g#67", "$g#66"}) {
      PacketReader reader;
      reader.feed(before + character + frame("k"));
      const std::vector<std::string> found = items(reader);
      ASSERT_FALSE(found.empty());
      EXPECT_EQ(found.size(), before.empty() ? 1U : 2U) << byte;
      EXPECT_EQ(found.back(), "<foreign " + std::string(1, character) + ">") << byte;
      reader.feed(frame("k"));
      EXPECT_THAT(items(reader), ElementsAre()) << byte;
    }
  }
}

// A debugger's bytes cannot hold up a run: 4 MB at quadratic cost would be a quarter of an hour.
TEST(Packet, MuchOfAnything_TakesNoLongerForEachByte) {
  constexpr std::size_t kBytes = 4U << 20;
  for (const std::string unit : {"+", "$", "$g#67", "\x03", "$aaaaaaaaaaaaaaa"}) {
    std::string bytes;
    while (bytes.size() < kBytes) bytes += unit;
    for (const std::size_t piece : {bytes.size(), std::size_t{4096}}) {
      PacketReader reader;
      std::size_t count = 0;
      for (std::size_t at = 0; at < bytes.size(); at += piece) {
        reader.feed(std::string_view(bytes).substr(at, piece));
        while (reader.next()) ++count;
      }
      EXPECT_GE(count, kBytes / unit.size() - 1) << unit;
    }
  }
}

// For any bytes the reader ends, and keeps no more than a packet. The next good packet is found,
// unless the bytes were no debugger's.
TEST(Packet, MutatedBytes_NeverStopTheReader) {
  constexpr std::uint32_t kSeed = 20'260'801;
  std::mt19937 random(kSeed);
  const std::string good = frame("m80,20") + "+" + frame("Z0,42d0,2") + "\x03" +
                           frame("vCont;c:p1.-1") + frame("qRcmd,7175657565");
  for (int round = 0; round < 20'000; ++round) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", round " << round);
    std::string bytes = good;
    for (unsigned change = 0; change <= random() % 4; ++change) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 3) {
        case 0: bytes[at] = static_cast<char>(random()); break;
        case 1: bytes.erase(at, 1 + random() % 5); break;
        default: bytes.insert(at, 1, static_cast<char>(random())); break;
      }
    }
    PacketReader reader;
    bool found = false;
    for (std::size_t at = 0; at < bytes.size(); at += 7) {
      reader.feed(std::string_view(bytes).substr(at, 7));
      for (const std::string& item : items(reader)) {
        ASSERT_LE(item.size(), bytes.size() + std::string("<foreign >").size());
        found = found || item.rfind("<foreign", 0) == 0;
      }
    }
    // Debuggers repeat a packet without an answer.
    for (int again = 0; again < 3 && !found; ++again) {
      reader.feed(frame("vMustReplyEmpty"));
      for (const std::string& item : items(reader)) {
        found = found || item == "vMustReplyEmpty" || item.rfind("<foreign", 0) == 0;
      }
    }
    ASSERT_TRUE(found);
  }
}

}  // namespace
}  // namespace headstack::debug
