// SPDX-License-Identifier: Apache-2.0
/// @file
/// The trace port: hdl/trace_port on the fast platform. A store to EVENT[i] is event number i.
///
/// The listener receives it with the number of the edge after the store's cycle, as on `rtl`.
#pragma once

#include "sim/soc/soc_clock.hpp"
#include "sim/tlm/kernel/agenda.hpp"
#include "sim/tlm/kernel/clock.hpp"
#include "trace_port_registers.hpp"

namespace headstack::tlm {

class TracePort : public TracePortRegisters<TracePort> {
 public:
  /// Both arguments must outlive the port; `listener` may be null.
  TracePort(const Agenda& agenda, soc::SocListener* listener)
      : agenda_(agenda), listener_(listener) {}

 private:
  friend class TracePortRegisters<TracePort>;
  void on_write_event(std::uint32_t index, trace_port_regs::Event event) {
    if (listener_ == nullptr) return;
    listener_->firmware_event(edge_number(agenda_.now()) + 1, index, event.argument());
  }

  const Agenda& agenda_;
  soc::SocListener* listener_;
};

}  // namespace headstack::tlm
