// SPDX-License-Identifier: Apache-2.0
// Makes command records from observations of the drive.
//
// There are three sources. The head-disk assembly reports movements, and passes under the head
// (channel/hda_observer.hpp). The firmware reports its events, stamped with the clock edge
// (firmware/events.h). At a command's completion, the initiator reports the times on the bus.
// Reports of the first two come in order of time, the assembly's before those of any later edge. A
// command's stages are sorted when it is over.
//
// The assignment of times. The mechanical stages are the physical events:
//
//     kSeek, kSettle,   from the clock edge at which the SoC requested the movement, by the drive's
//     kHeadSwitch       positioning times for it; they end with the level read ready. A write stays
//                       in kSettle until write ready.
//     kRotation         from then on, or from RUN_START if nothing had to move, until ...
//     kMediaTransfer    ... byte 0 of the run's first sector passes, in the pass of its transfer;
//                       until the strobe of the last check byte of the run's last sector. Free
//                       blocks (FREE_BLOCKS) pass before that: they are rotation.
//
// A write whose heads are on its track, but not settled for writing yet, is in kSettle from its
// choice on.
//
// A run that the formatter begins by itself (RUN_NEXT) is reported later, when the firmware notices
// it. Its stages are those of its movement, or kRotation from the last sector on if nothing has to
// move.
//
// The firmware's reaction to "ready" is part of kRotation, since the platter turns meanwhile. After
// the last good sector of a run that stops early, the stage is kRotation again. It ends with the
// failed pass. If no pass failed (no room, no data, not found), it ends when the firmware has
// noticed the stop.
//
// After the last sector of a run, the firmware's time is kChosen until the next movement or run.
// The search that chose a command lasts from PLAN_BEGIN to PLAN_END, or without a plan to
// TASK_CHOSEN. The part of the search after the end of the media's last work is exposed, because
// the media waited for it.
//
// A read that the cache serves is in kBusWait from CACHE_HIT on, like a read whose media work is
// done. A read may join a run that is on the way to its blocks. From its choice on it is in that
// run's stage, and in kMediaTransfer from the run's first sector until its own sectors have passed.
// If the run continues as read-ahead after a command's last block, READ_AHEAD names that block's
// sector. A write that is reported before it is on the media (WRITE_REPORTED) has no mechanical
// stages, since it does not wait for the media.
//
// A command without blocks, such as SYNCHRONIZE CACHE, is in kChosen until its status, while the
// media work for other commands.
//
// A chosen command may wait on its track for the buffer (MEDIA_WAIT). During that wait, and after
// its last run, it is in kBusData while its data are on the bus, otherwise in kBusWait. While the
// media work for a command, its bus transfers are not shown.
//
// A change of stage before the command's submission or after its end is a fault of the record.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/observe/host_tag.hpp"
#include "host/observe/run_observer.hpp"
#include "host/report/command_record.hpp"
#include "sim/initiator/command.hpp"
#include "sim/media/fnv1a.hpp"

namespace headstack::observe {

class StageLog : public RunObserver {
 public:
  /// Writes every further event to `out`, one per line: edge, name, argument in hex. Null ends it.
  void write_events(std::ostream* out) { events_ = out; }

  /// Accepts changes that are late by up to one clock. Firmware that takes no time reports at the
  /// clock edge after an event (soc/soc_clock.hpp).
  void allow_late_edges() { lag_ = soc::kClockPeriodPs; }

  /// Sets a function that is called with name and operation code when the drive has received a CDB.
  void on_received(std::function<void(HostTag, std::uint8_t)> hear) {
    on_received_ = std::move(hear);
  }

  /// Opens the record of a command that is about to be submitted.
  void open(HostTag name, traces::Operation operation);
  /// Closes the record of a completed command. @return the record, from all reports about the
  /// command.
  report::CommandRecord close(HostTag name, std::uint64_t number,
                              const traces::TraceRequest& request,
                              const initiator::Completion& completion);

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;
  void console(std::uint64_t edge, char character) override;

  void seek_began(Picoseconds at, const geometry::Chs& track,
                  const mechanics::Positioning& parts) override;
  void levels_changed(Picoseconds at, const channel::HdaLevels& levels) override;
  void sector_began(Picoseconds at, const geometry::Chs& sector) override;
  void sector_ended(Picoseconds at, const geometry::Chs& sector) override;

  const std::string& console_text() const { return console_; }
  std::uint64_t missed_revolutions() const { return missed_revolutions_; }
  /// Number of writes that found no free frame (WRITE_OUTSIDE), and the longest wait of one. A wait
  /// ends with free frames, or when the write goes to the media without them.
  std::uint64_t writes_outside() const { return writes_outside_; }
  Picoseconds longest_outside() const { return longest_outside_; }
  std::uint64_t media_retries() const { return media_retries_; }
  std::uint64_t event_count() const { return event_count_; }
  /// FNV-1a by words over (edge, number, argument) of every event. Equal logs have equal hashes.
  std::uint64_t event_hash() const { return event_hash_.value(); }

