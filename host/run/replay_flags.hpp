// The options of `headstack run` that say how a trace is replayed: loop, addresses, hosts, warm-up,
// and what is set before it begins.
#pragma once

#include <string>
#include <CLI/CLI.hpp>

#include "host/run/options.hpp"

namespace headstack::run {

/// Both must outlive the parsing.
void add_replay_options(CLI::App& app, RunOptions& options);

/// Behind the parsing: options that do not go together. Throws CLI::ValidationError.
void check_replay_options(const CLI::App& app, const RunOptions& options);

/// With what only the trace tells: its loop, and whether it has think times. A sentence, or "".
std::string find_loop_objection(const RunOptions& options, traces::Loop loop, bool has_think_times);

}  // namespace headstack::run
