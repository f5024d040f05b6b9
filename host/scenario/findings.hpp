// SPDX-License-Identifier: Apache-2.0
// Helpers of check(), which collect its findings.
#pragma once

#include <string>
#include <vector>

#include "host/scenario/check.hpp"

namespace headstack::scenario {

class Findings {
 public:
  /// Notes a finding if `is_wrong`.
  void add_if(bool is_wrong, const char* key, std::string problem, std::string remedy) {
    if (is_wrong) found.push_back({key, std::move(problem), std::move(remedy)});
  }
  /// Notes the exception that `parse` throws, if any, as a finding about the key.
  template <class Parse>
  void add_error_of(const char* key, const Parse& parse) {
    try {
      parse();
    } catch (const std::exception& error) {
      const std::string sentence = error.what();
      const std::size_t mark = sentence.find("; ");
      add_if(true, key, sentence.substr(0, mark),
             mark == std::string::npos ? "change it" : sentence.substr(mark + 2));
    }
  }

  std::vector<Finding> found;
};

void check_load(const Scenario& scenario, Findings& findings);
void check_hosts(const Scenario& scenario, Findings& findings);
void check_settings(const Scenario& scenario, Findings& findings);

}  // namespace headstack::scenario
