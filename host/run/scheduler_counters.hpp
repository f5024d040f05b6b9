// SPDX-License-Identifier: Apache-2.0
// What the drive's scheduler counted in a run: the firmware's vendor log page 31h
// (firmware/device/log_page.h). LOG SENSE reads it after the run's end. All records, events and
// figures are complete by then, and do not contain this command.
#pragma once

#include <string>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "firmware/queue/policy.h"
#include "host/session/session.hpp"

namespace headstack::run {

/// A policy's counters, by name, in the order of its table.
using SchedulerCounters = std::vector<std::pair<std::string, std::uint32_t>>;

/// Returns nothing when the policy has no counters, or the drive does not report them. `policy`
/// must be in force on the drive. No command of host 0 may be outstanding.
SchedulerCounters read_scheduler_counters(session::Session& session, const ::policy& policy);

nlohmann::ordered_json counters_json(const SchedulerCounters& counters);
/// A line for the summary's table; "" without counters.
std::string counters_text(const SchedulerCounters& counters);

}  // namespace headstack::run
