// SPDX-License-Identifier: Apache-2.0
// The spindle: platter angle as a closed form of time, at rest, spinning up, at speed, spinning
// down.
//
// At speed the angle grows by rate_ * 2^-60 turn32 per picosecond, where
//
//     rate_ = floor(rpm * (1 + error) * 2^92 / 60e12)
//
// All terms are integers, so a day of simulated time ends on the same bit on every host. The
// rounding of rate_ is less than one turn32 a month. The speed of a ramp is linear in time
// (constant torque). After time t of a ramp of length T from rate r0 to r1 the angle has grown by
//
//     r0 t + (r1 - r0) t^2 / (2 T)
//
// The motor may fail (motor_faults.hpp). Without power the spindle slows down as after stop(). When
// the power returns, a motor that should turn speeds up again as after start(). A motor that
// latched its fault waits for the next start(). A failing start reaches a share of the speed, and
// stays in kSpinningUp until stop() or another start(). The owner must call change() at
// next_change() and not later: the motor's own changes happen then.
//
// Above 13,969 rpm a picosecond is longer than a turn32: the angle skips some values. An angle that
// passed within the last picosecond therefore counts as just reached (slack()), so that contiguous
// sectors stay contiguous at any speed.
#pragma once

#include <optional>

#include "sim/description/description.hpp"
#include "sim/mechanics/motor_faults.hpp"
#include "sim/units.hpp"

namespace headstack::mechanics {

/// Rotation at constant speed, for access-time arithmetic.
class Rotation {
 public:
  /// `speed_error_ppm` is the specimen's; the firmware has no access to it.
  explicit Rotation(double rpm, double speed_error_ppm = 0);

  /// Angle since time 0, when it was 0, whole turns included, in turn32. Wraps after 2^32 turns: 49
  /// days at 60,000 rpm, 297 days at 10,000.
  std::uint64_t unwrapped(Picoseconds time) const {
    return static_cast<std::uint64_t>(product(time) >> kFraction);
  }
  Turn32 angle(Picoseconds time) const { return static_cast<Turn32>(unwrapped(time)); }

  /// The distance from `from` ahead to `to`: -slack() .. 2^32 - slack() - 1. Negative if `to`
  /// passed within the last picosecond, which counts as just reached.
  std::int64_t ahead(Turn32 from, Turn32 to) const {
    return static_cast<std::int64_t>(distance_turn32(from, to) + slack_) - slack_;
  }

  /// Least time in which the angle grows by `fine`, in 2^-60 turn32, less than eight turns. Exact,
  /// in O(1).
  Picoseconds time_for(Uint128 fine) const;

  /// Least wait after `time` until the angle has grown by `turn32`. Exact, in O(1).
  Picoseconds time_to_turn(Picoseconds time, std::uint64_t turn32) const;

  /// Least wait after `time` until `target` is under the head; 0 .. one revolution.
  Picoseconds time_to_angle(Picoseconds time, Turn32 target) const {
    const std::int64_t turn32 = ahead(angle(time), target);
    return turn32 <= 0 ? 0 : time_to_turn(time, static_cast<std::uint64_t>(turn32));
  }

  double period_ms() const;
  Turn32 slack() const { return slack_; }
  std::uint64_t rate() const { return rate_; }
  static constexpr unsigned kFraction = 60;

 private:
  Uint128 product(Picoseconds time) const {
    return static_cast<Uint128>(rate_) * static_cast<std::uint64_t>(time);
  }

  std::uint64_t rate_ = 0;        // turn32 * 2^-60 per ps
  std::uint64_t reciprocal_ = 0;  // floor(2^116 / rate_)
  Turn32 slack_ = 0;              // whole turn32 that one picosecond may skip
};

/// The spindle with its motor. Time never runs backwards between commands and queries.
class Spindle {
 public:
  enum class State { kStopped, kSpinningUp, kAtSpeed, kSpinningDown };

  /// Starts at rest, at angle 0.
  Spindle(const drive::Design& design, const drive::Specimen& specimen);

  /// A spindle at speed, with angle 0 at time 0: the start of an experiment.
  static Spindle at_speed(const drive::Design& design, const drive::Specimen& specimen);

  /// Starts the spindle. Does nothing if it turns already, is speeding up, or waits for its motor's
  /// power.
  /// @return whether this start will fail.
  bool start(Picoseconds now);
  void stop(Picoseconds now);

  /// When the motor's power will fail or return next; nothing if it will not change.
  std::optional<Picoseconds> next_change() const;
  /// Applies the change of power at `now`, which is next_change().
  void change(Picoseconds now);
  /// Whether the motor has power and no latched fault.
  bool is_powered() const { return powered_ && !has_latched_; }

  State state(Picoseconds now) const;
  /// The state at the end of the present ramp, or the present state. For a failing start it is
  /// kSpinningUp; it is never kSpinningDown.
  State destination() const;
  /// Angle since construction of the spindle, whole turns included, in turn32. O(1).
  std::uint64_t unwrapped(Picoseconds now) const;
  Turn32 angle(Picoseconds now) const { return static_cast<Turn32>(unwrapped(now)); }
  double rpm(Picoseconds now) const;

  /// When the present ramp ends; nothing at rest or at speed.
  std::optional<Picoseconds> ramp_end(Picoseconds now) const;

  /// The first time at or after `now` at which the angle is `target`; nothing if the spindle stops
  /// before. O(1) at speed; on a ramp, a search over the bits of the ramp's length.
  std::optional<Picoseconds> next(Picoseconds now, Turn32 target) const;

  /// The first time for an angle with whole turns, at most one turn ahead. Pulse trains need it: on
  /// a slow spindle the angle stays the same for several picoseconds.
  std::optional<Picoseconds> when(Picoseconds now, std::uint64_t unwrapped_goal) const;

  /// The rotation at speed, for planning ahead.
  const Rotation& rotation() const { return rotation_; }

 private:
  std::uint64_t rate_at(Picoseconds now) const;
  Uint128 fine_angle(Picoseconds now) const;
  Uint128 ramp_angle(Picoseconds into) const;
  void begin_ramp(Picoseconds now, std::uint64_t to_rate, Picoseconds full_time);

  std::optional<Picoseconds> turned_by(Picoseconds from, Uint128 fine) const;

  Rotation rotation_;
  Picoseconds spin_up_time_;
  Picoseconds spin_down_time_;

  MotorFaults faults_;
  std::size_t next_change_ = 0;  // index into faults_.changes()
  bool powered_ = true;          // the motor has power
  bool has_latched_ = false;     // the motor has failed, and waits for a start
  bool is_to_turn_ = false;      // the motor was started, and no fault has latched since
  std::uint64_t goal_rate_ = 0;  // the rate that the last start reaches
  std::uint64_t start_count_ = 0;

  // One ramp (perhaps of length 0), then constant speed: the past before does not matter.
  Picoseconds ramp_start_ = 0;
  Picoseconds ramp_length_ = 0;
  std::uint64_t rate_from_ = 0;
  std::uint64_t rate_to_ = 0;
  Uint128 angle_at_start_ = 0;  // turn32 * 2^-60
  Uint128 angle_at_end_ = 0;
};

const char* to_string(Spindle::State state);

}  // namespace headstack::mechanics
