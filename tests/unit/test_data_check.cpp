// SPDX-License-Identifier: Apache-2.0
// What hosts.verify takes for wrong: told command by command, the drive played by the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/replay/data_check.hpp"

namespace headstack::replay {
namespace {

using initiator::Completion;
using initiator::Outcome;
using testing::HasSubstr;
using traces::Operation;
using traces::Tagging;

constexpr std::uint32_t kBlockBytes = 512;
constexpr std::uint8_t kGood = 0x00;
constexpr std::uint8_t kBusy = 0x08;
constexpr std::uint8_t kQueueFull = 0x28;
constexpr std::uint8_t kCheckCondition = 0x02;

class DataCheckTest : public testing::Test {
 protected:
  static ReplayOptions checking() {
    ReplayOptions options;
    options.verify_data = true;
    return options;
  }

  /// Sends a command, which reaches the drive.
  struct Command {
    RunRequest request;
    DataCheck::Attempt attempt;
  };
  Command send(Operation operation, std::uint64_t number, Tagging tagging = Tagging::kSimple,
               bool again = false) {
    Command command;
    command.request.number = number;
    command.request.request.operation = operation;
    command.request.request.lba = 40;
    command.request.request.blocks = 2;
    command.request.request.options.tagging = tagging;
    command.attempt = check_.begin(command.request, again);
    check_.received(command.request, command.attempt);
    return command;
  }
  std::string end(Command& command, std::uint8_t status, std::vector<std::uint8_t> data = {},
                  std::uint8_t sense_key = 0) {
    Completion completion;
    completion.status = status;
    completion.data = std::move(data);
    completion.times.status = ++now_;
    if (status == kCheckCondition) {
      completion.sense.assign(18, 0);
      completion.sense[0] = 0x70;
      completion.sense[2] = sense_key;
    }
    return check_.ended(command.request, command.attempt, ending_of(completion, false), completion);
  }
  std::string reset(Command& command) {
    Completion completion;
    completion.outcome = Outcome::kBusReset;
    return check_.ended(command.request, command.attempt, ending_of(completion, false), completion);
  }
  static std::vector<std::uint8_t> zeros() {
    return std::vector<std::uint8_t>(std::size_t{2} * kBlockBytes);
  }
  std::vector<std::uint8_t> written_by(const Command& command) const {
    return check_.data_of(command.request, command.attempt);
  }

