// SPDX-License-Identifier: Apache-2.0
// The drives that ship in sim/drives, and the ways to name a drive on a command line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/drive/load.hpp"

namespace headstack::options {

/// The source tree: environment variable HEADSTACK_ROOT, or else the working folder.
std::filesystem::path source_folder();

/// The folder sim/drives in the source tree.
std::filesystem::path drives_folder();

/// Names of the shipped drives in alphabetical order.
std::vector<std::string> drive_names();

/// The file of a drive, given by a name from sim/drives, or a path (one that ends in .toml or
/// contains a slash). Throws drive::FileError, which suggests the nearest name for an unknown one.
std::filesystem::path find_drive(const std::string& name_or_path);

/// Loads the description that find_drive() finds.
drive::Loaded load_drive(const std::string& name_or_path);

}  // namespace headstack::options
