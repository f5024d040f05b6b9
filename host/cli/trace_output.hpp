// Where a trace command writes: a file that is there whole or not at all, or standard output.
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
  std::string file;  // "" or "-": standard output
  std::string source;
  bool force = false;
};

/// -o, --source, --force.
void add_output_options(CLI::App& app, OutputOptions& options);

/// Writes requests in headstack's own format. A file is written under another name beside its own
/// and renamed by finish(); when that is never reached, be it by an error or a signal, it is gone.
class TraceOutput {
 public:
  /// Throws TraceError when the file exists (without force), OutputError when it cannot be made.
  TraceOutput(const OutputOptions& options, traces::TraceHeader header);
  ~TraceOutput();
  TraceOutput(const TraceOutput&) = delete;
  TraceOutput& operator=(const TraceOutput&) = delete;

  /// Shows on a terminal, now and then, how far it is. Throws OutputError when that cannot be
  /// written.
  void write(const traces::TraceRequest& request);
  /// Says what was written, on standard output unless the trace itself goes there. Throws
  /// OutputError when not all of it could be written.
  void finish();

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
