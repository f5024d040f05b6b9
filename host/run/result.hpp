// SPDX-License-Identifier: Apache-2.0
// The result of a run: its summary, as JSON and for people, and its failure.
#pragma once

#include <string>
#include <nlohmann/json.hpp>

#include "host/run/simulation.hpp"

namespace headstack::run {

struct Result {
  std::string failure;             // one sentence; "" if the run did not fail
  nlohmann::ordered_json summary;  // content of summary.json
  std::string text;                // content of summary.txt
  std::size_t speed_at = 0;  // end of a line of `text` to which the speed of this machine is added
  nlohmann::ordered_json learned;  // content of counts.json (remap.learn_blocks); null: none
};

/// The result of a run that is over. `trouble` is a failure of the run's owner, such as a full
/// disk; it counts where the run itself did not fail. The counters of scheduler and moves are read
/// from the drive at the end, by commands that no record, event or figure contains. After this call
/// the simulation must not be used.
Result conclude(Simulation& simulation, const std::string& trouble = "");

}  // namespace headstack::run
