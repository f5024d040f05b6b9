// SPDX-License-Identifier: Apache-2.0
// Checks of several keys of a scenario together: options that exclude each other, or that have no
// effect.
//
// The schema checks single keys. Conditions that depend on the drive or the trace are checked when
// the run begins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/scenario/scenario.hpp"

namespace headstack::scenario {

struct Finding {
  std::string key;      // path of the key
  std::string problem;  // the sentence shown is "PROBLEM; REMEDY"
  std::string remedy;
};

/// The command that runs the scenario.
enum class Purpose : std::uint8_t {
  kRun,
  kTorture,  // cuts the power at every write, in copies of the process
  kDebug,    // has a debugger, and therefore snapshots
};

/// Returns the findings, none for a scenario that can run. Texts must be valid for their parsers,
/// as after load(); otherwise throws what the parsers throw.
std::vector<Finding> check(const Scenario& scenario, Purpose purpose = Purpose::kRun);

}  // namespace headstack::scenario
