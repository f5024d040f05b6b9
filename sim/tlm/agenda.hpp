/// @file
/// What happens when, on the fast platform: a queue of alarms in the order of time.
///
/// The kernel is not in the inner loop: one of its events costs as much as twenty of these. The
/// drive's models and the host adapter set alarms; whoever owns the agenda runs it up to a time and
/// keeps the kernel's own time in step (sim/platform/vp_world.hpp).
///
/// Order: by time; of one time, by the order in which the alarms were set. Setting an alarm again
/// moves it, and it goes to the end of its new time.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "sim/assert.hpp"
#include "sim/units.hpp"

namespace headstack::tlm {

class Agenda;

/// One thing that may be due; at most one time is pending. Must outlive its time in the agenda, and
/// stays where it was made.
class Alarm {
 public:
  /// `action` is called when the alarm is due; it may set and cancel any alarm, this one too.
  Alarm(Agenda& agenda, std::function<void()> action)
      : agenda_(agenda), action_(std::move(action)) {}
  ~Alarm() { cancel(); }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

  /// Due at `time`, which is not before now; a time that was pending is forgotten.
  void set(Picoseconds time);
  void cancel();
  bool is_set() const { return slot_ != kNone; }
  /// When it is due; it must be set.
  Picoseconds due() const;

 private:
  friend class Agenda;
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  Agenda& agenda_;
  std::function<void()> action_;
  std::uint32_t slot_ = kNone;  // in the agenda's heap
};

class Agenda {
 public:
  static constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

  Agenda() = default;
  ~Agenda() { HEADSTACK_ASSERT(heap_.empty(), "an alarm must not outlive its agenda"); }
  Agenda(const Agenda&) = delete;
  Agenda& operator=(const Agenda&) = delete;

  Picoseconds now() const { return now_; }
  /// When the next alarm is due; kNever when none is set.
  Picoseconds next() const { return heap_.empty() ? kNever : heap_.front().time; }

  /// Lets every alarm go off that is due at or before `time`, those too that are set on the way.
  /// Then it is `time`. May be called from within an action (firmware runs while the world goes
  /// on); time never runs backwards.
  void run_to(Picoseconds time) {
    HEADSTACK_ASSERT(time >= now_, "time runs forward");
    while (next() <= time) step();
    if (now_ < time) now_ = time;  // an action may have taken it further
  }
  /// The same when nothing is due: time goes on by `duration`.
  void pass(Picoseconds duration) { now_ += duration; }
  /// Goes to the next alarm's time and lets that one alarm go off. There must be one.
  void step();

 private:
  friend class Alarm;

  struct Entry {
    Picoseconds time;
    std::uint64_t sequence;
    Alarm* alarm;
    bool before(const Entry& other) const {
      return time != other.time ? time < other.time : sequence < other.sequence;
    }
  };

  void put(Alarm& alarm, Picoseconds time);
  void remove(Alarm& alarm);
  void place(std::uint32_t slot, const Entry& entry);
  void rise(std::uint32_t slot, const Entry& entry);
  void sink(std::uint32_t slot, const Entry& entry);

  std::vector<Entry> heap_;  // binary, least first
  std::uint64_t sequence_ = 0;
  Picoseconds now_ = 0;
};

}  // namespace headstack::tlm
