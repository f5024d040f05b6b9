// SPDX-License-Identifier: Apache-2.0
// Checks of numbers on a command line, stricter than the parser's own.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>
#include <CLI/CLI.hpp>

namespace headstack::cli {

/// Accepts a whole decimal number from `low` to `high`: 010 is ten, not eight, and -1 is an error.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high);

/// The finite decimal number that the whole text is. Nothing for any other text, such as 0x10.
std::optional<double> decimal_number(const std::string& text);

/// Accepts a finite decimal number from `low` to `high`.
CLI::Validator finite_number(double low, double high);

/// Accepts any text but an empty one, which a shell makes of a variable that is not set.
CLI::Validator not_empty();

/// The error for an unknown word: "'foo' is not known; use one of: ...", or the nearest word.
std::string unknown_word(const std::string& text, const std::vector<std::string>& known);

/// Accepts a word of the table, for an option of its enumeration. The error names the words.
template <class Value>
CLI::Validator one_of(const std::map<std::string, Value>& words) {
  const auto check = [words](std::string& text) -> std::string {
    const auto found = words.find(text);
    if (found != words.end()) {
      text = std::to_string(static_cast<int>(found->second));
      return {};
    }
    std::vector<std::string> names;
    names.reserve(words.size());
    for (const auto& word : words) names.push_back(word.first);
    return unknown_word(text, names);
  };
  return {check, ""};
}

/// Accepts a text that `parse` accepts; its exception is the message.
template <class Parse>
CLI::Validator parsed_by(Parse parse) {
  return {[parse](const std::string& text) {
            try {
              (void)parse(text);
              return std::string();
            } catch (const std::exception& error) {
              return std::string(error.what());
            }
          },
          ""};
}

}  // namespace headstack::cli
