// SPDX-License-Identifier: Apache-2.0
// Values of --policy, from the firmware's table (firmware/queue/policies.def): each policy by
// itself, and with parameters and flags that change its choices.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace headstack::test {

/// The selections in the table's order.
inline std::vector<std::string> policy_selections() {
  std::istringstream rows(
#define POLICY(number, name, selections) selections " "
#include "firmware/queue/policies.def"
#undef POLICY
  );
  std::vector<std::string> all;
  for (std::string selection; rows >> selection;) all.push_back(selection);
  return all;
}

}  // namespace headstack::test
