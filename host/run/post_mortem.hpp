// SPDX-License-Identifier: Apache-2.0
// What a failed run leaves for its examination: OUT/post-mortem.txt. It has the firmware's events
// around the failure, its calls and tasks, and the command that starts a debugger there. With
// snapshots (`--post-mortem`) there is also OUT/post-mortem.fst, with waves of the time before the
// failure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/observe/run_observer.hpp"
#include "host/run/options.hpp"
#include "host/session/session.hpp"

namespace headstack::run {

/// The least time before a failure at which the waves begin, and `headstack debug` stops.
constexpr Picoseconds kPostMortemLead = 2 * kPicosecondsPerMillisecond;

/// The last events of the firmware.
class EventTail : public observe::RunObserver {
 public:
  static constexpr std::size_t kLines = 100;

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;

  /// The time of the last event; 0 before the first.
  Picoseconds last_at() const;
  /// kLines lines at most, oldest first, that begin kPostMortemLead before a time, or as few events
  /// before it as there is room for. Equal events in a row are one line.
  std::string around(Picoseconds at) const;

 private:
  static constexpr std::size_t kEvents = 4096;
  struct Event {
    std::uint64_t edge;
    unsigned number;
    std::uint32_t argument;
  };
  struct Line {
    Event first;
    std::uint64_t last_edge;
    std::size_t count;
  };
  std::vector<Line> lines() const;
  static std::string text_of(const Line& line);

  std::array<Event, kEvents> events_{};  // a ring
  std::size_t count_ = 0;                // of all events so far
};

/// What is known of a failure.
struct Failure {
  std::string text;    // a sentence
  Picoseconds at = 0;  // the earliest instant that it names
  std::string events;  // EventTail::around() it
  bool has_waves = false;
};

/// The file of the waves.
std::string post_mortem_waves(const RunOptions& options);

/// One command line for a shell: the same run under a debugger, which stops `kPostMortemLead`
/// before `at`.
std::string debug_command(const RunOptions& options, Picoseconds at);

/// "assertion at FILE:LINE: CONDITION", where the program comes with the texts of its assertions
/// (firmware/tools/assertions.py); otherwise without the condition. `code` is of an assertion.
std::string assertion_text(const std::string& firmware, std::uint32_t code);

/// Writes OUT/post-mortem.txt about a session that is over. Throws output::OutputError.
void write_post_mortem(const RunOptions& options, const Failure& failure,
                       session::Session& session);

}  // namespace headstack::run
