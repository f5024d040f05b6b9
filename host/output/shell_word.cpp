// SPDX-License-Identifier: Apache-2.0
#include "host/output/shell_word.hpp"

namespace headstack::output {

std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_-+=:,./@%") == std::string::npos;
  if (plain) return word;
  std::string text = "'";
  for (const char character : word) {
    text += character == '\'' ? std::string("'\\''") : std::string(1, character);
  }
  return text + "'";
}

}  // namespace headstack::output
