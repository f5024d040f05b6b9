// SPDX-License-Identifier: Apache-2.0
// The last events of the firmware, for the examination of a failure.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "host/observe/run_observer.hpp"

namespace headstack::run {

/// The least time before a failure that its examination shows: events, waves, and where
/// `headstack debug` stops.
constexpr Picoseconds kPostMortemLead = 2 * kPicosecondsPerMillisecond;

/// Keeps the last events of the firmware.
class EventTail : public observe::RunObserver {
 public:
  static constexpr std::size_t kLines = 100;

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;

  /// The time of the last event; 0 before the first.
  Picoseconds last_at() const;
  /// Lines of the events around a time, at most kLines, oldest first. They begin kPostMortemLead
  /// before it: later if too many events precede it, earlier if there is room. Equal events in a
  /// row are one line.
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

  std::array<Event, kEvents> events_{};  // ring of the last kEvents events
  std::size_t count_ = 0;                // number of all events received
};

}  // namespace headstack::run
