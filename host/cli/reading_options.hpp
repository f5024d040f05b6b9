// The options of every command that reads a trace, and what it says about what was read.
#pragma once

#include <string>
#include <CLI/CLI.hpp>

#include "host/replay/trace.hpp"

namespace headstack::cli {

/// --device, --all-devices, --skip-bad, --strict, --sort-window, and `format_flag` for the format.
/// With --skip-bad the first few bad lines are told on stderr.
void add_reading_options(CLI::App& app, replay::ReadOptions& options,
                         const std::string& format_flag);

/// Warns on stderr of what was passed over, left out or changed in reading.
void warn_of_counts(const replay::TraceReader& reader);

}  // namespace headstack::cli
