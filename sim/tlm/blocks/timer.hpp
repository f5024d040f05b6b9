// SPDX-License-Identifier: Apache-2.0
/// @file
/// The wake-up timer: hdl/timer on the fast platform. Its time base is the agenda's time in clock
/// periods.
///
/// The interrupt is high from the edge with number COMPARE on, and not before the edge after the
/// write that makes the timer due.
#pragma once

#include "sim/tlm/kernel/agenda.hpp"
#include "sim/tlm/kernel/ports.hpp"
#include "timer_registers.hpp"

namespace headstack::tlm {

class Timer : public TimerRegisters<Timer> {
 public:
  /// Both arguments must outlive the timer.
  Timer(Agenda& agenda, InterruptSink& interrupts);

 private:
  friend class TimerRegisters<Timer>;
  timer_regs::TimeLo on_read_time_lo() const;
  timer_regs::TimeHi on_read_time_hi() const;
  timer_regs::Status on_read_status() const;
  void on_write_compare_lo(timer_regs::CompareLo) { update(); }
  void on_write_compare_hi(timer_regs::CompareHi) { update(); }
  void on_write_ctrl(timer_regs::Ctrl) { update(); }

  std::uint64_t compare() const;
  void update();
  void set_level(bool level);

  Agenda& agenda_;
  InterruptSink& interrupts_;
  Alarm due_;
  bool level_ = false;
};

}  // namespace headstack::tlm
