// SPDX-License-Identifier: Apache-2.0
// The TOML of a scenario before its keys are read: files, and settings laid over them.
#pragma once

#include <string>
#include <toml++/toml.h>

#include "host/scenario/load.hpp"

namespace headstack::scenario {

struct Tree {
  toml::table root;
  Origins origins;
};

/// The tree of a file and of those that it extends. Texts that stand for tables have become tables
/// (drive = "eagle"). Keys that only regress reads are removed. Throws drive::FileError.
Tree tree_of_file(const std::string& file);
Tree tree_of_text(const std::string& text, const std::string& file);

/// Lays KEY=VALUE over the tree. Throws drive::FileError.
void apply_setting(const std::string& setting, Tree& tree);

/// The node of a path without indices, or null.
const toml::node* find_node(const toml::table& root, const std::string& path);

/// Origin of the key, or of its nearest parent that has one.
Origin origin_of(const Origins& origins, std::string path);

}  // namespace headstack::scenario
