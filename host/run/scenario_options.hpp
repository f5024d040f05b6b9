// SPDX-License-Identifier: Apache-2.0
// The options of a run from a scenario.
#pragma once

#include <string>
#include <vector>

#include "host/run/options.hpp"
#include "host/scenario/scenario.hpp"

namespace headstack::run {

/// What a scenario leaves open: where its results go, and what the build provides.
struct Places {
  std::string out;                 // the run's folder
  bool force = false;              // replaces the run in that folder
  bool has_file = false;           // the scenario is from a file
  std::string firmware;            // used for a scenario that names none
  std::vector<std::string> words;  // words of the command line, for the summary
};

/// The options of a scenario that check() finds good. Only the commands `debug` and `torture` add
/// their options. Throws drive::Fault for what a run does not support, and for requests that do not
/// fit the drive. Throws drive::FileError if the drive is needed for that, and its file cannot be
/// read.
RunOptions options_of(const scenario::Scenario& scenario, const Places& places);

}  // namespace headstack::run
