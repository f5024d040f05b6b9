// SPDX-License-Identifier: Apache-2.0
#include "sim/bus/phase.hpp"

#include <array>

namespace headstack::bus {

const char* phase_name(Phase phase) {
  static constexpr std::array<const char*, 13> kNames = {
      "DATA OUT",   "DATA IN",     "COMMAND",    "STATUS",   "RESERVED 4",
      "RESERVED 5", "MESSAGE OUT", "MESSAGE IN", "BUS FREE", "ARBITRATION",
      "SELECTION",  "RESELECTION", "RESET"};
  const auto index = static_cast<std::size_t>(phase);
  return index < kNames.size() ? kNames[index] : "?";
}

Phase PhaseTracker::update(LineSet lines, bool req_rose) {
  const bool bsy = (lines & line::kBsy) != 0;
  const bool sel = (lines & line::kSel) != 0;
  if (lines & line::kRst) {
    phase_ = Phase::kReset;
  } else if (!bsy && !sel) {
    phase_ = Phase::kBusFree;
  } else if (sel && !bsy) {
    phase_ = (lines & line::kIo) ? Phase::kReselection : Phase::kSelection;
  } else if (phase_ == Phase::kBusFree || phase_ == Phase::kReset) {
    phase_ = Phase::kArbitration;
  } else if (!sel && req_rose) {
    phase_ = information_phase(lines);
  }
  return phase_;
}

}  // namespace headstack::bus
