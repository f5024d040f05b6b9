/// @file
/// The head-disk assembly of the fast platform: when which sector of which track is under the head,
/// and what reading or writing it does, all in closed form. Where the rtl platform has an event per
/// byte (channel::HeadDiskAssembly), this has none at all: the servo and the formatter ask.
///
/// Spindle, head stack, geometry, media and surface are the same objects; so are the rules, which
/// head_disk_assembly.hpp states: bytes by angle (byte_grid.hpp), each at the first picosecond at
/// which the spindle reaches it; an angle that the spindle shows right now counts as reached now; a
/// track is under the head from read ready until the next movement; "ready" means at speed too.
///
/// The caller brings the time of everything, in picoseconds; it may lie a clock ahead of the
/// agenda's. Angles are unwrapped turn32, as the spindle counts them.
///
/// Mean rotational latency (drive::RotationalLatency::kMean): for each operation of the formatter
/// the sectors of a track are shifted, so that every wait is half a turn:
///
///     pass of a sector's end  =  ready + 1/2 turn + the turn over the sectors that it transfers,
///
/// where a sector ends with its last check byte: what follows the byte counts to the next sector's
/// time. So n whole tracks take 1/2 + 1 turns each, as mechanics::AccessModel has it, from the
/// heads' arrival to the byte that the formatter ends with. The spindle, and its index, turn on as
/// ever. Nothing that reads bytes can follow that; so the electronics and `vp`, which equals them,
/// refuse such a drive.
///
/// Sectors' headers are as formatted, but for flaws of the specimen: the formatter's write gate
/// opens behind them only. Faults strike here as they do there.
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
    const geometry::ZoneGrid* zone = nullptr;  // null: no sectors, silent
    std::uint32_t first_mark = 0;
    Turn32 shift = 0;  // the marks pass so much later than the geometry says: mean latency
    media::SectorIndex first_index = 0;

    std::uint32_t sectors() const { return zone == nullptr ? 0 : zone->sectors_per_track; }
  };
  /// One sector going by once.
  struct Pass {
    geometry::Chs at;
    media::SectorIndex index = 0;
    std::uint64_t angle = 0;  // of its mark
    std::uint64_t sweep = 0;  // to the next mark
  };

  /// Over a fresh store in memory. The specimen's flaws are injected. Throws drive::Fault when the
  /// electronics cannot work with the description: see layout_of().
  explicit Disk(const drive::DriveDescription& description, Start start = Start::kAtSpeed);
  /// Over a store made elsewhere for media_geometry(): a file, or a branch, which has flaws
  /// already.
  Disk(const drive::DriveDescription& description, media::MediaStore media, Start start);

  // Spindle.
  /// @return whether this is a start that fails.
  bool spin_up(Picoseconds at);
  void spin_down(Picoseconds at);
  /// The motor fails or comes back: at its spindle().next_change().
  void motor_changes(Picoseconds at);
  const mechanics::Spindle& spindle() const { return spindle_; }
  bool starts_at_speed() const { return start_ == Start::kAtSpeed; }

  // Heads. A movement must not begin before the one before has ended, for reading or for writing.
  /// Leaves for a track, past the last cylinder for the last. @return what it takes, part by part;
  /// nothing when the heads are there.
  std::optional<mechanics::Positioning> seek(Picoseconds at, std::uint32_t cylinder,
                                             std::uint32_t head);
  /// Drives to the stop, whatever is under way. @return the same.
  mechanics::Positioning recalibrate(Picoseconds at);
  const mechanics::HeadStack& heads() const { return heads_; }
  const mechanics::PositioningModel& positioning() const { return positioning_; }
  /// Where the last movement ends: its target, but for a fault.
  const Track& track() const { return track_; }
  /// The same, for an operation that listens from a time on and wants this sector first. With mean
  /// latency the sector comes half a turn after the heads were ready for it; after `from`, where
  /// they have served since, or the sector is gone by then.
  Track track_for(Picoseconds from, std::uint32_t sector, bool is_write);
  bool has_mean_latency() const { return mean_latency_; }

  /// Which turns have an index pulse.
  const mechanics::IndexFaults& index() const { return index_; }

  // What passes under the head; the spindle is at speed.
  /// The least angle that has not passed by `at`.
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

  // What is on the sectors.
  const channel::SectorLayout& layout() const { return surface_.layout(); }
  /// The head reads a sector's data; false when its check bytes do not match. Counts as an attempt.
  [[nodiscard]] bool read(media::SectorIndex index, std::uint8_t* data);
  /// The head writes a sector's data, with check bytes that are good or wrong in every bit. False
  /// when no current flowed, and the preamplifier tells.
  bool write(media::SectorIndex index, const std::uint8_t* data, bool good_check);
  /// It writes only the first `bytes` of data and check bytes before it leaves (surface.hpp).
  void write_cut(const geometry::Chs& at, const std::uint8_t* data, std::uint32_t bytes);

  /// For one who measures; null for nobody. See Servo and Formatter for what is told, and when.
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
  bool has_served_ = true;  // since the heads moved, or the spindle's speed changed
  channel::HdaObserver* observer_ = nullptr;
};

}  // namespace headstack::tlm
