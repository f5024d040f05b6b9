// `--timeline FILE`: what happened in a run, as tracks for Perfetto's user interface.
//
//   commands    each command from submission to completion, with its stages inside; commands that
//               are out at a time lie in lanes, one each
//   mechanics   seek, settle, head switch, rotation and media transfer, of one command at a time
//   scheduler   its searches, and what they chose
//   firmware    which source it serves, sleep   (rtl, vp)
//   bus         phases                          (rtl, vp)
//   deadlines   each one, met or missed      (once there is one)
//   events      missed revolutions, retries, sense data, resets
//   queue depth, cylinder, commands out: counters
//
// A command's stages are known when it is over; what is shown of one that a run's end cut off is
// its beginning. It only observes.
#pragma once

#include <cstdint>
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
  /// `title` is over all tracks. Throws output::OutputError when the file cannot be made, as
  /// flush() and close() do when not all of it could be written.
  Timeline(const std::string& path, const std::string& title);

  /// Whole packets of all that was told, in the file.
  void flush() { writer_.flush(); }
  /// No more is told: what was held back for its order goes out too.
  void close();

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;
  void seek_began(Picoseconds at, const geometry::Chs& track,
                  const mechanics::Positioning& parts) override;
  void command_issued(Picoseconds at, std::uint64_t number, std::uint16_t tag,
                      const traces::TraceRequest& request) override;
  void command_completed(Picoseconds at, std::uint16_t tag,
                         const report::CommandRecord& record) override;

  PerfettoWriter& writer() { return writer_; }
  /// The group that all tracks are in.
  PerfettoWriter::Track root() const { return root_; }

 private:
  /// Of one command, on the media.
  struct Movement {
    Picoseconds begin;
    Picoseconds end;
    report::Stage stage;
    std::uint64_t number;
    friend bool operator<(const Movement& a, const Movement& b) { return a.begin < b.begin; }
  };
  /// A command's, until it is written.
  struct Deadline {
    std::uint64_t number;
    bool met;  // by now
  };
  struct Out {
    std::size_t lane;
    Picoseconds submitted;
    std::optional<Picoseconds> due;
  };

  PerfettoWriter::Track lane_track(std::size_t lane);
  void write_stages(PerfettoWriter::Track track, const report::CommandRecord& record);
  void write_movements(Picoseconds until);
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
  std::map<std::uint64_t, Out> out_;  // by number
  std::multiset<Movement> movements_;
  std::optional<PerfettoWriter::Track> deadline_track_;
  std::multimap<Picoseconds, Deadline> deadlines_;
  std::int64_t waiting_ = 0;
  bool searching_ = false;
};

/// The tracks that `native` does not have: what core and bus do.
class ElectronicsTimeline : public soc::CoreWatcher, public bus::BusObserver {
 public:
  /// Both must outlive this; the probe watches the core before this does.
  ElectronicsTimeline(Timeline& timeline, const DriveProbe& probe);

  void core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) override;
  void phase_changed(Picoseconds at, bus::Phase from, bus::Phase to) override;

 private:
  void enter(Picoseconds at, const char* what);

  PerfettoWriter& writer_;
  const DriveProbe& probe_;
  PerfettoWriter::Track firmware_;
  PerfettoWriter::Track bus_;
  const char* shown_ = nullptr;  // of the firmware's slices, the outer one that is open
  bool phase_open_ = false;
};

}  // namespace headstack::observe
