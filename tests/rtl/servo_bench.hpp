// SPDX-License-Identifier: Apache-2.0
// The servo block with its clock and register port, for tests.
#pragma once

#include <Vservo.h>
#include <verilated.h>

#include <cstdint>
#include <vector>

#include "hdl_ports.hpp"
#include "servo_regs.h"
#include "tests/rtl/coverage.hpp"
#include "tests/rtl/reg_port.hpp"

namespace headstack::servo_test {

// Offsets and operations of servo.rdl.
enum Register : std::uint16_t {
  kTarget = 0x00,
  kCommand = 0x04,
  kStatus = 0x08,
  kPosition = 0x0C,
  kIndexTimeLo = 0x10,
  kIndexTimeHi = 0x14,
  kIndexCount = 0x18,
  kIndexCapture = 0x1C,
  kIntrState = 0x20,
  kIntrEnable = 0x24,
};
enum Operation : std::uint32_t { kSeek = 1, kSpinUp = 2, kSpinDown = 3, kRecalibrate = 4 };
enum StatusBit : std::uint32_t { kOnTrack = 1, kWriteReady = 2, kSeeking = 4, kAtSpeed = 8 };
enum Event : std::uint32_t {
  kEventOnTrack = SERVO__INTR_STATE__ON_TRACK_bm,
  kEventWriteReady = SERVO__INTR_STATE__WRITE_READY_bm,
  kEventAtSpeed = SERVO__INTR_STATE__AT_SPEED_bm,
  kEventAtRest = SERVO__INTR_STATE__AT_REST_bm,
  kEventIndex = SERVO__INTR_STATE__INDEX_bm,
  kEventSeekError = SERVO__INTR_STATE__SEEK_ERROR_bm,
  kEventSpeedLost = SERVO__INTR_STATE__SPEED_LOST_bm,
};
constexpr unsigned kEventCount = 7;

constexpr unsigned kLevelDelayCycles = 3;  // servo.sv's default

inline std::uint32_t track(std::uint32_t cylinder, std::uint32_t head) {
  return head << 24 | cylinder;
}

/// The block with its clock. Inputs set between steps act in the next cycle.
class Servo {
 public:
  explicit Servo(bool gating = false) : gating_(gating) {
    model_.clk_i = 0;
    model_.rst_ni = 1;
    model_.eval();
    model_.rst_ni = 0;
    model_.eval();
    model_.rst_ni = 1;
    model_.eval();
  }
  ~Servo() {
    model_.final();
    rtl_test::keep_coverage(context_);
    // Verilator 5.006 removes a model's scopes from the thread's context, not from the model's own.
    Verilated::threadContextp(&context_);
  }

  /// One cycle: inputs settle, outputs are read, then comes the edge, unless gating omits it.
  void step() {
    settle();
    const ports::HdaOut out = hda_out();
    if (out.seek_req) seeks.push_back(track(out.seek_cylinder, out.seek_head));
    spin_ups += out.spin_up;
    spin_downs += out.spin_down;
    recalibrations += out.recalibrate;
    if (!gating_ || model_.clk_req_o || model_.reg_req_i != reg_port::kNone) {
      model_.clk_i = 1;
      model_.eval();
    }
    ++model_.mtime_i;
    model_.index_pulse_i = 0;
  }
  void step(int cycles) {
    for (int i = 0; i < cycles; ++i) step();
  }
  void settle() {
    model_.clk_i = 0;
    model_.hda_i = hda.word();
    model_.eval();
  }

  void write(std::uint32_t offset, std::uint32_t value, std::uint8_t byte_enables = 0xF) {
    access(offset, true, value, byte_enables);
  }
  std::uint32_t read(std::uint32_t offset) { return access(offset, false, 0, 0xF); }
  bool access_failed() const { return access_failed_; }

  void clear_events() { write(kIntrState, (1U << kEventCount) - 1); }
  /// Ready on the track at speed, all events acknowledged.
  void become_ready() {
    hda.at_speed = hda.read_ready = hda.write_ready = true;
    step(2);
    clear_events();
  }
  void start_seek(std::uint32_t cylinder, std::uint32_t head) {
    write(kTarget, track(cylinder, head));
    write(kCommand, kSeek);
  }

  Vservo& pins() { return model_; }
  ports::HdaIn hda;  // the assembly's levels
  /// Returns the outputs to the assembly as they last settled.
  ports::HdaOut hda_out() const { return ports::HdaOut::of(model_.hda_o); }
  ports::Heads heads() const { return ports::Heads::of(model_.heads_o); }

  std::vector<std::uint32_t> seeks;  // TARGET's layout
  int spin_ups = 0;
  int spin_downs = 0;
  int recalibrations = 0;

 private:
  std::uint32_t access(std::uint32_t offset, bool write, std::uint32_t value,
                       std::uint8_t byte_enables) {
    model_.reg_req_i = reg_port::request(write, offset, value, byte_enables);
    settle();  // the answer is combinational
    const std::uint32_t data = reg_port::data(model_.reg_rsp_o);
    access_failed_ = reg_port::failed(model_.reg_rsp_o);
    step();
    model_.reg_req_i = reg_port::kNone;
    return data;
  }

  VerilatedContext context_;
  Vservo model_{&context_};
  bool gating_;
  bool access_failed_ = false;
};

}  // namespace headstack::servo_test
