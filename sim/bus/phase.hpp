// SPDX-License-Identifier: Apache-2.0
// Bus phases (SCSI-2 clause 6.1), decoded from the lines.
#pragma once

#include "sim/bus/pins.hpp"

namespace headstack::bus {

/// Information transfer phases are numbered as MSG, C/D, I/O (SCSI-2 6.1.5).
enum class Phase : std::uint8_t {
  kDataOut = 0,
  kDataIn = 1,
  kCommand = 2,
  kStatus = 3,
  kReserved4 = 4,
  kReserved5 = 5,
  kMessageOut = 6,
  kMessageIn = 7,
  kBusFree = 8,
  kArbitration = 9,
  kSelection = 10,
  kReselection = 11,
  kReset = 12,
};

/// The name of the phase as the standard writes it: "DATA OUT", "BUS FREE".
const char* phase_name(Phase phase);

constexpr Phase information_phase(LineSet lines) {
  return static_cast<Phase>(((lines & line::kMsg) ? 4U : 0U) | ((lines & line::kCd) ? 2U : 0U) |
                            ((lines & line::kIo) ? 1U : 0U));
}
constexpr bool is_information(Phase phase) { return phase < Phase::kBusFree; }
constexpr bool is_reserved(Phase phase) {
  return phase == Phase::kReserved4 || phase == Phase::kReserved5;
}
constexpr bool is_message(Phase phase) { return phase >= Phase::kMessageOut; }
constexpr bool is_data(Phase phase) { return phase <= Phase::kDataIn; }
/// Whether an information phase goes from target to initiator.
constexpr bool is_in(Phase phase) { return (static_cast<unsigned>(phase) & 1U) != 0; }

/// The lines that a target asserts for an information phase.
constexpr LineSet phase_lines(Phase phase) {
  const auto bits = static_cast<unsigned>(phase);
  return ((bits & 4U) ? line::kMsg : 0) | ((bits & 2U) ? line::kCd : 0) |
         ((bits & 1U) ? line::kIo : 0);
}

/// Follows the bus from phase to phase, one change of the lines at a time.
///
/// An information phase begins with its first REQ, and the phase before lasts until then. Before
/// REQ, MSG, C/D and I/O may take any value (6.1.5).
class PhaseTracker {
 public:
  /// Takes the lines after a change; `req_rose`: REQ was negated before it.
  Phase update(LineSet lines, bool req_rose);
  Phase phase() const { return phase_; }

 private:
  Phase phase_ = Phase::kBusFree;
};

}  // namespace headstack::bus
