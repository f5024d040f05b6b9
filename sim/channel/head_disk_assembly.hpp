// SPDX-License-Identifier: Apache-2.0
/// @file
/// The head-disk assembly: everything on the far side of the electronics' pins. Spindle, head
/// stack and media in one module, with the read/write channel that turns the track under the head
/// into bytes and back.
///
/// Inputs are plain calls at the moment an output of the SoC changes. Outputs go to an HdaSink at
/// their exact picosecond.
///
/// - A track is under the head from read ready on, while the spindle is at speed, until the next
///   movement begins. The start is cylinder 0, head 0.
/// - Sector pulses and bytes come from that track only. Byte k of a sector comes at the first
///   picosecond at which the spindle reaches its angle (byte_grid.hpp). A mark's sector pulse comes
///   with byte 0. As everywhere in the mechanics, an angle that the spindle shows right now counts
///   as reached now. So a gate that opens on a byte's angle still gets that byte, unless the byte
///   has passed already.
/// - While the write gate is open, nrz_to_write() is taken at every strobe and the read gate does
///   not matter. surface.hpp describes the byte's effect.
/// - A movement to another track, and a spindle that leaves its speed, end bytes at once and cut a
///   write. Reading goes on when the head is ready again. Writing is unsafe until the write gate
///   has closed and opened again. The same holds for a write gate opened, or kept open, without
///   write ready: no strobe, no byte on the track.
/// - Faults of the specimen strike here as they do in sim/mechanics and on the surface. The heads
///   are ready late, never, elsewhere, or leave their track. The motor loses its power. An index
///   has no pulse. A write leaves no trace: the level write_fault is high from its first byte until
///   the write gate closes.
/// - A track without sectors (a cylinder of no zone, a head that does not exist) is silent. A seek
///   past the last cylinder ends on the last, at the crash stop. A seek during another, or without
///   speed, is ignored: the servo block refuses it before. A recalibration is accepted whatever the
///   arm does, if the spindle has speed.
///
/// Cost: one kernel event per byte while a gate is open, otherwise one per pulse in use. While no
/// pulse is in use there are none.
#pragma once

#include <optional>
#include <systemc>

#include "sim/channel/assembly.hpp"
#include "sim/channel/byte_grid.hpp"
#include "sim/channel/hda_observer.hpp"
#include "sim/channel/hda_sink.hpp"
#include "sim/channel/surface.hpp"
#include "sim/mechanics/head_stack_module.hpp"
#include "sim/mechanics/index_faults.hpp"
#include "sim/mechanics/spindle_module.hpp"

namespace headstack::channel {

/// Mistakes at the pins, for reports: all zero in a run without mistakes.
struct HdaCounters {
  std::uint64_t ignored_seeks = 0;
  std::uint64_t unsafe_writes = 0;  // write gates that were refused, or lost write ready
};

class HeadDiskAssembly : public sc_core::sc_module {
 public:
  using Start = channel::Start;

  /// Makes an assembly over a fresh store in memory, with the specimen's flaws injected. Throws
  /// drive::Fault when the electronics cannot work with the description: see layout_of(). Mean
  /// rotational latency is such a case.
  HeadDiskAssembly(sc_core::sc_module_name name, const drive::DriveDescription& description,
                   Start start = Start::kAtSpeed);
  /// Makes an assembly over a store made elsewhere for media_geometry(): a file, or a branch, which
  /// has flaws already.
  HeadDiskAssembly(sc_core::sc_module_name name, const drive::DriveDescription& description,
                   media::MediaStore media, Start start);

  /// Called before the simulation starts. The sink gets changes; levels() gives the first levels.
  void connect(HdaSink& sink) { sink_ = &sink; }
  /// Called before the simulation starts, for an observer; optional.
  void observe(HdaObserver& observer) { observer_ = &observer; }

  // The SoC's outputs.
  void spin_up();
  void spin_down();
  void seek(std::uint32_t cylinder, std::uint32_t head, bool for_write = false);
  void recalibrate();
  void listen(bool index, bool sector);
  void gates(bool read, bool write);

