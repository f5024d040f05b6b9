// SPDX-License-Identifier: Apache-2.0
// The command line's words for the drive's controller. `own` is the firmware and the electronics as
// they are. With `published` each command takes as long as was measured on the described drive
// ([published.overheads_ms]).
//
// The words set the vendor's page 21h (firmware/unit/mode_page.h). The page has the controller's
// times before the seek or a hit's data, before reselection, and before the status. Each is the
// time extracted from the real drive, minus the time that this drive takes itself (kOwn...). Time
// to leave the bus is in none of them, since the arm moves meanwhile.
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

/// Time from the issue to the completion of a read from the buffer, without its data on the bus and
/// without the page's times. It was measured by a line fitted through such reads of 1 to 48 blocks.
constexpr Picoseconds kOwnOverhead = 95 * kPicosecondsPerMicrosecond;

// The times that the drive itself takes around the page's stages. They were measured on six drives
// that use these stages, with the cache and without it. tests/real_drives/test_real_drives.py
// compares each drive with them. The page's time begins at the command's receipt. What the firmware
// does during that time is not in them.

/// The part of kOwnOverhead that passes during the page's time, for a hit that has such a time.
constexpr Picoseconds kOwnMeanwhile = 46 * kPicosecondsPerMicrosecond;
/// Additional time of a hit if the stage before its status takes time.
constexpr Picoseconds kOwnPause = 20 * kPicosecondsPerMicrosecond;
/// Time of a write that is reported from the buffer, without its data on the bus. In the mean of
/// five drives it takes 107.6 us if the arm moves, and 112.7 us in sequence.
constexpr Picoseconds kOwnReportedWrite = 1085 * kPicosecondsPerMicrosecond / 10;
/// Time from the issue to the arm's start, without the page's time.
constexpr Picoseconds kOwnBeforeReadSeek = 56 * kPicosecondsPerMicrosecond;
constexpr Picoseconds kOwnBeforeWriteSeek = 63 * kPicosecondsPerMicrosecond;
/// Time from the drive's request for the bus to the first data.
constexpr Picoseconds kOwnReselection = 42 * kPicosecondsPerMicrosecond;
/// Time from the arrival of a read's required share in the buffer to the first data.
constexpr Picoseconds kOwnShare = 34 * kPicosecondsPerMicrosecond;
/// Time from a read's last data to its end.
constexpr Picoseconds kOwnReadStatus = 12 * kPicosecondsPerMicrosecond;
/// Time from the end of a write on the media to the end of the command.
constexpr Picoseconds kOwnWriteStatus = 41 * kPicosecondsPerMicrosecond;

/// The page's times before a command's first action, by controller_row(), in units of 100 ns.
using ControllerTimes = std::array<std::uint16_t, 8>;
/// The page's times after a command's first action, by enum mode_controller_stage, in units of 100
/// ns.
using ControllerStages = std::array<std::uint16_t, 7>;

/// The times before the first action. Throws OptionError when a time that is needed is missing or
/// out of range; `drive` names the description in the message. A `write_settle_ms` below 0 compares
/// whole seeks as a host timed them. Since no head writes before it is on its track, the arm starts
/// earlier by that time instead. A write that continues the previous one moves no arm, and keeps
/// its time.
ControllerTimes controller_times(const std::map<std::string, double>& overheads_ms,
                                 const std::string& drive, double write_settle_ms = 0);

/// The times after the first action. Throws OptionError as controller_times() does. A drive whose
/// writes disconnect again before their data has `extradisc_...` keys, not all of them 0.
ControllerStages controller_stages(const std::map<std::string, double>& overheads_ms,
                                   const std::string& drive, double write_settle_ms = 0);

/// The time before each access (MODE_CONTROLLER_ACCESS), in units of 100 ns; 0 without a published
/// one. It is added to the time that the drive takes itself. Throws OptionError as
/// controller_times() does.
std::uint16_t controller_access(const std::map<std::string, double>& overheads_ms,
                                const std::string& drive);

/// How the controller used its buffer: [published.cache], in the terms of the pages. An empty
/// member was not published, and the drive keeps its own setting. The published mark of writes is
/// not among them: it is where a full segment asks for more data, not where the media begin.
struct ControllerBuffer {
  std::optional<std::uint8_t> full_ratio;  // read_water_mark of page 02h
  std::optional<bool> ahead_one_track;     // readahead_mode of page 21h: 4, or 1
  std::optional<bool> ahead_misses;        // readahead_on_idle_hit is 0
  std::optional<bool> ahead_over;          // readahead_over_requested is 1
  std::optional<bool> keeps_written;       // read_hits_on_written, except with
                                           // separate_write_segment
  std::optional<bool> joins;               // key combine_seq_writes
  std::optional<bool> reads_free;          // key read_any_free_blocks
  /// Set if the overheads have a first_reselect. A read whose data leave when all are read has it
  /// after the media. With a share it comes before. No parameter file specifies this, but the trace
  /// of the HP C2247A shows it (host/fidelity/README.md). The time is the published one.
  std::optional<bool> reselects_ahead;
  /// Set if writes leave the bus again before their data, including those in sequence. DiskSim's
  /// manual makes no exception for these. Its disk module does; the trace of the HP C2247A
  /// contradicts it.
  std::optional<bool> far_in_sequence;
  /// Number of blocks of a write that must be in the buffer before the media begin. A long write
  /// needs more (MODE_CONTROLLER_COUNTS). No parameter file has such counts. DiskSim's disk module
  /// has, for drives with extradisc_... times.
  std::optional<std::uint8_t> write_start_blocks;
};

/// The buffer's use. Throws OptionError for a share outside 0 to 1; `drive` names the description
/// in the message.
ControllerBuffer controller_buffer(const std::map<std::string, double>& cache,
                                   const std::string& drive,
                                   const std::map<std::string, double>& overheads_ms = {});

/// Lines for the user: the properties that are published, and those that are this drive's own.
std::vector<std::string> describe_controller(const ControllerBuffer& buffer);

constexpr std::uint32_t kControllerPageBytes = MODE_CONTROLLER_BYTES;
constexpr std::uint32_t kDisconnectPageBytes = MODE_DISCONNECT_BYTES;
/// Applies times and stages to a page of kControllerPageBytes that the drive reported.
void apply_controller(const ControllerTimes& times, const ControllerStages& stages,
                      const ControllerBuffer& buffer, std::uint8_t* page);
/// Applies controller_access() to the same page.
void apply_access(std::uint16_t access, std::uint8_t* page);
/// Applies the buffer ratios to a page of kDisconnectPageBytes that the drive reported.
void apply_disconnect(const ControllerBuffer& buffer, std::uint8_t* page);

}  // namespace headstack::options
