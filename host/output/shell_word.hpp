// SPDX-License-Identifier: Apache-2.0
// Quotes a word for a POSIX shell, for command lines that are run or shown.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace headstack::output {

/// The word, in quotes if it needs them.
std::string shell_word(const std::string& word);

/// The words of a command line for a shell, each after a blank, without some of its flags and keys.
/// `alone` contains flags and keys of one word. `with_value` contains those whose value is the next
/// word, unless it is in the same one.
std::string shell_words_without(const std::vector<std::string>& words,
                                const std::set<std::string>& alone,
                                const std::set<std::string>& with_value);

}  // namespace headstack::output
