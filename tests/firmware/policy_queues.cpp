// SPDX-License-Identifier: Apache-2.0
#include "tests/firmware/policy_queues.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <sstream>

#include "tests/firmware/policy_rows.hpp"
#include "tests/paths.hpp"

namespace headstack::test {

bool is_defined_in_cpp(const std::string& policy) {
  const std::vector<RandomCase>& rows = rows_of<RandomCase>();
  return std::any_of(rows.begin(), rows.end(),
                     [&](const RandomCase& row) { return row.policy == policy; });
}

std::ifstream open_policy_queues(const std::string& policy) {
  const char* folder = std::getenv("HEADSTACK_POLICY_QUEUES");
  const std::string path =
      (folder != nullptr ? folder : built("tests/firmware/queues")) + "/" + policy + ".queues";
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path << " cannot be read; remedy: build policy_queues";
  return file;
}

std::vector<std::string> random_selections(const std::string& policy) {
  std::vector<std::string> selections;
  for (const RandomCase& row : rows_of<RandomCase>()) {
    const std::string selection = row.policy;
    if (selection.substr(0, selection.find(':')) == policy) selections.push_back(selection);
  }
  if (is_defined_in_cpp(policy)) return selections;
  std::ifstream file = open_policy_queues(policy);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word, selection;
    if (words >> word >> selection && word == "policy") selections.push_back(selection);
  }
  return selections;
}

int queue_limit() {
  const char* of_all = std::getenv("HEADSTACK_RANDOM_QUEUES");
  return of_all == nullptr ? INT_MAX : std::max(1, std::stoi(of_all));
}

}  // namespace headstack::test
