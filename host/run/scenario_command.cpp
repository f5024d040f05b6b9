// SPDX-License-Identifier: Apache-2.0
#include "host/run/scenario_command.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <set>

#include "host/cli/reading_options.hpp"
#include "host/cli/run_command.hpp"
#include "host/options/policy_option.hpp"
#include "host/output/exit_status.hpp"
#include "host/output/message.hpp"
#include "host/output/output_file.hpp"
#include "host/run/batch.hpp"
#include "host/run/command_line.hpp"
#include "host/run/run.hpp"
#include "host/scenario/keys.hpp"
#include "host/scenario/write.hpp"
#include "sim/description/fault.hpp"
#include "sim/drive/line_map.hpp"

namespace headstack::run {
namespace {

constexpr int kWrongCommandLine = 2;

[[noreturn]] void refuse(const std::string& sentence) {
  drive::throw_file_error(scenario::kCommandLine, 0, sentence);
}

RunOptions options_at(const scenario::Loaded& loaded, const CommandLine& line,
                      const Places& places) {
  try {
    RunOptions options = options_of(loaded.scenario, places);
    if (options.reading.skip_bad) cli::skip_bad_lines(options.reading);
    options.gdb = line.gdb;
    options.run_until = line.run_until;
    options.is_torture = line.purpose == scenario::Purpose::kTorture;
    options.torture = line.torture;
    options.cuts_again = line.cuts_again;
    if (options.is_torture) options.verify_data = true;
    return options;
  } catch (const drive::Fault& fault) {
    scenario::throw_located(loaded.origins, fault);
  }
}

/// The folders of several scenarios: each has one of its own, with the name of its file.
std::vector<std::string> folders_of(const std::vector<std::string>& files, const std::string& out) {
  if (files.size() == 1) return {out};
  std::vector<std::string> folders;
  std::set<std::string> known;
  for (const std::string& file : files) {
    const std::filesystem::path path(file);
    if (!known.insert(path.stem()).second) {
      refuse(
          fmt::format("{}: another scenario has this name, too, and their results would share a "
                      "folder; rename one of them",
                      file));
    }
    folders.push_back(std::filesystem::path(out) / path.stem());
  }
  return folders;
}

/// Runs in a process of its own, since the kernel elaborates once per process. @return its exit
/// status.
int run_apart(const RunOptions& options, const RtlSupport& rtl) {
  output::finish_standard_output();
  const ::pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process for the next scenario: run one at a time");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    int status = 1;
    try {
      status = run_trace(options, rtl.make);
    } catch (const std::exception& error) {
      output::say("headstack: error: {}\n", error.what());
    }
    output::finish_standard_output();
    std::_Exit(status);
  }
  // Ctrl-C is left to the run, which ends in its own way.
  auto* const before = std::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
  }
  std::signal(SIGINT, before);
  return output::exit_status_of(status);
}

/// Carries out one run after another, however each ends. @return 0 if all are good.
int run_all(const std::vector<RunOptions>& runs, const RtlSupport& rtl) {
  if (runs.size() == 1) return run_trace(runs.front(), rtl.make);
  std::error_code error;
  const std::filesystem::path first = runs.front().out;
  std::filesystem::create_directories(first.parent_path(), error);
  int worst = 0;
  for (const RunOptions& options : runs) {
    output::say("headstack: {}\n", options.out);
    const int status = run_apart(options, rtl);
    worst = std::max(worst, status);
    if (status > output::kShellSignalBase) break;
  }
  return worst;
}

int print(const CommandLine& line, const std::vector<scenario::Loaded>& scenarios) {
  for (const scenario::Loaded& loaded : scenarios) {
    output::print(scenario::to_toml(loaded.scenario, line.prints_all
                                                         ? scenario::Written::kAll
                                                         : scenario::Written::kDiffering));
  }
  return 0;
}

