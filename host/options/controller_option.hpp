// SPDX-License-Identifier: Apache-2.0
// The command line's words for the drive's controller. `own` is the firmware and the electronics as
// they are. `published` makes each command take as long as was measured on the described drive
// ([published.overheads_ms]).
//
// The words set the vendor's page 21h (firmware/unit/mode_page.h). The page has the controller's
// times before the seek or a hit's data, before reselection, and before the status. Each comes from
// the drive's extraction, less the time that this drive takes itself (kOwn...). Leaving the bus
// adds to none of them: the arm moves meanwhile.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firmware/unit/mode_page.h"
#include "host/options/option_words.hpp"
#include "sim/units.hpp"

namespace headstack::options {

/// From the issue to the completion of a read from the buffer, without the time of its data on the
/// bus. The page's times are not in it. It was measured by a line fitted through such reads of 1 to
/// 48 blocks.
constexpr Picoseconds kOwnOverhead = 97 * kPicosecondsPerMicrosecond;

// The times that the drive itself takes around the page's stages. They were measured on six drives
// that use these stages, with the cache and without it. tests/real_drives/test_real_drives.py holds
// each drive to them. The page's time counts from the command's receipt. What the firmware does
// while that time runs is no part of them.

/// Part of kOwnOverhead that the firmware spends during the page's time, for a hit that has such a
/// time.
constexpr Picoseconds kOwnMeanwhile = 46 * kPicosecondsPerMicrosecond;
/// Additional time of a hit when the stage before its status takes time.
constexpr Picoseconds kOwnPause = 20 * kPicosecondsPerMicrosecond;
/// Time of a write that is reported from the buffer, without its data on the bus. In the mean of
/// five drives it takes 107.6 us if the arm moves, and 112.7 us in sequence.
constexpr Picoseconds kOwnReportedWrite = 1085 * kPicosecondsPerMicrosecond / 10;
/// From the issue to the arm's start, without the page's time.
constexpr Picoseconds kOwnBeforeReadSeek = 56 * kPicosecondsPerMicrosecond;
constexpr Picoseconds kOwnBeforeWriteSeek = 63 * kPicosecondsPerMicrosecond;
/// From the instant at which the drive asks for the bus to the first data.
constexpr Picoseconds kOwnReselection = 42 * kPicosecondsPerMicrosecond;
/// From the instant at which the required share of a read is in the buffer to the first data.
constexpr Picoseconds kOwnShare = 34 * kPicosecondsPerMicrosecond;
/// From a read's last data to its end.
constexpr Picoseconds kOwnReadStatus = 12 * kPicosecondsPerMicrosecond;
/// From the end of a write on the media to the end of the command.
constexpr Picoseconds kOwnWriteStatus = 41 * kPicosecondsPerMicrosecond;

/// The page's times before a command's first action, by controller_row(), in units of 100 ns.
using ControllerTimes = std::array<std::uint16_t, 8>;
/// The page's times after a command's first action, by enum mode_controller_stage, in units of 100
/// ns.
using ControllerStages = std::array<std::uint16_t, 7>;

/// Throws OptionError when a time that is needed is missing or out of range; `drive` names the
/// description in the message. A `write_settle_ms` below 0 compares whole seeks as a host timed
/// them. No head writes before it is on its track, so the arm starts so much sooner instead. A
/// write that continues the one before it moves no arm, and keeps its time.
ControllerTimes controller_times(const std::map<std::string, double>& overheads_ms,
                                 const std::string& drive, double write_settle_ms = 0);

/// Throws OptionError as controller_times() does. A drive whose writes disconnect once more before
/// their data has `extradisc_...` keys, not all of them 0.
ControllerStages controller_stages(const std::map<std::string, double>& overheads_ms,
                                   const std::string& drive, double write_settle_ms = 0);

/// How the controller used its buffer: [published.cache], in the terms of the pages.
/// An empty member was not published, and the drive keeps its own setting. The published mark of
/// writes is not among them: it says when a full segment asks for more data, not when the media
/// begin.
struct ControllerBuffer {
  std::optional<std::uint8_t> full_ratio;  // read_water_mark; page 02h
  std::optional<bool> ahead_one_track;     // readahead_mode: 4, or 1; page 21h
  std::optional<bool> ahead_misses;        // readahead_on_idle_hit: 0
  std::optional<bool> ahead_over;          // readahead_over_requested: 1
  std::optional<bool> keeps_written;       // read_hits_on_written, but for separate_write_segment
  std::optional<bool> joins;               // combine_seq_writes
  std::optional<bool> reads_free;          // read_any_free_blocks
  /// Overheads have a first_reselect. It comes after the media if a read's data leave when all
  /// are read. With a share it comes before: no parameter file says so. The trace of the HP C2247A
  /// does (host/fidelity/README.md), and the time is the published one.
  std::optional<bool> reselects_ahead;
  /// Writes leave the bus once more before their data, those in sequence, too. DiskSim's manual
  /// makes no exception for these. Its disk module does; the trace of the HP C2247A is against it.
  std::optional<bool> far_in_sequence;
  /// Blocks of a write that must be in the buffer before the media begin; more for a long one
  /// (MODE_CONTROLLER_COUNTS). No parameter file has them: DiskSim's disk module has, for drives
  /// with extradisc_... times.
  std::optional<std::uint8_t> write_start_blocks;
};

/// Throws OptionError for a share outside 0 to 1; `drive` names the description in the message.
ControllerBuffer controller_buffer(const std::map<std::string, double>& cache,
                                   const std::string& drive,
                                   const std::map<std::string, double>& overheads_ms = {});

/// Lines for the user: which of these properties are published, and which are this drive's own
/// instead.
std::vector<std::string> describe_controller(const ControllerBuffer& buffer);

constexpr std::uint32_t kControllerPageBytes = MODE_CONTROLLER_BYTES;
constexpr std::uint32_t kDisconnectPageBytes = MODE_DISCONNECT_BYTES;
/// Applies times and stages to a page of kControllerPageBytes that the drive reported.
void apply_controller(const ControllerTimes& times, const ControllerStages& stages,
                      const ControllerBuffer& buffer, std::uint8_t* page);
/// Applies the buffer ratios to a page of kDisconnectPageBytes that the drive reported.
void apply_disconnect(const ControllerBuffer& buffer, std::uint8_t* page);

}  // namespace headstack::options
