// The arm and its heads: where they are at any time, and when the wanted track can be used.
//
// Model `curve`. One movement at a time: at `start` the stack leaves for (cylinder, head). With
// seek(x) from the drive's curve and head_switch from its description:
//
//     read ready   start + max(seek(x), head switched ? head_switch : 0)
//     write ready  read ready + max(write_settle, 0); start itself when nothing moved
//
// A published write settle below 0 (HP C2490A) compares whole seeks as a host times them. A sector
// is written behind its header, which must be read first, so no write begins before read ready.
//
// (The arm seeks while the electronics switch heads, so the two overlap; source: the DiskSim 4.0
// mechanics, which reproduce the extracted drives.) The arm follows the profile of seek_curve.hpp,
// then settles; a state at any later time is a closed form of the last movement.
#pragma once

#include <algorithm>
#include <cstdint>

#include "sim/drive/description.hpp"
#include "sim/mechanics/seek_curve.hpp"
#include "sim/units.hpp"

namespace headstack::mechanics {

/// How long a movement takes, part by part; the parts sum to the read or write total.
struct Positioning {
  Picoseconds seek = 0;          // the arm in motion
  Picoseconds settle = 0;        // the end of the seek, the arm settling
  Picoseconds head_switch = 0;   // what the head switch takes beyond the seek
  Picoseconds write_settle = 0;  // only before a write

  Picoseconds total() const { return seek + settle + head_switch + write_settle; }
};

/// The drive's positioning times, shared by the heads and by access-time planning.
class PositioningModel {
 public:
  explicit PositioningModel(const drive::Design& design);

  const SeekCurve& curve() const { return curve_; }

  /// Parts of a movement over `distance` cylinders, with or without a head switch.
  Positioning parts(std::uint32_t distance, bool head_changes, bool is_write) const;
  /// parts().total(), without the parts.
  Picoseconds total(std::uint32_t distance, bool head_changes, bool is_write) const {
    if (distance == 0 && !head_changes) return 0;
    const Picoseconds seek = curve_.time(distance);
    const Picoseconds moved = head_changes && seek < head_switch_ ? head_switch_ : seek;
    return is_write ? moved + write_settle_ : moved;
  }

 private:
  SeekCurve curve_;
  Picoseconds head_switch_ = 0;
  Picoseconds write_settle_ = 0;
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
  /// On cylinder 0, head 0. `model` must outlive the stack.
  explicit HeadStack(const PositioningModel& model) : model_(&model) {}

  /// Leaves for a track at `now`; the movement before must have ended (an assertion).
  void move(Picoseconds now, std::uint32_t cylinder, std::uint32_t head);

  Picoseconds read_ready_at() const { return start_ + read_time_; }
  Picoseconds write_ready_at() const { return start_ + write_time_; }

  /// Valid from the start of the last movement on. O(1).
  HeadStackState state(Picoseconds now) const;

  std::uint32_t cylinder() const { return to_cylinder_; }  // of the last movement's target
  std::uint32_t head() const { return head_; }

 private:
  const PositioningModel* model_;
  SeekProfile profile_;
  Picoseconds start_ = 0;
  Picoseconds seek_time_ = 0;  // motion and settling
  Picoseconds read_time_ = 0;
  Picoseconds write_time_ = 0;
  std::uint32_t from_cylinder_ = 0;
  std::uint32_t to_cylinder_ = 0;
  std::uint32_t head_ = 0;
};

}  // namespace headstack::mechanics
