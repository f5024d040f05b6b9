// SPDX-License-Identifier: Apache-2.0
/// @file
/// The test device: hdl/testdev on the fast platform. Console, exit and the platform's number.
///
/// The listener receives a character with the number of the edge after the store's cycle, as on
/// `rtl`.
#pragma once

#include "sim/soc/soc_clock.hpp"
#include "sim/tlm/kernel/agenda.hpp"
#include "sim/tlm/kernel/clock.hpp"
#include "testdev_registers.hpp"

namespace headstack::tlm {

class Testdev : public TestdevRegisters<Testdev> {
 public:
  /// All arguments must outlive the device; `listener` may be null.
  Testdev(const Agenda& agenda, soc::SocListener* listener, ExitSink& exit)
      : agenda_(agenda), listener_(listener), exit_(exit) {}

 private:
  friend class TestdevRegisters<Testdev>;
  void on_write_console(testdev_regs::Console console) {
    if (listener_ == nullptr) return;
    listener_->console(edge_number(agenda_.now()) + 1, static_cast<char>(console.character()));
  }
  void on_write_exit(testdev_regs::Exit exit) { exit_.firmware_exit(exit.code()); }
  testdev_regs::Platform on_read_platform() const {
    return testdev_regs::Platform().set_platform(testdev_regs::PlatformCode::kVp);
  }

  const Agenda& agenda_;
  soc::SocListener* listener_;
  ExitSink& exit_;
};

}  // namespace headstack::tlm
