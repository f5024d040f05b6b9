#include "sim/bus/protocol_checker.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "sim/bus/scsi_timing.hpp"

namespace headstack::bus {
namespace {

using namespace line;  // NOLINT(google-build-using-namespace): the lines are this file's vocabulary

struct RuleRow {
  Rule rule;
  const char* text;
};

// One row per rule, in the order of the enum; the clause is SCSI-2's.
constexpr std::array<RuleRow, 29> kRules = {{
    {Rule::kReqWithoutBusy, "REQ asserted without BSY (6.1.5)"},
    {Rule::kAckWithoutBusy, "ACK asserted without BSY (6.1.5)"},
    {Rule::kAckWithoutReq, "more ACK than REQ edges (6.1.5.1, 6.1.5.2)"},
    {Rule::kReservedPhase, "REQ in a reserved phase (6.1.5)"},
    {Rule::kTwoPhaseDrivers, "two devices drive REQ, MSG, C/D or I/O (5.6.3)"},
    {Rule::kTwoBusyHolders, "two devices hold BSY in an information transfer phase (5.6.3)"},
    {Rule::kDataContention, "data bus driven by a device that does not send (6.1.10)"},
    {Rule::kPhaseChangeInTransfer, "MSG, C/D or I/O changed while a byte was under way (6.1.10)"},
    {Rule::kSelectWithoutArbitration, "SEL asserted without arbitration (6.1.3)"},
    {Rule::kSelectByLoser, "SEL asserted while a higher id arbitrates (6.1.2 d)"},
    {Rule::kBusFreeDelay, "BSY earlier than bus settle + bus free delay (6.1.2 b)"},
    {Rule::kBusSetDelay, "BSY later than a bus set delay after bus free (6.1.2 c)"},
    {Rule::kArbitrationDelay, "SEL earlier than an arbitration delay after BSY (6.1.2 d)"},
    {Rule::kWonToChange, "winner changed lines within bus clear + bus settle delay (6.1.2 e)"},
    {Rule::kSelectionDeskew, "BSY released within two deskew delays of the ids (6.1.3, 6.1.4)"},
    {Rule::kSelectionResponse, "selection answered within a bus settle delay (6.1.3, 6.1.4)"},
    {Rule::kSelectionRelease, "SEL released within two deskew delays of the answer (6.1.3, 6.1.4)"},
    {Rule::kSelectionAbort, "SEL released within a selection abort time of the ids (6.1.3.1 b)"},
    {Rule::kPhaseSettle, "REQ within a bus settle delay of a phase change (6.1.10)"},
    {Rule::kTurnAround, "target drove DB within data release + bus settle delay of I/O (6.1.10)"},
    {Rule::kReqSetup, "data not stable for deskew + cable skew before REQ (6.1.5)"},
    {Rule::kAckSetup, "data not stable for deskew + cable skew before ACK (6.1.5)"},
    {Rule::kDataHold, "data changed before they were taken (6.1.5)"},
    {Rule::kAssertionPeriod, "REQ or ACK pulse shorter than the assertion period (6.1.5.2)"},
    {Rule::kNegationPeriod, "REQ or ACK gap shorter than the negation period (6.1.5.2)"},
    {Rule::kAttention, "ATN negated within two deskew delays of ACK (6.2.1)"},
    {Rule::kResetHold, "RST shorter than the reset hold time (6.2.2)"},
    {Rule::kResetRelease, "lines still asserted a bus clear delay after RST (6.2.2)"},
    {Rule::kAgreement, "transfer agreement broken by the other device (6.6.21, 6.6.23)"},
}};

constexpr bool rows_match() {
  for (std::size_t i = 0; i < kRules.size(); ++i) {
    if (static_cast<std::size_t>(kRules[i].rule) != i) return false;
  }
  return true;
}
static_assert(rows_match(), "one row per rule, in order");

int count_with(const std::vector<LineSet>& asserted, LineSet mask) {
  return static_cast<int>(std::count_if(asserted.begin(), asserted.end(),
                                        [mask](LineSet lines) { return (lines & mask) != 0; }));
}

/// The highest arbitration priority among the ids on the data bus.
unsigned highest_priority(LineSet lines) {
  unsigned best = 0;
  for (unsigned id = 0; id < 16; ++id) {
    if (db_of(lines) & (1U << id)) best = std::max(best, priority_of(id));
  }
  return best;
}

}  // namespace

const char* rule_text(Rule rule) { return kRules[static_cast<std::size_t>(rule)].text; }

std::string to_string(const Violation& violation) {
  std::array<char, 192> text{};
  const Pins pins = unpack(violation.lines);
  std::snprintf(
      text.data(), text.size(),
      "%lld ps: %s; bsy %d sel %d msg %d cd %d io %d req %d ack %d atn %d rst %d db %04x dp %d",
      static_cast<long long>(violation.at), rule_text(violation.rule), pins.bsy, pins.sel, pins.msg,
      pins.cd, pins.io, pins.req, pins.ack, pins.atn, pins.rst, pins.db, pins.dp);
  return text.data();
}

void ProtocolChecker::step(Picoseconds at, LineSet before, LineSet now,
                           const std::vector<LineSet>& asserted, Phase phase) {
  at_ = at;
  devices_.resize(asserted.size());
  const LineSet changed = before ^ now;
  const LineSet rose = changed & now;
  const LineSet fell = changed & before;
  if ((now | fell) & kRst) {
    check_reset(rose, fell, now);
  } else {
    check_arbitration(asserted, now, rose, phase);
    check_winner(asserted, now, rose, fell);
    check_selection(before, now, rose, fell);
    check_ownership(asserted, now, rose);
    check_transfer(before, now, rose, fell);
    if (changed & kData) check_data(before, now, asserted);
  }
  note(now, rose, fell, changed);
  for (std::size_t i = 0; i < asserted.size(); ++i) {
    if (asserted[i] & ~devices_[i].lines & kBsy) devices_[i].bsy_rose = at_;
    devices_[i].lines = asserted[i];
  }
}

void ProtocolChecker::check_reset(LineSet rose, LineSet fell, LineSet now) {
  if (rose & kRst) rst_rose_ = at_;
  const bool must_be_clear = at_ - rst_rose_ > timing::kBusClearDelay;
  if (must_be_clear && (fell & kRst)) check((now & ~kRst) == 0, Rule::kResetRelease);
  if (must_be_clear && !(fell & kRst)) check((fell & ~kRst) == 0, Rule::kResetRelease);
  if (fell & kRst) check(at_ - rst_rose_ >= timing::kResetHoldTime, Rule::kResetHold);
  unanswered_ = 0;
  connected_ = false;
  winner_ = -1;
}

// BSY from bus free, and those that join while it lasts.
void ProtocolChecker::check_arbitration(const std::vector<LineSet>& asserted, LineSet now,
                                        LineSet rose, Phase phase) {
  if (phase == Phase::kBusFree && (rose & kBsy)) {
    check(at_ - free_since_ >= timing::kFreeToArbitration, Rule::kBusFreeDelay);
    left_free_ = at_;
  }
  if (phase != Phase::kArbitration || (now & kSel)) return;
  for (std::size_t i = 0; i < asserted.size(); ++i) {
    if (asserted[i] & ~devices_[i].lines & kBsy) {
      check(at_ - left_free_ <= timing::kBusSetDelay, Rule::kBusSetDelay);
    }
  }
}

// From winning the bus until BSY is let go of for the answer.
void ProtocolChecker::check_winner(const std::vector<LineSet>& asserted, LineSet now, LineSet rose,
                                   LineSet fell) {
  if (rose & kSel) {
    winner_ = -1;
    for (std::size_t i = 0; i < asserted.size(); ++i) {
      if (asserted[i] & kSel) winner_ = static_cast<int>(i);
    }
    const auto winner = static_cast<std::size_t>(winner_);
    const bool arbitrated = winner_ >= 0 && (devices_[winner].lines & kBsy) != 0;
    check(arbitrated && !connected_, Rule::kSelectWithoutArbitration);
    if (!arbitrated) return;
    check(at_ - devices_[winner].bsy_rose >= timing::kArbitrationDelay, Rule::kArbitrationDelay);
    check(highest_priority(asserted[winner]) == highest_priority(now), Rule::kSelectByLoser);
    sel_rose_ = at_;
    return;
  }
  if (winner_ < 0 || !(now & kSel)) return;
  const auto winner = static_cast<std::size_t>(winner_);
  const LineSet own_change = asserted[winner] ^ devices_[winner].lines;
  if (own_change == 0) return;
  check(at_ - sel_rose_ >= timing::kWonToChange, Rule::kWonToChange);
  if (fell & kBsy) {
    const Picoseconds stable = std::max({data_changed_, atn_changed_, io_rose_});
    check(at_ - stable >= timing::kTwoDeskewDelays, Rule::kSelectionDeskew);
  }
}

void ProtocolChecker::check_selection(LineSet before, LineSet now, LineSet rose, LineSet fell) {
  if ((before & now & kSel) && (rose & kBsy)) {
    check(at_ - bsy_fell_ >= timing::kBusSettleDelay, Rule::kSelectionResponse);
    answered_ = at_;
  }
  if (!(fell & kSel)) return;
  if (now & kBsy) {
    check(at_ - answered_ >= timing::kTwoDeskewDelays, Rule::kSelectionRelease);
    connected_ = true;
  } else {
    check((before & kData) == 0 && at_ - data_changed_ >= timing::kSelectionAbortWait,
          Rule::kSelectionAbort);
  }
  winner_ = -1;
}

void ProtocolChecker::check_ownership(const std::vector<LineSet>& asserted, LineSet now,
                                      LineSet rose) {
  if (rose & (kReq | kPhase)) {
    check(count_with(asserted, kReq | kPhase) <= 1, Rule::kTwoPhaseDrivers);
  }
  if (rose & kReq) {
    check((now & kBsy) != 0, Rule::kReqWithoutBusy);
    check(count_with(asserted, kBsy) <= 1, Rule::kTwoBusyHolders);
    check(!is_reserved(information_phase(now)), Rule::kReservedPhase);
  }
  if (rose & kAck) check((now & kBsy) != 0, Rule::kAckWithoutBusy);
  const bool in = (now & kIo) != 0;
  const LineSet strobe = in ? kReq : kAck;
  if (rose & strobe) {  // the byte is valid now, and only its sender may drive
    const bool alone = std::none_of(asserted.begin(), asserted.end(), [strobe](LineSet lines) {
      return (lines & kDb) != 0 && (lines & strobe) == 0;
    });
    check(alone, Rule::kDataContention);
  }
}

void ProtocolChecker::check_transfer(LineSet before, LineSet now, LineSet rose, LineSet fell) {
  if (!connected_) return;
  const Phase phase = information_phase(now);
  const bool data = is_data(phase);
  const Picoseconds setup = data ? timing::kFastDataSetup : timing::kDataSetup;
  // A byte that changes in the same moment as its strobe has not been stable at all.
  const Picoseconds data_changed = ((rose | fell) & kData) ? at_ : data_changed_;
  if ((rose | fell) & kPhase) {
    const bool at_rest = unanswered_ == 0 && !((before | now) & (kReq | kAck));
    check(at_rest || !(now & kBsy), Rule::kPhaseChangeInTransfer);
  }
  if (rose & kReq) {
    const Picoseconds changed = ((rose | fell) & kPhase) ? at_ : phase_changed_;
    check(at_ - changed >= timing::kBusSettleDelay, Rule::kPhaseSettle);
    if (is_in(phase)) check(at_ - data_changed >= setup, Rule::kReqSetup);
    if (data)
      check(at_ - req_fell_ >= timing::kFastNegationPeriod || unanswered_ == 0,
            Rule::kNegationPeriod);
    ++unanswered_;
  }
  if (rose & kAck) {
    --unanswered_;
    check(unanswered_ >= 0, Rule::kAckWithoutReq);
    if (!is_in(phase)) check(at_ - data_changed >= setup, Rule::kAckSetup);
    // Two ACKs for REQs that came before both: synchronous, so the gap has a minimum.
    if (data && req_rose_ < ack_fell_) {
      check(at_ - ack_fell_ >= timing::kFastNegationPeriod, Rule::kNegationPeriod);
    }
    if (phase == Phase::kMessageOut && !(now & kAtn)) {
      check(at_ - atn_changed_ >= timing::kTwoDeskewDelays, Rule::kAttention);
    }
  }
  // Pulses without an answering edge in between are synchronous ones, and have a minimum.
  if (data && (fell & kReq) && ack_rose_ < req_rose_ && (now & kBsy)) {
    check(at_ - req_rose_ >= timing::kFastAssertionPeriod, Rule::kAssertionPeriod);
  }
  if (data && (fell & kAck) && req_fell_ < ack_rose_ && !(fell & kReq) && (now & kBsy)) {
    check(at_ - ack_rose_ >= timing::kFastAssertionPeriod, Rule::kAssertionPeriod);
  }
}

// The data bus changed.
void ProtocolChecker::check_data(LineSet before, LineSet now,
                                 const std::vector<LineSet>& asserted) {
  if (!connected_ || !(now & kBsy)) return;
  if (now & kIo) {
    const bool by_target = std::any_of(asserted.begin(), asserted.end(), [](LineSet lines) {
      return (lines & kBsy) != 0 && (lines & kDb) != 0;
    });
    check(!by_target || at_ - io_rose_ >= timing::kTurnAround, Rule::kTurnAround);
    const bool taken = unanswered_ == 0 || at_ - req_rose_ >= timing::kFastDataHold;
    check(taken, Rule::kDataHold);
  } else {
    // Asynchronous: until REQ falls behind ACK. Synchronous: for the hold time.
    const bool answered = req_fell_ >= ack_rose_ || (before & ~now & kReq) != 0;
    check(answered || at_ - ack_rose_ >= timing::kFastDataHold, Rule::kDataHold);
  }
}

void ProtocolChecker::note(LineSet now, LineSet rose, LineSet fell, LineSet changed) {
  if (changed & kData) data_changed_ = at_;
  if (rose & kReq) req_rose_ = at_;
  if (fell & kReq) req_fell_ = at_;
  if (rose & kAck) ack_rose_ = at_;
  if (fell & kAck) ack_fell_ = at_;
  if (changed & kPhase) phase_changed_ = at_;
  if (rose & kIo) io_rose_ = at_;
  if (changed & kAtn) atn_changed_ = at_;
  if (fell & kBsy) bsy_fell_ = at_;
  if ((fell & (kBsy | kSel | kRst)) && !(now & (kBsy | kSel | kRst))) {
    free_since_ = at_;
    unanswered_ = 0;
    connected_ = false;
    winner_ = -1;
  }
}

}  // namespace headstack::bus
