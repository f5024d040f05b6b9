// SPDX-License-Identifier: Apache-2.0
// `observe.timeline`: the history of a run, as tracks for Perfetto's user interface.
//
//   commands    each command from submission to completion, with its stages inside; each of the
//               outstanding commands has a lane
//   mechanics   seek, settle, head switch, rotation and media transfer, of one command at a time
//   scheduler   its searches, and what they chose
//   firmware    which source it serves, sleep   (rtl, vp)
//   bus         phases                          (rtl, vp)
//   deadlines   each one, met or missed      (once there is one)
//   events      missed revolutions, retries, sense data, resets
//   queue depth, cylinder, outstanding commands: counters
//
// A command's stages are known when it is over. If the run's end cuts a command off, only its
// beginning is shown. The timeline only observes.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/observe/drive_probe.hpp"
#include "host/observe/perfetto_writer.hpp"
#include "host/observe/run_observer.hpp"
#include "sim/bus/observer.hpp"

namespace headstack::observe {

class Timeline : public RunObserver {
 public:
  /// `title` names the group of all tracks. Throws output::OutputError when the file cannot be
  /// made. flush() and close() throw it when they cannot write.
  Timeline(const std::string& path, const std::string& title);

  /// Writes all packets up to now to the file.
  void flush() { writer_.flush(); }
  /// Ends the timeline, and writes the packets that were held back for their order.
  void close();

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;
  void seek_began(Picoseconds at, const geometry::Chs& track,
                  const mechanics::Positioning& parts) override;
  void command_issued(Picoseconds at, std::uint64_t number, std::uint16_t tag,
                      const traces::TraceRequest& request) override;
  void command_completed(Picoseconds at, std::uint16_t tag,
                         const report::CommandRecord& record) override;

  /// Sets the time up to which all of the core's activity has been reported.
  void core_told_until(Picoseconds time) { core_told_until_ = time; }

  PerfettoWriter& writer() { return writer_; }
  /// The group of all tracks.
  PerfettoWriter::Track root() const { return root_; }

 private:
  /// A mechanical stage of one command.
  struct Movement {
    Picoseconds begin;
    Picoseconds end;
    report::Stage stage;
    std::uint64_t number;
    friend bool operator<(const Movement& a, const Movement& b) { return a.begin < b.begin; }
  };
  /// The deadline of a command, until it is written.
  struct Deadline {
    std::uint64_t number;
    bool met;  // whether it was met, as far as reported
  };
  struct Out {
    std::size_t lane;
    Picoseconds submitted;
    std::optional<Picoseconds> due;
  };

  PerfettoWriter::Track lane_track(std::size_t lane);
  void write_stages(PerfettoWriter::Track track, const report::CommandRecord& record);
  void write_movements(Picoseconds until);
  void release(Picoseconds now);
  void write_deadlines(Picoseconds until);
  void settle_deadline(const Out& out, std::uint64_t number, bool met);

  PerfettoWriter writer_;
  PerfettoWriter::Track root_;
  PerfettoWriter::Track mechanics_;
  PerfettoWriter::Track scheduler_;
  PerfettoWriter::Track events_;
  PerfettoWriter::Track queue_depth_;
  PerfettoWriter::Track cylinder_;
  PerfettoWriter::Track commands_out_;
  PerfettoWriter::Track commands_;

  std::vector<PerfettoWriter::Track> lanes_;
  std::set<std::size_t> free_lanes_;
  std::map<std::uint64_t, Out> out_;  // outstanding commands by number
  std::multiset<Movement> movements_;
  std::optional<PerfettoWriter::Track> deadline_track_;
  std::multimap<Picoseconds, Deadline> deadlines_;
  Picoseconds core_told_until_ = std::numeric_limits<Picoseconds>::max();
  std::int64_t waiting_ = 0;
  bool searching_ = false;
};

/// Adds the tracks that `native` does not have: those of core and bus.
class ElectronicsTimeline : public soc::CoreWatcher, public bus::BusObserver {
 public:
  /// All arguments must outlive this object. The probe must be an earlier watcher of the core than
  /// this object. The bus is shown as long as `watchers` pass on the core's cycles.
  ElectronicsTimeline(Timeline& timeline, const DriveProbe& probe, const CoreWatchers& watchers);

  void core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) override;
  void phase_changed(Picoseconds at, bus::Phase from, bus::Phase to) override;

 private:
  void enter(Picoseconds at, const char* what);

  Timeline& timeline_;
  PerfettoWriter& writer_;
  const DriveProbe& probe_;
  const CoreWatchers& watchers_;
  PerfettoWriter::Track firmware_;
  PerfettoWriter::Track bus_;
  const char* shown_ = nullptr;  // name of the firmware's open outer slice
  bool phase_open_ = false;
};

}  // namespace headstack::observe
