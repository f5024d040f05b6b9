// SPDX-License-Identifier: Apache-2.0
#include "host/run/scheduler_counters.hpp"

#include <fmt/format.h>

#include <optional>

#include "host/replay/big_endian.hpp"
#include "host/run/drive_data.hpp"

namespace headstack::run {
namespace {

using replay::big_endian;

constexpr std::size_t kHeaderBytes = 4;
constexpr std::uint16_t kAllocation = 512;

/// Finds a parameter of 4 bytes.
std::optional<std::uint32_t> find_parameter(const std::vector<std::uint8_t>& page,
                                            std::uint32_t code) {
  for (std::size_t at = kHeaderBytes; at + kHeaderBytes + 4 <= page.size();
       at += kHeaderBytes + page[at + 3]) {
    if (big_endian(page, at, 2) == code && page[at + 3] == 4) {
      return big_endian(page, at + kHeaderBytes, 4);
    }
  }
  return std::nullopt;
}

}  // namespace

SchedulerCounters read_scheduler_counters(session::Session& session, const ::policy& policy) {
  SchedulerCounters counters;
  if (policy_counter_count(&policy) == 0) return counters;
  try {
    const std::vector<std::uint8_t> page = log_page_of(session, LOG_PAGE_SCHEDULER, kAllocation);
    if (find_parameter(page, 0) != policy.number) return {};
    for (std::uint32_t i = 0; i < policy_counter_count(&policy); ++i) {
      const std::optional<std::uint32_t> value = find_parameter(page, i + 1);
      if (!value) return {};
      counters.emplace_back(policy.counters[i].name, *value);
    }
  } catch (const session::SessionError&) {
    return {};  // no answer: the run has reported what is wrong with the drive
  }
  return counters;
}

nlohmann::ordered_json counters_json(const SchedulerCounters& counters) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : counters) json[name] = value;
  return json;
}

std::string counters_text(const SchedulerCounters& counters) {
  if (counters.empty()) return "";
  std::vector<std::string> words;
  for (const auto& [name, value] : counters) words.push_back(fmt::format("{} {}", name, value));
  return fmt::format("  the scheduler counted: {}\n", fmt::join(words, ", "));
}

}  // namespace headstack::run
