// SPDX-License-Identifier: Apache-2.0
#include "sim/bus/protocol_checker.hpp"

#include <algorithm>
#include <cstdio>

#include "sim/bus/scsi_timing.hpp"

namespace headstack::bus {
namespace {

using namespace line;  // NOLINT(google-build-using-namespace): the lines are this file's vocabulary

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

// Checks BSY after bus free, and of the devices that join the arbitration while it lasts.
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

// Checks the winner, from winning the bus until it releases BSY for the answer.
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

// Checks a change of the data bus.
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
    // Asynchronous data stay until REQ falls after ACK, synchronous data for the hold time.
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