  /// Makes the power fail now. The sector whose data are being written ends here, or may go on to
  /// its end (media::MediaPower).
  void lose_power(drive::PowerLoss loss);

  const HdaLevels& levels() const { return levels_; }

  /// When the next byte passes. Nothing if no byte is read, or if another event comes with it.
  /// Nothing, too, at the start of a pass and the end of a field, which have events of their own.
  [[nodiscard]] std::optional<Picoseconds> next_byte() const;
  /// Removes the kernel's events for the track until give_back().
  void take_over() { passed_.cancel(); }
  /// Passes the byte of next_byte() now, and returns what byte_strobe() would report at its time.
  std::uint8_t pass_byte_ahead();
  void give_back() { notify(); }

  // For observers.
  const geometry::Geometry& geometry() const { return geometry_; }
  const mechanics::SpindleModule& spindle() const { return spindle_; }
  const mechanics::HeadStackModule& heads() const { return heads_; }
  Surface& surface() { return surface_; }
  const Surface& surface() const { return surface_; }
  const HdaCounters& counters() const { return counters_; }
  /// The shortest time of a byte, in the fastest zone and at the specimen's speed. A SoC must take
  /// bytes at this pace.
  [[nodiscard]] Picoseconds shortest_byte_time() const;

 private:
  SC_HAS_PROCESS(HeadDiskAssembly);

  /// The track under the head. Sector s has mark (first_mark + s) mod sectors.
  struct Track {
    ByteGrid grid;
    std::uint32_t cylinder = 0;
    std::uint32_t head = 0;
    std::uint32_t first_mark = 0;
  };

  void pass();     // process: the planned angle is under the head
  void refresh();  // process: a level may have changed

  [[nodiscard]] HdaLevels measure() const;
  [[nodiscard]] std::optional<Track> track_under_head() const;
  [[nodiscard]] bool writing() const { return write_gate_ && !write_unsafe_; }
  [[nodiscard]] bool strobing() const { return write_gate_ ? !write_unsafe_ : read_gate_; }
  void leave_track();
  void cut_write();
  void tell_movement(const mechanics::Positioning& parts, std::uint32_t target);
  void motor_changed();  // process: the motor changes its state by itself
  void set_write_fault(bool fault);
  void tell_levels();
  void plan();
  void plan_index(std::uint64_t angle);
  void schedule();
  void plan_passage(Picoseconds now);
  void notify();
  void pass_byte();
  void tell_passing(const BytePlace& here);
  [[nodiscard]] geometry::Chs sector_at(std::uint32_t mark) const;

  geometry::Geometry geometry_;
  mechanics::PositioningModel positioning_;
  mechanics::IndexFaults index_faults_;
  mechanics::SpindleModule spindle_;
  mechanics::HeadStackModule heads_;
  Surface surface_;
  HdaSink* sink_ = nullptr;
  HdaObserver* observer_ = nullptr;

  HdaLevels levels_;
  bool index_listen_ = false;
  bool sector_listen_ = false;
  bool read_gate_ = false;
  bool write_gate_ = false;
  bool write_unsafe_ = false;  // the write gate must close before the head writes again
  bool write_fault_ = false;
  std::optional<Track> track_;

  sc_core::sc_event passed_;
  BytePlace next_;                           // next pulse or byte of the track that is needed
  std::optional<std::uint64_t> next_index_;  // angle of the next index pulse, if one comes
  std::uint64_t planned_ = 0;                // angle at which passed_ is notified
  std::optional<Picoseconds> planned_at_;    // time at which passed_ is notified, if at all
  std::uint64_t bytes_passed_to_ = 0;        // no mark or byte before this angle comes again
  std::uint64_t index_passed_to_ = 0;
  std::optional<std::uint64_t> pass_mark_;  // mark's angle of the sector pass in the surface
  HdaCounters counters_;
};

}  // namespace headstack::channel
