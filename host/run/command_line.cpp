// SPDX-License-Identifier: Apache-2.0
#include "host/run/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "host/cli/validators.hpp"
#include "host/debug/debugging.hpp"
#include "host/run/torture_flags.hpp"
#include "host/scenario/fields.hpp"
#include "host/scenario/old_flags.hpp"
#include "host/scenario/value_text.hpp"
#include "sim/drive/line_map.hpp"

namespace headstack::run {
namespace {

constexpr const char* kKeys = "--keys";
constexpr const char* kTorture = "--torture";
constexpr const char* kGdb = "--gdb";
constexpr const char* kBatch = "--batch";
constexpr const char* kHidden = "";  // a group without a name appears on no page

/// Whether a word is a setting. A file may have '=' in its name if a folder precedes it.
bool is_setting(const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals != std::string::npos && word.find('/') > equals;
}

/// The value of a flag that may be repeated: one text, or a list of them.
std::string value_of(const std::vector<std::string>& values) {
  if (values.size() == 1) return values.front();
  std::vector<std::string> items;
  for (const std::string& value : values) items.push_back(scenario::quoted(value));
  return scenario::list_text(items);
}

/// What a help page shows for a flag's value: the choices, or the kind.
std::string type_name(const scenario::Field& field) {
  if (!field.choices.empty()) return fmt::format("TEXT:{{{}}}", fmt::join(field.choices, ","));
  return field.type == scenario::Type::kInteger ? "N" : "TEXT";
}

/// Adds the short names of the schema as flags, each for its key. The flag of a list may be
/// repeated.
void add_short_flags(CLI::App& app, CommandLine& line) {
  for (const scenario::Field& field : scenario::schema_fields().fields) {
    const std::string name = field.key.short_name;
    if (name.empty()) continue;
    const std::string flag = "--" + name;
    const std::string help = fmt::format("{}: {}", field.path(), field.key.help);
    if (field.type == scenario::Type::kBoolean) {
      app.add_flag_callback(
          flag, [&line, name] { line.of_flags.push_back(name + "=true"); }, help);
      continue;
    }
    const auto take = [&line, name](const std::vector<std::string>& values) {
      line.of_flags.push_back(fmt::format("{}={}", name, value_of(values)));
    };
    auto* option = app.add_option_function<std::vector<std::string>>(flag, take, help)
                       ->allow_extra_args(false)
                       ->type_name(type_name(field));
    if (!field.is_list) option->expected(1);
  }
}

void add_debug_flags(CLI::App& app, CommandLine& line) {
  app.add_flag_callback(
      "--launch",
      [] { throw CLI::ValidationError("--launch", "works with `./headstack debug` only"); },
      "start the debugger, too: gdb-multiarch, or the program named by HEADSTACK_GDB");
  app.add_option(kGdb, line.gdb,
                 "address at which the run waits for GDB: unix:PATH, :PORT or HOST:PORT; unix: a "
                 "socket in the folder of --out");
  app.add_option("--run-until", line.run_until,
                 "point at which the run waits for GDB: 'cmd N' (after issue of request N), 'time "
                 "12.5ms', 'event NAME' (default: the first instruction)")
      ->check(cli::parsed_by(debug::parse_until));
}

/// The flag that a word gives, without its value; "" for any other word.
std::string flag_of(const std::string& word) {
  return word.compare(0, 2, "--") == 0 ? word.substr(0, word.find('=')) : std::string();
}

bool names(const std::vector<std::string>& words, const std::string& flag) {
  return std::any_of(words.begin(), words.end(),
                     [&flag](const std::string& word) { return flag_of(word) == flag; });
}

void reject_old_flags(const CLI::App& app, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    const std::string name = flag_of(word);
    if (name.empty() || app.get_option_no_throw(name) != nullptr) continue;
    const std::string sentence = scenario::old_flag_sentence(name);
    if (!sentence.empty()) drive::throw_file_error(scenario::kCommandLine, 0, sentence);
  }
}

void reject_repeated_flags(const CLI::App& app, const std::vector<std::string>& words) {
  std::set<std::string> seen;
  for (const std::string& word : words) {
    const std::string name = flag_of(word);
    const CLI::Option* option = name.empty() ? nullptr : app.get_option_no_throw(name);
    if (option == nullptr || option->get_items_expected_max() > 1) continue;
    if (seen.insert(name).second) continue;
    drive::throw_file_error(scenario::kCommandLine, 0,
                            name + ": is given twice; leave one of them out");
  }
}

/// Rejects options beside --batch, which would be ignored: those of its runs are words of its
/// lines.
void require_batch_alone(const std::vector<std::string>& words) {
  if (!names(words, kBatch)) return;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == kBatch) {
      ++i;  // skips its file
    } else if (flag_of(words[i]) != kBatch) {
      throw CLI::ValidationError(
          kBatch, fmt::format("goes by itself, but here is '{}', too; give the options of runs in "
                              "the lines of the file",
                              words[i]));
    }
  }
}

}  // namespace

