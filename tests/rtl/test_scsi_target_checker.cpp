// SPDX-License-Identifier: Apache-2.0
// The bus checker itself: every rule accepts signals of its minimum time, and rejects those that
// are one clock shorter. So a target that passes the checker keeps its rules.

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "tests/rtl/scsi_checker.hpp"

namespace headstack::scsi {
namespace {

/// Makes a sequence of lines, each for some clocks.
class Sketch {
 public:
  explicit Sketch(const Agreement& agreement = {}) {
    checker_.set_agreement(agreement);
    now_ = 1000;
    hold(kBsy, kSel, 40);
    hold(kBsy, 0, 40);
  }
  Sketch& hold(Pins target, Pins others, unsigned clock_count) {
    for (unsigned i = 0; i < clock_count; ++i) checker_.observe(++now_, target, others);
    return *this;
  }
  std::string complaint() const {
    return checker_.violations().empty() ? "" : checker_.violations().front();
  }

 private:
  BusChecker checker_;
  std::uint64_t now_ = 0;
};

constexpr unsigned kLong = 40;  // longer than any delay here
const Pins kIn = kBsy | kIo;
const Pins kFirst = kIn | narrow_data(0x12);
const Pins kSecond = kIn | narrow_data(0x34);

struct Rule {
  const char* what;
  unsigned minimum_ns;
  std::string complaint;
  std::function<Sketch(unsigned clock_count)> draw;
};

class CheckerRule : public testing::TestWithParam<Rule> {};

TEST_P(CheckerRule, LegalAtItsTime) {
  EXPECT_EQ(GetParam().draw(clocks(GetParam().minimum_ns)).complaint(), "");
}
TEST_P(CheckerRule, IllegalOneClockEarlier) {
  const std::string complaint = GetParam().draw(clocks(GetParam().minimum_ns) - 1).complaint();
  EXPECT_EQ(complaint.substr(0, GetParam().complaint.size()), GetParam().complaint);
}

const Agreement kSlow{10, 4, false};
const Agreement kFast{4, 4, false};

/// Two synchronous REQ pulses with data: asserted, negated and held for these times.
Sketch two_pulses(const Agreement& agreement, unsigned asserted, unsigned negated) {
  Sketch sketch(agreement);
  sketch.hold(kIn, 0, kLong).hold(kFirst, 0, kLong).hold(kFirst | kReq, 0, asserted);
  sketch.hold(kFirst, 0, negated).hold(kFirst | kReq, 0, 8).hold(kFirst, 0, 8);
  return sketch;
}
/// One synchronous REQ after which the data changes.
Sketch one_hold(const Agreement& agreement, unsigned held) {
  Sketch sketch(agreement);
  sketch.hold(kIn, 0, kLong).hold(kFirst, 0, kLong).hold(kFirst | kReq, 0, held);
  sketch.hold(kSecond | kReq, 0, 4).hold(kSecond, 0, kLong);
  return sketch;
}
Sketch one_setup(const Agreement& agreement, unsigned set_up) {
  Sketch sketch(agreement);
  sketch.hold(kIn, 0, kLong).hold(kFirst, 0, set_up).hold(kFirst | kReq, 0, 8);
  return sketch;
}

using namespace timing_ns;  // NOLINT(google-build-using-namespace)

INSTANTIATE_TEST_SUITE_P(
    Scsi2, CheckerRule,
    testing::Values(
        Rule{"BusSettleBeforeReq", kBusSettleDelay, "REQ before the bus settle delay",
             [](unsigned t) {
               return Sketch().hold(kBsy | kCd, 0, t).hold(kBsy | kCd | kReq, 0, 1);
             }},
        Rule{"DataBusTurn", kDataReleaseDelay + kBusSettleDelay,
             "DATA BUS driven before data release and bus settle delay",
             [](unsigned t) { return Sketch().hold(kIn, 0, t).hold(kFirst, 0, kLong); }},
        Rule{"AsyncSetup", kDeskewDelay + kCableSkewDelay, "REQ before its data was set up",
             [](unsigned t) { return one_setup({}, t); }},
        Rule{"SyncSetup", kDeskewDelay + kCableSkewDelay, "REQ before its data was set up",
             [](unsigned t) { return one_setup(kSlow, t); }},
        Rule{"FastSetup", kFastDeskewDelay + kFastCableSkewDelay, "REQ before its data was set up",
             [](unsigned t) { return one_setup(kFast, t); }},
        Rule{"SyncHold", kDeskewDelay + kCableSkewDelay + kHoldTime,
             "data changed within its hold time", [](unsigned t) { return one_hold(kSlow, t); }},
        Rule{"FastHold", kFastDeskewDelay + kFastCableSkewDelay + kFastHoldTime,
             "data changed within its hold time", [](unsigned t) { return one_hold(kFast, t); }},
        Rule{"Assertion", kAssertionPeriod, "REQ true shorter than the assertion period",
             [](unsigned t) { return two_pulses(kSlow, t, kLong); }},
        Rule{"FastAssertion", kFastAssertionPeriod, "REQ true shorter than the assertion period",
             [](unsigned t) { return two_pulses(kFast, t, kLong); }},
        Rule{"Negation", kNegationPeriod, "REQ before the negation period",
             [](unsigned t) { return two_pulses(kSlow, kLong, t); }},
        Rule{"FastNegation", kFastNegationPeriod, "REQ before the negation period",
             [](unsigned t) { return two_pulses(kFast, kLong, t); }},
        Rule{"Period", 250, "REQ before the transfer period",
             [](unsigned t) { return two_pulses(kSlow, 4, t - 4); }},
        Rule{"FastPeriod", 100, "REQ before the transfer period",
             [](unsigned t) { return two_pulses(kFast, 2, t - 2); }}),
    [](const auto& test) { return std::string(test.param.what); });

// Rules that are no minimum times: a legal and an illegal sketch each.
TEST(CheckerTest, PhaseChange_OnlyOutsideAHandshake) {
  const Pins command = kBsy | kCd;
  Sketch good;
  good.hold(command, 0, kLong).hold(command | kReq, 0, 4).hold(command | kReq, kAck, 2);
  good.hold(command, kAck, 2).hold(command, 0, 1).hold(kBsy, 0, kLong);
  EXPECT_EQ(good.complaint(), "");
  Sketch bad;
  bad.hold(command, 0, kLong).hold(command | kReq, 0, 4).hold(command | kReq, kAck, 2);
  bad.hold(command, kAck, 2).hold(kBsy, kAck, kLong);
  EXPECT_NE(bad.complaint(), "");
}

TEST(CheckerTest, AsyncReq_WaitsForBothEdgesOfAck) {
  const Pins command = kBsy | kCd;
  Sketch early_fall;
  early_fall.hold(command, 0, kLong).hold(command | kReq, 0, 4).hold(command, 0, 1);
  EXPECT_NE(early_fall.complaint(), "");
  Sketch early_rise;
  early_rise.hold(command, 0, kLong).hold(command | kReq, 0, 4).hold(command | kReq, kAck, 2);
  early_rise.hold(command, kAck, 4).hold(command | kReq, kAck, 1);
  EXPECT_NE(early_rise.complaint(), "");
}

TEST(CheckerTest, Offset_OneMoreIsTooMany) {
  for (const unsigned pulses : {4U, 5U}) {
    Sketch sketch(kFast);
    sketch.hold(kBsy, 0, kLong);
    for (unsigned i = 0; i < pulses; ++i) sketch.hold(kBsy | kReq, 0, 2).hold(kBsy, 0, 2);
    EXPECT_EQ(sketch.complaint().empty(), pulses == 4);
  }
}

TEST(CheckerTest, ParityAndWidth_AreLookedAt) {
  const auto sketch = [](Pins data) {
    return Sketch().hold(kIn, 0, kLong).hold(kIn | data, 0, 4).hold(kIn | data | kReq, 0, 1);
  };
  EXPECT_EQ(sketch(narrow_data(0x71)).complaint(), "");
  EXPECT_NE(sketch(narrow_data(0x71) ^ 1U << kDpShift).complaint(), "");
  EXPECT_NE(sketch(wide_data(0x0071)).complaint(), "") << "DB(P1) driven in a narrow transfer";
}

TEST(CheckerTest, Release_WithinBusClearDelay) {
  constexpr unsigned kMost = kBusClearDelay / kClockNs;
  EXPECT_EQ(Sketch().hold(kBsy | kCd, 0, 9).hold(kCd, 0, kMost).hold(0, 0, 9).complaint(), "");
  EXPECT_NE(Sketch().hold(kBsy | kCd, 0, 9).hold(kCd, 0, kMost + 2).hold(0, 0, 9).complaint(), "");
}

TEST(CheckerTest, TurnOutward_DataGoesWithinADeskewDelay) {
  const auto sketch = [](unsigned kept) {
    return Sketch()
        .hold(kIn, 0, kLong)
        .hold(kFirst, 0, kLong)
        .hold(kFirst & ~kIo, 0, kept)
        .hold(kBsy, 0, kLong);
  };
  EXPECT_EQ(sketch(kDeskewDelay / kClockNs + 1).complaint(), "") << "kept for 25 ns";
  EXPECT_NE(sketch(kDeskewDelay / kClockNs + 2).complaint(), "");
}

}  // namespace
}  // namespace headstack::scsi
