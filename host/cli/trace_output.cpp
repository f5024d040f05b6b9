// SPDX-License-Identifier: Apache-2.0
#include "host/cli/trace_output.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "host/cli/drive_report.hpp"
#include "host/output/message.hpp"
#include "host/output/progress.hpp"

namespace headstack::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kProgressEvery = 1 << 20;  // requests between two reports of progress
constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

// The path that a signal has to remove. A handler may access only plain memory.
char unfinished[4096];

void on_signal(int signal) {
  ::unlink(unfinished);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void watch(const std::string& file) {
  if (file.size() >= sizeof unfinished) {
    throw traces::TraceError(fmt::format("{}: the name is too long; choose a shorter one", file));
  }
  std::memcpy(unfinished, file.c_str(), file.size() + 1);
  for (const int signal : kSignals) std::signal(signal, on_signal);
}

void unwatch() {
  for (const int signal : kSignals) std::signal(signal, SIG_DFL);
}

}  // namespace

void add_output_options(CLI::App& app, OutputOptions& options) {
  app.add_option("-o,--output", options.file, "output file (default: standard output)");
  app.add_option("--source", options.source, "origin of the trace, one line, kept in its header");
  app.add_flag("--force", options.force, "overwrite an existing output file");
}

TraceOutput::TraceOutput(const OutputOptions& options, traces::TraceHeader header)
    : file_(options.file), shows_progress_(output::progress_wanted()) {
  if (!options.source.empty()) header.source = options.source;
  for (char& c : header.source)
    c = c == '\n' || c == '\r' ? ' ' : c;  // the header has it on one
                                           // line
  if (file_.empty() || file_ == "-") {
    shows_progress_ = shows_progress_ && ::isatty(STDOUT_FILENO) == 0;
    stream_.open_standard_output();
    writer_.emplace(stream_, header);
    return;
  }
  if (!options.force && fs::exists(file_)) {
    throw traces::TraceError(fmt::format("{}: exists; give --force to overwrite it", file_));
  }
  // A device or a pipe is written to directly.
  const bool renames = !fs::exists(file_) || fs::is_regular_file(file_);
  const std::string path = renames ? fmt::format("{}.{}.part", file_, ::getpid()) : file_;
  if (renames) watch(path);
  stream_.open(path, file_);
  if (renames) temporary_ = path;
  writer_.emplace(stream_, header);
}

TraceOutput::~TraceOutput() {
  if (!to_file()) return;
  ::unlink(temporary_.c_str());
  unwatch();
}

void TraceOutput::write(const traces::TraceRequest& request) {
  writer_->write(request);
  if (++count_ % kProgressEvery != 0) return;
  stream_.commit();
  if (shows_progress_) show_progress();
}

void TraceOutput::show_progress() const {
  output::say("\rheadstack: {} requests", grouped(count_));
}

void TraceOutput::finish() {
  writer_->finish();
  if (shows_progress_ && count_ >= kProgressEvery) output::say("\r\033[K");
  stream_.close();
  if (file_.empty() || file_ == "-") return;
  if (to_file() && std::rename(temporary_.c_str(), file_.c_str()) != 0) {
    throw output::output_error(file_, errno);
  }
  if (to_file()) unwatch();
  temporary_.clear();
  output::print(fmt::format("{}: {} request{}\n", file_, grouped(count_), count_ == 1 ? "" : "s"));
}

}  // namespace headstack::cli
