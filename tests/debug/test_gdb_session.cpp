// SPDX-License-Identifier: Apache-2.0
// A debugger's conversation with a run that is a table: GDB manual, "Packets", "General Query
// Packets", "Stop Reply Packets".
#include "host/debug/gdb_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "host/debug/packet.hpp"

namespace headstack::debug {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class FakeTarget : public Target {
 public:
  std::optional<std::string> register_hex(unsigned number) override {
    if (number >= registers.size()) return std::nullopt;
    return to_hex(registers[number], 4);
  }
  std::optional<std::string> read_memory(std::uint32_t address, std::size_t bytes) override {
    if (address >= memory.size()) return std::nullopt;
    return memory.substr(address, bytes);
  }
  std::string write_register(unsigned number, std::uint32_t value) override {
    if (past) return "this is the past";
    registers.at(number) = value;
    ++writes;
    return "";
  }
  std::string write_memory(std::uint32_t address, const std::string& bytes) override {
    if (past || address + bytes.size() > memory.size()) return "cannot be written";
    memory.replace(address, bytes.size(), bytes);
    return "";
  }
  std::string monitor(std::string_view command) override {
    return "said: " + std::string(command) + "\n";
  }
  std::string target_description() override { return std::string(20'000, 't'); }
  std::string memory_map() override { return "map"; }
  std::string program_file() override { return file; }

  std::string file = "/build/drive.elf";

  std::array<std::uint32_t, 33> registers{};
  std::string memory = std::string(64, '\x5A');
  bool past = false;
  int writes = 0;
};

class Session : public testing::Test {
 protected:
  std::vector<std::string> say(std::string_view packet) { return session_.handle(packet).packets; }
  std::string answer(std::string_view packet) {
    const std::vector<std::string> packets = say(packet);
    EXPECT_EQ(packets.size(), 1U) << packet;
    return packets.empty() ? "(none)" : packets.front();
  }

  FakeTarget target_;
  GdbSession session_{target_};
};

TEST_F(Session, UnknownPackets_AreAnsweredEmpty) {
  for (const char* packet : {"vMustReplyEmpty", "qTStatus", "Q", "", "x", "bsx", "?x", "Z9,0,2",
                             "vCont", "qXfer:auxv:read::0,10", "\x80\xFF"}) {
    EXPECT_EQ(answer(packet), "") << packet;
  }
}

TEST_F(Session, Supported_NamesWhatThereIs) {
  EXPECT_THAT(answer("qSupported:multiprocess+;swbreak+"),
              testing::AllOf(HasSubstr("PacketSize=4000"), HasSubstr("QStartNoAckMode+"),
                             HasSubstr("qXfer:features:read+"), HasSubstr("ReverseContinue+"),
                             HasSubstr("ReverseStep+"), HasSubstr("vContSupported+")));
}

TEST_F(Session, Registers_AreLowByteFirst) {
  target_.registers[2] = 0x0006'B000;
  target_.registers[32] = 0x80;
  EXPECT_EQ(answer("p2"), "00b00600");
  EXPECT_EQ(answer("p20"), "80000000");
  EXPECT_EQ(answer("g").size(), 33U * 8);
  EXPECT_THAT(answer("p21"), StartsWith("E."));
  EXPECT_EQ(answer("P5=78563412"), "OK");
  EXPECT_EQ(target_.registers[5], 0x1234'5678U);
}

TEST_F(Session, WriteOfAllRegisters_WritesThoseThatDiffer) {
  std::string all = answer("g");
  all.replace(8 * 7, 8, "01000000");
  EXPECT_EQ(answer("G" + all), "OK");
  EXPECT_EQ(target_.registers[7], 1U);
  EXPECT_EQ(target_.writes, 1);
  EXPECT_THAT(answer("G12"), StartsWith("E."));
}

TEST_F(Session, Memory_IsReadAsFarAsItGoes) {
  target_.memory.replace(0, 4, "abcd");
  EXPECT_EQ(answer("m0,4"), "61626364");
  EXPECT_EQ(answer("m3e,8"), "5a5a") << "two bytes are left";
  EXPECT_THAT(answer("m40,1"), StartsWith("E.")) << "none is";
}

TEST_F(Session, Memory_IsWrittenInBothWays) {
  EXPECT_EQ(answer("M0,2:4142"), "OK");
  EXPECT_EQ(answer("X2,2:CD"), "OK");
  EXPECT_EQ(target_.memory.substr(0, 5), "ABCDZ");
  EXPECT_EQ(answer("X0,0:"), "OK") << "how GDB asks whether the packet is known";
  EXPECT_THAT(answer("M0,2:41"), StartsWith("E.")) << "a byte is missing";
  EXPECT_THAT(answer("X0,2:C"), StartsWith("E."));
}

TEST_F(Session, AddressesPastTheEnd_AreErrors) {
  for (const char* packet : {"mffffffff,2", "m100000000,1", "m0,ffffffffffffffff",
                             "Mffffffff,2:0000", "Z2,ffffffff,8"}) {
    EXPECT_THAT(answer(packet), StartsWith("E.")) << packet;
  }
  EXPECT_EQ(answer("Zffffffff,0,2"), "") << "no kind of point";
}

TEST_F(Session, RefusedChange_TellsWhy) {
  target_.past = true;
  EXPECT_EQ(answer("P1=00000000"), "E.this is the past");
  EXPECT_EQ(answer("M0,1:00"), "E.cannot be written");
}

TEST_F(Session, Points_AreSetOnceAndTakenBack) {
  EXPECT_EQ(answer("Z0,42d0,2"), "OK");
  EXPECT_EQ(answer("Z0,42d0,2"), "OK");
  EXPECT_EQ(answer("Z2,100,4"), "OK");
  EXPECT_EQ(session_.state().points.all().size(), 2U);
  EXPECT_EQ(answer("z0,42d0,2"), "OK");
  EXPECT_EQ(answer("z0,9999,2"), "OK") << "one that was never set";
  EXPECT_EQ(session_.state().points.all().size(), 1U);
}

TEST_F(Session, Resumptions_HaveNoAnswerYet) {
  const std::pair<const char*, Resume> kPackets[] = {{"c", Resume::kContinue},
                                                     {"vCont;c", Resume::kContinue},
                                                     {"vCont;c:p1.-1", Resume::kContinue},
                                                     {"C05", Resume::kContinue},
                                                     {"s", Resume::kStep},
                                                     {"vCont;s:1;c", Resume::kStep},
                                                     {"bc", Resume::kReverseContinue},
                                                     {"bs", Resume::kReverseStep},
                                                     {"vRun;", Resume::kRestart},
                                                     {"R00", Resume::kRestart}};
  for (const auto& [packet, resume] : kPackets) {
    const GdbSession::Answer answer = session_.handle(packet);
    EXPECT_EQ(answer.resume, resume) << packet;
    EXPECT_THAT(answer.packets, ElementsAre()) << packet;
  }
  EXPECT_EQ(session_.handle("D").resume, Resume::kDetach);
  EXPECT_EQ(session_.handle("k").resume, Resume::kKill);
}

// GDB kills a run before it restarts it: nothing may be lost then.
TEST_F(Session, ExtendedDebugger_KillsOnlyToRestart) {
  EXPECT_EQ(answer("!"), "OK");
  EXPECT_EQ(session_.handle("vKill;1").resume, Resume::kNone);
  EXPECT_EQ(session_.handle("vRun;").resume, Resume::kRestart);
}

TEST_F(Session, StopReply_HasSignalAndReason) {
  session_.stopped(5, "watch:bc7c;");
  EXPECT_EQ(answer("?"), "T05thread:1;watch:bc7c;");
  session_.stopped(2, "");
  EXPECT_EQ(answer("?"), "T02thread:1;");
}

TEST_F(Session, Documents_ComeInParts) {
  const std::string first = answer("qXfer:features:read:target.xml:0,ffb");
  EXPECT_EQ(first, "m" + std::string(0xFFB, 't'));
  EXPECT_EQ(answer("qXfer:features:read:target.xml:4e1f,ffb"), "lt") << "the last of 20,000";
  EXPECT_EQ(answer("qXfer:features:read:target.xml:4e20,ffb"), "l");
  EXPECT_EQ(answer("qXfer:memory-map:read::0,ffb"), "lmap");
  // GDB manual, "General Query Packets", qXfer:exec-file:read: the annex is a process's number, or
  // empty.
  EXPECT_EQ(answer("qXfer:exec-file:read::0,ffb"), "l/build/drive.elf");
  EXPECT_EQ(answer("qXfer:exec-file:read:a410:0,6"), "m/build");
  EXPECT_EQ(answer("qXfer:exec-file:read:a410:6,ffb"), "l/drive.elf");
  EXPECT_THAT(answer("qXfer:exec-file:read:0,10"), HasSubstr("malformed")) << "no annex";
  target_.file.clear();
  EXPECT_THAT(answer("qXfer:exec-file:read::0,ffb"), HasSubstr("has no file"));
}

TEST_F(Session, Monitor_AnswersInHexadecimal) {
  EXPECT_THAT(say("qRcmd," + to_hex(std::string_view("queue"))),
              ElementsAre("O" + to_hex(std::string_view("said: queue\n")), "OK"));
  EXPECT_THAT(answer("qRcmd,7"), StartsWith("E."));
}

TEST_F(Session, NoAcknowledgement_IsKept) {
  EXPECT_TRUE(session_.state().acknowledging);
  EXPECT_EQ(answer("QStartNoAckMode"), "OK");
  EXPECT_FALSE(session_.state().acknowledging);
}

// Thousands of packets that are almost right: each gets an answer or a resumption, and no more than
// a packet holds.
TEST_F(Session, MutatedPackets_AreAnswered) {
  constexpr std::uint32_t kSeed = 11;
  std::mt19937 random(kSeed);
  const char* kPackets[] = {"m0,40",
                            "M0,4:00112233",
                            "X0,3:abc",
                            "p1f",
                            "P1f=00000000",
                            "Z1,80,2",
                            "z4,80,10",
                            "vCont;s:1",
                            "qXfer:features:read:target.xml:0,100",
                            "qRcmd,68656c70",
                            "g",
                            "G00",
                            "bs",
                            "?",
                            "qSupported:x",
                            "Hg0"};
  for (int round = 0; round < 20'000; ++round) {
    std::string packet = kPackets[random() % std::size(kPackets)];
    for (unsigned change = 0; change <= random() % 3; ++change) {
      const std::size_t at = random() % (packet.size() + 1);
      if (random() % 2 == 0 && at < packet.size()) {
        packet[at] = static_cast<char>(random());
      } else {
        packet.insert(at, 1, "0f,:;=\xFF"[random() % 7]);
      }
    }
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", round " << round << ": " << packet);
    const GdbSession::Answer answer = session_.handle(packet);
    ASSERT_TRUE(!answer.packets.empty() || answer.resume != Resume::kNone);
    for (const std::string& text : answer.packets) ASSERT_LE(text.size(), kPacketBytes);
  }
}

}  // namespace
}  // namespace headstack::debug
