// SPDX-License-Identifier: Apache-2.0
/// @file
/// Finds the translation of a program (translation.hpp).
///
/// A translation is native code, so no file that comes with a program may name it. Translations
/// have a folder of their own, which only the build and the installed package fill. A file's name
/// there is the key of the program and of the translator, so another program has another name.
/// The folder of the running program is own_translations().
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/core/translation.hpp"

namespace headstack::core {

/// Names the translation of a program: 32 hexadecimal digits, of the program and of the translator.
///
/// The key need not resist forgery: the folder holds nothing but our own code, and Hart::use()
/// compares all bytes.
/// @param code         RAM from address 0 on, up to the end of the code.
/// @param stack_limit  Hart::limit_stack() of this program; 0: none.
std::string translation_key(const std::vector<std::uint8_t>& code, std::uint32_t stack_limit);

/// The folder `firmware/translations` of the build or package to which the running program belongs;
/// "" if it belongs to none.
std::string own_translations();

/// Loads a program's translation from a folder, for the rest of the process. Null if there is none.
/// Null, too, if the file belongs neither to the owner of the running program nor to root, or if
/// others may write to it. Hart::use() checks whether it belongs to this program.
/// @param folder  "": own_translations().
const translation::Translation* find_translation(const std::string& folder, const std::string& key);

/// Loads a library that the caller has made.
const translation::Translation* load_translation(const std::string& file);

}  // namespace headstack::core
