// SPDX-License-Identifier: Apache-2.0
#include "host/options/option_words.hpp"

#include <fmt/format.h>

#include <charconv>

namespace headstack::options {

std::vector<std::string> split_words(const std::string& text, char separator) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == separator) {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::uint32_t number_from(const std::string& name, const std::string& text, std::uint32_t low,
                          std::uint32_t high) {
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || value < low || value > high) {
    throw OptionError(
        fmt::format("{}: '{}' is not a whole number from {} to {}", name, text, low, high));
  }
  return value;
}

}  // namespace headstack::options
