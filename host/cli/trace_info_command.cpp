// SPDX-License-Identifier: Apache-2.0
// `headstack trace info`: describes a trace in one pass, as text, as JSON, or as a picture.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "host/cli/reading_options.hpp"
#include "host/cli/trace_report.hpp"
#include "host/cli/trace_subcommands.hpp"
#include "host/cli/validators.hpp"
#include "host/options/catalog.hpp"
#include "host/output/output_file.hpp"
#include "host/output/shell_word.hpp"

namespace headstack::cli {
namespace {

struct InfoOptions {
  TraceInput input;
  bool json = false;
  std::string plot;
};

/// Draws the picture. Python does it from the same numbers, which it gets by a pipe.
void draw(const std::string& picture, const Json& numbers) {
  const char* python = std::getenv("HEADSTACK_PYTHON");
  const auto script = options::source_folder() / "host/plots/trace_plot.py";
  const std::string command = fmt::format(
      "{} -B {} --out {} 1>&2", output::shell_word(python != nullptr ? python : "python3"),
      output::shell_word(script.string()), output::shell_word(picture));
  std::FILE* pipe = ::popen(command.c_str(), "w");
  if (pipe == nullptr) throw traces::TraceError("cannot start Python; run ./headstack setup");
  const std::string data = numbers.dump(-1, ' ', true, Json::error_handler_t::replace);
  const bool sent = std::fwrite(data.data(), 1, data.size(), pipe) == data.size();
  if (::pclose(pipe) != 0 || !sent) {
    throw traces::TraceError("no picture was drawn; the message above gives the reason");
  }
}

void require_picture(const std::string& file) {
  const std::string ending = file.size() > 4 ? file.substr(file.size() - 4) : "";
  if (ending != ".png" && ending != ".svg") {
    throw traces::TraceError(fmt::format("'{}' must end in .png or .svg", file));
  }
}

void run_info(InfoOptions options) {
  // The output lists the devices, so several are no error.
  if (options.input.reading.devices == traces::DeviceChoice::kOnlyOne) {
    options.input.reading.devices = traces::DeviceChoice::kAll;
  }
  const auto reader = options.input.open();
  traces::TraceStatistics statistics(reader->header());
  while (const auto request = reader->next()) statistics.add(*request);
  if (options.json) {
    output::print(fmt::format(
        "{}\n",
        trace_info_json(*reader, statistics).dump(2, ' ', true, Json::error_handler_t::replace)));
  } else {
    output::print(trace_info_text(options.input.file, *reader, statistics));
  }
  if (!options.plot.empty()) {
    std::fflush(stdout);
    draw(options.plot, trace_plot_json(options.input.file, *reader, statistics));
  }
}

}  // namespace

void add_trace_info(CLI::App& group) {
  CLI::App* command =
      group.add_subcommand("info", "print a trace's requests, sizes, rates, addresses and devices");
  auto options = std::make_shared<InfoOptions>();
  add_trace_input(*command, options->input);
  command->add_flag("--json", options->json, "print the result as JSON");
  command
      ->add_option("--plot", options->plot,
                   "picture (.png or .svg) of addresses and rates over time, gaps and sizes")
      ->check(parsed_by(require_picture));
  command->callback([options] { run_info(*options); });
}

}  // namespace headstack::cli
