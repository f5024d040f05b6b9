// SPDX-License-Identifier: Apache-2.0
#include "tests/firmware/policy_rows.hpp"

#include <stdexcept>

namespace headstack::test {

MakeReference as_policy(const char* policy) {
  return [policy](const reference::Drive& drive) {
    for (const RandomCase& row : rows_of<RandomCase>()) {
      if (std::string(policy) == row.policy) return row.reference(drive);
    }
    throw std::out_of_range(std::string("no row of RandomCase is for the policy ") + policy);
  };
}

}  // namespace headstack::test
