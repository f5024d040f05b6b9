// SPDX-License-Identifier: Apache-2.0
// An error in the record of a command: a sentence, and the earliest instant that it names.
#pragma once

#include <fmt/format.h>

#include <string>

#include "sim/units.hpp"

namespace headstack::report {

struct RecordFault {
  std::string text;    // one sentence; "": no fault
  Picoseconds at = 0;  // earliest instant that the fault concerns

  bool empty() const { return text.empty(); }
};

/// An instant or a duration in milliseconds, to the picosecond.
inline std::string exact_ms(Picoseconds time) {
  return fmt::format("{}.{:09} ms", time / kPicosecondsPerMillisecond,
                     time % kPicosecondsPerMillisecond);
}

}  // namespace headstack::report
