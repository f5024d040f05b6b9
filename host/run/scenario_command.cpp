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

#include <CLI/CLI.hpp>

#include "host/cli/run_command.hpp"
#include "host/cli/validators.hpp"
#include "host/debug/debugging.hpp"
#include "host/output/exit_status.hpp"
#include "host/output/message.hpp"
#include "host/output/output_file.hpp"
#include "host/output/run_folder.hpp"
#include "host/run/power_flags.hpp"
#include "host/run/run.hpp"
#include "host/run/scenario_options.hpp"
#include "host/scenario/fields.hpp"
#include "host/scenario/keys.hpp"
#include "host/scenario/load.hpp"
#include "host/scenario/old_flags.hpp"
#include "host/scenario/value_text.hpp"
#include "host/scenario/write.hpp"
#include "sim/drive/line_map.hpp"

namespace headstack::run {
namespace {

constexpr const char* kKeys = "--keys";
constexpr const char* kPrint = "--print-scenario";
constexpr const char* kTorture = "--torture";
constexpr const char* kGdb = "--gdb";
constexpr const char* kRunUntil = "--run-until";
constexpr const char* kScenarioFile = "scenario.toml";
constexpr int kWrongCommandLine = 2;

struct Line {
  std::vector<std::string> words;     // files, and settings
  std::vector<std::string> of_flags;  // the same settings from short flags
  Places places;
  scenario::Purpose purpose = scenario::Purpose::kRun;
  bool asks_for_keys = false;
  std::string section;
  bool prints = false;
  bool prints_all = false;
  TortureOptions torture;
  bool cuts_again = true;
  std::string gdb;
  std::string run_until;
};

/// A setting, and no file: a file may have '=' in its name if a folder is given.
bool is_setting(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals != std::string::npos && word.find('/') > equals;
}

constexpr const char* kWords = "scenario";
constexpr const char* kWordsHelp =
    "scenarios' files, and KEY=VALUE for what differs from them, or from the defaults";
constexpr const char* kWordsType = "FILE.toml|KEY=VALUE";
constexpr const char* kPrintHelp = "print the scenario in its canonical form; run nothing";
constexpr const char* kAll = "--all";
constexpr const char* kAllHelp = "with the keys that have their defaults";
constexpr const char* kKeysHelp = "list all keys, or a section's; run nothing";
constexpr const char* kKeysType = "SECTION";

/// The value of a flag that may be given again: one text, or a list of them.
std::string list_text(const std::vector<std::string>& values) {
  if (values.size() == 1) return values.front();
  std::string text;
  for (const std::string& value : values) {
    text += (text.empty() ? "[" : ", ") + scenario::quoted(value);
  }
  return text + ']';
}

/// Short names of the schema as flags, each with the meaning of its key. That of a list may be
/// given again.
void add_short_flags(CLI::App& app, Line& line) {
  for (const scenario::Field& field : scenario::schema_fields().fields) {
    const std::string name = field.key.short_name;
    if (name.empty()) continue;
    const std::string help = fmt::format("{}: {}", field.path(), field.key.help);
    if (field.type == scenario::Type::kBoolean) {
      app.add_flag_callback(
          "--" + name, [&line, name] { line.of_flags.push_back(name + "=true"); }, help);
      continue;
    }
    if (field.is_list) {
      app.add_option_function<std::vector<std::string>>(
             "--" + name,
             [&line, name](const std::vector<std::string>& values) {
               line.of_flags.push_back(fmt::format("{}={}", name, list_text(values)));
             },
             help)
          ->allow_extra_args(false)
          ->type_name("VALUE");
      continue;
    }
    app.add_option_function<std::string>(
           "--" + name,
           [&line, name](const std::string& value) {
             line.of_flags.push_back(fmt::format("{}={}", name, value));
           },
           help)
        ->type_name("VALUE");
  }
}

void add_debug_flags(CLI::App& app, Line& line) {
  app.add_option(kGdb, line.gdb,
                 "wait at unix:PATH, :PORT or HOST:PORT for GDB; unix: in the folder of --out");
  app.add_option(kRunUntil, line.run_until,
                 "wait at another point than the first instruction: 'cmd N' (after the issue of a "
                 "request), 'time 12.5ms', 'event NAME'")
      ->check(cli::parsed_by(debug::parse_until));
}

void add_options(CLI::App& app, Line& line) {
  app.add_option(kWords, line.words, kWordsHelp)->type_name(kWordsType);
  if (line.purpose == scenario::Purpose::kTorture) {
    app.add_flag(kTorture)->group("");  // the command's own word
    add_torture_flags(app, line.torture, line.cuts_again, "--", "--cut-seed");
  }
  if (line.purpose == scenario::Purpose::kDebug) add_debug_flags(app, line);
  add_short_flags(app, line);
  app.add_option("--out", line.places.out, "new folder for records and summary");
  app.add_flag("--force", line.places.force, "replace the run that is in the folder of --out");
  auto* print = app.add_flag(kPrint, line.prints, kPrintHelp);
  app.add_flag(kAll, line.prints_all, kAllHelp)->needs(print);
  app.add_option(kKeys, line.section, kKeysHelp)->expected(0, 1)->type_name(kKeysType);
  // As transformations these come before all others. As checks they would come last.
  for (CLI::Option* option : app.get_options()) option->transform(cli::not_empty());
}

bool names(const std::vector<std::string>& words, const std::string& flag) {
  return std::any_of(words.begin(), words.end(), [&flag](const std::string& word) {
    return word.substr(0, word.find('=')) == flag;
  });
}

scenario::Purpose purpose_of(const std::vector<std::string>& words) {
  if (names(words, kTorture)) return scenario::Purpose::kTorture;
  return names(words, kGdb) ? scenario::Purpose::kDebug : scenario::Purpose::kRun;
}

/// A flag that has gone, or has another name now.
bool is_old(const std::string& name) {
  const std::vector<scenario::Field>& fields = scenario::schema_fields().fields;
  const bool is_short =
      std::any_of(fields.begin(), fields.end(), [&name](const scenario::Field& field) {
        return *field.key.short_name != '\0' && name == std::string("--") + field.key.short_name;
      });
  const bool is_command = name == kTorture || name == kGdb || name == kRunUntil;
  return !is_short && !is_command && !scenario::old_flag_sentence(name).empty();
}

/// A flag that became a key gets a sentence that names the key.
void reject_old_flags(const CLI::App& app, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (name.compare(0, 2, "--") != 0 || app.get_option_no_throw(name) != nullptr) continue;
    const std::string sentence = scenario::old_flag_sentence(name);
    if (sentence.empty()) continue;
    drive::throw_file_error(scenario::kCommandLine, 0, sentence);
  }
}

/// The files among the words; or "" for a scenario of settings alone.
std::vector<std::string> files_of(const Line& line) {
  std::vector<std::string> files;
  std::copy_if(line.words.begin(), line.words.end(), std::back_inserter(files),
               [](const std::string& word) { return !is_setting(word); });
  if (files.empty()) files.emplace_back();
  return files;
}

scenario::Loaded load(const Line& line, const std::string& file) {
  std::vector<std::string> settings;
  std::copy_if(line.words.begin(), line.words.end(), std::back_inserter(settings), is_setting);
  settings.insert(settings.end(), line.of_flags.begin(), line.of_flags.end());
  return file.empty() ? scenario::load_settings(settings) : scenario::load(file, settings);
}

RunOptions options_at(const scenario::Loaded& loaded, const Line& line, const Places& places) {
  try {
    RunOptions options = options_of(loaded.scenario, places);
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

/// Each of several scenarios has a folder of its own, with the name of its file.
std::vector<std::string> folders_of(const std::vector<std::string>& files, const std::string& out) {
  if (files.size() == 1) return {out};
  std::vector<std::string> folders;
  std::set<std::string> known;
  for (const std::string& file : files) {
    const std::filesystem::path path(file);
    if (!known.insert(path.stem()).second) {
      drive::throw_file_error(scenario::kCommandLine, 0,
                              fmt::format("{}: another scenario has this name, too, and their "
                                          "results would share a folder; rename one of them",
                                          file));
    }
    folders.push_back(std::filesystem::path(out) / path.stem());
  }
  return folders;
}

/// A scenario that is good, and what it asks a run to do.
struct Planned {
  scenario::Scenario scenario;
  RunOptions options;
};

int run_one(const Planned& planned, const RtlSupport& rtl) {
  const int status = run_trace(planned.options, rtl.make);
  const std::string& folder = planned.options.out;
  output::write_file(output::claim_run_file(folder, kScenarioFile),
                     scenario::to_toml_in(folder, planned.scenario));
  return status;
}

/// In a process of its own, since the kernel elaborates once in each. @return its exit status.
int run_apart(const Planned& planned, const RtlSupport& rtl) {
  output::finish_standard_output();
  const ::pid_t child = ::fork();
  if (child < 0) throw std::runtime_error("no process for the next scenario: run one at a time");
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    int status = 1;
    try {
      status = run_one(planned, rtl);
    } catch (const std::exception& error) {
      output::say("headstack: error: {}\n", error.what());
    }
    output::finish_standard_output();
    std::_Exit(status);
  }
  // Ctrl-C is for the run, which ends in its own way.
  auto* const before = std::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
  }
  std::signal(SIGINT, before);
  return output::exit_status_of(status);
}

/// One after another, however one ends. @return 0 if all are good.
int run_all(const std::vector<Planned>& runs, const RtlSupport& rtl) {
  if (runs.size() == 1) return run_one(runs.front(), rtl);
  std::error_code error;
  const std::filesystem::path first = runs.front().options.out;
  std::filesystem::create_directories(first.parent_path(), error);
  int worst = 0;
  for (const Planned& planned : runs) {
    output::say("headstack: {}\n", planned.options.out);
    const int status = run_apart(planned, rtl);
    worst = std::max(worst, status);
    if (status > output::kShellSignalBase) break;
  }
  return worst;
}

int print(const Line& line, const std::vector<scenario::Loaded>& scenarios) {
  for (const scenario::Loaded& loaded : scenarios) {
    output::print(scenario::to_toml(loaded.scenario, line.prints_all
                                                         ? scenario::Written::kAll
                                                         : scenario::Written::kDiffering));
  }
  return 0;
}

int carry_out(const Line& line, char** argv, const RtlSupport& rtl) {
  if (line.asks_for_keys) {
    output::print(scenario::list_keys(line.section));
    return 0;
  }
  const std::vector<std::string> files = files_of(line);
  std::vector<scenario::Loaded> scenarios;
  for (const std::string& file : files) {
    scenarios.push_back(load(line, file));
    scenario::require_good(scenarios.back(), line.purpose);
  }
  if (line.prints) return print(line, scenarios);
  if (line.places.out.empty()) {
    drive::throw_file_error(scenario::kCommandLine, 0,
                            "there is no folder for the results; give --out DIR");
  }
  if (files.size() > 1 && line.purpose != scenario::Purpose::kRun) {
    drive::throw_file_error(
        scenario::kCommandLine, 0,
        fmt::format("{}: a second scenario, beside {}; give one", files[1], files[0]));
  }
  std::vector<Planned> runs;
  const std::vector<std::string> folders = folders_of(files, line.places.out);
  for (std::size_t i = 0; i < files.size(); ++i) {
    Places places = line.places;
    places.out = folders[i];
    runs.push_back({scenarios[i].scenario, options_at(scenarios[i], line, places)});
  }
  const bool needs_rtl = std::any_of(
      runs.begin(), runs.end(), [](const Planned& run) { return run.options.platform == "rtl"; });
  if (needs_rtl && rtl.make == nullptr) rtl.become(argv);
  return run_all(runs, rtl);
}

/// Whether the error is one of the command line, and not of a file.
bool is_of_command_line(const drive::FileError& error) {
  const std::string place = scenario::kCommandLine;
  return std::string(error.what()).compare(0, place.size(), place) == 0;
}

}  // namespace

