// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4) of texts and files, in hexadecimal digits.
#pragma once

#include <string>

namespace headstack::scenario {

std::string sha256_of_text(const std::string& text);

/// SHA-256 of a file's content, which may be empty. Throws drive::FileError for an unreadable file.
std::string sha256_of_file(const std::string& file);

}  // namespace headstack::scenario
