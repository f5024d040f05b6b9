// SPDX-License-Identifier: Apache-2.0
// Loads under which a policy may be slower than fcfs, as the experiment `which-policy` has measured
// them.
#pragma once

#include <string>
#include <vector>

namespace headstack::options {

/// A kind of load with a drive on which a policy has a longer mean response than fcfs.
struct SlowerLoad {
  const char* policy;
  const char* kind;  // a kind of host/experiment/which-policy.toml
  int percent;       // most more than fcfs, of all its loads and drives
};

/// All of them, in the order of the experiment.
const std::vector<SlowerLoad>& slower_loads();

/// Those of one policy; empty if there are none.
std::vector<SlowerLoad> slower_loads_of(const std::string& policy);

/// They as a line of help; empty if there are none.
std::string slower_text(const std::string& policy);

}  // namespace headstack::options
