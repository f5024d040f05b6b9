/// @file
/// Where the translation of a program is (translation.hpp): a library beside its ELF file.
#pragma once

#include <string>

#include "sim/core/translation.hpp"

namespace headstack::core {

/// FILE.so beside FILE, for the rest of the process; null where there is none that can be used.
/// Whether it is this program's, Hart::use() sees.
const translation::Translation* find_translation(const std::string& program);

}  // namespace headstack::core
