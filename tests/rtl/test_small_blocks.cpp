// SPDX-License-Identifier: Apache-2.0
// Outputs of the test device, the trace port and the interrupt controller besides their registers
// (hdl/README.md, "Ports that every block has"). These are their requests for the clock and their
// interrupts. A reset cancels the effect of a store. Their registers are in tests/contract.
#include <Virq_ctrl.h>
#include <Vtestdev.h>
#include <Vtrace_port.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "tests/rtl/coverage.hpp"
#include "tests/rtl/reg_port.hpp"

namespace headstack {
namespace {

/// One of the blocks with its clock. Ports show the state after the last edge.
template <class Model>
class Block {
 public:
  Block() { reset(); }
  ~Block() {
    model_.final();
    rtl_test::keep_coverage(context_);
    // Verilator 5.006 takes a model's scopes off the thread's context, not off the model's own.
    Verilated::threadContextp(&context_);
  }

  void reset() {
    model_.rst_ni = 1;
    settle();
    model_.rst_ni = 0;
    settle();
    model_.rst_ni = 1;
    settle();
  }
  void step() {
    model_.clk_i = 1;
    model_.eval();
    settle();
  }
  void settle() {
    model_.clk_i = 0;
    model_.eval();
  }
  /// Makes a store; its edge is the last one.
  void write(std::uint32_t offset, std::uint32_t value) {
    model_.reg_req_i = reg_port::request(true, offset, value);
    settle();
    step();
    model_.reg_req_i = reg_port::kNone;
    settle();
  }
  Model& pins() { return model_; }

 private:
  VerilatedContext context_;
  Model model_{&context_};
};

ports::Console console(Block<Vtestdev>& block) {
  return ports::Console::of(block.pins().console_o);
}
ports::Exit exit_of(Block<Vtestdev>& block) { return ports::Exit::of(block.pins().exit_o); }
ports::Event event(Block<Vtrace_port>& block) { return ports::Event::of(block.pins().event_o); }

constexpr std::uint32_t kConsole = 0x00, kExit = 0x04;  // hdl/regs/testdev.rdl

// testdev.sv: a store shows at the ports for one cycle, one cycle after it. The block requests the
// edge that ends it.
TEST(TestdevPorts, AStore_ShowsForOneCycle_AndAsksForTheEdgeThatEndsIt) {
  Block<Vtestdev> block;
  EXPECT_FALSE(block.pins().clk_req_o);
  block.write(kConsole, 'x');
  EXPECT_TRUE(console(block).valid);
  EXPECT_FALSE(exit_of(block).valid);
  EXPECT_EQ(console(block).character, 'x');
  EXPECT_TRUE(block.pins().clk_req_o);
  block.step();
  EXPECT_FALSE(console(block).valid);
  EXPECT_FALSE(block.pins().clk_req_o);
  block.write(kExit, 0x1234'5678);
  EXPECT_TRUE(exit_of(block).valid);
  EXPECT_FALSE(console(block).valid);
  EXPECT_EQ(exit_of(block).code, 0x1234'5678U);
  EXPECT_TRUE(block.pins().clk_req_o);
  EXPECT_FALSE(block.pins().irq_o);
  block.step();
  EXPECT_FALSE(exit_of(block).valid);
  EXPECT_FALSE(block.pins().clk_req_o);
  EXPECT_FALSE(block.pins().irq_o);
}

TEST(TestdevPorts, AReset_EndsWhatAStoreHasBegun) {
  for (const std::uint32_t offset : {kConsole, kExit}) {
    Block<Vtestdev> block;
    block.write(offset, 7);
    block.reset();
    EXPECT_FALSE(console(block).valid);
    EXPECT_FALSE(exit_of(block).valid);
    EXPECT_FALSE(block.pins().clk_req_o);
  }
}

TEST(TracePortPorts, AStore_ShowsForOneCycle_AndAsksForTheEdgeThatEndsIt) {
  Block<Vtrace_port> block;
  EXPECT_FALSE(block.pins().clk_req_o);
  block.write(4 * 9, 0xCAFE'F00D);
  EXPECT_TRUE(event(block).valid);
  EXPECT_TRUE(block.pins().clk_req_o);
  EXPECT_FALSE(block.pins().irq_o);
  block.step();
  EXPECT_FALSE(event(block).valid);
  EXPECT_FALSE(block.pins().clk_req_o);
  EXPECT_FALSE(block.pins().irq_o);
}

TEST(TracePortPorts, AReset_EndsWhatAStoreHasBegun_AndLeavesNothingOfIt) {
  Block<Vtrace_port> block;
  block.write(4 * 9, 0xCAFE'F00D);
  block.reset();
  EXPECT_FALSE(event(block).valid);
  EXPECT_EQ(event(block).number, 0U);
  EXPECT_EQ(event(block).argument, 0U);
  EXPECT_FALSE(block.pins().clk_req_o);
}

// Without a request the address on the bus has no effect.
TEST(TracePortPorts, WithoutARequest_NothingIsRefusedOrReported) {
  Block<Vtrace_port> block;
  for (const std::uint16_t offset : {0x000, 0x0FC, 0x100, 0xFFC}) {
    block.pins().reg_req_i = ports::RegReq{false, true, offset, 0, 0xF}.word();
    block.settle();
    EXPECT_FALSE(reg_port::failed(block.pins().reg_rsp_o)) << offset;
    block.step();
    EXPECT_FALSE(event(block).valid) << offset;
  }
}

// irq_ctrl.sv: combinational, nothing moves by itself. The core asks for the clock when it is
// woken.
TEST(IrqCtrlPorts, NeverAsksForTheClock) {
  constexpr std::uint32_t kEnable = 0x04;
  Block<Virq_ctrl> block;
  EXPECT_FALSE(block.pins().clk_req_o);
  block.write(kEnable, 0xFFFF'FFFF);
  block.pins().irq_servo_i = block.pins().irq_timer_i = 1;
  block.settle();
  EXPECT_TRUE(block.pins().irq_o);
  EXPECT_FALSE(block.pins().clk_req_o);
  block.step();
  EXPECT_FALSE(block.pins().clk_req_o);
}

}  // namespace
}  // namespace headstack