scenario::Purpose purpose_of(const std::vector<std::string>& words) {
  if (names(words, kTorture)) return scenario::Purpose::kTorture;
  return names(words, kGdb) ? scenario::Purpose::kDebug : scenario::Purpose::kRun;
}

void add_options(CLI::App& app, CommandLine& line) {
  app.add_option("scenario", line.words,
                 "scenario files, and settings KEY=VALUE that override them, or the defaults")
      ->type_name("FILE.toml|KEY=VALUE");
  add_short_flags(app, line);
  app.add_option("--out", line.places.out,
                 "folder for records and summary; it must not exist without --force")
      ->type_name("DIR");
  app.add_flag("--force", line.places.force, "replace an existing run in the folder of --out");
  if (line.purpose == scenario::Purpose::kTorture) {
    app.add_flag(kTorture)->group(kHidden);  // a word of the command itself
    add_torture_flags(app, line.torture, line.cuts_again);
  }
  if (line.purpose == scenario::Purpose::kDebug) add_debug_flags(app, line);
  auto* print = app.add_flag("--print-scenario", line.prints,
                             "print the scenario in canonical form, and run nothing");
  app.add_flag("--all", line.prints_all, "include keys that have their default values")
      ->needs(print);
  auto* keys =
      app.add_option(kKeys, line.section, "list all keys, or those of a section, and run nothing")
          ->expected(0, 1)
          ->type_name("SECTION");
  app.add_flag("--json", line.asks_for_schema, "print the keys as a JSON Schema, for text editors")
      ->needs(keys);
  app.add_option(kBatch, line.batch,
                 "file of runs to perform one after another; each line has the words of one "
                 "command line, as a JSON array");
  // The check is added as a transformation, which precedes all others. A plain check would come
  // last.
  for (CLI::Option* option : app.get_options()) option->transform(cli::not_empty());
}

void parse(CLI::App& app, CommandLine& line, const std::vector<std::string>& words) {
  require_batch_alone(words);
  reject_old_flags(app, words);
  reject_repeated_flags(app, words);
  // CLI11 takes the words in reverse order.
  app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  line.asks_for_keys = app.count(kKeys) > 0;
}

std::vector<std::string> files_of(const CommandLine& line) {
  std::vector<std::string> files;
  std::copy_if(line.words.begin(), line.words.end(), std::back_inserter(files),
               [](const std::string& word) { return !is_setting(word); });
  if (files.empty()) files.emplace_back();
  return files;
}

scenario::Loaded load(const CommandLine& line, const std::string& file) {
  std::vector<std::string> settings;
  std::copy_if(line.words.begin(), line.words.end(), std::back_inserter(settings), is_setting);
  settings.insert(settings.end(), line.of_flags.begin(), line.of_flags.end());
  return file.empty() ? scenario::load_settings(settings) : scenario::load(file, settings);
}

}  // namespace headstack::run
