// SPDX-License-Identifier: Apache-2.0
/// @file
/// The servo under a contract test, with the same mechanics (tlm::Disk) on both sides. The
/// Verilated block is connected by pins like those of soc_top. An event of the world before a clock
/// edge belongs to the cycle that begins with the edge. The block's outputs in a cycle act at the
/// cycle's edge.
#pragma once

#include <algorithm>

#include "Vservo.h"
#include "sim/tlm/blocks/servo.hpp"
#include "sim/tlm/disk/disk.hpp"
#include "tests/contract/bench.hpp"
#include "tests/contract/note.hpp"

namespace headstack::contract {

class ServoRtl : public RtlBench<Vservo> {
 public:
  explicit ServoRtl(const drive::DriveDescription& description,
                    tlm::Disk::Start start = tlm::Disk::Start::kAtSpeed)
      : disk(description, start) {
    step();
  }

  /// STATUS shows levels of the same cycle, so they must be set before the answer is read.
  [[nodiscard]] std::uint32_t read(std::size_t offset) {
    drive();
    return RtlBench::read(offset);
  }

  /// The formatter requests a seek in this cycle.
  void follow() {
    model_.follow_i = 1;
    step();
    model_.follow_i = 0;
  }

  tlm::Disk disk;
  Notes notes;

 private:
  Picoseconds edge() const { return static_cast<Picoseconds>(cycle()) * tlm::kClockPeriodPs; }

  void drive() override {
    if (driven_ == cycle()) return;
    driven_ = cycle();
    const Picoseconds before = edge() - 1;  // the last time that the input registers sampled
    model_.mtime_i = cycle();
    Picoseconds from = edge() - tlm::kClockPeriodPs;
    model_.index_pulse_i = false;
    const auto pass = [this, &from](Picoseconds to) {
      if (listened_ && index_passes(from, to)) model_.index_pulse_i = true;
      from = to;
    };
    while (disk.spindle().next_change().value_or(edge()) <= before) {
      const Picoseconds change = *disk.spindle().next_change();
      pass(change);
      disk.motor_changes(change);
    }
    pass(before);
    using State = mechanics::Spindle::State;
    const State state = disk.spindle().state(before);
    const bool at_speed = state == State::kAtSpeed;
    model_.hda_i = ports::HdaIn{at_speed && disk.heads().read_ready(before),
                                at_speed && disk.heads().write_ready(before), at_speed,
                                state == State::kStopped}
                       .word();
  }

  /// Whether the index passes in [from, to], by the rules of channel::HeadDiskAssembly.
  bool index_passes(Picoseconds from, Picoseconds to) {
    using State = mechanics::Spindle::State;
    const State state = disk.spindle().state(from);
    if (state == State::kStopped) return false;
    const std::uint64_t here =
        state == State::kAtSpeed ? disk.angle_from(from) : disk.spindle().unwrapped(from);
    const std::uint64_t next = (std::max(here, index_passed_to_) + kTurn - 1) / kTurn * kTurn;
    if (disk.spindle().unwrapped(to) < next) return false;
    index_passed_to_ = next + 1;
    return !disk.index().is_missing(next / kTurn);
  }

  void observe() override {
    const ports::HdaOut out = ports::HdaOut::of(model_.hda_o);
    if (out.seek_req) {
      const bool moving = edge() < disk.heads().read_ready_at();
      if (!moving) disk.seek(edge(), out.seek_cylinder, out.seek_head, out.seek_for_write);
    }
    if (out.recalibrate) disk.recalibrate(edge());
    if (out.spin_up) disk.spin_up(edge());
    if (out.spin_down) disk.spin_down(edge());
    listened_ = model_.index_listen_o;
    const ports::Heads heads = ports::Heads::of(model_.heads_o);
    if (seeking_ && !heads.seeking) {
      note_line(notes, cycle(), "seek ended on track", heads.on_track || model_.follow_i);
    }
    seeking_ = heads.seeking;
    if (model_.irq_o != irq_) note_line(notes, cycle(), "servo irq", model_.irq_o);
    irq_ = model_.irq_o;
  }

  static constexpr std::uint64_t kTurn = std::uint64_t{1} << 32;
  std::uint64_t driven_ = 0;  // cycle whose inputs are set; cycle 0 has no input of the world yet
  bool listened_ = false;
  std::uint64_t index_passed_to_ = 0;
  bool irq_ = false;
  bool seeking_ = false;
};

class ServoTlm : public TlmBench, private tlm::TrackPort::Listener {
 public:
  explicit ServoTlm(const drive::DriveDescription& description,
                    tlm::Disk::Start start = tlm::Disk::Start::kAtSpeed)
      : disk(description, start), servo(agenda_, sink_, disk) {
    servo.listen_track(this);
    step();
  }
  void follow() {
    static_cast<void>(servo.follow());
    step();
  }
  bool irq() { return sink_.level(tlm::kLineServo); }
  void write(std::size_t offset, std::uint32_t value) {
    sink_.writing();
    TlmBench::write(offset, value);
  }

  tlm::Disk disk;
  Notes notes;

 private:
  tlm::RegisterPage& page() override { return servo; }
  void track_lost(Picoseconds, Picoseconds) override {}
  void index_captured() override {}
  void seek_ended(bool on_track) override {
    note_line(notes, cycle(), "seek ended on track", on_track);
  }
  NotingSink sink_{agenda_, notes};

 public:
  tlm::Servo servo;
};

}  // namespace headstack::contract
