// SPDX-License-Identifier: Apache-2.0
// Random queues that a policy's definition in Python has served (tests/regress/random_queues.py).
#pragma once

#include <fstream>
#include <string>
#include <vector>

namespace headstack::test {

/// Whether a policy has its definition in C++: a row of RandomCase for the policy as it is.
bool is_defined_in_cpp(const std::string& policy);

/// The queues of a policy that has its definition in Python: those of the build, or of the folder
/// HEADSTACK_POLICY_QUEUES. Fails the test if the file cannot be read.
std::ifstream open_policy_queues(const std::string& policy);

/// The selections on whose random queues the policy is compared with its definition.
std::vector<std::string> random_selections(const std::string& policy);

/// The most queues of a selection that are replayed: HEADSTACK_RANDOM_QUEUES, or no limit.
int queue_limit();

}  // namespace headstack::test
