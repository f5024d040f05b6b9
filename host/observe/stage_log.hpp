// From what happened in the drive to command records.
//
// Three parties tell: the head-disk assembly when something moved or passed under the head
// (channel/hda_observer.hpp), the firmware what it was about (firmware/events.h, stamped with the
// clock edge), the initiator, at a command's completion, when the bus did what. Both of the drive's
// come in order of time, the world's ahead of any edge behind it; a command's stages are put in
// order when it is over.
//
// How instants are assigned. The mechanical stages are what physically happened:
//
//     kSeek, kSettle,   from the clock edge at which the SoC asked for the movement, by the drive's
//     kHeadSwitch       positioning times for it; they end with the level read ready. A write goes
//                       on with kSettle until write ready, too.
//     kRotation         from then on, or from RUN_START where nothing had to move, until ...
//     kMediaTransfer    ... byte 0 of the run's first sector passes, in the pass in which it is
//                       transferred; until the strobe of the last check byte of the run's last.
//
// A write that finds the heads on its track but not settled for writing yet is in kSettle from the
// moment it was chosen.
//
// A run that the formatter goes on with by itself (RUN_NEXT) is told of by the firmware later, when
// it hears of it. Its stages are those of the movement, as ever, or kRotation from the last sector
// on where nothing has to move.
//
// The firmware's reaction to "ready" is under kRotation: the platter turns meanwhile. A run that
// stops early goes back to kRotation behind its last good sector, until the pass that failed is
// over or, where none did (no room, no data, not found), the firmware has seen it.
//
// Behind the last sector of a run the firmware's time is kChosen until the next movement or run.
// The search that chose a command is between PLAN_BEGIN and PLAN_END, or TASK_CHOSEN when there is
// no plan; what of it lies behind the end of the media's work before is exposed: they waited for
// it.
//
// A read that the cache serves is in kBusWait from CACHE_HIT on, as one whose media are done. A
// read may join media that are on the way to its blocks. From its choice on it is in their stage,
// and in kMediaTransfer from the run's first sector until its own are there. Where the media read
// on behind a command's last block, READ_AHEAD says which sector of the run that was. A write that
// is reported ahead of the media (WRITE_REPORTED) has no mechanical stages: what the media do for
// it, before or behind its status, it does not wait for.
//
// A command without blocks, as SYNCHRONIZE CACHE, is in kChosen until its status: what the media
// do meanwhile is for others.
//
// While a chosen command waits on its track for the buffer (MEDIA_WAIT), and behind the end of its
// last run, it is in kBusData while its data are on the bus, else in kBusWait. While the media work
// for a command, what the bus does for it does not show.
//
// A change that lies before its command's submission or behind its end is a fault of the record.
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
  /// Every event from now on goes there too, a line each: edge, name, argument in hex. Null: none.
  void write_events(std::ostream* out) { events_ = out; }

  /// Firmware that takes no time reports with the clock edge behind an instant (soc/soc_clock.hpp):
  /// a change that is late by so much is none.
  void allow_late_edges() { lag_ = soc::kClockPeriodPs; }

  /// `hear` is called when the drive has a command's bytes: its name and operation code.
  void on_received(std::function<void(HostTag, std::uint8_t)> hear) {
    on_received_ = std::move(hear);
  }

  /// A command of this name is about to be submitted.
  void open(HostTag name, traces::Operation operation);
  /// It is over: its record, from all that was heard of it.
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
  /// Writes that found no free frame (WRITE_OUTSIDE), and how long one waited at most until it had
  /// its frames, or went to the media without.
  std::uint64_t writes_outside() const { return writes_outside_; }
  Picoseconds longest_outside() const { return longest_outside_; }
  std::uint64_t media_retries() const { return media_retries_; }
  std::uint64_t event_count() const { return event_count_; }
  /// FNV-1a by words over (edge, number, argument) of every event: equal logs, equal hashes.
  std::uint64_t event_hash() const { return event_hash_.value(); }

 private:
  /// What the media do for a command.
  enum class Media {
    kQueued,   // nothing yet
    kWorking,  // from TASK_CHOSEN to MEDIA_DONE
    kWaiting,  // within that: on the track, for the buffer
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
    traces::Operation operation = traces::Operation::kRead;
    Media media = Media::kQueued;
    Picoseconds search_exposed = 0;
    Picoseconds chosen_at = 0;
    std::vector<DataPhase> data_phases;
    std::vector<Change> changes;
    std::string fault;  // what was heard of it and cannot be

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
    Picoseconds sector_began = 0;    // of the last one that did
    std::vector<Picoseconds> began;  // of those that ended: byte 0
    std::vector<Picoseconds> ended;  // the passes that came to their end, bad ones too
  };

  Heard* of_task(std::uint32_t task);
  Heard* serving();
  void queued(Picoseconds at, std::uint32_t argument);
  Picoseconds take_search_exposed(Picoseconds at);
  void chosen(Picoseconds at, std::uint32_t task);
  void media_waits(Picoseconds at, std::uint32_t task);
  void run_started(Picoseconds at, std::uint32_t argument);
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

  std::vector<Heard> heard_;         // of open commands, and those in free_
  std::vector<std::uint32_t> free_;  // to be used again, with the room that their lists have
  std::array<std::vector<std::uint32_t>, kHostIds> slots_;  // in heard_, by host and tag
  HostTag received_ = 0;               // the command that came over the bus last
  std::vector<HostTag> name_of_task_;  // by index in the task set; kNone
  std::uint32_t serving_task_ = kNone;
  bool awaits_ready_ = false;                // a movement for the serving task is under way
  std::optional<Picoseconds> search_began_;  // the last one since a task was chosen
  std::optional<Picoseconds> search_ended_;
  Picoseconds media_free_ = 0;  // the end of their last work
  Picoseconds idle_since_ = 0;  // since the serving task was chosen, or its last run ended ...
  std::optional<Picoseconds> settled_;  // ... an earlier movement came to its end
  std::optional<Movement> movement_;    // the last one, until a run starts
  Run run_;
  std::optional<Picoseconds> run_end_;  // of the last run, while nothing has followed it

  std::function<void(HostTag, std::uint8_t)> on_received_;
  std::string console_;
  std::uint64_t missed_revolutions_ = 0;
  std::map<std::uint32_t, Picoseconds> outside_since_;  // by task
  std::uint64_t writes_outside_ = 0;
  Picoseconds longest_outside_ = 0;
  std::uint64_t media_retries_ = 0;
  Picoseconds lag_ = 0;
  std::ostream* events_ = nullptr;
  std::uint64_t event_count_ = 0;
  media::Fnv1a64 event_hash_;
};

}  // namespace headstack::observe
