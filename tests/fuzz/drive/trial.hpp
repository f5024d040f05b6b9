// SPDX-License-Identifier: Apache-2.0
/// @file
/// Plays one storyline in a process of its own. A crash of the simulator is then a finding, too: an
/// assertion, a sanitizer's report, or an endless loop.
#pragma once

#include "tests/fuzz/drive/player.hpp"

namespace headstack::fuzz {

/// A storyline takes a few milliseconds; one with more processor time than this counts as endless.
constexpr unsigned kTrialSecondsMax = 60;

/// Plays it in a child process. With `tell`, prints its transcript on standard output.
Played try_storyline(const Storyline& storyline, bool tell = false);

/// Ends the calling process when it has used this much more processor time.
void limit_processor_time(unsigned seconds);
/// The finding for a child that did not end normally: "endless", "crash: ...".
Finding finding_of_death(int wait_status, const std::string& errors);

}  // namespace headstack::fuzz
