// SPDX-License-Identifier: Apache-2.0
// What a failed run leaves for its examination: OUT/post-mortem.txt, with the firmware's last
// events and the command that starts a debugger there. With snapshots (`--post-mortem`) there is
// also OUT/post-mortem.fst, with waves of the time before the failure.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "host/observe/run_observer.hpp"
#include "host/run/options.hpp"

namespace headstack::run {

/// The last events of the firmware.
class EventTail : public observe::RunObserver {
 public:
  static constexpr std::size_t kEvents = 100;

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;

  /// The time of the last event; 0 before the first.
  Picoseconds last_at() const;
  /// One line each, oldest first, as in events.txt but with the time.
  std::string to_text() const;

 private:
  struct Event {
    std::uint64_t edge;
    unsigned number;
    std::uint32_t argument;
  };
  std::array<Event, kEvents> events_{};  // a ring
  std::size_t count_ = 0;                // of all events so far
};

/// The least time before a failure at which the waves begin, and `headstack debug` stops.
constexpr Picoseconds kPostMortemLead = 2 * kPicosecondsPerMillisecond;

/// The file of the waves.
std::string post_mortem_waves(const RunOptions& options);

/// One command line for a shell: the same run under a debugger, which stops `kPostMortemLead`
/// before `at`.
std::string debug_command(const RunOptions& options, Picoseconds at);

/// Writes OUT/post-mortem.txt. `waves`: post-mortem.fst exists. Throws output::OutputError.
void write_post_mortem(const RunOptions& options, const std::string& failure, Picoseconds at,
                       const EventTail& tail, bool waves);

}  // namespace headstack::run
