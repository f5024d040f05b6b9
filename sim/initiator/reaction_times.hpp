// SPDX-License-Identifier: Apache-2.0
// The initiator's delays. The defaults are the minima of SCSI-2, and the recommended values for
// time-outs. A slower controller has larger values. Smaller values violate the standard, as tests
// of targets may want; sim/bus/protocol_checker.hpp reports that.
#pragma once

#include <algorithm>

#include "sim/bus/scsi_timing.hpp"

namespace headstack::initiator {

struct ReactionTimes {
  // Arbitration (6.1.2).
  Picoseconds bus_free_to_busy_ps = bus::timing::kFreeToArbitration;
  Picoseconds busy_to_judgement_ps = bus::timing::kArbitrationDelay;
  Picoseconds won_to_ids_ps = bus::timing::kWonToChange;
  // Selection (6.1.3) and reselection (6.1.4).
  Picoseconds ids_to_busy_release_ps = bus::timing::kTwoDeskewDelays;
  Picoseconds busy_release_to_look_ps = bus::timing::kBusSettleDelay;
  Picoseconds selection_time_out_ps = bus::timing::kSelectionTimeOutDelay;
  Picoseconds selection_abort_ps = bus::timing::kSelectionAbortWait;
  Picoseconds answer_to_select_release_ps = bus::timing::kTwoDeskewDelays;
  Picoseconds reselection_answer_ps = bus::timing::kBusSettleDelay;
  Picoseconds select_release_to_busy_release_ps = 0;  // no minimum
  // Information transfer (6.1.5).
  Picoseconds data_to_ack_ps = bus::timing::kDataSetup;
  Picoseconds req_to_ack_ps = 0;                  // no minimum
  Picoseconds req_release_to_ack_release_ps = 0;  // no minimum
  Picoseconds synchronous_req_to_ack_ps = 0;      // no minimum; this makes an offset useful
  // The adapter's own pace, where it is slower than the agreement: least times from one ACK of a
  // synchronous data phase to the next. 0: the agreement's period.
  Picoseconds data_in_ack_period_ps = 0;
  Picoseconds data_out_ack_period_ps = 0;
  Picoseconds fast_data_to_ack_ps = bus::timing::kFastDataSetup;  // synchronous, below 200 ns
  // Attention (6.2.1): before ACK falls when asserted, before ACK rises when negated.
  Picoseconds attention_to_ack_ps = bus::timing::kTwoDeskewDelays;
  // Reset (6.2.2).
  Picoseconds reset_hold_ps = bus::timing::kResetHoldTime;
  Picoseconds reset_to_arbitration_ps = bus::timing::kResetToSelectionTime;

  /// Time from one ACK to the next in a synchronous data phase of an agreement with `period_ps`.
  Picoseconds ack_period_ps(bool in, Picoseconds period_ps) const {
    return std::max(period_ps, in ? data_in_ack_period_ps : data_out_ack_period_ps);
  }
};

}  // namespace headstack::initiator
