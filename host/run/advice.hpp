// SPDX-License-Identifier: Apache-2.0
// Sentences about options that do not fit what the trace has.
#pragma once

#include <string>

#include "host/run/options.hpp"

namespace headstack::run {

/// Why a policy that uses deadlines receives none although the trace has some, with the remedy; or
/// "".
std::string unsent_deadlines(const RunOptions& options, bool trace_has_deadlines);

/// What is wrong with the loop of a trace, or "". The objection is to think times, which only the
/// trace reveals.
std::string find_loop_objection(const RunOptions& options, traces::Loop loop, bool has_think_times);

}  // namespace headstack::run
