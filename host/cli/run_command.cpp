#include "host/cli/run_command.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <sstream>

#include "host/output/output_file.hpp"

namespace headstack::cli {
namespace {

constexpr int kFailed = 1;
constexpr int kWrongCommandLine = 2;

int end_of_parse(CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {  // --help, --version
    std::ostringstream text;
    const int status = app.exit(error, text);
    output::print(text.str());
    return status;
  }
  fmt::print(stderr, "headstack: error: {}; run with --help for the options\n", error.what());
  return kWrongCommandLine;
}

}  // namespace

int run_command(CLI::App& app, const std::function<int()>& body) {
  output::take_size_limits_as_errors();
  try {
    int status = 0;
    try {
      status = body();
    } catch (const CLI::ParseError& error) {
      status = end_of_parse(app, error);
    }
    output::finish_standard_output();
    return status;
  } catch (const std::exception& error) {
    fmt::print(stderr, "headstack: error: {}\n", error.what());
    return kFailed;
  }
}

}  // namespace headstack::cli
