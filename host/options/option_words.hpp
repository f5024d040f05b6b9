// SPDX-License-Identifier: Apache-2.0
// Words of options that have a syntax of their own: NAME[:KEY=VALUE,...] and the like.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace headstack::options {

/// What is wrong with an option's value, and what would be right: a sentence.
struct OptionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "a:b::" is "a", "b", "", "".
std::vector<std::string> split_words(const std::string& text, char separator);

/// A whole decimal number from `low` to `high`; `name` names the value in the error. Throws
/// OptionError.
std::uint32_t number_from(const std::string& name, const std::string& text, std::uint32_t low,
                          std::uint32_t high);

}  // namespace headstack::options
