// Checks of numbers on a command line, stricter than the parser's own.
#pragma once

#include <cstdint>
#include <CLI/CLI.hpp>

namespace headstack::cli {

/// A whole decimal number from `low` to `high`: 010 is ten, not eight, and -1 is an error.
CLI::Validator whole_number(std::uint64_t low, std::uint64_t high);

/// A finite decimal number from `low` to `high`.
CLI::Validator finite_number(double low, double high);

}  // namespace headstack::cli
