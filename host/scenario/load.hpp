// SPDX-License-Identifier: Apache-2.0
// Reads a scenario from a file of TOML and settings of a command line. The result is strict: a
// scenario, or one error with file, line, key and remedy.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host/scenario/check.hpp"
#include "host/scenario/scenario.hpp"
#include "sim/description/fault.hpp"

namespace headstack::scenario {

/// Where a key was given.
struct Origin {
  std::string file;   // file with the key; kCommandLine for a setting
  unsigned line = 0;  // line, counted from 1; 0: none
};
/// Origins by the key's path, such as "settings.streams[0].period".
using Origins = std::map<std::string, Origin>;

inline constexpr const char* kCommandLine = "(command line)";

struct Loaded {
  Scenario scenario;
  Origins origins;
};

/// Reads a file, and lays settings over it. A setting is KEY=VALUE: a path or short name, and a
/// value of TOML, or else a text. `KEY=` removes the key, so that it has its default. A setting of
/// one source of requests (load.trace, load.requests, load.synthetic) removes the others.
///
/// The key `extends = FILE` names another file, which must extend none; the present file gives the
/// differences. Lists are replaced as a whole. A relative path is taken from the folder of the file
/// that has it; in a setting from the working folder.
///
/// Throws drive::FileError: "FILE:LINE: KEY: problem; remedy". Keys are checked one by one;
/// require_good() checks them together.
Loaded load(const std::string& file, const std::vector<std::string>& settings = {});

/// Reads text as load() reads a file. `file` names it in errors; relative paths start at its
/// folder.
Loaded load_text(const std::string& text, const std::string& file,
                 const std::vector<std::string>& settings = {});

/// Reads settings as load() does, without a file: they are laid over the defaults.
Loaded load_settings(const std::vector<std::string>& settings);

/// Throws drive::FileError with the first finding of check().
void require_good(const Loaded& loaded, Purpose purpose = Purpose::kRun);

/// Throws drive::FileError for a fault of these keys: "FILE:LINE: KEY: problem; remedy".
[[noreturn]] void throw_located(const Origins& origins, const drive::Fault& fault);

}  // namespace headstack::scenario
