// SPDX-License-Identifier: Apache-2.0
// The drives that ship in sim/drives, and how a drive is named on a command line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/drive/load.hpp"

namespace headstack::options {

/// The source tree: environment variable HEADSTACK_ROOT, else the working folder.
std::filesystem::path source_folder();

/// sim/drives in the source tree.
std::filesystem::path drives_folder();

/// Names of the shipped drives in alphabetical order.
std::vector<std::string> drive_names();

/// A name from sim/drives, or a path (one that ends in .toml or holds a slash). Throws
/// drive::FileError; an unknown name suggests the nearest.
std::filesystem::path find_drive(const std::string& name_or_path);

/// Loads the description that find_drive() finds.
drive::Loaded load_drive(const std::string& name_or_path);

}  // namespace headstack::options
