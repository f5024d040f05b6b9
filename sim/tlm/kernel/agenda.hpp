// SPDX-License-Identifier: Apache-2.0
/// @file
/// The fast platform's event queue: a list of alarms in the order of time.
///
/// The SystemC kernel is not in the inner loop, since one of its events costs as much as twenty
/// alarms. The drive's models and the host adapter set alarms. The agenda's owner runs it up to a
/// time (host/session/vp_platform.cpp).
///
/// Order: by time; at the same time, in the order in which the alarms were set. An alarm that is
/// set again moves to the end of its new time.
///
/// A drive has few alarms set at a time, and a new one is usually due soon. A list that is searched
/// from its front then costs less than a heap.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "sim/assert.hpp"
#include "sim/units.hpp"

namespace headstack::tlm {

class Agenda;

/// An action that may be due at one time. An alarm must exist as long as it is set, and cannot move
/// in memory.
class Alarm {
 public:
  /// `action` is called when the alarm is due; it may set and cancel any alarm, this one too.
  Alarm(Agenda& agenda, std::function<void()> action)
      : agenda_(agenda), action_(std::move(action)) {}
  ~Alarm() { cancel(); }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  /// Sets the alarm to `time`, not before now; it replaces a pending time.
  void set(Picoseconds time);
  void cancel();
  bool is_set() const { return is_set_; }
  /// When the alarm is due; it must be set.
  Picoseconds due() const {
    HEADSTACK_ASSERT(is_set_, "only an alarm that is set is due");
    return due_;
  }

 private:
  friend class Agenda;

  Agenda& agenda_;
  std::function<void()> action_;
  bool is_set_ = false;
  Picoseconds due_ = 0;
  // The alarm's neighbours in the agenda.
  Alarm* before_ = nullptr;
  Alarm* behind_ = nullptr;
};

class Agenda {
 public:
  static constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

  Agenda() = default;
  ~Agenda() { HEADSTACK_ASSERT(first_ == nullptr, "an alarm must not outlive its agenda"); }
  Agenda(const Agenda&) = delete;
  Agenda& operator=(const Agenda&) = delete;

  Picoseconds now() const { return now_; }
  /// When the next alarm is due; kNever when none is set.
  Picoseconds next() const { return next_; }

  /// Runs every alarm that is due at or before `time`, including those set meanwhile; then now() is
  /// `time`. An action may call it, as firmware does while the world continues. Time never runs
  /// backwards.
  void run_to(Picoseconds time) {
    HEADSTACK_ASSERT(time >= now_, "time runs forward");
    while (next_ <= time) step();
    if (now_ < time) now_ = time;  // an action may have advanced it further
  }
  /// Works like run_to(), for a time that may be past.
  void reach(Picoseconds time) {
    if (next_ <= time) return run_through(time);
    if (now_ < time) now_ = time;
  }
  /// Advances time by `duration`, within which no alarm may be due.
  void pass(Picoseconds duration) { now_ += duration; }
  /// Advances to the next alarm's time and runs that alarm. One must be set.
  void step() {
    HEADSTACK_ASSERT(first_ != nullptr, "there is no next alarm");
    Alarm& alarm = *first_;
    now_ = next_;
    remove(alarm);
    alarm.action_();
  }

 private:
  friend class Alarm;

  void run_through(Picoseconds time);
  void put(Alarm& alarm, Picoseconds time);
  void remove(Alarm& alarm) {
    alarm.is_set_ = false;
    join(alarm.before_, alarm.behind_);
  }
  /// Links two neighbours; null is the list's end.
  void join(Alarm* before, Alarm* behind) {
    if (behind != nullptr) behind->before_ = before;
    if (before != nullptr) {
      before->behind_ = behind;
      return;
    }
    first_ = behind;
    next_ = behind == nullptr ? kNever : behind->due_;
  }

  Alarm* first_ = nullptr;
  Picoseconds next_ = kNever;  // when first_ is due
  Picoseconds now_ = 0;
};

inline void Alarm::set(Picoseconds time) { agenda_.put(*this, time); }

inline void Alarm::cancel() {
  if (is_set_) agenda_.remove(*this);
}

}  // namespace headstack::tlm
