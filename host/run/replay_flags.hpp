// SPDX-License-Identifier: Apache-2.0
// The options of `headstack run` that say how a trace is replayed: loop, addresses, hosts, warm-up,
// and settings made before it begins.
#pragma once

#include <string>
#include <CLI/CLI.hpp>

#include "host/run/options.hpp"

namespace headstack::run {

/// Adds the options. Both arguments must outlive the parsing.
void add_replay_options(CLI::App& app, RunOptions& options);

/// Called after the parsing, for options that exclude each other. Throws CLI::ValidationError.
void check_replay_options(const CLI::App& app, const RunOptions& options);

/// Checks what only the trace tells: its loop, and whether it has think times. @return a sentence
/// about what is wrong, or "".
std::string find_loop_objection(const RunOptions& options, traces::Loop loop, bool has_think_times);

}  // namespace headstack::run
