// SPDX-License-Identifier: Apache-2.0
// The command line of `headstack run`, `torture` and `debug`: `[FILE.toml...] [KEY=VALUE...] --out
// DIR`. Short names of keys are flags, too.
#pragma once

#include <string>
#include <vector>
#include <CLI/CLI.hpp>

#include "host/run/scenario_options.hpp"
#include "host/run/torture.hpp"
#include "host/scenario/check.hpp"
#include "host/scenario/load.hpp"

namespace headstack::run {

struct CommandLine {
  std::vector<std::string> words;     // files and settings, in order
  std::vector<std::string> of_flags;  // settings that short flags give
  Places places;
  scenario::Purpose purpose = scenario::Purpose::kRun;
  bool asks_for_keys = false;
  std::string section;  // section whose keys are shown; "": all
  bool asks_for_schema = false;
  bool prints = false;
  bool prints_all = false;
  TortureOptions torture;
  bool cuts_again = true;
  std::string gdb;
  std::string run_until;
  std::string batch;  // a file of runs; "": none
};

/// The purpose of a command line's words: those of `torture` and `debug` begin with a flag of their
/// own.
scenario::Purpose purpose_of(const std::vector<std::string>& words);

/// Declares the options of line.purpose. Both arguments must outlive the parsing.
void add_options(CLI::App& app, CommandLine& line);

/// Parses the words. Throws CLI::ParseError. For a flag that became a key it throws
/// drive::FileError, which names the key.
void parse(CLI::App& app, CommandLine& line, const std::vector<std::string>& words);

/// The files among the words. A scenario of settings alone has one file, "".
std::vector<std::string> files_of(const CommandLine& line);

/// The scenario of one of these files, with the settings laid over it. Throws drive::FileError.
scenario::Loaded load(const CommandLine& line, const std::string& file);

}  // namespace headstack::run
