// SPDX-License-Identifier: Apache-2.0
// The lines of the SCSI bus for tests: scsi_pkg::pins_t as a word, 1 is asserted.
#pragma once

#include <cstdint>

namespace headstack::scsi {

using Pins = std::uint32_t;

constexpr Pins kRst = 1U << 0;
constexpr Pins kAtn = 1U << 1;
constexpr Pins kAck = 1U << 2;
constexpr Pins kReq = 1U << 3;
constexpr Pins kMsg = 1U << 4;
constexpr Pins kIo = 1U << 5;
constexpr Pins kCd = 1U << 6;
constexpr Pins kSel = 1U << 7;
constexpr Pins kBsy = 1U << 8;
constexpr Pins kPhaseMask = kMsg | kCd | kIo;
constexpr int kDpShift = 9;
constexpr int kDbShift = 11;
constexpr Pins kDpMask = 3U << kDpShift;
constexpr Pins kDbMask = 0xFFFFU << kDbShift;
constexpr Pins kDataMask = kDbMask | kDpMask;

// Phases as {MSG, C/D, I/O}.
enum Phase : unsigned {
  kDataOut = 0,
  kDataIn = 1,
  kCommand = 2,
  kStatus = 3,
  kMessageOut = 6,
  kMessageIn = 7
};

inline unsigned phase_of(Pins pins) {
  return ((pins & kMsg) != 0 ? 4U : 0U) | ((pins & kCd) != 0 ? 2U : 0U) |
         ((pins & kIo) != 0 ? 1U : 0U);
}
inline unsigned db_of(Pins pins) { return (pins & kDbMask) >> kDbShift; }
inline unsigned dp_of(Pins pins) { return (pins & kDpMask) >> kDpShift; }

/// The bit that makes the number of ones odd (SCSI-2: DATA BUS, odd parity), counted one by one.
inline unsigned odd_parity(unsigned byte) {
  unsigned ones = 0;
  for (unsigned bit = 0; bit < 8; ++bit) ones += (byte >> bit) & 1U;
  return ones % 2 == 0 ? 1U : 0U;
}

/// DB(7-0) with its parity; DB(15-8) and DB(P1) at rest.
inline Pins narrow_data(unsigned byte) {
  return (byte & 0xFFU) << kDbShift | odd_parity(byte & 0xFFU) << kDpShift;
}

/// All sixteen data bits with both parity bits.
inline Pins wide_data(unsigned word) {
  return (word & 0xFFFFU) << kDbShift | odd_parity(word & 0xFFU) << kDpShift |
         odd_parity(word >> 8 & 0xFFU) << (kDpShift + 1);
}

inline constexpr unsigned kClockNs = 25;

/// Fewest whole clocks that last at least this time.
constexpr unsigned clocks(unsigned time_ns) { return (time_ns + kClockNs - 1) / kClockNs; }

/// SCSI-2, SCSI bus timing and fast synchronous transfer option, in nanoseconds. Written
/// independently of the RTL's table.
namespace timing_ns {
constexpr unsigned kArbitrationDelay = 2400;
constexpr unsigned kAssertionPeriod = 90;
constexpr unsigned kBusClearDelay = 800;
constexpr unsigned kBusFreeDelay = 800;
constexpr unsigned kBusSetDelay = 1800;
constexpr unsigned kBusSettleDelay = 400;
constexpr unsigned kCableSkewDelay = 10;
constexpr unsigned kDataReleaseDelay = 400;
constexpr unsigned kDeskewDelay = 45;
constexpr unsigned kHoldTime = 45;
constexpr unsigned kNegationPeriod = 90;
constexpr unsigned kSelectionAbort = 200'000;
constexpr unsigned kFastAssertionPeriod = 30;
constexpr unsigned kFastCableSkewDelay = 5;
constexpr unsigned kFastDeskewDelay = 20;
constexpr unsigned kFastHoldTime = 10;
constexpr unsigned kFastNegationPeriod = 30;
constexpr unsigned kFastBelow = 200;
}  // namespace timing_ns

}  // namespace headstack::scsi