int print_keys(const CommandLine& line) {
  output::print(line.asks_for_schema ? scenario::json_schema() : scenario::list_keys(line.section));
  return 0;
}

/// Requires that a run of a batch is on a platform that a process can have several times.
void require_one_of_many(const std::vector<RunOptions>& runs) {
  const RunOptions& options = runs.front();
  if (runs.size() == 1 && options.platform != "rtl" && !debug::wants_snapshots(options) &&
      options.gdb.empty() && !options.is_torture) {
    return;
  }
  throw BatchError(
      "--batch: rtl, torture, snapshots, debuggers and several scenarios need processes of their "
      "own; start this run without --batch");
}

std::vector<RunOptions> runs_of(const CommandLine& line, const std::vector<std::string>& files,
                                const std::vector<scenario::Loaded>& scenarios) {
  if (line.places.out.empty()) refuse("there is no folder for the results; give --out DIR");
  if (files.size() > 1 && line.purpose != scenario::Purpose::kRun) {
    refuse(fmt::format("{}: a second scenario, beside {}; give one", files[1], files[0]));
  }
  std::vector<RunOptions> runs;
  const std::vector<std::string> folders = folders_of(files, line.places.out);
  for (std::size_t i = 0; i < files.size(); ++i) {
    Places places = line.places;
    places.out = folders[i];
    places.has_file = !files[i].empty();
    runs.push_back(options_at(scenarios[i], line, places));
  }
  return runs;
}

int carry_out(const CommandLine& line, char** argv, const RtlSupport& rtl) {
  if (line.asks_for_keys) return print_keys(line);
  const std::vector<std::string> files = files_of(line);
  std::vector<scenario::Loaded> scenarios;
  for (const std::string& file : files) {
    scenarios.push_back(load(line, file));
    scenario::require_good(scenarios.back(), line.purpose);
  }
  if (line.prints) return print(line, scenarios);
  const std::vector<RunOptions> runs = runs_of(line, files, scenarios);
  if (argv == nullptr) require_one_of_many(runs);
  const bool needs_rtl = std::any_of(runs.begin(), runs.end(), [](const RunOptions& options) {
    return options.platform == "rtl";
  });
  if (needs_rtl && rtl.make == nullptr) rtl.become(argv);
  return run_all(runs, rtl);
}

constexpr const char* kFooter =
    "--keys lists every key, and --keys SECTION those of a section. `headstack policy list` lists "
    "the policies.";

/// The end of the manual page.
std::string long_footer() {
  return "Keys of a scenario:\n" + scenario::list_keys() +
         "\nPolicies, with parameters and flags:\n" + options::policy_list();
}

/// Whether the error is in the command line, and not in a file.
bool is_of_command_line(const drive::FileError& error) {
  const std::string place = scenario::kCommandLine;
  return std::string(error.what()).compare(0, place.size(), place) == 0;
}

}  // namespace

int run_scenario(const std::vector<std::string>& words, char** argv, const RtlSupport& rtl,
                 const std::string& firmware) {
  CLI::App app{"run a scenario on the cycle-accurate drive", "headstack run"};
  CommandLine line;
  line.places.firmware = firmware;
  line.places.words = words;
  line.purpose = purpose_of(words);
  add_options(app, line);
  const bool describes = std::find(words.begin(), words.end(), "--describe") != words.end();
  app.footer(describes ? long_footer() : kFooter);
  return cli::run_command(app, [&] {
    try {
      parse(app, line, words);
      if (line.batch.empty()) return carry_out(line, argv, rtl);
      if (argv == nullptr) throw BatchError("--batch: a batch has none of its own");
      return run_batch(line.batch, [&](const std::vector<std::string>& of_run) {
        return run_scenario(of_run, nullptr, rtl, firmware);
      });
    } catch (const drive::FileError& error) {
      if (!is_of_command_line(error)) throw;
      output::say("headstack: error: {}\n", error.what());
      return kWrongCommandLine;
    }
  });
}

}  // namespace headstack::run
