// SPDX-License-Identifier: Apache-2.0
// What the hosts of a run received as sense data, and which option explains it.
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
  /// "82 times 4/02/00 no seek complete": what no option explains.
  std::string unexplained_text() const;
  /// A line for each kind of sense data.
  std::string to_text() const;
  /// Adds the list "sense", unless it is empty.
  void add_to(nlohmann::ordered_json& json) const;
  /// Warns on standard error of what no option explains.
  void warn() const;

 private:
  Received received_;
  replay::SenseCauses causes_;
};

}  // namespace headstack::run