 private:
  /// The state of the media's work for a command.
  enum class Media {
    kQueued,   // the work has not begun
    kWorking,  // the work goes on, from TASK_CHOSEN to MEDIA_DONE
    kWaiting,  // the command waits on its track for the buffer, between TASK_CHOSEN and MEDIA_DONE
    kDone,
  };
  struct Change {
    Picoseconds at;
    report::Stage stage;
  };
  struct DataPhase {
    Picoseconds at;
    bool begins;
  };
  struct Heard {
    std::uint32_t task = kNone;  // index of the command's task; kNone until it is queued
    traces::Operation operation = traces::Operation::kRead;
    Media media = Media::kQueued;
    Picoseconds search_exposed = 0;
    Picoseconds chosen_at = 0;
    std::vector<DataPhase> data_phases;
    std::vector<Change> changes;
    report::RecordFault fault;  // an impossible report about the command

    bool is_write() const { return operation == traces::Operation::kWrite; }
  };
  struct Movement {
    Picoseconds at = 0;
    mechanics::Positioning parts;
  };
  /// The formatter's work on one track.
  struct Run {
    bool is_under_way = false;
    std::uint32_t count = 0;
    std::uint32_t free = 0;          // number of leading sectors that no command requested
    Picoseconds sector_began = 0;    // start of the last sector that began
    std::vector<Picoseconds> began;  // times of byte 0 of the passes that have ended
    std::vector<Picoseconds> ended;  // ends of the passes that have ended, including bad ones
  };

  Heard* of_task(std::uint32_t task);
  Heard* serving();
  void queued(Picoseconds at, std::uint32_t argument);
  Picoseconds take_search_exposed(Picoseconds at);
  void chosen(Picoseconds at, std::uint32_t task);
  void media_waits(Picoseconds at, std::uint32_t task);
  void run_started(Picoseconds at, std::uint32_t argument);
  void free_blocks(std::uint32_t count);
  void run_done(Picoseconds at, std::uint32_t done);
  void run_goes_on(Picoseconds at, std::uint32_t argument);
  void media_done(Picoseconds at, std::uint32_t task);
  void cache_hit(Picoseconds at, std::uint32_t task);
  void join(Heard& heard);
  void read_ahead(std::uint32_t wanted);
  void enter_transfer(Heard& heard) const;
  void write_reported(std::uint32_t task);
  void write_outside(Picoseconds at, std::uint32_t task);
  void write_inside(Picoseconds at, std::uint32_t task);
  void ended(std::uint32_t task);
  void data_phase(Picoseconds at, std::uint32_t task, bool begins);
  static report::Stage stage_at_rest(const Heard& heard, bool on_bus);
  static void rest_from(Heard& heard, Picoseconds at);
  static void sort_by_time(std::vector<Change>& changes);

  static constexpr std::uint32_t kNone = 0xFFFF'FFFF;
  static constexpr std::size_t kTags = 1U << 16;

  std::uint32_t& slot_of(HostTag name);

  std::vector<Heard> heard_;         // open commands, and the unused entries of free_
  std::vector<std::uint32_t> free_;  // unused entries of heard_
  std::array<std::vector<std::uint32_t>, kHostIds> slots_;  // indices into heard_, by host and tag
  HostTag received_ = 0;                                    // last command received over the bus
  std::vector<HostTag> name_of_task_;  // names by index in the task set; kNone: no task
  std::uint32_t serving_task_ = kNone;
  bool awaits_ready_ = false;                // a movement for the task in service is under way
  std::optional<Picoseconds> search_began_;  // start of the last search since a task was chosen
  std::optional<Picoseconds> search_ended_;
  Picoseconds media_free_ = 0;  // end of the media's last work
  Picoseconds idle_since_ = 0;  // latest of: choice of the task in service, end of its last run
  std::optional<Picoseconds> settled_;  // end of an earlier movement for the task in service
  std::optional<Movement> movement_;    // last movement, until a run starts
  Run run_;
  std::optional<Picoseconds> run_end_;  // end of the last run, until another activity follows

  std::function<void(HostTag, std::uint8_t)> on_received_;
  std::string console_;
  std::uint64_t missed_revolutions_ = 0;
  std::map<std::uint32_t, Picoseconds> outside_since_;  // start of each write's wait, by task
  std::uint64_t writes_outside_ = 0;
  Picoseconds longest_outside_ = 0;
  std::uint64_t media_retries_ = 0;
  Picoseconds lag_ = 0;
  std::ostream* events_ = nullptr;
  std::uint64_t event_count_ = 0;
  media::Fnv1a64 event_hash_;
};

}  // namespace headstack::observe
