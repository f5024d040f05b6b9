// SPDX-License-Identifier: Apache-2.0
/// @file
/// The head-disk assembly of the fast platform. It computes in closed form which sector is under
/// the head at which time, and the result of a read or write. The rtl platform has an event per
/// byte (channel::HeadDiskAssembly). This class has no events: the servo and the formatter call it.
///
/// Spindle, head stack, geometry, media and surface are those of the rtl platform. So are the rules
/// of head_disk_assembly.hpp:
/// - Bytes lie at angles (byte_grid.hpp), and pass in the first picosecond in which the spindle
///   reaches them. The present angle counts as reached now.
/// - A track is under the head from read ready until the next movement.
/// - "Ready" includes that the spindle is at speed.
///
/// The caller passes all times, in picoseconds; they may be a clock ahead of the agenda. Angles are
/// unwrapped turn32, as the spindle counts them.
///
/// Mean rotational latency (drive::RotationalLatency::kMean): the sectors of a track are shifted
/// for each operation of the formatter, so that every wait is half a turn:
///
///     pass of a sector's end  =  ready + 1/2 turn + the turn over the sectors of the operation,
///
/// where a sector ends with its last check byte; the gap after it belongs to the next sector. So
/// whole tracks take 1/2 + 1 turns each, as in mechanics::AccessModel, from the heads' arrival to
/// the formatter's last byte. The spindle and its index are not shifted. A platform that reads
/// single bytes cannot model such a shift. The electronics, and `vp`, which equals them, therefore
/// refuse such a drive.
///
/// Headers of sectors are as formatted, except for flaws of the specimen: the formatter's write
/// gate opens only after them. Faults have the same effect as on the rtl platform.
#pragma once

#include <optional>
#include <vector>

#include "sim/channel/assembly.hpp"
#include "sim/channel/hda_observer.hpp"
#include "sim/channel/surface.hpp"
#include "sim/description/description.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/mechanics/head_stack.hpp"
#include "sim/mechanics/index_faults.hpp"
#include "sim/mechanics/spindle.hpp"

namespace headstack::tlm {

class Disk {
 public:
  using Start = channel::Start;

  /// The track under the head. Sector s has mark (first_mark + s) mod sectors.
  struct Track {
    std::uint32_t cylinder = 0;
    std::uint32_t head = 0;
    const geometry::ZoneGrid* zone = nullptr;  // null: the track has no sectors, and no signal
    std::uint32_t first_mark = 0;
    Turn32 shift = 0;  // angle by which the marks pass later than in the geometry: mean latency
    media::SectorIndex first_index = 0;

    std::uint32_t sectors() const { return zone == nullptr ? 0 : zone->sectors_per_track; }
  };
  /// One pass of a sector under the head.
  struct Pass {
    geometry::Chs at;
    media::SectorIndex index = 0;
    std::uint64_t angle = 0;  // angle of the sector's mark
    std::uint64_t sweep = 0;  // angle from that mark to the next
  };

  /// A disk with a new store in memory, and the specimen's flaws. Throws drive::Fault when the
  /// electronics cannot work with the description: see layout_of().
  explicit Disk(const drive::DriveDescription& description, Start start = Start::kAtSpeed);
  /// A disk with a store that the caller made for media_geometry(): a file, or a branch, which has
  /// flaws already.
  Disk(const drive::DriveDescription& description, media::MediaStore media, Start start);

  // Spindle.
  /// @return whether this start will fail.
  bool spin_up(Picoseconds at);
  void spin_down(Picoseconds at);
  /// Applies a failure or recovery of the motor. Call it at spindle().next_change().
  void motor_changes(Picoseconds at);
  const mechanics::Spindle& spindle() const { return spindle_; }
  bool starts_at_speed() const { return start_ == Start::kAtSpeed; }

