// SPDX-License-Identifier: Apache-2.0
/// @file
/// Finds the translation of a program (translation.hpp): a library beside its ELF file.
#pragma once

#include <string>

#include "sim/core/translation.hpp"

namespace headstack::core {

/// Loads FILE.so beside FILE, for the rest of the process. Null if there is none that can be used.
/// Hart::use() checks whether it belongs to this program.
const translation::Translation* find_translation(const std::string& program);

}  // namespace headstack::core
