// SPDX-License-Identifier: Apache-2.0
// SCSI-2 bus timing, in picoseconds. SCSI-2 is ANSI X3.131-1994. Its clause 5.7 (SCSI bus timing)
// defines the values here, and 5.8 those of fast synchronous transfers. Clause 6 says where each is
// used. "min": no earlier; "max": no later; "rec": recommended.
#pragma once

#include "sim/units.hpp"

namespace headstack::bus::timing {

constexpr Picoseconds kPicosecondsPerNanosecond = 1'000;

// Arbitration, selection, bus free.
constexpr Picoseconds kArbitrationDelay = 2'400'000;  // min, own BSY to checking the data bus
constexpr Picoseconds kBusClearDelay = 800'000;       // max, to release everything
constexpr Picoseconds kBusFreeDelay = 800'000;        // min, bus free detected to driving BSY
constexpr Picoseconds kBusSetDelay = 1'800'000;       // max, bus free last detected to driving BSY
constexpr Picoseconds kBusSettleDelay = 400'000;      // min, from a change of lines to their use
constexpr Picoseconds kSelectionAbortTime = 200'000'000;  // max, target's answer to a selection
constexpr Picoseconds kSelectionTimeOutDelay = 250'000'000'000;  // rec, initiator's wait for an
                                                                 // answer
constexpr Picoseconds kDisconnectionDelay =
    200'000'000;  // min, off the bus after DISCONNECT (6.6.6)

// Information transfer, asynchronous and synchronous.
constexpr Picoseconds kDeskewDelay = 45'000;        // min
constexpr Picoseconds kCableSkewDelay = 10'000;     // max, between any two signals
constexpr Picoseconds kDataReleaseDelay = 400'000;  // max, initiator releases DB after I/O rises
constexpr Picoseconds kAssertionPeriod = 90'000;    // min, REQ or ACK asserted, synchronous
constexpr Picoseconds kNegationPeriod = 90'000;     // min, REQ or ACK negated, synchronous
constexpr Picoseconds kHoldTime = 45'000;           // min

// Fast synchronous transfers: negotiated period below 200 ns.
constexpr Picoseconds kFastAssertionPeriod = 30'000;
constexpr Picoseconds kFastNegationPeriod = 30'000;
constexpr Picoseconds kFastDeskewDelay = 20'000;
constexpr Picoseconds kFastCableSkewDelay = 5'000;
constexpr Picoseconds kFastHoldTime = 10'000;
constexpr Picoseconds kFastPeriodLimit = 200'000;  // below this a period is fast
constexpr Picoseconds kFast10Period = 100'000;

// Reset and power.
constexpr Picoseconds kResetHoldTime = 25'000'000;              // min
constexpr Picoseconds kResetToSelectionTime = 250'000'000'000;  // rec, until a target answers TUR

// Sums that clause 6 uses as one delay.
constexpr Picoseconds kFreeToArbitration = kBusSettleDelay + kBusFreeDelay;  // 6.1.2, steps a and b
constexpr Picoseconds kWonToChange = kBusClearDelay + kBusSettleDelay;       // 6.1.2, step e
constexpr Picoseconds kTwoDeskewDelays = 2 * kDeskewDelay;                   // 6.1.3, 6.1.4, 6.2.1
constexpr Picoseconds kSelectionAbortWait = kSelectionAbortTime + kTwoDeskewDelays;  // 6.1.3.1 b
constexpr Picoseconds kDataSetup = kDeskewDelay + kCableSkewDelay;                   // 6.1.5.1
constexpr Picoseconds kDataHold = kDataSetup + kHoldTime;                            // 6.1.5.2
constexpr Picoseconds kFastDataSetup = kFastDeskewDelay + kFastCableSkewDelay;       // 6.1.5.2
constexpr Picoseconds kFastDataHold = kFastDataSetup + kFastHoldTime;                // 6.1.5.2
constexpr Picoseconds kTurnAround = kDataReleaseDelay + kBusSettleDelay;             // 6.1.10

}  // namespace headstack::bus::timing
