// The command line's words for the drive's controller: `own`, the firmware and electronics as they
// are, or `published`, which takes as long for each command as that of the described drive was
// measured to take ([published.overheads_ms]).
//
// Set is the vendor's page 21h (firmware/scsi/mode_page.h). All that a drive's extraction charged
// to a command is in one sum, and comes before anything else is done about it: what it takes before
// the seek, to leave the bus, to come back to it, and to end. Less what this drive takes for the
// same itself, kOwnOverhead.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/options/option_words.hpp"
#include "sim/units.hpp"

namespace headstack::options {

/// From the issue to the completion of a read from the buffer, less its data's own time on the bus:
/// measured, by the line through such reads of 1 to 48 blocks.
constexpr Picoseconds kOwnOverhead = 108 * kPicosecondsPerMicrosecond;

/// The page's times, by controller_row(), in units of 100 ns.
using ControllerTimes = std::array<std::uint16_t, 8>;

/// Throws OptionError when a time that is needed is not among them, or cannot be one; `drive` names
/// the description.
ControllerTimes controller_times(const std::map<std::string, double>& overheads_ms,
                                 const std::string& drive);

/// How the controller used its buffer: [published.cache], in the terms of the pages.
/// None: not published, and the drive stays as it is.
struct ControllerBuffer {
  std::optional<std::uint8_t> full_ratio;   // read_water_mark; page 02h
  std::optional<std::uint8_t> write_ratio;  // write_water_mark; page 21h
  std::optional<bool> ahead_one_track;      // readahead_mode: 4; page 21h
  std::optional<bool> ahead_misses;         // readahead_on_idle_hit: 0
};

/// Throws OptionError for a share beyond 0 to 1; `drive` names the description.
ControllerBuffer controller_buffer(const std::map<std::string, double>& cache,
                                   const std::string& drive);

/// What of it is published, for people, and what is this drive's own instead: one line each.
std::vector<std::string> describe_controller(const ControllerBuffer& buffer);

constexpr std::uint32_t kControllerPageBytes = 20;
constexpr std::uint32_t kDisconnectPageBytes = 16;
/// Into the page as the drive gave it, kControllerPageBytes of it.
void apply_controller(const ControllerTimes& times, const ControllerBuffer& buffer,
                      std::uint8_t* page);
/// Likewise, kDisconnectPageBytes.
void apply_disconnect(const ControllerBuffer& buffer, std::uint8_t* page);

}  // namespace headstack::options
