// SPDX-License-Identifier: Apache-2.0
// The lines of the parallel bus; 1 is asserted (the cable's negative logic stops at the drivers).
//
// `Pins` has the lines by name; `LineSet` has them in one word, for masks and wired-OR. The order
// of bits is that of `scsi_pkg::pins_t`: db[15:0] dp[1:0] bsy sel cd io msg req ack atn rst, db
// highest.
#pragma once

#include <cstdint>

namespace headstack::bus {

using LineSet = std::uint32_t;

namespace line {
constexpr LineSet kRst = 1U << 0;
constexpr LineSet kAtn = 1U << 1;
constexpr LineSet kAck = 1U << 2;
constexpr LineSet kReq = 1U << 3;
constexpr LineSet kMsg = 1U << 4;
constexpr LineSet kIo = 1U << 5;
constexpr LineSet kCd = 1U << 6;
constexpr LineSet kSel = 1U << 7;
constexpr LineSet kBsy = 1U << 8;
constexpr unsigned kDpShift = 9;
constexpr unsigned kDbShift = 11;
constexpr LineSet kDp = 3U << kDpShift;
constexpr LineSet kDb = 0xFFFFU << kDbShift;
constexpr LineSet kData = kDb | kDp;
constexpr LineSet kPhase = kMsg | kCd | kIo;
constexpr LineSet kAll = (1U << 27) - 1;
}  // namespace line

struct Pins {
  std::uint16_t db = 0;
  std::uint8_t dp = 0;  // bit 0 belongs to db[7:0], bit 1 to db[15:8]
  bool bsy = false;
  bool sel = false;
  bool cd = false;
  bool io = false;
  bool msg = false;
  bool req = false;
  bool ack = false;
  bool atn = false;
  bool rst = false;
};

constexpr LineSet pack(const Pins& pins) {
  return (LineSet{pins.db} << line::kDbShift) | ((LineSet{pins.dp} & 3U) << line::kDpShift) |
         (pins.bsy ? line::kBsy : 0) | (pins.sel ? line::kSel : 0) | (pins.cd ? line::kCd : 0) |
         (pins.io ? line::kIo : 0) | (pins.msg ? line::kMsg : 0) | (pins.req ? line::kReq : 0) |
         (pins.ack ? line::kAck : 0) | (pins.atn ? line::kAtn : 0) | (pins.rst ? line::kRst : 0);
}

constexpr std::uint16_t db_of(LineSet lines) {
  return static_cast<std::uint16_t>(lines >> line::kDbShift);
}
constexpr std::uint8_t dp_of(LineSet lines) {
  return static_cast<std::uint8_t>((lines >> line::kDpShift) & 3U);
}

constexpr Pins unpack(LineSet lines) {
  Pins pins;
  pins.db = db_of(lines);
  pins.dp = dp_of(lines);
  pins.bsy = (lines & line::kBsy) != 0;
  pins.sel = (lines & line::kSel) != 0;
  pins.cd = (lines & line::kCd) != 0;
  pins.io = (lines & line::kIo) != 0;
  pins.msg = (lines & line::kMsg) != 0;
  pins.req = (lines & line::kReq) != 0;
  pins.ack = (lines & line::kAck) != 0;
  pins.atn = (lines & line::kAtn) != 0;
  pins.rst = (lines & line::kRst) != 0;
  return pins;
}

/// The parity bit of a byte: byte and bit together hold an odd number of ones (SCSI-2 5.6,
/// DB(P)).
constexpr std::uint8_t odd_parity(std::uint8_t byte) {
  unsigned folded = byte;
  folded ^= folded >> 4U;
  folded ^= folded >> 2U;
  folded ^= folded >> 1U;
  return static_cast<std::uint8_t>((folded & 1U) ^ 1U);
}

/// Data lines of one byte on DB(7-0), or of two with the first on DB(7-0), with odd parity.
constexpr LineSet data_lines(std::uint8_t byte) {
  return (LineSet{byte} << line::kDbShift) | (LineSet{odd_parity(byte)} << line::kDpShift);
}
constexpr LineSet wide_data_lines(std::uint16_t word) {
  const auto low = static_cast<std::uint8_t>(word);
  const auto high = static_cast<std::uint8_t>(word >> 8U);
  return (LineSet{word} << line::kDbShift) | (LineSet{odd_parity(low)} << line::kDpShift) |
         (LineSet{odd_parity(high)} << (line::kDpShift + 1));
}

/// Whether DB(7-0), and DB(15-8) too if `wide`, agree with their parity lines.
constexpr bool parity_good(LineSet lines, bool wide) {
  const std::uint16_t db = db_of(lines);
  const std::uint8_t dp = dp_of(lines);
  return odd_parity(static_cast<std::uint8_t>(db)) == (dp & 1U) &&
         (!wide || odd_parity(static_cast<std::uint8_t>(db >> 8U)) == (dp >> 1U));
}

/// The data bus in selection and reselection: both ids, with parity for the bytes that carry an id.
constexpr LineSet id_lines(unsigned id, unsigned other) {
  const auto bits = static_cast<std::uint16_t>((1U << id) | (1U << other));
  return (id | other) >= 8 ? wide_data_lines(bits) : data_lines(static_cast<std::uint8_t>(bits));
}

/// Arbitration priority of an id: 7 is highest, then 6 .. 0, then 15 .. 8 (SCSI-2 6.1.2).
constexpr unsigned priority_of(unsigned id) { return id ^ 8U; }

}  // namespace headstack::bus
