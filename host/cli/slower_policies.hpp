// SPDX-License-Identifier: Apache-2.0
// Loads under which a policy may be slower than fcfs, as the experiment `which-policy` has measured
// them.
#pragma once

#include <string>
#include <vector>

namespace headstack::cli {

/// A load under which a policy has a longer mean response than fcfs.
struct SlowerLoad {
  const char* policy;
  const char* load;  // a load of host/experiment/which-policy.toml
  int percent;       // more than fcfs, in the mean over the drives
};

/// The loads of one policy; empty if there are none.
std::vector<SlowerLoad> slower_loads_of(const std::string& policy);

/// The same loads as a line of help; empty if there are none.
std::string slower_text(const std::string& policy);

}  // namespace headstack::cli
