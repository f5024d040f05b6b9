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

std::string shell_words_without(const std::vector<std::string>& words,
                                const std::set<std::string>& alone,
                                const std::set<std::string>& with_value) {
  std::string line;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string name = words[i].substr(0, words[i].find('='));
    if (with_value.count(name) > 0) {
      if (words[i] == name) ++i;
    } else if (alone.count(name) == 0) {
      line += ' ' + shell_word(words[i]);
    }
  }
  return line;
}

}  // namespace headstack::output
