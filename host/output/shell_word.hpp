// SPDX-License-Identifier: Apache-2.0
// Quotes a word for a POSIX shell, for command lines that are run or shown.
#pragma once

#include <string>

namespace headstack::output {

/// The word, in quotes if it needs them.
std::string shell_word(const std::string& word);

}  // namespace headstack::output
