// SPDX-License-Identifier: Apache-2.0
// What a run leaves: its summary, as JSON and for people, and its failure.
#pragma once

#include <string>
#include <nlohmann/json.hpp>

#include "host/run/simulation.hpp"

namespace headstack::run {

struct Result {
  std::string failure;             // a sentence; "" if the run did not fail
  nlohmann::ordered_json summary;  // summary.json
  std::string text;                // summary.txt
  std::size_t speed_at = 0;  // place in `text`, at a line's end, for the speed of this machine
  nlohmann::ordered_json learned;  // counts of remap.learn_blocks: counts.json; null: none
};

/// The result of a run that is over. `trouble` is a failure of the run's owner, such as a full
/// disk; it counts where the run itself did not fail. The counters of scheduler and moves are read
/// from the drive at the end, so that no record, event or figure contains these commands. Nothing
/// else may be done with the simulation then.
Result conclude(Simulation& simulation, const std::string& trouble = "");

}  // namespace headstack::run
