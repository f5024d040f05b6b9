// SPDX-License-Identifier: Apache-2.0
// Helpers for options that have a syntax of their own, such as NAME[:KEY=VALUE,...].
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace headstack::options {

/// An error with a sentence: what is wrong with an option's value, and what would be right.
struct OptionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Splits a text at each separator: "a:b::" gives "a", "b", "", "".
std::vector<std::string> split_words(const std::string& text, char separator);

/// Parses a whole decimal number from `low` to `high`; `name` names the value in the error. Throws
/// OptionError.
std::uint32_t number_from(const std::string& name, const std::string& text, std::uint32_t low,
                          std::uint32_t high);

}  // namespace headstack::options
