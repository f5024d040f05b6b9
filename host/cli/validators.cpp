// SPDX-License-Identifier: Apache-2.0
#include "host/cli/validators.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "sim/drive/text.hpp"

namespace headstack::cli {

CLI::Validator whole_number(std::uint64_t low, std::uint64_t high) {
  const auto check = [low, high](std::string& text) -> std::string {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto result = std::from_chars(text.data(), end, value);
    const bool good = result.ec == std::errc() && result.ptr == end;
    if (!good || value < low || value > high) {
      return fmt::format("'{}' is not a whole number from {} to {}", text, low, high);
    }
    text = std::to_string(value);  // drops leading zeros, which would make it octal
    return {};
  };
  return {check, ""};
}

std::optional<double> decimal_number(const std::string& text) {
  // Other characters are excluded, since strtod() also accepts leading blanks, hexadecimal numbers,
  // infinity and NaN.
  if (text.empty() || text.find_first_not_of("0123456789.+-eE") != std::string::npos) return {};
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || !std::isfinite(value)) return {};
  return value;
}

CLI::Validator finite_number(double low, double high) {
  const auto check = [low, high](std::string& text) -> std::string {
    const auto value = decimal_number(text);
    if (value && *value >= low && *value <= high) return {};
    return fmt::format("'{}' is not a number from {} to {}", text, low, high);
  };
  return {check, ""};
}

CLI::Validator not_empty() {
  return {[](const std::string& text) -> std::string {
            return text.empty() ? "its value is empty; give one, or leave the option out" : "";
          },
          ""};
}

std::string unknown_word(const std::string& text, const std::vector<std::string>& known) {
  return fmt::format("'{}' is not known; {}", text, drive::suggest(text, known));
}

}  // namespace headstack::cli
