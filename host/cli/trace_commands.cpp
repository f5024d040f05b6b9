// SPDX-License-Identifier: Apache-2.0
#include "host/cli/trace_commands.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "host/cli/reading_options.hpp"
#include "host/cli/trace_subcommands.hpp"
#include "host/output/json_text.hpp"
#include "host/output/output_file.hpp"
#include "host/traces/trace_formats.hpp"

namespace headstack::cli {
namespace {

void run_formats(bool json) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const traces::TraceFormat* format : traces::trace_formats()) {
    if (!json) output::print(fmt::format("{:<17} {}\n", format->name, format->text));
    rows.push_back({{"name", format->name},
                    {"text", format->text},
                    {"device", format->device},
                    {"service", format->service},
                    {"sort_window", format->sort_window}});
  }
  if (json) output::print(fmt::format("{}\n", output::json_text(rows, 2)));
}

}  // namespace

void add_trace_input(CLI::App& command, TraceInput& input) {
  command.add_option("file", input.file, "trace file, plain or compressed; -: standard input")
      ->required()
      ->type_name("TRACE");
  add_reading_options(command, input.reading);
}

void add_trace_commands(CLI::App& app) {
  CLI::App* group = app.add_subcommand("trace", "I/O traces: inspect, convert, edit, synthesize");
  group->require_subcommand(1);
  add_trace_info(*group);
  add_trace_copies(*group);
  add_trace_synth(*group);
  auto json = std::make_shared<bool>(false);
  CLI::App* formats = group->add_subcommand("formats", "list the trace formats that can be read");
  formats->add_flag("--json", *json, "print the result as JSON");
  formats->callback([json] { run_formats(*json); });
}

}  // namespace headstack::cli
