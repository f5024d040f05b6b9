// SPDX-License-Identifier: Apache-2.0
// The arm and its heads: their position at any time, and when the target track can be used.
//
// Model `curve`. One movement at a time: at `start` the stack leaves for (cylinder, head). With
// seek(x) from the drive's curve and head_switch from its description:
//
//     read ready   start + max(seek(x), head switched ? head_switch : 0)
//     write ready  read ready + max(write_settle, 0); start itself when nothing moved
//
// A published write settle below 0 (HP C2490A) compares whole seeks as timed by a host. A sector's
// header must be read before its data is written, so no write begins before read ready.
//
// A head has two elements, a reading and a writing one, at different radii. An arm at an angle puts
// only one of them over a track. So between a read and a write the arm moves a little:
//
//     ready        start + write_offset                              on the same track
//     read ready   start + max(seek(x), head switch, write_offset)   on another track
//
// No seek is shorter than write_offset. With a write_offset of 0, one position serves both.
// Otherwise the track is write ready only while the writing element is over it. Headers are read in
// both positions. No drive of sim/drives has a published value.
//
// (The arm seeks while the electronics switch heads, so the two overlap; source: the DiskSim 4.0
// mechanics, which reproduce the extracted drives.) The arm follows the profile of seek_curve.hpp,
// then settles; a state at any later time is a closed form of the last movement.
//
// Movements may fail (arm_faults.hpp): the stack is ready later, elsewhere or never, or leaves its
// track again. The fault is known when the movement begins. A recalibration drives the arm from any
// position to its stop at cylinder 0, and selects head 0. The distance is unknown, so it takes as
// long as a full stroke:
//
//     read ready   start + max(seek(cylinders - 1), head_switch)
//
// The reading element is over the track then.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "sim/description/description.hpp"
#include "sim/mechanics/arm_faults.hpp"
#include "sim/mechanics/seek_curve.hpp"
#include "sim/units.hpp"

namespace headstack::mechanics {

/// The parts of a movement's time; they sum to the read or write total.
struct Positioning {
  Picoseconds seek = 0;          // time of the arm in motion
  Picoseconds settle = 0;        // the end of the seek, while the arm settles
  Picoseconds head_switch = 0;   // the time of the head switch beyond the seek
  Picoseconds write_settle = 0;  // only before a write

  Picoseconds total() const { return seek + settle + head_switch + write_settle; }
};

/// The drive's positioning times, shared by the heads and by access-time planning.
class PositioningModel {
 public:
  explicit PositioningModel(const drive::Design& design);

  const SeekCurve& curve() const { return curve_; }

  /// Parts of a movement over `distance` cylinders, with or without a head switch.
  /// `element_changes`: the other element is over the track than at its start.
  Positioning parts(std::uint32_t distance, bool head_changes, bool is_write,
                    bool element_changes = false) const;
  /// The value of parts().total(), without the parts.
  Picoseconds total(std::uint32_t distance, bool head_changes, bool is_write,
                    bool element_changes = false) const {
    const Picoseconds offset = element_changes ? write_offset_ : 0;
    if (distance == 0 && !head_changes) return offset;
    const Picoseconds seek = std::max(curve_.time(distance), offset);
    const Picoseconds moved = head_changes && seek < head_switch_ ? head_switch_ : seek;
    return is_write ? moved + write_settle_ : moved;
  }
  /// Whether the two elements of a head need positions of their own.
  bool has_offset() const { return write_offset_ > 0; }

 private:
  SeekCurve curve_;
  Picoseconds head_switch_ = 0;
  Picoseconds write_settle_ = 0;
  Picoseconds write_offset_ = 0;
};

enum class ArmState { kOnTrack, kSeeking, kSettling, kSwitchingHead };
const char* to_string(ArmState state);

/// A snapshot of the stack.
struct HeadStackState {
  ArmState arm = ArmState::kOnTrack;
  double position_cylinders = 0;         // real-valued while the arm moves
  double velocity_cylinders_per_ms = 0;  // negative towards cylinder 0
  std::uint32_t target_cylinder = 0;
  std::uint32_t head = 0;
  bool write_ready = true;
};

class HeadStack {
 public:
  /// Starts on cylinder 0, head 0. `model` must outlive the stack.
  explicit HeadStack(const PositioningModel& model, ArmFaults faults = {})
      : model_(&model), faults_(std::move(faults)) {}

