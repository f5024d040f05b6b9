// SPDX-License-Identifier: Apache-2.0
// The head stack as a SystemC module. It has an event when the track may be read, and one when it
// may be written. A third one comes when the heads leave the track by a fault, or return.
#pragma once

#include <systemc>

#include "sim/mechanics/head_stack.hpp"

namespace headstack::mechanics {

class HeadStackModule : public sc_core::sc_module {
 public:
  /// `model` must outlive the module.
  HeadStackModule(sc_core::sc_module_name name, const PositioningModel& model,
                  ArmFaults faults = {});

  /// Starts a movement to a track now; the previous movement must have ended (asserted). @return
  /// the parts of its time.
  Positioning move(std::uint32_t cylinder, std::uint32_t head, bool for_write = false);
  /// Drives to cylinder 0, head 0, even during a movement.
  Positioning recalibrate();

  /// Notified once per movement, at read_ready_at() and write_ready_at(); in this delta if nothing
  /// moves; not at all if they are kNever.
  const sc_core::sc_event& read_ready() const { return read_ready_; }
  const sc_core::sc_event& write_ready() const { return write_ready_; }
  /// Notified at leaves_at() and at returns_at().
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
