// Where a wave file may be written: over an older one, and over nothing else.
#pragma once

#include <stdexcept>
#include <string>

namespace headstack::wave {

/// The sentence says what is in the way, and the remedy.
struct WaveFileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// It is an FST file, whole or cut: a regular file that begins with the header block.
bool is_wave_file(const std::string& path);

/// Throws WaveFileError when something else than a wave file is at `path`, or beside it under the
/// name that the file's own names need while it is written (PATH.hier).
void require_room_for_waves(const std::string& path);

/// The path of the wave file `name` in `folder`, which is there, or in a folder below it that is
/// there; an absolute `name` has to lie there. Throws WaveFileError when it does not, also by `..`
/// or links, when it does not end in .fst, or when something else is there.
std::string wave_path_below(const std::string& folder, const std::string& name);

}  // namespace headstack::wave
