// SPDX-License-Identifier: Apache-2.0
#include "host/run/advice.hpp"

#include <fmt/format.h>

#include "host/options/policy_option.hpp"

namespace headstack::run {

std::string unsent_deadlines(const RunOptions& options, bool trace_has_deadlines) {
  if (!trace_has_deadlines || options.deadlines != replay::DeadlineUse::kNone) return "";
  if (!options.reference.empty()) return "";
  for (const std::string& text : options.policies) {
    const ::policy& policy = *policy_by_number(options::parse_policy(text).number);
    if (!options::goes_by_deadlines(policy)) continue;
    return fmt::format(
        "policy {} goes by deadlines, and hosts send the drive none of this trace's: it runs as if "
        "there were none; use settings.deadlines=message",
        policy.name);
  }
  return "";
}

std::string find_loop_objection(const RunOptions& options, traces::Loop loop,
                                bool has_think_times) {
  if (loop != traces::Loop::kThink) {
    if (!options.think_time && options.think_scale == 1) return "";
    return fmt::format("{}: its loop has no think times; set load.loop to think, and load.think",
                       options.trace);
  }
  if (has_think_times || options.think_time) return "";
  return fmt::format("{}: the trace has no think times; give load.think", options.trace);
}

}  // namespace headstack::run
