// SPDX-License-Identifier: Apache-2.0
// The options of a run from a scenario.
#pragma once

#include <string>
#include <vector>

#include "host/run/options.hpp"
#include "host/scenario/scenario.hpp"

namespace headstack::run {

/// What a scenario does not say: where its results go, and what the build provides.
struct Places {
  std::string out;                 // the run's folder
  bool force = false;              // replace the run that is there
  bool has_file = false;           // the scenario is from a file
  std::string firmware;            // the build's program, for a scenario that names none
  std::vector<std::string> words;  // the command line, for the summary
};

/// The options of a scenario that check() finds good. A debugger, and how a scenario is tortured,
/// are added by the commands that have them. Throws drive::Fault for what a run cannot do yet, and
/// for requests that do not fit the drive. Throws drive::FileError if these need the drive, and its
/// file cannot be read.
RunOptions options_of(const scenario::Scenario& scenario, const Places& places);

}  // namespace headstack::run
