// SPDX-License-Identifier: Apache-2.0
// The front end of the tools: one command line, and one line on stderr for an error.
//
// Exit status: 0 done; 1 the input cannot be used (a drive file, a block past the end); 2 the
// command line is wrong.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>
#include <CLI/CLI.hpp>

#include "host/cli/admission_command.hpp"
#include "host/cli/drive_commands.hpp"
#include "host/cli/policy_commands.hpp"
#include "host/cli/remap_commands.hpp"
#include "host/cli/run_command.hpp"
#include "host/cli/trace_commands.hpp"
#include "host/output/message.hpp"
#include "sim/drive/text.hpp"

namespace {

/// Finds the first word that should be a command and is none. Returns an error that names the
/// nearest command. (CLI11 alone would report that a subcommand is required.)
std::string find_unknown_command(const CLI::App& app, int argc, char** argv) {
  const CLI::App* group = &app;
  for (int i = 1; i < argc; ++i) {
    std::vector<std::string> names;
    for (const CLI::App* command : group->get_subcommands([](const CLI::App*) { return true; })) {
      names.push_back(command->get_name());
    }
    const std::string word = argv[i];
    if (names.empty() || names.front().empty() || word.rfind('-', 0) == 0) return "";
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) {
      return fmt::format("unknown command '{}'; {}", word, headstack::drive::suggest(word, names));
    }
    group = group->get_subcommand(word);
  }
  return "";
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"headstack: a SCSI disk drive to stop, step through and look inside", "headstack"};
  app.set_version_flag("--version", "headstack " HEADSTACK_VERSION);
  app.require_subcommand(1);
  int status = 0;
  headstack::cli::add_drive_commands(app, status);
  headstack::cli::add_admission_command(app);
  headstack::cli::add_policy_commands(app);
  headstack::cli::add_trace_commands(app);
  headstack::cli::add_remap_commands(app);
  if (const std::string error = find_unknown_command(app, argc, argv); !error.empty()) {
    headstack::output::say("headstack: error: {}\n", error);
    return 2;
  }
  return headstack::cli::run_command(app, [&] {
    app.parse(argc, argv);
    return status;
  });
}
