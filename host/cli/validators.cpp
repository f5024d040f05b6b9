// SPDX-License-Identifier: Apache-2.0
#include "host/cli/validators.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

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
    text = std::to_string(value);  // without zeros in front, which would make it octal
    return {};
  };
  return {check, ""};
}

CLI::Validator finite_number(double low, double high) {
  const auto check = [low, high](std::string& text) -> std::string {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const bool whole_text = !text.empty() && end == text.c_str() + text.size();
    if (whole_text && std::isfinite(value) && value >= low && value <= high) return {};
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

}  // namespace headstack::cli
