// SPDX-License-Identifier: Apache-2.0
// A fault of a description: the problem, its place and the remedy, in one sentence.
#pragma once

#include <stdexcept>
#include <string>

namespace headstack::drive {

/// A fault inside a description, named by key path ("design.zones[2].spares").
struct Fault : std::runtime_error {
  Fault(std::string key_path, const std::string& problem_text, std::string remedy_text)
      : std::runtime_error(key_path + ": " + problem_text + "; " + remedy_text),
        key(std::move(key_path)),
        problem(problem_text),
        remedy(std::move(remedy_text)) {}

  std::string key;
  std::string problem;
  std::string remedy;
};

/// A fault with the file (and line, where one is known) in front: the text for a user.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace headstack::drive
