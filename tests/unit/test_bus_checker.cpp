// SPDX-License-Identifier: Apache-2.0
// The protocol checker, rule by rule: legal at t, a violation at t - 1 (SCSI-2 5.7, 6.1, 6.2).
//
// Device 0 is an initiator with id 7, device 1 a target with id 0, device 2 another target. A test
// plays a legal prologue, then the edge in question.
#include <gtest/gtest.h>

#include "sim/bus/protocol_checker.hpp"

namespace headstack::bus {
namespace {

using namespace line;  // NOLINT(google-build-using-namespace)

constexpr LineSet kId7 = LineSet{0x80} << kDbShift;
constexpr LineSet kIds = id_lines(7, 0);
constexpr LineSet kByte = data_lines(0x55);

class CheckerTest : public testing::Test {
 protected:
  /// Makes `device` assert `lines`, `time` after the last change.
  void drive(Picoseconds time, std::size_t device, LineSet lines) {
    at_ += time;
    asserted_[device] = lines;
    LineSet now = 0;
    for (const LineSet each : asserted_) now |= each;
    checker_.step(at_, before_, now, asserted_, tracker_.phase());
    tracker_.update(now, (now & ~before_ & kReq) != 0);
    before_ = now;
  }
  std::vector<Rule> broken() {
    std::vector<Rule> rules;
    rules.swap(rules_);
    return rules;
  }
  void expect(std::initializer_list<Rule> rules) { EXPECT_EQ(broken(), std::vector<Rule>(rules)); }

