// SPDX-License-Identifier: Apache-2.0
/// @file
/// The servo as transactions: seeks, the spindle, and the time of the index.
///
/// Registers: hdl/regs/servo.rdl. Reference: hdl/servo, after soc_top's input registers. Every
/// event comes at the edge at which INTR_STATE of the RTL shows it. c is the cycle of a command,
/// one clock after its access. P is a clock, and t the time of an event of the world:
///
///     command acts in the world       c
///     levels read by STATUS           from edge_after(t)
///     on_track                        k + P,  k = max(c + 4 P, edge_after(read ready))
///     write_ready                     w + P,  w = max(k + P, edge_after(write ready))
///     at_speed, at_rest               edge_after(t) + P; c + P where it was already
///     seek_error, refused             c + P
///     seek_error, lost                c' + P or k + P,  c' the cycle without speed
///     index                           edge_after(t) + P; INDEX_TIME is edge_after(t) / P
///     speed_lost                      edge_after(t) + P
///
/// 4 P are StBlank's LevelDelayCycles (3), and the cycle of the command itself. A recalibration has
/// the times of a seek. If heads leave their track at t, the formatter gets it from edge_after(t)
/// on. STATUS shows a command at once, a clock before its cycle. The cycle of a seek that the
/// formatter requests is that of follow().
///
/// Cost: one alarm per event; none for an index pulse that is not captured.
///
/// Reports seek_began, levels_changed and the faults of arm and motor to Disk::observer(), in order
/// and with their exact times. A level is reported when the electronics sample it, up to four
/// clocks after its time.
#pragma once

#include "servo_registers.hpp"
#include "sim/tlm/disk/disk.hpp"
#include "sim/tlm/kernel/agenda.hpp"
#include "sim/tlm/kernel/clock.hpp"
#include "sim/tlm/kernel/ports.hpp"

namespace headstack::tlm {

class Servo final : public ServoRegisters<Servo>, public TrackPort {
 public:
  /// All arguments must outlive the block. It is reset at time 0.
  Servo(Agenda& agenda, InterruptSink& interrupts, Disk& disk);

  Picoseconds on_track_from() const override { return on_track_from_; }
  Picoseconds write_ready_from() const override { return write_ready_from_; }
  bool captures_index() const override { return index_capture().enable(); }
  bool follow() override;
  void listen_track(TrackPort::Listener* listener) override { listener_ = listener; }

 private:
  friend class ServoRegisters<Servo>;

  /// A level after the input register: high in [from, until), low otherwise.
  struct Level {
    Picoseconds from = kNever;
    Picoseconds until = kNever;
    bool in(Picoseconds cycle) const { return cycle >= from && cycle < until; }
  };

  void on_write_target(servo_regs::Target) {}
  void on_write_command(servo_regs::Command value);
  servo_regs::Status on_read_status() const;
  servo_regs::Position on_read_position() const { return {position_.word}; }
  servo_regs::IndexTimeLo on_read_index_time_lo() const;
  servo_regs::IndexTimeHi on_read_index_time_hi() const;
  servo_regs::IndexCount on_read_index_count() const { return {index_count_}; }
  void on_write_index_capture(servo_regs::IndexCapture value);
  void irq_changed(bool level) { interrupts_.interrupt_level(kLineServo, level); }

  Picoseconds now() const { return edge_at_or_after(agenda_.now()); }
  void command();
  void seek(Picoseconds cycle);
  bool takes_seek(Picoseconds cycle);
  bool departs() const;
  void recalibrate(Picoseconds cycle);
  void begin_movement(Picoseconds cycle);
  void plan_arrival(Picoseconds earliest);
  void plan_settling();
  bool is_seeking(Picoseconds cycle) const;
  void spin_up(Picoseconds cycle);
  void spin_down(Picoseconds cycle);
  void motor_changes();
  void arrive();
  void settle();
  void wander();
  void lose_track(Picoseconds cycle, Picoseconds leaves);
  void lose_speed(Picoseconds cycle, Picoseconds leaves);
  void find_track(Picoseconds cycle);
  void follow_spindle(Picoseconds at, Picoseconds cycle);
  void spindle_event(std::uint32_t bit);
  void tell_ramp_end(Picoseconds by);
  static void fall(Level& level, Alarm& event, Picoseconds cycle);
  void plan_index(Picoseconds from);
  void plan_motor();
  void replan_index(Picoseconds cycle);
  void pass_index();
  void tell_levels(Picoseconds at);
  void tell_movement(Picoseconds at, const mechanics::Positioning& parts, std::uint32_t target);
  void tell_spindle(Picoseconds at, const char* what);

  Agenda& agenda_;
  InterruptSink& interrupts_;
  Disk& disk_;
  TrackPort::Listener* listener_ = nullptr;

  Alarm command_;  // a command that could not start at its access
  Alarm arrive_;   // on_track, or seek_error of a lost seek
  Alarm settle_;   // write_ready
  Alarm refuse_;   // seek_error
  Alarm speed_;    // at_speed
  Alarm rest_;     // at_rest
  Alarm lost_;     // speed_lost
  Alarm motor_;    // the motor fails, or recovers; an event of the world
  Alarm wander_;   // the heads leave their track, or return; an event of the world
  Alarm index_;

  servo_regs::Op op_ = servo_regs::Op::kNone;  // operation of command_
  Picoseconds commanded_ = kNever;             // cycle of the last command
  servo_regs::Target goal_;                    // target of the seek under way
  servo_regs::Target position_;
  bool position_known_ = true;
  bool seeking_ = false;         // a seek is under way; arrive_ is its end, if set
  bool seek_lost_ = false;       // arrive_ reports a lost seek
  Picoseconds blank_until_ = 0;  // first StSettle cycle of the last seek
  Picoseconds on_track_from_ = kNever;
  Picoseconds write_ready_from_ = kNever;
  Level at_speed_;
  Level at_rest_;
  Picoseconds ramp_ends_at_ = kNever;  // end of the ramp, until it is reported
  std::uint64_t next_index_angle_ = 0;
  bool index_is_far_ = false;     // index_ only searches for the next pulse
  std::uint64_t index_time_ = 0;  // time of the index in clocks
  std::uint32_t index_count_ = 0;
  channel::HdaLevels told_;
  Picoseconds told_at_ = 0;
};

}  // namespace headstack::tlm
