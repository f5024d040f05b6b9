// SPDX-License-Identifier: Apache-2.0
// The commands below `headstack trace`, each in a file of its own.
#pragma once

#include <string>
#include <CLI/CLI.hpp>

#include "host/traces/trace.hpp"

namespace headstack::cli {

/// The input of every command that reads a trace.
struct TraceInput {
  std::string file;
  traces::ReadOptions reading;

  std::unique_ptr<traces::TraceReader> open() const { return traces::open_trace(file, reading); }
};

/// Adds the trace (`-`: standard input) and the options for reading it.
void add_trace_input(CLI::App& command, TraceInput& input);

void add_trace_info(CLI::App& group);
void add_trace_copies(CLI::App& group);  // the commands convert, head, slice, scale, remap-lba and
                                         // deadlines
void add_trace_synth(CLI::App& group);

}  // namespace headstack::cli
