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
#include <string>

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

constexpr std::uint32_t kControllerPageBytes = 20;
/// Into the page as the drive gave it, kControllerPageBytes of it.
void apply_controller(const ControllerTimes& times, std::uint8_t* page);

}  // namespace headstack::options
