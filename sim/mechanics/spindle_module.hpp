// SPDX-License-Identifier: Apache-2.0
// The spindle as a SystemC module, with index and sector pulses for its listeners.
//
// Without a listener, a pulse train makes no events: an idle, spinning drive costs the kernel
// nothing. Pulse times come from the closed form of spindle.hpp, each from its own angle and never
// from the pulse before. A listener that joins late therefore gets the same picoseconds.
#pragma once

#include <systemc>

#include "sim/kernel_time.hpp"
#include "sim/mechanics/spindle.hpp"

namespace headstack::mechanics {

/// Evenly spaced marks of a track, from `first_mark`: its sectors, or the index alone.
struct PulseGrid {
  Turn32 first_mark = 0;
  std::uint32_t marks = 1;  // 1 .. 65,535

  /// The first mark at or after an unwrapped angle: its unwrapped angle and its number.
  struct Mark {
    std::uint64_t unwrapped = 0;
    std::uint32_t number = 0;
  };
  Mark at_or_after(std::uint64_t unwrapped) const;
};

/// One train of pulses: an event per mark while there is a listener.
class PulseTrain : public sc_core::sc_module {
 public:
  PulseTrain(sc_core::sc_module_name name, const Spindle& spindle);

  /// A listener calls join(), and leave() at its end. The train runs while there are listeners.
  void join();
  void leave();
  /// Switches to the marks of another track: the next pulse is that of the first mark not yet
  /// passed.
  void set_grid(PulseGrid grid);
  /// Recomputes planned pulses after a change of the spindle's motion.
  void replan();

  const sc_core::sc_event& pulse() const { return pulse_; }
  /// Number of the mark that pulsed last: the sector now under the head.
  std::uint32_t mark() const { return mark_; }
  std::uint64_t pulse_count() const { return pulse_count_; }

 private:
  SC_HAS_PROCESS(PulseTrain);
  void run();
  void plan();

  const Spindle& spindle_;
  PulseGrid grid_;
  sc_core::sc_event pulse_;
  sc_core::sc_event wake_;
  PulseGrid::Mark next_;
  std::uint64_t unpulsed_from_ = 0;  // unwrapped angle after the last pulse: no mark pulses twice
  std::uint32_t listeners_ = 0;
  std::uint32_t mark_ = 0;
  std::uint64_t pulse_count_ = 0;
};

class SpindleModule : public sc_core::sc_module {
 public:
  SpindleModule(sc_core::sc_module_name name, const Spindle& spindle);

  /// @return whether this start fails (Spindle::start()).
  bool start();
  void stop();

  /// at_speed() is notified when a spin-up ends, at_rest() when a spin-down ends; in this delta if
  /// the spindle is in that state already.
  const sc_core::sc_event& at_speed() const { return at_speed_; }
  const sc_core::sc_event& at_rest() const { return at_rest_; }
  /// Notified when the motor fails or its power returns: the motion has changed.
  const sc_core::sc_event& changed_by_itself() const { return changed_by_itself_; }

  PulseTrain index;    // one pulse per revolution, at angle 0
  PulseTrain sectors;  // one pulse per sector of the track set by sectors.set_grid()

  Spindle::State state() const;
  Turn32 angle() const;
  const Spindle& spindle() const { return spindle_; }

 private:
  SC_HAS_PROCESS(SpindleModule);
  void finish_ramp();
  void motion_changed();
  void motor_changes();
  void plan_motor();

  Spindle spindle_;
  sc_core::sc_event motor_due_;
  sc_core::sc_event changed_by_itself_;
  sc_core::sc_event ramp_done_;
  sc_core::sc_event at_speed_;
  sc_core::sc_event at_rest_;
};

using headstack::now_ps;
using headstack::to_sc_time;

}  // namespace headstack::mechanics
