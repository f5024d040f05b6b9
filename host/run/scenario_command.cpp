// SPDX-License-Identifier: Apache-2.0
#include "host/run/scenario_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <CLI/CLI.hpp>

#include "host/cli/run_command.hpp"
#include "host/cli/validators.hpp"
#include "host/debug/monitor.hpp"
#include "host/output/message.hpp"
#include "host/output/output_file.hpp"
#include "host/output/run_folder.hpp"
#include "host/run/run.hpp"
#include "host/run/scenario_options.hpp"
#include "host/scenario/fields.hpp"
#include "host/scenario/keys.hpp"
#include "host/scenario/load.hpp"
#include "host/scenario/old_flags.hpp"
#include "host/scenario/write.hpp"
#include "sim/drive/line_map.hpp"

namespace headstack::run {
namespace {

constexpr const char* kKeys = "--keys";
constexpr const char* kPrint = "--print-scenario";
constexpr const char* kScenarioFile = "scenario.toml";
constexpr int kWrongCommandLine = 2;

struct Line {
  std::vector<std::string> words;     // the file, and settings
  std::vector<std::string> of_flags;  // the same settings from short flags
  Places places;
  bool asks_for_keys = false;
  std::string section;
  bool prints = false;
  bool prints_all = false;
  std::string gdb;        // where a debugger connects; empty: there is none
  std::string run_until;  // where it stops first; empty: before the first instruction
};

/// A setting, and no file: a file may have '=' in its name if a folder is given.
bool is_setting(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals != std::string::npos && word.find('/') > equals;
}

constexpr const char* kWords = "scenario";
constexpr const char* kWordsHelp =
    "a scenario's file, and KEY=VALUE for what differs from it, or from the defaults";
constexpr const char* kWordsType = "FILE.toml|KEY=VALUE";
constexpr const char* kPrintHelp = "print the scenario in its canonical form; run nothing";
constexpr const char* kAll = "--all";
constexpr const char* kAllHelp = "with the keys that have their defaults";
constexpr const char* kKeysHelp = "list all keys, or a section's; run nothing";
constexpr const char* kKeysType = "SECTION";
constexpr const char* kGdbHelp =
    "wait for a debugger at unix:PATH, :PORT or HOST:PORT; unix: in the folder of --out. See debug";
constexpr const char* kRunUntilHelp =
    "wait for the debugger at 'cmd N', 'time 12.5ms' or 'event NAME'";

/// Short names of the schema as flags, each with the meaning of its key.
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
    app.add_option_function<std::string>(
           "--" + name,
           [&line, name](const std::string& value) {
             line.of_flags.push_back(fmt::format("{}={}", name, value));
           },
           help)
        ->type_name("VALUE");
  }
}

void add_options(CLI::App& app, Line& line) {
  app.add_option(kWords, line.words, kWordsHelp)->type_name(kWordsType);
  add_short_flags(app, line);
  app.add_option("--out", line.places.out, "new folder for records and summary");
  app.add_flag("--force", line.places.force, "replace the run that is in the folder of --out");
  auto* print = app.add_flag(kPrint, line.prints, kPrintHelp);
  app.add_flag(kAll, line.prints_all, kAllHelp)->needs(print);
  app.add_option(kKeys, line.section, kKeysHelp)->expected(0, 1)->type_name(kKeysType);
  auto* gdb = app.add_option("--gdb", line.gdb, kGdbHelp);
  app.add_option("--run-until", line.run_until, kRunUntilHelp)
      ->check(cli::parsed_by(debug::parse_until))
      ->needs(gdb);
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

scenario::Loaded load(const Line& line) {
  std::string file;
  std::vector<std::string> settings;
  for (const std::string& word : line.words) {
    if (is_setting(word)) {
      settings.push_back(word);
    } else if (file.empty()) {
      file = word;
    } else {
      drive::throw_file_error(
          scenario::kCommandLine, 0,
          fmt::format("{}: a second scenario, beside {}; run one at a time", word, file));
    }
  }
  settings.insert(settings.end(), line.of_flags.begin(), line.of_flags.end());
  return file.empty() ? scenario::load_settings(settings) : scenario::load(file, settings);
}

RunOptions options_at(const scenario::Loaded& loaded, const Places& places) {
  try {
    return options_of(loaded.scenario, places);
  } catch (const drive::Fault& fault) {
    scenario::throw_located(loaded.origins, fault);
  }
}

int carry_out(const Line& line, char** argv, const RtlSupport& rtl) {
  if (line.asks_for_keys) {
    output::print(scenario::list_keys(line.section));
    return 0;
  }
  const scenario::Loaded loaded = load(line);
  scenario::require_good(loaded,
                         line.gdb.empty() ? scenario::Purpose::kRun : scenario::Purpose::kDebug);
  if (line.prints) {
    output::print(scenario::to_toml(loaded.scenario, line.prints_all
                                                         ? scenario::Written::kAll
                                                         : scenario::Written::kDiffering));
    return 0;
  }
  if (line.places.out.empty()) {
    drive::throw_file_error(scenario::kCommandLine, 0,
                            "there is no folder for the results; give --out DIR");
  }
  RunOptions options = options_at(loaded, line.places);
  options.gdb = line.gdb;
  options.run_until = line.run_until;
  if (options.platform == "rtl" && rtl.make == nullptr) rtl.become(argv);
  const int status = run_trace(options, rtl.make);
  const std::string& folder = line.places.out;
  output::write_file(output::claim_run_file(folder, kScenarioFile),
                     scenario::to_toml_in(folder, loaded.scenario));
  return status;
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
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word == kKeys || word == kPrint; });
}

void declare_scenario_words(CLI::App& app) {
  const auto refuse = [](const std::string& word) {
    throw CLI::ValidationError(word, "a scenario comes first, ahead of all flags");
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
