// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4) of texts and files, in hexadecimal digits.
#pragma once

#include <string>

namespace headstack::scenario {

std::string sha256_of_text(const std::string& text);

/// Throws drive::FileError for a file that cannot be read. An empty file has a hash, too.
std::string sha256_of_file(const std::string& file);

}  // namespace headstack::scenario