  ReplayOptions options_ = checking();
  DataCheck check_{options_, kBlockBytes};
  Picoseconds now_ = 0;
};

// With several hosts, an overlapping read may come between a write that finds no room and its
// second try. The write has not been carried out by then.
class RefusedWrite : public DataCheckTest, public testing::WithParamInterface<int> {};

TEST_P(RefusedWrite, IsNotExpected) {
  const auto refusal = static_cast<std::uint8_t>(GetParam());
  Command write = send(Operation::kWrite, 0);
  EXPECT_EQ(end(write, refusal), "");
  Command read = send(Operation::kRead, 1);
  EXPECT_EQ(end(read, kGood, zeros()), "") << int{refusal};
  Command again = send(Operation::kWrite, 0, Tagging::kSimple, true);
  EXPECT_NE(written_by(again), written_by(write)) << "each try has data of its own";
  EXPECT_EQ(end(again, kGood), "");
  Command late = send(Operation::kRead, 2);
  EXPECT_THAT(end(late, kGood, zeros()),
              HasSubstr("command 2: wrong data: block 40 has zeros, as never written, for the data "
                        "of command 0, sent again"));
}

INSTANTIATE_TEST_SUITE_P(Unit, RefusedWrite, testing::Values(kQueueFull, kBusy));

// SCSI-2 8.2.14.2: a write that was reported from the cache may fail later. Before its host is
// told, what was there before is wrong data. After that it is not, until another write is on the
// media.
class LostWrite : public DataCheckTest {
 protected:
  LostWrite() {
    options_.caches = {"read-write"};
    check_ = DataCheck(options_, kBlockBytes);
  }
};

TEST_F(LostWrite, OlderDataAreRight_OnceItsHostIsTold) {
  Command write = send(Operation::kWrite, 0);
  EXPECT_EQ(end(write, kGood), "");
  Command early = send(Operation::kRead, 1);
  EXPECT_THAT(end(early, kGood, zeros()), HasSubstr("command 1: wrong data: block 40 has zeros"));
  check_.deferred_error();
  Command told = send(Operation::kRead, 2);
  EXPECT_EQ(end(told, kGood, zeros()), "");
  Command part = send(Operation::kRead, 3);
  std::vector<std::uint8_t> half = written_by(write);
  std::fill(half.begin() + kBlockBytes, half.end(), std::uint8_t{0});
  EXPECT_EQ(end(part, kGood, half), "") << "the blocks before the one that failed are there";
}

TEST_F(LostWrite, NobodysDataAreWrong_AlsoThen) {
  Command write = send(Operation::kWrite, 0);
  EXPECT_EQ(end(write, kGood), "");
  check_.deferred_error();
  Command other = send(Operation::kWrite, 1);
  Command read = send(Operation::kRead, 2, Tagging::kHeadOfQueue);
  std::vector<std::uint8_t> made_up = zeros();
  made_up[0] = 1;
  EXPECT_THAT(end(read, kGood, made_up), HasSubstr("has bytes that no command wrote there"));
  EXPECT_EQ(end(other, kGood), "");
}

// Each block is old or new, and settled once it was seen.
TEST_F(DataCheckTest, AWriteThatWasReset_MayBeThereInPart) {
  Command write = send(Operation::kWrite, 0);
  EXPECT_EQ(reset(write), "");
  std::vector<std::uint8_t> half = written_by(write);
  std::fill(half.begin() + kBlockBytes, half.end(), std::uint8_t{0});
  Command read = send(Operation::kRead, 1);
  EXPECT_EQ(end(read, kGood, half), "");
  Command second = send(Operation::kRead, 2);
  EXPECT_THAT(end(second, kGood, written_by(write)),
              HasSubstr("block 41 has the data of command 0"));
  Command third = send(Operation::kRead, 3);
  EXPECT_THAT(end(third, kGood, zeros()), HasSubstr("block 40 has zeros"));
  EXPECT_EQ(check_.verified_blocks(), 2U);
}

TEST_F(DataCheckTest, ATornBlock_OrTooFewBytes_AreWrongInAnyCase) {
  Command write = send(Operation::kWrite, 0);
  EXPECT_EQ(end(write, kGood), "");
  std::vector<std::uint8_t> torn = written_by(write);
  torn[kBlockBytes + 300] ^= 1U;
  Command read = send(Operation::kRead, 1);
  EXPECT_THAT(end(read, kGood, torn), HasSubstr("block 41 has bytes that no command wrote there"));
  Command cut = send(Operation::kRead, 2);
  torn.resize(100);
  EXPECT_THAT(end(cut, kGood, torn), HasSubstr("100 bytes came for 1024"));
}

// Data of a write that has not ended yet depend on its end.
TEST_F(DataCheckTest, AReadThatHangsOnAWrite_IsJudgedWhenThatEnds) {
  Command write = send(Operation::kWrite, 0);
  Command read = send(Operation::kRead, 1);
  EXPECT_EQ(end(read, kGood, zeros()), "") << "the write may have been dropped";
  EXPECT_EQ(check_.verified_blocks(), 0U);
  EXPECT_THAT(end(write, kGood), HasSubstr("command 1: wrong data: block 40 has zeros"));
}

// A unit attention, BUSY or an illegal request come at once: such a command never was a task.
TEST_F(DataCheckTest, OnlyWhatWasCarriedOut_Overtakes) {
  constexpr std::uint8_t kUnitAttention = 6;
  Command first = send(Operation::kRead, 0, Tagging::kOrdered);
  Command met = send(Operation::kRead, 1);
  Command busy = send(Operation::kRead, 2);
  EXPECT_EQ(end(met, kCheckCondition, {}, kUnitAttention), "");
  EXPECT_EQ(end(busy, kBusy), "");
  Command passing = send(Operation::kRead, 3);
  EXPECT_EQ(end(passing, kGood, zeros()), "");
  EXPECT_THAT(end(first, kGood, zeros()), HasSubstr("command 3: it ended ahead of command 0"));
}

}  // namespace
}  // namespace headstack::replay
