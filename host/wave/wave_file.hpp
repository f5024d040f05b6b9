// SPDX-License-Identifier: Apache-2.0
// Checks the path of a wave file: it may replace an older one, but no other file.
#pragma once

#include <stdexcept>
#include <string>

namespace headstack::wave {

/// An error with a sentence: the obstacle and the remedy.
struct WaveFileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Whether the file at `path` is an FST file, complete or truncated: a regular file that begins
/// with the header block.
bool is_wave_file(const std::string& path);

/// Throws WaveFileError when another kind of file is at `path`, or at PATH.hier, which contains the
/// signals' names while the file is written.
void require_room_for_waves(const std::string& path);

/// The path of the wave file `name` in `folder`, or in a folder below it. The folder must exist,
/// and an absolute `name` must lie in it. Throws WaveFileError if the path lies outside (also by
/// `..` or links), does not end in .fst, or names another kind of file.
std::string wave_path_below(const std::string& folder, const std::string& name);

}  // namespace headstack::wave
