// The options of every command that reads a trace, and what it says about what was read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <CLI/CLI.hpp>

#include "host/traces/trace.hpp"

namespace headstack::cli {

/// --device, --all-devices, --skip-bad, --strict, --sort-window, and `format_flag` for the format.
/// With --skip-bad the first few bad lines are told on stderr.
void add_reading_options(CLI::App& app, traces::ReadOptions& options,
                         const std::string& format_flag);

/// What is told of one of the counts: "3 requests widened to whole blocks".
struct CountRow {
  const char* key;  // in the JSON of `trace info`
  std::uint64_t traces::TraceCounts::*count;
  const char* thing;  // that is counted: "request"
  const char* what;   // became of it
};
/// All but those of TraceCounts that have names of their own.
const std::vector<CountRow>& count_rows();
/// "3 requests widened to whole blocks"; "" for none.
std::string count_text(const CountRow& row, const traces::TraceCounts& counts);

/// Warns on stderr of what was passed over, left out or changed in reading.
void warn_of_counts(const traces::TraceReader& reader);

}  // namespace headstack::cli
