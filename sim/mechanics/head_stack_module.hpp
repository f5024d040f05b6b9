// The head stack in the SystemC world: an event when a track may be read, one when it may be
// written, one whenever the heads leave it by themselves, or come back.
#pragma once

#include <systemc>

#include "sim/mechanics/head_stack.hpp"

namespace headstack::mechanics {

class HeadStackModule : public sc_core::sc_module {
 public:
  /// `model` must outlive the module.
  HeadStackModule(sc_core::sc_module_name name, const PositioningModel& model,
                  ArmFaults faults = {});

  /// Leaves for a track now; the movement before must have ended (an assertion). @return the parts.
  Positioning move(std::uint32_t cylinder, std::uint32_t head);
  /// To cylinder 0, head 0, whatever is under way.
  Positioning recalibrate();

  /// Once per movement, at read_ready_at() and write_ready_at(), in this delta when nothing moves;
  /// not at all when they are kNever.
  const sc_core::sc_event& read_ready() const { return read_ready_; }
  const sc_core::sc_event& write_ready() const { return write_ready_; }
  /// At leaves_at() and at returns_at().
  const sc_core::sc_event& wandered() const { return wandered_; }

  HeadStackState state() const;
  const HeadStack& stack() const { return stack_; }

 private:
  SC_HAS_PROCESS(HeadStackModule);
  void plan();
  void plan_wandering();

  HeadStack stack_;
  sc_core::sc_event read_ready_;
  sc_core::sc_event write_ready_;
  sc_core::sc_event wandered_;
};

}  // namespace headstack::mechanics
