// The command line's words for the drive's controller: `own`, the firmware and electronics as they
// are, or `published`, which takes as long for each command as that of the described drive was
// measured to take ([published.overheads_ms]).
//
// Set is the vendor's page 21h (firmware/scsi/mode_page.h). It has the controller's times before
// the seek or a hit's data, before reselection, and before the status. Each comes from the drive's
// extraction, less the time that this drive takes itself (kOwn...). Leaving the bus takes none of
// them: the arm moves meanwhile.
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

// What the drive takes itself around the page's stages, measured likewise on drives that use them.
/// From the issue to the start of the seek of a command that misses.
constexpr Picoseconds kOwnBeforeSeek = 110 * kPicosecondsPerMicrosecond;
/// From the instant at which it wants the bus to a read's first data.
constexpr Picoseconds kOwnReselection = 80 * kPicosecondsPerMicrosecond;
/// From a read's last data to its end, 18 of it for a stage at all.
constexpr Picoseconds kOwnReadStatus = 34 * kPicosecondsPerMicrosecond;
constexpr Picoseconds kOwnPause = 18 * kPicosecondsPerMicrosecond;
/// From the end of a write on the media to the end of the command.
constexpr Picoseconds kOwnWriteStatus = 58 * kPicosecondsPerMicrosecond;

/// The page's times before anything is done, by controller_row(), in units of 100 ns.
using ControllerTimes = std::array<std::uint16_t, 8>;
/// Those behind them, by enum mode_controller_stage.
using ControllerStages = std::array<std::uint16_t, 7>;

/// Throws OptionError when a time that is needed is not among them, or cannot be one; `drive` names
/// the description.
ControllerTimes controller_times(const std::map<std::string, double>& overheads_ms,
                                 const std::string& drive);

/// Likewise. A drive whose writes disconnect once more before their data has `extradisc_...` keys.
ControllerStages controller_stages(const std::map<std::string, double>& overheads_ms,
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

constexpr std::uint32_t kControllerPageBytes = 34;
constexpr std::uint32_t kDisconnectPageBytes = 16;
/// Into the page as the drive gave it, kControllerPageBytes of it.
void apply_controller(const ControllerTimes& times, const ControllerStages& stages,
                      const ControllerBuffer& buffer, std::uint8_t* page);
/// Likewise, kDisconnectPageBytes.
void apply_disconnect(const ControllerBuffer& buffer, std::uint8_t* page);

}  // namespace headstack::options
