// SPDX-License-Identifier: Apache-2.0
// Reads a drive description from TOML, strictly: a result, or one error with file, key and remedy.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/description/description.hpp"
#include "sim/description/fault.hpp"

namespace headstack::drive {

struct Loaded {
  DriveDescription description;
  std::vector<std::string> warnings;  // odd but published facts; one sentence each
};

/// Reads a file, and checks its values and their relations. Throws FileError: "FILE:LINE: KEY:
/// problem; remedy".
Loaded load(const std::filesystem::path& file);

/// Works like load(), on text; `file` only names it in errors.
Loaded load_text(const std::string& text, const std::string& file);

/// Works like load(), but keys of `over`, a TOML text, replace those of the file. Tables in both
/// are laid over each other; a list is replaced as a whole. Errors name the file without a line.
Loaded load_over(const std::filesystem::path& file, const std::string& over);

/// Throws FileError, as load() does, for a fault in what was loaded from this file.
[[noreturn]] void throw_fault_in(const std::filesystem::path& file, const Fault& fault);

/// Prints a description as TOML that loads to the same description.
std::string to_toml(const DriveDescription& description);

/// Every key of a drive file, one per line, for human readers: path, kind and bounds, meaning.
std::string list_keys();

/// Checks the relations between keys: zones tile the cylinders, spares suffice, the curve is in
/// order. Throws Fault; returns warnings.
std::vector<std::string> check(const DriveDescription& description);

}  // namespace headstack::drive
