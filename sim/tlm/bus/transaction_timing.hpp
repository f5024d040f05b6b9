// SPDX-License-Identifier: Apache-2.0
/// @file
/// Times of the transaction bus: those of hdl/scsi_target in clocks, and the edges at which the
/// clock samples changes by the other side.
///
/// Delays in clocks are sums from sim/bus/scsi_timing.hpp, rounded up. Sums, rounding and names are
/// those of hdl/scsi_target/scsi_timing_pkg.sv. The host adapter's times are its ReactionTimes, to
/// the picosecond.
///
/// With ideal electronics all are 0, except resets and the waits for a device that does not answer.
#pragma once

#include "sim/bus/scsi_timing.hpp"
#include "sim/initiator/reaction_times.hpp"
#include "sim/tlm/kernel/clock.hpp"

namespace headstack::tlm {

/// The delays of scsi_timing_pkg, in clocks.
namespace target_clocks {
constexpr std::int64_t rounded_up(Picoseconds time) {
  return (time + kClockPeriodPs - 1) / kClockPeriodPs;
}
constexpr std::int64_t kBusSettle = rounded_up(bus::timing::kBusSettleDelay);
constexpr std::int64_t kFreeToArbitrate = rounded_up(bus::timing::kFreeToArbitration);
constexpr std::int64_t kArbitration = rounded_up(bus::timing::kArbitrationDelay);
constexpr std::int64_t kArbitrationWon = rounded_up(bus::timing::kWonToChange);
constexpr std::int64_t kTwoDeskew = rounded_up(bus::timing::kTwoDeskewDelays);
constexpr std::int64_t kGiveUp = rounded_up(bus::timing::kSelectionAbortWait);
constexpr std::int64_t kTurnIn = rounded_up(bus::timing::kTurnAround);
constexpr std::int64_t kSetup = rounded_up(bus::timing::kDataSetup);
constexpr std::int64_t kFastSetup = rounded_up(bus::timing::kFastDataSetup);
constexpr std::int64_t kHold = rounded_up(bus::timing::kDataHold);
constexpr std::int64_t kFastHold = rounded_up(bus::timing::kFastDataHold);
constexpr std::int64_t kAssertion = rounded_up(bus::timing::kAssertionPeriod);
constexpr std::int64_t kFastAssertion = rounded_up(bus::timing::kFastAssertionPeriod);
constexpr std::int64_t kReq = kHold > kAssertion ? kHold : kAssertion;
constexpr std::int64_t kFastReq = kFastHold > kFastAssertion ? kFastHold : kFastAssertion;
constexpr std::int64_t kFastPeriod = rounded_up(bus::timing::kFastPeriodLimit);
constexpr std::int64_t kMinPeriod = kFastReq + rounded_up(bus::timing::kFastNegationPeriod);
/// Clocks from the edge that samples a pin until the state machines get it.
constexpr std::int64_t kSync = 2;
/// Clocks from the write to COMMAND until its operation starts (scsi_target_reg_top.sv: one for the
/// register, one for command_valid).
constexpr std::int64_t kCommand = 2;
}  // namespace target_clocks

class TransactionTiming {
 public:
  explicit TransactionTiming(bool ideal = false) : clock_(ideal ? 0 : kClockPeriodPs) {}

  bool ideal() const { return clock_ == 0; }
  /// The time of `count` clocks.
  Picoseconds clocks(std::int64_t count) const { return count * clock_; }
  /// The edge at which the target acts on a change of the bus at `time`.
  Picoseconds seen(Picoseconds time) const {
    return ideal() ? time : edge_after(time) + tlm::clocks(target_clocks::kSync);
  }
  /// The edge at which an operation starts whose COMMAND is written in the access at `time`.
  Picoseconds started(Picoseconds time) const {
    return ideal() ? time : edge_after(time) + tlm::clocks(target_clocks::kCommand - 1);
  }
  /// The edge at which a register write at `time` takes effect.
  Picoseconds written(Picoseconds time) const { return ideal() ? time : edge_after(time); }
  /// Whether a register that is read at `time` shows a change of the bus at `change`.
  bool shows(Picoseconds change, Picoseconds time) const { return seen(change) - clock_ <= time; }
  /// The host adapter's times: as given, or 0 with ideal electronics.
  initiator::ReactionTimes reactions(initiator::ReactionTimes times) const {
    if (!ideal()) return times;
    initiator::ReactionTimes none = times;
    none.bus_free_to_busy_ps = none.busy_to_judgement_ps = none.won_to_ids_ps = 0;
    none.ids_to_busy_release_ps = none.busy_release_to_look_ps = 0;
    none.answer_to_select_release_ps = none.reselection_answer_ps = 0;
    none.select_release_to_busy_release_ps = none.data_to_ack_ps = none.req_to_ack_ps = 0;
    none.req_release_to_ack_release_ps = none.synchronous_req_to_ack_ps = 0;
    none.fast_data_to_ack_ps = none.attention_to_ack_ps = 0;
    return none;
  }

 private:
  Picoseconds clock_;
};

}  // namespace headstack::tlm