  /// Selects the target, up to the target alone on the bus.
  void connect() {
    drive(2'000'000, 0, kBsy | kId7);
    drive(2'400'000, 0, kBsy | kSel | kId7);
    drive(1'200'000, 0, kBsy | kSel | kIds);
    drive(90'000, 0, kSel | kIds);
    drive(400'000, 1, kBsy);
    drive(90'000, 0, 0);
  }
  void phase(LineSet lines) {
    connect();
    drive(0, 1, kBsy | lines);
  }

 private:
  std::vector<Rule> rules_;
  ProtocolChecker checker_{[this](Rule rule) { rules_.push_back(rule); }};
  PhaseTracker tracker_;
  std::vector<LineSet> asserted_ = {0, 0, 0};
  LineSet before_ = 0;
  Picoseconds at_ = 0;
};

TEST_F(CheckerTest, LegalSelection_BreaksNothing) {
  connect();
  expect({});
}

TEST_F(CheckerTest, Arbitration_1200nsAfterBusFree) {
  for (const Picoseconds early : {0, 1}) {
    connect();
    drive(1'000'000, 1, 0);
    drive(1'200'000 - early, 0, kBsy | kId7);
    expect(early ? std::initializer_list<Rule>{Rule::kBusFreeDelay}
                 : std::initializer_list<Rule>{});
    drive(10'000'000, 0, 0);
    drive(10'000'000, 0, 0);
  }
}

TEST_F(CheckerTest, SecondArbiter_WithinABusSetDelay) {
  drive(2'000'000, 0, kBsy | kId7);
  drive(1'800'000, 1, kBsy | (LineSet{1} << kDbShift));
  expect({});
  drive(1, 2, kBsy | (LineSet{2} << kDbShift));
  expect({Rule::kBusSetDelay});
}

TEST_F(CheckerTest, Select_AfterAnArbitrationDelay) {
  drive(2'000'000, 0, kBsy | kId7);
  drive(2'399'999, 0, kBsy | kSel | kId7);
  expect({Rule::kArbitrationDelay});
}

TEST_F(CheckerTest, SelectByTheLowerId) {
  drive(2'000'000, 0, kBsy | kId7);
  drive(0, 1, kBsy | (LineSet{1} << kDbShift));
  drive(2'400'000, 1, kBsy | kSel | (LineSet{1} << kDbShift));
  expect({Rule::kSelectByLoser});
}

// SCSI-2 6.1.2: the loser of an arbitration lets go of its lines after the winner's SEL.
TEST_F(CheckerTest, SelectByTheHigherId_WhileTheLoserIsStillThere) {
  drive(2'000'000, 0, kBsy | kId7);
  drive(0, 1, kBsy | (LineSet{0x40} << kDbShift));
  drive(2'400'000, 0, kBsy | kSel | kId7);
  expect({});
}

TEST_F(CheckerTest, SelectWithoutArbitration) {
  drive(2'000'000, 0, kSel | kIds);
  expect({Rule::kSelectWithoutArbitration});
}

// The answer to such a selection is no arbitration that comes too early.
TEST_F(CheckerTest, SelectWithoutArbitration_RightAfterBusFree) {
  connect();
  drive(1'000'000, 1, 0);
  drive(100'000, 0, kSel | kIds);
  expect({Rule::kSelectWithoutArbitration});
  drive(400'000, 1, kBsy);
  expect({});
}

// SCSI-2 6.1.2: arbitration begins when the bus is free.
TEST_F(CheckerTest, SelectByTheTargetThatIsConnected) {
  connect();
  drive(3'000'000, 1, kBsy | kSel);
  expect({Rule::kSelectWithoutArbitration});
}

TEST_F(CheckerTest, WinnerWaits1200ns_AndIds90ns) {
  drive(2'000'000, 0, kBsy | kId7);
  drive(2'400'000, 0, kBsy | kSel | kId7);
  drive(1'199'999, 0, kBsy | kSel | kIds);
  expect({Rule::kWonToChange});
  drive(89'999, 0, kSel | kIds);
  expect({Rule::kSelectionDeskew});
  drive(399'999, 1, kBsy);
  expect({Rule::kSelectionResponse});
  drive(89'999, 0, 0);
  expect({Rule::kSelectionRelease});
}

TEST_F(CheckerTest, UnansweredSelection_IdsGoAbortTimeBeforeSelect) {
  for (const Picoseconds early : {0, 1}) {
    drive(2'000'000, 0, kBsy | kId7);
    drive(2'400'000, 0, kBsy | kSel | kId7);
    drive(1'200'000, 0, kBsy | kSel | kIds);
    drive(90'000, 0, kSel | kIds);
    drive(1'000'000, 0, kSel);
    drive(200'090'000 - early, 0, 0);
    expect(early ? std::initializer_list<Rule>{Rule::kSelectionAbort}
                 : std::initializer_list<Rule>{});
  }
}

// SCSI-2 6.1.1: the bus is free when SEL and BSY are both false, whichever falls last.
TEST_F(CheckerTest, Arbitration_1200nsAfterAnUnansweredSelection) {
  for (const Picoseconds early : {0, 1}) {
    drive(2'000'000, 0, kBsy | kId7);
    drive(2'400'000, 0, kBsy | kSel | kId7);
    drive(1'200'000, 0, kBsy | kSel | kIds);
    drive(90'000, 0, kSel | kIds);
    drive(1'000'000, 0, kSel);
    drive(200'090'000, 0, 0);
    drive(1'200'000 - early, 1, kBsy | (LineSet{1} << kDbShift));
    expect(early ? std::initializer_list<Rule>{Rule::kBusFreeDelay}
                 : std::initializer_list<Rule>{});
    drive(10'000'000, 1, 0);
  }
}

// ATN alone is no selection that BSY could answer.
TEST_F(CheckerTest, BusyThatRisesTooEarly_IsNoAnswer) {
  connect();
  drive(100'000, 0, kAtn);
  drive(1'000'000, 1, 0);
  drive(300'000, 0, kBsy | kId7 | kAtn);
  expect({Rule::kBusFreeDelay});
}

// A request of the earlier target ended with its connection.
TEST_F(CheckerTest, RequestWithoutAnAnswer_EndsWithItsConnection) {
  phase(kCd);
  drive(400'000, 1, kBsy | kCd | kReq);
  drive(1'000'000, 1, 0);
  expect({});
  phase(kCd);
  drive(1'000'000, 0, kByte);
  drive(100'000, 0, kByte | kAck);
  expect({Rule::kAckWithoutReq});
}

TEST_F(CheckerTest, Req_400nsAfterAPhaseChange) {
  phase(kCd);
  drive(400'000, 1, kBsy | kCd | kReq);
  expect({});
}

TEST_F(CheckerTest, Req_1psEarlyAfterAPhaseChange) {
  phase(kCd);
  drive(399'999, 1, kBsy | kCd | kReq);
  expect({Rule::kPhaseSettle});
}

TEST_F(CheckerTest, AckSetup55nsOutsideData_25nsInside) {
  struct Case {
    LineSet phase;
    Picoseconds setup;
  };
  for (const Case& c : {Case{kCd, 55'000}, Case{0, 25'000}}) {
    for (const Picoseconds early : {0, 1}) {
      phase(c.phase);
      drive(400'000, 1, kBsy | c.phase | kReq);
      drive(10'000, 0, kByte);
      drive(c.setup - early, 0, kByte | kAck);
      expect(early ? std::initializer_list<Rule>{Rule::kAckSetup} : std::initializer_list<Rule>{});
      drive(10'000, 1, kBsy | c.phase);
      drive(10'000, 0, 0);
      drive(1'000'000, 1, 0);
      expect({});
    }
  }
}

TEST_F(CheckerTest, ReqSetup55nsOutsideData_25nsInside_TargetDrives800nsAfterIo) {
  struct Case {
    LineSet phase;
    Picoseconds setup;
  };
  for (const Case& c : {Case{kCd | kIo, 55'000}, Case{kIo, 25'000}}) {
    for (const Picoseconds early : {0, 1}) {
      phase(c.phase);
      drive(800'000 - early, 1, kBsy | c.phase | kByte);
      drive(c.setup - early, 1, kBsy | c.phase | kByte | kReq);
      expect(early ? std::initializer_list<Rule>{Rule::kTurnAround, Rule::kReqSetup}
                   : std::initializer_list<Rule>{});
      drive(10'000, 0, kAck);
      drive(10'000, 1, kBsy | c.phase);
      drive(10'000, 0, 0);
      drive(1'000'000, 1, 0);
      expect({});
    }
  }
}

TEST_F(CheckerTest, SynchronousDataIn_PulseGapAndHold) {
  phase(kIo);
  drive(800'000, 1, kBsy | kIo | kByte);
  drive(25'000, 1, kBsy | kIo | kByte | kReq);
  drive(30'000, 1, kBsy | kIo | kByte);
  drive(5'000, 1, kBsy | kIo | data_lines(0xAA));  // 35 ns hold
  drive(25'000, 1, kBsy | kIo | data_lines(0xAA) | kReq);
  expect({});
  drive(29'999, 1, kBsy | kIo | data_lines(0xAA));
  expect({Rule::kAssertionPeriod});
  drive(5'000, 1, kBsy | kIo | kByte);
  expect({Rule::kDataHold});  // 34.999 ns
  drive(24'999, 1, kBsy | kIo | kByte | kReq);
  expect({Rule::kReqSetup, Rule::kNegationPeriod});
}

TEST_F(CheckerTest, DataOut_StayUntilTheyAreTaken_35nsAfterAck) {
  for (const Picoseconds early : {0, 1}) {
    phase(0);
    drive(400'000, 1, kBsy | kReq);
    drive(10'000, 0, kByte);
    drive(55'000, 0, kByte | kAck);
    drive(35'000 - early, 0, data_lines(0xAA) | kAck);
    expect(early ? std::initializer_list<Rule>{Rule::kDataHold} : std::initializer_list<Rule>{});
    drive(10'000, 1, kBsy);
    drive(10'000, 0, 0);
    drive(1'000'000, 1, 0);
    expect({});
  }
}

// Two REQs first, two ACKs after them: the gap between these (6.1.5.2; fast: 30 ns).
TEST_F(CheckerTest, SynchronousAck_GapOf30ns) {
  for (const Picoseconds early : {0, 1}) {
    phase(0);
    drive(400'000, 1, kBsy | kReq);
    drive(30'000, 1, kBsy);
    drive(30'000, 1, kBsy | kReq);
    drive(30'000, 1, kBsy);
    drive(10'000, 0, kByte);
    drive(25'000, 0, kByte | kAck);
    drive(35'000, 0, kByte);
    drive(30'000 - early, 0, kByte | kAck);
    expect(early ? std::initializer_list<Rule>{Rule::kNegationPeriod}
                 : std::initializer_list<Rule>{});
    drive(35'000, 0, kByte);
    drive(10'000, 0, 0);
    drive(1'000'000, 1, 0);
    expect({});
  }
}

// An ACK after the fall of its REQ is a synchronous pulse.
TEST_F(CheckerTest, SynchronousAck_30ns) {
  for (const Picoseconds early : {0, 1}) {
    phase(0);
    drive(400'000, 1, kBsy | kReq);
    drive(30'000, 1, kBsy);
    drive(10'000, 0, kByte);
    drive(25'000, 0, kByte | kAck);
    drive(30'000 - early, 0, kByte);
    expect(early ? std::initializer_list<Rule>{Rule::kAssertionPeriod}
                 : std::initializer_list<Rule>{});
    drive(100'000, 0, 0);
    drive(1'000'000, 1, 0);
    expect({});
  }
}

// Two deskew delays count from the last of the lines that a selection or a reselection is made of.
TEST_F(CheckerTest, SelectionWithAttention_BsyFalls90nsAfterAtn) {
  for (const Picoseconds early : {0, 1}) {
    drive(2'000'000, 0, kBsy | kId7);
    drive(2'400'000, 0, kBsy | kSel | kId7);
    drive(1'200'000, 0, kBsy | kSel | kIds);
    drive(50'000, 0, kBsy | kSel | kIds | kAtn);
    drive(90'000 - early, 0, kSel | kIds | kAtn);
    expect(early ? std::initializer_list<Rule>{Rule::kSelectionDeskew}
                 : std::initializer_list<Rule>{});
    drive(400'000, 1, kBsy);
    drive(90'000, 0, kAtn);
    drive(1'000'000, 0, 0);
    drive(1'000'000, 1, 0);
    expect({});
  }
}

TEST_F(CheckerTest, Reselection_BsyFalls90nsAfterIo_SelFalls90nsAfterTheAnswer) {
  constexpr LineSet kId0 = LineSet{1} << kDbShift;
  for (const Picoseconds early : {0, 1}) {
    drive(2'000'000, 1, kBsy | kId0);
    drive(2'400'000, 1, kBsy | kSel | kId0);
    drive(1'200'000, 1, kBsy | kSel | kIds);
    drive(50'000, 1, kBsy | kSel | kIds | kIo);
    drive(90'000 - early, 1, kSel | kIds | kIo);
    expect(early ? std::initializer_list<Rule>{Rule::kSelectionDeskew}
                 : std::initializer_list<Rule>{});
    drive(400'000 - early, 0, kBsy);
    expect(early ? std::initializer_list<Rule>{Rule::kSelectionResponse}
                 : std::initializer_list<Rule>{});
    drive(90'000 - early, 1, kBsy | kIo);
    expect(early ? std::initializer_list<Rule>{Rule::kSelectionRelease}
                 : std::initializer_list<Rule>{});
    drive(100'000, 0, 0);
    drive(1'000'000, 1, 0);
    expect({});
  }
}

TEST_F(CheckerTest, ReqAndAckWithoutBusy) {
  drive(2'000'000, 1, kReq);
  expect({Rule::kReqWithoutBusy});
  drive(100'000, 1, 0);
  drive(100'000, 0, kAck);
  expect({Rule::kAckWithoutBusy});
}

TEST_F(CheckerTest, AckWithoutReq) {
  phase(kCd);
  drive(1'000'000, 0, kByte);
  drive(100'000, 0, kByte | kAck);
  expect({Rule::kAckWithoutReq});
}

TEST_F(CheckerTest, ReservedPhase_TwoDrivers_TwoHoldersOfBusy) {
  phase(kMsg);
  drive(400'000, 1, kBsy | kMsg | kReq);
  expect({Rule::kReservedPhase});
  drive(400'000, 2, kBsy | kCd);
  const std::vector<Rule> second = broken();
  ASSERT_FALSE(second.empty());
  EXPECT_EQ(second[0], Rule::kTwoPhaseDrivers);
}

TEST_F(CheckerTest, TwoHoldersOfBusy) {
  phase(kCd);
  drive(0, 2, kBsy);
  drive(400'000, 1, kBsy | kCd | kReq);
  expect({Rule::kTwoBusyHolders});
}

TEST_F(CheckerTest, DataDrivenByTheWrongSide) {
  phase(kIo | kCd);
  drive(800'000, 0, kByte);
  drive(100'000, 1, kBsy | kIo | kCd | kReq);
  expect({Rule::kDataContention});
}

TEST_F(CheckerTest, PhaseChangesWithAByteUnderWay) {
  phase(kCd);
  drive(400'000, 1, kBsy | kCd | kReq);
  drive(100'000, 1, kBsy | kCd | kIo | kReq);
  expect({Rule::kPhaseChangeInTransfer});
}

TEST_F(CheckerTest, AttentionFalls90nsBeforeTheLastAck) {
  for (const Picoseconds early : {0, 1}) {
    phase(kMsg | kCd);
    drive(400'000, 0, kAtn);
    drive(10'000, 1, kBsy | kMsg | kCd | kReq);
    drive(10'000, 0, kByte);
    drive(90'000 - early, 0, kByte | kAck);
    expect(early ? std::initializer_list<Rule>{Rule::kAttention} : std::initializer_list<Rule>{});
    drive(10'000, 1, kBsy | kMsg | kCd);
    drive(10'000, 0, 0);
    drive(1'000'000, 1, 0);
  }
}

TEST_F(CheckerTest, Reset_25us_AndAllElseClearAfter800ns) {
  connect();
  drive(100'000, 0, kRst);
  drive(800'000, 1, 0);
  drive(24'200'000, 0, 0);
  expect({});
  connect();
  drive(100'000, 0, kRst);
  drive(800'001, 1, 0);
  expect({Rule::kResetRelease});
  drive(24'199'998, 0, 0);
  expect({Rule::kResetHold});
}

// SCSI-2 6.2.2: a bus clear delay of 800 ns after RST rose, others may still hold lines.
TEST_F(CheckerTest, ResetThatEndsWithinABusClearDelay_IsTooShortAndNothingElse) {
  connect();
  drive(100'000, 0, kRst);
  drive(500'000, 0, 0);
  expect({Rule::kResetHold});
}

TEST_F(CheckerTest, TwoMayHoldReset) {
  connect();
  drive(100'000, 0, kRst);
  drive(800'000, 1, 0);
  drive(10'000'000, 2, kRst);
  drive(20'000'000, 0, 0);
  drive(1'000'000, 2, 0);
  expect({});
}

}  // namespace
}  // namespace headstack::bus