bool is_scenario_line(const std::vector<std::string>& words) {
  if (words.empty()) return false;
  if (words.front().empty() || words.front().front() != '-') return true;
  if (names(words, kKeys) || names(words, kPrint)) return true;
  return std::none_of(words.begin(), words.end(), [](const std::string& word) {
    const std::string name = word.substr(0, word.find('='));
    return name == "--batch" || name == "--describe" || name == "--help" || name == "-h" ||
           is_old(name);
  });
}

void declare_scenario_words(CLI::App& app) {
  const auto refuse = [](const std::string& word) {
    throw CLI::ValidationError(word, "does not go with a flag that is a key now; --keys has all");
  };
  app.add_option_function<std::vector<std::string>>(
         kWords, [refuse](const std::vector<std::string>& words) { refuse(words.front()); },
         kWordsHelp)
      ->type_name(kWordsType);
  app.add_flag_callback(
      kPrint, [refuse] { refuse(kPrint); }, kPrintHelp);
  app.add_flag_callback(
      kAll, [refuse] { refuse(kAll); }, kAllHelp);
  app.add_option_function<std::string>(
         kKeys, [refuse](const std::string& /*section*/) { refuse(kKeys); }, kKeysHelp)
      ->expected(0, 1)
      ->type_name(kKeysType);
}

int run_scenario(const std::vector<std::string>& words, char** argv, const RtlSupport& rtl,
                 const std::string& firmware) {
  CLI::App app{"runs a scenario on the cycle-accurate drive", "headstack run"};
  Line line;
  line.places.firmware = firmware;
  line.places.words = words;
  line.purpose = purpose_of(words);
  add_options(app, line);
  return cli::run_command(app, [&] {
    try {
      reject_old_flags(app, words);
      // CLI11 takes the words from the back.
      app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
      line.asks_for_keys = app.count(kKeys) > 0;
      return carry_out(line, argv, rtl);
    } catch (const drive::FileError& error) {
      if (!is_of_command_line(error)) throw;
      output::say("headstack: error: {}\n", error.what());
      return kWrongCommandLine;
    }
  });
}

}  // namespace headstack::run
