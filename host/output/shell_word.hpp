// A word as a POSIX shell reads it, for command lines that are run or shown.
#pragma once

#include <string>

namespace headstack::output {

/// In quotes where it needs them.
std::string shell_word(const std::string& word);

}  // namespace headstack::output
