// SPDX-License-Identifier: Apache-2.0
// Outputs of the wake-up timer (timer.sv, hdl/README.md, "Ports to the world"). They are the time
// at which it wakes the SoC, whose clock may be stopped until then. Its registers are in
// tests/contract.
#include <Vtimer.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/rtl/coverage.hpp"
#include "tests/rtl/reg_port.hpp"

namespace headstack {
namespace {

/// Offsets, from hdl/regs/timer.rdl.
enum Offset : std::uint32_t {
  kTimeLo = 0x00,
  kTimeHi = 0x04,
  kCompareLo = 0x08,
  kCompareHi = 0x0C,
  kCtrl = 0x10,
};

/// The block with its clock; the time base is set by hand.
class Timer {
 public:
  Timer() {
    model_.rst_ni = 1;
    settle();
    model_.rst_ni = 0;
    settle();
    model_.rst_ni = 1;
    settle();
  }
  ~Timer() {
    model_.final();
    rtl_test::keep_coverage(context_);
    // Verilator 5.006 takes a model's scopes off the thread's context, not off the model's own.
    Verilated::threadContextp(&context_);
  }

  void set_time(std::uint64_t time) {
    model_.mtime_i = time;
    step();  // STATUS and TIME may be read with the next access
  }
  void set_compare(std::uint64_t time) {
    write(kCompareLo, static_cast<std::uint32_t>(time));
    write(kCompareHi, static_cast<std::uint32_t>(time >> 32));
  }
  void write(std::uint32_t offset, std::uint32_t value) { access(offset, true, value); }
  std::uint32_t read(std::uint32_t offset) { return access(offset, false, 0); }
  Vtimer& pins() { return model_; }

 private:
  void settle() {
    model_.clk_i = 0;
    model_.eval();
  }
  void step() {
    model_.clk_i = 1;
    model_.eval();
    settle();
  }
  std::uint32_t access(std::uint32_t offset, bool write, std::uint32_t value) {
    model_.reg_req_i = reg_port::request(write, offset, value);
    settle();
    const std::uint32_t data = reg_port::data(model_.reg_rsp_o);
    step();
    model_.reg_req_i = reg_port::kNone;
    settle();
    return data;
  }

  VerilatedContext context_;
  Vtimer model_{&context_};
};

TEST(TimerPorts, Due_IsTheTimeInCompare) {
  Timer timer;
  EXPECT_EQ(timer.pins().timer_due_o, ~std::uint64_t{0}) << "after reset";
  timer.set_compare(0x1234'5678'9ABC'DEF0);
  EXPECT_EQ(timer.pins().timer_due_o, 0x1234'5678'9ABC'DEF0U);
}

// An armed timer needs the clock restored in time. If it is due already, it interrupts instead.
TEST(TimerPorts, Armed_FromBeingEnabledUntilDue) {
  Timer timer;
  timer.set_compare(100);
  EXPECT_FALSE(timer.pins().timer_armed_o) << "not enabled";
  timer.write(kCtrl, 1);
  timer.set_time(99);
  EXPECT_TRUE(timer.pins().timer_armed_o);
  EXPECT_FALSE(timer.pins().irq_o);
  timer.set_time(100);
  EXPECT_FALSE(timer.pins().timer_armed_o);
  EXPECT_TRUE(timer.pins().irq_o);
  timer.set_time(101);
  EXPECT_FALSE(timer.pins().timer_armed_o);
  timer.set_compare(200);
  EXPECT_TRUE(timer.pins().timer_armed_o) << "a later time";
  timer.write(kCtrl, 0);
  EXPECT_FALSE(timer.pins().timer_armed_o);
  EXPECT_FALSE(timer.pins().irq_o);
}

TEST(TimerPorts, TheHighWord_CountsInTimeAndCompare) {
  Timer timer;
  timer.set_time(0x0000'0012'8765'4321);
  EXPECT_EQ(timer.read(kTimeLo), 0x8765'4321U);
  EXPECT_EQ(timer.read(kTimeHi), 0x12U);
  timer.write(kCtrl, 1);
  timer.set_compare((std::uint64_t{1} << 32) + 5);
  timer.set_time((std::uint64_t{1} << 32) + 4);
  EXPECT_FALSE(timer.pins().irq_o);
  timer.set_time((std::uint64_t{1} << 32) + 5);
  EXPECT_TRUE(timer.pins().irq_o);
}

// The clock's controller wakes the SoC for the timer: the timer itself never keeps the clock
// running.
TEST(TimerPorts, Waiting_AsksForNoClock) {
  Timer timer;
  EXPECT_FALSE(timer.pins().clk_req_o);
  timer.set_compare(100);
  timer.write(kCtrl, 1);
  for (const std::uint64_t time : {99U, 100U, 101U}) {
    timer.set_time(time);
    EXPECT_FALSE(timer.pins().clk_req_o) << time;
  }
}

}  // namespace
}  // namespace headstack
