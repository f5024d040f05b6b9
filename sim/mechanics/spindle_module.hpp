// The spindle in the SystemC world: index and sector pulses, made only while somebody listens.
//
// A pulse train has no process of its own while nobody listens to it: an idle, spinning drive costs
// the kernel nothing. Pulse times come from the closed form of spindle.hpp, each from the angle it
// marks and never from the pulse before, so a listener that joins late sees the same picoseconds.
#pragma once

#include <systemc>

#include "sim/kernel_time.hpp"
#include "sim/mechanics/spindle.hpp"

namespace headstack::mechanics {

/// Marks on the circle, evenly spaced from `first_mark`: a track's sectors, or the index alone.
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

/// One train of pulses: an event per mark while at least one listener is there.
class PulseTrain : public sc_core::sc_module {
 public:
  PulseTrain(sc_core::sc_module_name name, const Spindle& spindle);

  /// Listeners come in pairs of calls; the train runs while more joined than left.
  void join();
  void leave();
  /// Another track's marks from now on: the next pulse is the first mark not yet passed.
  void set_grid(PulseGrid grid);
  /// The spindle's motion changed; pulses already planned are planned anew.
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
  std::uint64_t unpulsed_from_ = 0;  // unwrapped angle behind the last pulse: no mark pulses twice
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

  /// At speed: notified when a spin-up ends. At rest: when a spin-down ends. In this delta when
  /// there is nothing to wait for.
  const sc_core::sc_event& at_speed() const { return at_speed_; }
  const sc_core::sc_event& at_rest() const { return at_rest_; }
  /// The motor has failed, or has its power back: the motion is another one.
  const sc_core::sc_event& changed_by_itself() const { return changed_by_itself_; }

  PulseTrain index;    // one pulse a revolution, at angle 0
  PulseTrain sectors;  // one a sector of the track set by sectors.set_grid()

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
