#include "host/cli/trace_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "host/cli/drive_report.hpp"
#include "host/replay/trace.hpp"

namespace headstack::cli {
namespace {

using replay::TraceError;
using replay::TraceFormat;

struct TraceOptions {
  std::string file;
  std::string from;
  std::string output;
  std::string source;
  bool force = false;
  bool json = false;
};

std::optional<TraceFormat> format_named(const std::string& name) {
  for (const TraceFormat format :
       {TraceFormat::kHeadstack, TraceFormat::kDiskSim, TraceFormat::kNbdkitLog}) {
    if (name == to_string(format)) return format;
  }
  return std::nullopt;
}

/// What a pass over a trace counts.
struct Totals {
  std::uint64_t reads = 0, writes = 0, flushes = 0;
  std::uint64_t blocks = 0, end_lba = 0, largest = 0;
  Picoseconds last_arrival = 0;

  void add(const replay::TraceRequest& request) {
    reads += request.operation == replay::Operation::kRead ? 1 : 0;
    writes += request.operation == replay::Operation::kWrite ? 1 : 0;
    flushes += request.operation == replay::Operation::kFlush ? 1 : 0;
    blocks += request.blocks;
    largest = std::max<std::uint64_t>(largest, request.blocks);
    end_lba = std::max(end_lba, request.lba + request.blocks);
    last_arrival = request.arrival;
  }
};

void report_skipped(const replay::TraceReader& reader) {
  for (const auto& [name, count] : reader.skipped()) {
    fmt::print(stderr, "headstack: warning: {} '{}' request{} passed over: no counterpart\n", count,
               name, count == 1 ? "" : "s");
  }
}

void run_info(const TraceOptions& options) {
  const auto reader = replay::open_trace(options.file, format_named(options.from));
  Totals totals;
  while (const auto request = reader->next()) totals.add(*request);
  report_skipped(*reader);
  const replay::TraceHeader& header = reader->header();
  const bool open = header.loop == replay::Loop::kOpen;
  if (options.json) {
    fmt::print("{}\n", Json{{"loop", open ? "open" : "closed"},
                            {"block_bytes", header.block_bytes},
                            {"reads", totals.reads},
                            {"writes", totals.writes},
                            {"flushes", totals.flushes},
                            {"blocks", totals.blocks},
                            {"largest_request_blocks", totals.largest},
                            {"end_lba", totals.end_lba},
                            {"last_arrival_ps", totals.last_arrival},
                            {"source", header.source}}
                           .dump(2));
    return;
  }
  fmt::print("{}: {} reads, {} writes, {} flushes, {} loop\n", options.file, grouped(totals.reads),
             grouped(totals.writes), grouped(totals.flushes), open ? "open" : "closed");
  fmt::print("  {} blocks of {} bytes moved, {} in the largest request, below LBA {}\n",
             grouped(totals.blocks), header.block_bytes, totals.largest, grouped(totals.end_lba));
  if (open) fmt::print("  last arrival at {:.6f} s\n", to_ms(totals.last_arrival) / 1000);
  if (!header.source.empty()) fmt::print("  source: {}\n", header.source);
}

std::uint64_t convert(replay::TraceReader& reader, std::ostream& out, const TraceOptions& options) {
  replay::TraceHeader header = reader.header();
  if (!options.source.empty()) header.source = options.source;
  replay::TraceWriter writer(out, header);
  std::uint64_t count = 0;
  for (; const auto request = reader.next(); ++count) writer.write(*request);
  report_skipped(reader);
  return count;
}

void run_convert(const TraceOptions& options) {
  const auto reader = replay::open_trace(options.file, format_named(options.from));
  if (options.output.empty()) {
    convert(*reader, std::cout, options);
    return;
  }
  if (!options.force && std::filesystem::exists(options.output)) {
    throw TraceError(fmt::format("{}: exists; give --force to overwrite it", options.output));
  }
  std::ofstream out(options.output, std::ios::binary);
  const std::uint64_t count = convert(*reader, out, options);
  if (!out.flush()) {
    throw TraceError(fmt::format("{}: cannot be written; check folder and space", options.output));
  }
  fmt::print("{}: {} requests\n", options.output, grouped(count));
}

CLI::App* add_command(CLI::App& group, const char* name, const char* text,
                      const std::shared_ptr<TraceOptions>& options) {
  CLI::App* command = group.add_subcommand(name, text);
  command->add_option("file", options->file, "the trace")->required()->type_name("TRACE");
  command->add_option("--from", options->from, "its format (default: by its first line)")
      ->check(CLI::IsMember({"headstack", "disksim", "nbdkit"}));
  return command;
}

}  // namespace

void add_trace_commands(CLI::App& app) {
  CLI::App* group = app.add_subcommand("trace", "I/O traces: look into them, convert them");
  group->require_subcommand(1);
  auto info_options = std::make_shared<TraceOptions>();
  CLI::App* info = add_command(*group, "info", "requests, sizes, span", info_options);
  info->add_flag("--json", info_options->json, "as JSON");
  info->callback([info_options] { run_info(*info_options); });

  auto options = std::make_shared<TraceOptions>();
  CLI::App* convert_command =
      add_command(*group, "convert", "into headstack's own trace format", options);
  convert_command->add_option("-o,--output", options->output, "file (default: standard output)");
  convert_command->add_option("--source", options->source, "a line on where the trace is from");
  convert_command->add_flag("--force", options->force, "overwrite the output");
  convert_command->callback([options] { run_convert(*options); });
}

}  // namespace headstack::cli
