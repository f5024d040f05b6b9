// The head stack in the SystemC world: an event when a track may be read, one when it may be
// written.
#pragma once

#include <systemc>

#include "sim/mechanics/head_stack.hpp"

namespace headstack::mechanics {

class HeadStackModule : public sc_core::sc_module {
 public:
  /// `model` must outlive the module.
  HeadStackModule(sc_core::sc_module_name name, const PositioningModel& model);

  /// Leaves for a track now; the movement before must have ended (an assertion).
  void move(std::uint32_t cylinder, std::uint32_t head);

  /// Once per movement, at read_ready_at() and write_ready_at(), in this delta when nothing moves.
  const sc_core::sc_event& read_ready() const { return read_ready_; }
  const sc_core::sc_event& write_ready() const { return write_ready_; }

  HeadStackState state() const;
  const HeadStack& stack() const { return stack_; }

 private:
  HeadStack stack_;
  sc_core::sc_event read_ready_;
  sc_core::sc_event write_ready_;
};

}  // namespace headstack::mechanics
