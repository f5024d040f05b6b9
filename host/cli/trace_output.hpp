// SPDX-License-Identifier: Apache-2.0
// The output of a trace command: a file that exists completely or not at all, or standard output.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <CLI/CLI.hpp>

#include "host/output/output_file.hpp"
#include "host/traces/trace.hpp"
#include "host/traces/trace_writer.hpp"

namespace headstack::cli {

struct OutputOptions {
  std::string file;  // path; "" or "-": standard output
  std::string source;
  bool force = false;
};

/// Adds the options -o, --source and --force.
void add_output_options(CLI::App& app, OutputOptions& options);

/// Writes requests in headstack's own format. A file is written under another name in its folder,
/// and renamed by finish(). Without finish(), after an error or a signal, it is removed.
class TraceOutput {
 public:
  /// Throws TraceError when the file exists (without force), and OutputError when it cannot be
  /// made.
  TraceOutput(const OutputOptions& options, traces::TraceHeader header);
  ~TraceOutput();
  TraceOutput(const TraceOutput&) = delete;
  TraceOutput& operator=(const TraceOutput&) = delete;

  /// Writes a request. Progress is shown on a terminal from time to time. Throws OutputError when
  /// it cannot write.
  void write(const traces::TraceRequest& request);
  /// Reports what was written, on standard output unless the trace itself goes there. Throws
  /// OutputError when the output is incomplete.
  void finish();
  /// Number of requests written.
  std::uint64_t count() const { return count_; }

 private:
  bool to_file() const { return !temporary_.empty(); }
  void show_progress() const;

  std::string file_;
  std::string temporary_;
  output::OutputFile stream_;
  std::optional<traces::TraceWriter> writer_;
  std::uint64_t count_ = 0;
  bool shows_progress_;
};

}  // namespace headstack::cli
