// SPDX-License-Identifier: Apache-2.0
// The options of every command that reads a trace, and its messages about the reading.
#pragma once

#include <cstdint>
#include <string>
#include <vector>
#include <CLI/CLI.hpp>

#include "host/traces/trace.hpp"

namespace headstack::cli {

/// Adds --from for the format, --device, --all-devices, --skip-bad, --strict, --sort-window,
/// --events and --allow-empty. Without --allow-empty a trace without requests is an error. With
/// --skip-bad, stderr shows the first few bad lines.
void add_reading_options(CLI::App& app, traces::ReadOptions& options);

/// Leaves out lines that cannot be read, and shows the first few on stderr.
void skip_bad_lines(traces::ReadOptions& options);

/// One of the counts, for a text such as "3 requests widened to whole blocks".
struct CountRow {
  const char* key;  // key in the JSON of `trace info`
  std::uint64_t traces::TraceCounts::*count;
  const char* thing;  // the counted thing, as "request"
  const char* what;   // what happened to it
};
/// All counts of TraceCounts, except maps of names.
const std::vector<CountRow>& count_rows();
/// The text of a count, such as "3 requests widened to whole blocks"; "" for 0.
std::string count_text(const CountRow& row, const traces::TraceCounts& counts);

/// The events of a trace, such as "9 Q (queued), 4 D (issued) used". "" for a format that records
/// none.
std::string events_text(const traces::TraceCounts& counts);

/// Warns on stderr of items that reading skipped, left out or changed.
void warn_of_counts(const traces::TraceReader& reader);

}  // namespace headstack::cli
