// SPDX-License-Identifier: Apache-2.0
// What a failed run leaves for its examination: OUT/post-mortem.txt. It has the firmware's events
// around the failure, its calls and tasks, and the command that starts a debugger there. With
// snapshots (`observe.post_mortem`) there is also OUT/post-mortem.fst, with waves of the time
// before the failure.
#pragma once

#include <string>

#include "host/run/event_tail.hpp"
#include "host/run/options.hpp"
#include "host/session/session.hpp"

namespace headstack::run {

/// The facts about a failure.
struct Failure {
  std::string text;    // a sentence that describes the failure
  Picoseconds at = 0;  // earliest instant that the failure names
  std::string events;  // text of EventTail::around() that instant
  bool has_waves = false;
};

/// The name of the file with the waves before the failure.
std::string post_mortem_waves(const RunOptions& options);

/// One command line for a shell: the same run under a debugger, which stops `kPostMortemLead`
/// before `at`.
std::string debug_command(const RunOptions& options, Picoseconds at);

/// Writes OUT/post-mortem.txt about a session that is over. Throws output::OutputError.
void write_post_mortem(const RunOptions& options, const Failure& failure,
                       session::Session& session);

}  // namespace headstack::run
