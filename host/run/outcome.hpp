// SPDX-License-Identifier: Apache-2.0
// How a run ended: whether it failed, and why.
#pragma once

#include <string>

#include "host/run/simulation.hpp"

namespace headstack::run {

/// A sentence about why a run that is over failed; "" if it did not. A failure of the drive comes
/// first, then one of the input, then one that the scenario's section [stop] makes a failure.
std::string find_failure(const Simulation& simulation);

/// The command that repeats a finding of torture.
std::string command_for(const RunOptions& options, const Torture::Finding& finding);

}  // namespace headstack::run
