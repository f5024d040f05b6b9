// SPDX-License-Identifier: Apache-2.0
// The sense data that the hosts of a run received, and the options that explain them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <nlohmann/json.hpp>

#include "host/replay/sense_causes.hpp"
#include "host/report/sense.hpp"

namespace headstack::run {

class SenseReport {
 public:
  using Received = std::map<report::Sense, std::uint64_t>;

  SenseReport(const Received& received, const replay::SenseCauses& causes)
      : received_(received), causes_(causes) {}

  std::uint64_t total() const;
  std::uint64_t unexplained() const;
  /// The sense data that no option explains, such as "82 times 4/02/00 no seek complete".
  std::string unexplained_text() const;
  /// A line for each kind of sense data.
  std::string to_text() const;
  /// Adds the list "sense" to `json`, unless it is empty.
  void add_to(nlohmann::ordered_json& json) const;
  /// Warns on standard error of sense data that no option explains.
  void warn() const;

 private:
  Received received_;
  replay::SenseCauses causes_;
};

}  // namespace headstack::run
