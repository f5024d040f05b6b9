/// @file
/// One storyline in a process of its own, so that whatever it does to the simulator ends as a
/// finding, too: an assertion, a sanitizer's report, a loop without end.
#pragma once

#include "tests/fuzz/drive/player.hpp"

namespace headstack::fuzz {

/// A storyline takes a few milliseconds; one that takes so much of a processor is taken for endless.
constexpr unsigned kTrialSecondsMax = 60;

/// Plays it in a child process. With `tell`, its transcript goes to standard output.
Played try_storyline(const Storyline& storyline, bool tell = false);

/// Lets the calling process be ended when it has used so much processor time from now on.
void limit_processor_time(unsigned seconds);
/// How a child ended that did not get to its end: "endless", "crash: ...".
Finding finding_of_death(int wait_status, const std::string& errors);

}  // namespace headstack::fuzz