  // Heads. A movement must not begin before the last one has ended, for reading or for writing.
  /// Moves to a track; with for_write, so that the writing element is over it. A cylinder past the
  /// last means the last. @return the parts of the movement's time; nothing when the heads are
  /// there.
  std::optional<mechanics::Positioning> seek(Picoseconds at, std::uint32_t cylinder,
                                             std::uint32_t head, bool for_write = false);
  /// Recalibrates: drives the arm to its stop, even during a movement. @return the parts of its
  /// time.
  mechanics::Positioning recalibrate(Picoseconds at);
  const mechanics::HeadStack& heads() const { return heads_; }
  const mechanics::PositioningModel& positioning() const { return positioning_; }
  /// The track at which the last movement ends: its target, unless a fault strikes.
  const Track& track() const { return track_; }
  /// Works like track(), for an operation that begins at `from` with this sector. With mean latency
  /// the sector comes half a turn after the heads were ready. It comes half a turn after `from` if
  /// they have served another operation since, or the sector has passed by then.
  Track track_for(Picoseconds from, std::uint32_t sector, bool is_write);
  bool has_mean_latency() const { return mean_latency_; }

  /// The turns that have an index pulse.
  const mechanics::IndexFaults& index() const { return index_; }

  // Passes under the head, with the spindle at speed.
  /// The smallest angle that has not passed by `at`.
  std::uint64_t angle_from(Picoseconds at) const;
  /// Whether an angle was reached before `at`.
  bool passed(std::uint64_t angle, Picoseconds at) const {
    return at > 0 && spindle_.unwrapped(at - 1) >= angle;
  }
  /// The first moment at or after `from` with that angle, at most eight turns ahead.
  Picoseconds when(Picoseconds from, std::uint64_t angle) const;
  /// The first pass of a sector of the track, which must exist, from an angle on.
  Pass next_pass(const Track& track, std::uint32_t sector, std::uint64_t from_angle) const;
  /// The pass of any sector of the track in which an angle lies.
  Pass pass_at(const Track& track, std::uint64_t angle) const;
  /// Angle of a byte of a pass, 0 .. raw bytes.
  std::uint64_t byte_angle(const Pass& pass, std::uint32_t byte) const {
    return pass.angle + byte * pass.sweep / layout().raw_bytes;
  }

  // The content of the sectors.
  const channel::SectorLayout& layout() const { return surface_.layout(); }
  /// Reads a sector's data; false when its check bytes do not match. Counts as an attempt.
  [[nodiscard]] bool read(media::SectorIndex index, std::uint8_t* data);
  /// Writes a sector's data, with check bytes that are good or wrong in every bit. False when no
  /// current flowed, which the preamplifier reports.
  bool write(media::SectorIndex index, const std::uint8_t* data, bool good_check);
  /// Writes only the first `bytes` of data and check bytes before the head leaves the track
  /// (surface.hpp).
  void write_cut(const geometry::Chs& at, const std::uint8_t* data, std::uint32_t bytes);

  /// Sets an observer for measurements, or none for null. The headers of Servo and Formatter say
  /// what it receives, and when.
  void observe(channel::HdaObserver* observer) { observer_ = observer; }
  channel::HdaObserver* observer() const { return observer_; }

  const geometry::Geometry& geometry() const { return geometry_; }
  channel::Surface& surface() { return surface_; }
  media::MediaStore& media() { return surface_.media(); }

 private:
  void find_track();
  Picoseconds waits_from(Picoseconds from, bool is_write) const;

  geometry::Geometry geometry_;
  const bool mean_latency_;
  mechanics::PositioningModel positioning_;
  mechanics::IndexFaults index_;
  mechanics::Spindle spindle_;
  mechanics::HeadStack heads_;
  channel::Surface surface_;
  Start start_;
  Track track_;
  bool has_served_ = true;  // since the heads moved or the speed changed
  channel::HdaObserver* observer_ = nullptr;
};

}  // namespace headstack::tlm
