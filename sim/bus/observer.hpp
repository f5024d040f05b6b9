// SPDX-License-Identifier: Apache-2.0
// The reports of the bus to its observers: traces, waves, per-command records, tests.
#pragma once

#include <string>

#include "sim/bus/phase.hpp"
#include "sim/units.hpp"

namespace headstack::bus {

/// The rules that devices must keep. rules.cpp has the text and clause of each.
enum class Rule : std::uint8_t {
  kReqWithoutBusy,
  kAckWithoutBusy,
  kAckWithoutReq,
  kReservedPhase,
  kTwoPhaseDrivers,
  kTwoBusyHolders,
  kDataContention,
  kPhaseChangeInTransfer,
  kSelectWithoutArbitration,
  kSelectByLoser,
  kBusFreeDelay,
  kBusSetDelay,
  kArbitrationDelay,
  kWonToChange,
  kSelectionDeskew,
  kSelectionResponse,
  kSelectionRelease,
  kSelectionAbort,
  kPhaseSettle,
  kTurnAround,
  kReqSetup,
  kAckSetup,
  kDataHold,
  kAssertionPeriod,
  kNegationPeriod,
  kAttention,
  kResetHold,
  kResetRelease,
  kAgreement,  // reported by a device: the other side violates the transfer agreement
};

/// Name, text and clause of a rule: "ACK-SETUP: data stable for less than ... (6.1.5.1)".
const char* rule_text(Rule rule);

struct Violation {
  Picoseconds at = 0;
  Rule rule = Rule::kReqWithoutBusy;
  LineSet lines = 0;  // the bus after the change that broke the rule
};

/// A violation as one line for people: time, rule, phase lines, data.
std::string to_string(const Violation& violation);

/// Calls come in the kernel's update phase, in the order of time. In a call, an observer must not
/// drive the bus or notify events.
class BusObserver {
 public:
  virtual ~BusObserver() = default;
  /// Called after every change of the lines, before the other calls for the same change.
  virtual void lines_changed(Picoseconds at, LineSet before, LineSet now) {
    (void)at, (void)before, (void)now;
  }
  virtual void phase_changed(Picoseconds at, Phase from, Phase to) {
    (void)at, (void)from, (void)to;
  }
  /// Called when a byte moves, or two: at REQ in phases towards the initiator, at ACK in the
  /// others. `lines` has DB, its parity, and ATN.
  virtual void byte_moved(Picoseconds at, Phase phase, LineSet lines) {
    (void)at, (void)phase, (void)lines;
  }
  /// Called when a selected or reselected device answers with BSY. `by` and `selected` are ids.
  virtual void selected(Picoseconds at, unsigned by, unsigned selected, bool reselection) {
    (void)at, (void)by, (void)selected, (void)reselection;
  }
  virtual void violated(const Violation& violation) { (void)violation; }
};

/// A bus with observers, of lines or of transactions.
class ObservedBus {
 public:
  virtual ~ObservedBus() = default;
  virtual Phase phase() const = 0;
  /// The observer must outlive the bus or be removed.
  virtual void add_observer(BusObserver& observer) = 0;
  virtual void remove_observer(BusObserver& observer) = 0;
  /// Removes all observers. An observer must not call it from within a call to itself.
  virtual void remove_observers() = 0;
};

}  // namespace headstack::bus