  /// Starts a movement to a track at `now`; the previous movement must have ended (asserted).
  /// `for_write`: the writing element is to be over it. A target where the stack is already takes
  /// no time and is no movement. @return the parts of its time: with a fault, those to the actual
  /// track, and with the delay of a late settling.
  Positioning move(Picoseconds now, std::uint32_t cylinder, std::uint32_t head,
                   bool for_write = false);
  /// Whether the heads are at this track, or moving to it.
  bool is_at(std::uint32_t cylinder, std::uint32_t head, bool for_write) const {
    const bool same_element = !model_->has_offset() || for_write == writes_;
    return cylinder == to_cylinder_ && head == head_ && same_element;
  }
  /// Drives to cylinder 0, head 0, even during a movement. @return the parts of its time.
  Positioning recalibrate(Picoseconds now);

  /// Times at which read ready and write ready first rise. kNever: not before a recalibration.
  Picoseconds read_ready_at() const { return read_ready_; }
  Picoseconds write_ready_at() const { return may_write() ? write_ready_ : kNever; }
  /// Times after read_ready_at() at which the heads leave the track by a fault, and return. Both
  /// are kNever if they stay on track; only the second is kNever if they do not return.
  Picoseconds leaves_at() const { return leaves_; }
  Picoseconds returns_at() const { return returns_; }

  /// The levels, which are valid from the start of the last movement on.
  bool read_ready(Picoseconds now) const { return now >= read_ready_ && !is_away(now); }
  bool write_ready(Picoseconds now) const { return now >= write_ready_at() && !is_away(now); }
  /// The first time at or after `now` at which the level is high.
  Picoseconds read_ready_from(Picoseconds now) const { return high_from(read_ready_, now); }
  Picoseconds write_ready_from(Picoseconds now) const { return high_from(write_ready_at(), now); }

  /// The fault of the last movement, if any.
  const std::optional<ArmMishap>& mishap() const { return mishap_; }

  /// The state at `now`. Valid from the start of the last movement on. O(1).
  HeadStackState state(Picoseconds now) const;

  /// The place where the last movement ends: its target, unless a fault strikes.
  std::uint32_t cylinder() const { return to_cylinder_; }
  std::uint32_t head() const { return head_; }

 private:
  bool is_away(Picoseconds now) const { return now >= leaves_ && now < returns_; }
  /// Whether the writing element is over the track, or will be when the movement ends.
  bool may_write() const { return writes_ || !model_->has_offset(); }
  Picoseconds high_from(Picoseconds ready, Picoseconds now) const {
    const Picoseconds from = std::max(ready, now);
    return is_away(from) ? returns_ : from;
  }
  std::uint32_t end_of_movement(std::uint32_t target) const;
  void begin(Picoseconds now, std::uint32_t target, std::uint32_t head);
  /// Cylinders of the present movement.
  std::uint32_t distance() const;
  /// Begins a movement that takes as long as one over `charged` cylinders.
  Positioning travel(Picoseconds now, std::uint32_t charged, bool head_changes,
                     bool element_changes);
  void apply_fault(Positioning& parts);

  const PositioningModel* model_;
  ArmFaults faults_;
  std::optional<ArmMishap> mishap_;
  SeekProfile profile_;
  Picoseconds start_ = 0;
  Picoseconds seek_time_ = 0;  // time of motion and settling
  Picoseconds read_ready_ = 0;
  Picoseconds write_ready_ = 0;  // arm settled for writing, whichever element is over the track
  Picoseconds leaves_ = kNever;
  Picoseconds returns_ = kNever;
  std::uint32_t from_cylinder_ = 0;
  std::uint32_t to_cylinder_ = 0;
  std::uint32_t head_ = 0;
  bool writes_ = false;  // the writing element is over the track
};

}  // namespace headstack::mechanics
