// SPDX-License-Identifier: Apache-2.0
// What the keys of a scenario say together: options that exclude each other, or that have no
// effect.
//
// The schema holds what one key alone may be. What only the drive or the trace shows is checked
// when the run begins.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/scenario/scenario.hpp"

namespace headstack::scenario {

struct Finding {
  std::string key;      // path
  std::string problem;  // together one sentence: "PROBLEM; REMEDY"
  std::string remedy;
};

/// The command that runs the scenario.
enum class Purpose : std::uint8_t {
  kRun,
  kTorture,  // cuts the power at every write, in copies
  kDebug,    // has a debugger, and so snapshots
};

/// Nothing for a scenario that can run. Its texts must be such that their parsers take them, as
/// those of load() are; otherwise throws what the parsers throw.
std::vector<Finding> check(const Scenario& scenario, Purpose purpose = Purpose::kRun);

}  // namespace headstack::scenario
