// SPDX-License-Identifier: Apache-2.0
#include "host/run/sense_report.hpp"

#include <fmt/format.h>

#include "host/output/message.hpp"

namespace headstack::run {

std::uint64_t SenseReport::total() const {
  std::uint64_t total = 0;
  for (const auto& [sense, count] : received_) total += count;
  return total;
}

std::uint64_t SenseReport::unexplained() const {
  std::uint64_t total = 0;
  for (const auto& [sense, count] : received_) total += causes_.of(sense).empty() ? count : 0;
  return total;
}

std::string SenseReport::unexplained_text() const {
  std::string text;
  for (const auto& [sense, count] : received_) {
    if (!causes_.of(sense).empty()) continue;
    text += fmt::format("{}{} times {} {}", text.empty() ? "" : ", ", count, to_string(sense),
                        words_of(sense));
  }
  return text;
}

std::string SenseReport::to_text() const {
  std::string text;
  for (const auto& [sense, count] : received_) {
    const std::string cause = causes_.of(sense);
    text += fmt::format("  sense data {} {}: {} received; {}\n", to_string(sense), words_of(sense),
                        count, cause.empty() ? "no option explains it" : "explained by " + cause);
  }
  return text;
}

void SenseReport::add_to(nlohmann::ordered_json& json) const {
  for (const auto& [sense, count] : received_) {
    json["sense"].push_back({{"sense", to_string(sense)},
                             {"words", words_of(sense)},
                             {"received", count},
                             {"explained_by", causes_.of(sense)}});
  }
}

void SenseReport::warn() const {
  for (const auto& [sense, count] : received_) {
    if (!causes_.of(sense).empty()) continue;
    output::say(
        "headstack: warning: sense data {} ({}), received {} times: no option of hosts or drive "
        "explains it\n",
        to_string(sense), words_of(sense), count);
  }
}

}  // namespace headstack::run
