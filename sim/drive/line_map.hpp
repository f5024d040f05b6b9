// SPDX-License-Identifier: Apache-2.0
// The lines of a file's keys, so that an error can name its line.
#pragma once

#include <map>
#include <string>

namespace headstack::drive {

/// Maps a key path ("design.zones[3].spares") to its line, from 1 on.
using LineMap = std::map<std::string, unsigned>;

/// The line of the key, or of its nearest known parent ("design.zones[3]"); 0 if there is none.
unsigned line_of(const LineMap& lines, std::string key);

/// Throws FileError: "FILE:LINE: TEXT", without the line when it is 0.
[[noreturn]] void throw_file_error(const std::string& file, unsigned line, const std::string& text);

}  // namespace headstack::drive
