// SPDX-License-Identifier: Apache-2.0
#include "host/cli/run_command.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <sstream>

#include "host/cli/describe.hpp"
#include "host/output/message.hpp"
#include "host/output/output_file.hpp"

namespace headstack::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongCommandLine = 2;

/// Thrown for --describe.
struct Description : CLI::Success {};

int end_of_parse(CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {  // the parsing ended for --help or --version
    std::ostringstream text;
    const int status = app.exit(error, text);
    output::print(text.str());
    return status;
  }
  // An unknown option is reported before a missing one, since a misspelt option is often the
  // missing one.
  const std::string unknown = find_unknown_option(app);
  output::say(
      "headstack: error: {}\n",
      unknown.empty() ? fmt::format("{}; run with --help for the options", error.what()) : unknown);
  return kWrongCommandLine;
}

}  // namespace

int run_command(CLI::App& app, const std::function<int()>& body) {
  output::keep_standard_streams();
  output::take_signals_as_errors();
  // The option has no group, because no page shows it. It takes effect before required options are
  // checked.
  app.add_flag_callback(
         "--describe", [] { throw Description(); }, "the options as JSON")
      ->group("")
      ->trigger_on_parse();
  try {
    int status = 0;
    try {
      status = body();
    } catch (const Description&) {
      output::print(describe(app));
    } catch (const CLI::ParseError& error) {
      status = end_of_parse(app, error);
    }
    output::finish_standard_output();
    return status;
  } catch (const output::PipeClosed&) {
    return output::kPipeClosedStatus;
  } catch (const std::exception& error) {
    output::say("headstack: error: {}\n", error.what());
    return kFailed;
  }
}

}  // namespace headstack::cli
