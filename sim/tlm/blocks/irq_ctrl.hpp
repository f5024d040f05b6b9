// SPDX-License-Identifier: Apache-2.0
/// @file
/// The interrupt controller: hdl/irq_ctrl on the fast platform. It combines levels into one level.
///
/// It takes no time. A source stays pending until its own block is acknowledged.
#pragma once

#include "irq_ctrl_registers.hpp"
#include "sim/tlm/kernel/ports.hpp"

namespace headstack::tlm {

class IrqCtrl : public IrqCtrlRegisters<IrqCtrl>, public InterruptSink {
 public:
  /// `core`, which must outlive the controller, receives the level "any source is pending and
  /// enabled".
  explicit IrqCtrl(InterruptSink& core) : core_(core) {}

  void interrupt_level(unsigned line, bool level) override;

 private:
  friend class IrqCtrlRegisters<IrqCtrl>;
  irq_ctrl_regs::Pending on_read_pending() const { return {pending_}; }
  void on_write_enable(irq_ctrl_regs::Enable) { update(); }

  void update();

  InterruptSink& core_;
  std::uint32_t pending_ = 0;
  bool level_ = false;
};

}  // namespace headstack::tlm
