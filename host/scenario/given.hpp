// SPDX-License-Identifier: Apache-2.0
// A value as a scenario's file gives it, with its key. All functions throw drive::Fault, which
// names the key, the problem and the remedy.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <toml++/toml.h>

#include "host/scenario/schema.hpp"

namespace headstack::scenario {

class Given {
 public:
  /// The node must outlive this object. Relative paths are taken from `folder`; "": the working
  /// folder.
  Given(const toml::node& node, std::string path, std::string folder)
      : node_(node), path_(std::move(path)), folder_(std::move(folder)) {}

  bool boolean() const;
  std::int64_t integer(const Whole& whole) const;
  double number(const drive::Bounds& bounds) const;
  Picoseconds time(const Times& times) const;
  std::string text() const;
  /// One of the words in the argument; a whole number counts as the word of its digits.
  std::string word_of(const std::vector<std::string>& words) const;
  std::string checked(const Word& word) const;
  std::string file(FileRole role) const;
  const toml::table& table() const;

  bool is_integer() const { return node_.is_integer(); }
  bool is_text() const { return node_.is_string(); }
  /// The items of a list.
  std::vector<Given> items() const;
  /// The items of a list, or this value alone.
  std::vector<Given> one_or_several() const;

  const std::string& path() const { return path_; }
  const std::string& folder() const { return folder_; }
  [[noreturn]] void refuse(const std::string& problem, const std::string& remedy) const;

 private:
  std::string shown() const;

  const toml::node& node_;
  std::string path_;
  std::string folder_;
};

}  // namespace headstack::scenario
