// SPDX-License-Identifier: Apache-2.0
// Checks of numbers on a command line, stricter than the parser's own.
#pragma once

#include <cstdint>
#include <exception>
#include <string>
#include <CLI/CLI.hpp>

namespace headstack::cli {

/// A whole decimal number from `low` to `high`: 010 is ten, not eight, and -1 is an error.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high);

/// A finite decimal number from `low` to `high`.
CLI::Validator finite_number(double low, double high);

/// Any text but an empty one, which a shell makes of a variable that is not set.
CLI::Validator not_empty();

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
