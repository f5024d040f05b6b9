// SPDX-License-Identifier: Apache-2.0
// Text functions of the readers: a file's text, and the known word nearest to a misspelt one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace headstack::drive {

/// The bytes of a file. Throws FileError that names it when it cannot be read, or is empty.
std::string read_file(const std::filesystem::path& file);

/// The candidate with the least edit distance (Levenshtein), or "" when none is within a third of
/// the word's length (at least 2). Ties go to the first candidate.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

/// A remedy such as "; did you mean 'x'?": it names the nearest candidate, or else lists them all.
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace headstack::drive
