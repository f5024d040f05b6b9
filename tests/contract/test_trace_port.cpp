// SPDX-License-Identifier: Apache-2.0
// The trace port, Verilated and as a model, against hdl/regs/trace_port.rdl.
#include <Vtrace_port.h>
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "sim/tlm/blocks/trace_port.hpp"
#include "tests/contract/bench.hpp"

namespace headstack::contract {
namespace {

using tlm::trace_port_regs::Event;

/// Edge, number, argument.
using Report = std::tuple<std::uint64_t, unsigned, std::uint32_t>;

class RtlTracePort : public RtlBench<Vtrace_port> {
  // The outputs in cycle n are those of edge n.
  void observe() override {
    const auto event = ports::Event::of(model_.event_o);
    if (event.valid) reports.emplace_back(cycle(), event.number, event.argument);
  }

 public:
  std::vector<Report> reports;
};

class TlmTracePort : public TlmBench, private soc::SocListener {
  tlm::RegisterPage& page() override { return port_; }
  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override {
    reports.emplace_back(edge, number, argument);
  }
  tlm::TracePort port_{agenda_, this};

 public:
  std::vector<Report> reports;
};

template <class Bench>
struct TracePortContract : testing::Test {
  Bench bench;
};

using Benches = testing::Types<RtlTracePort, TlmTracePort>;
TYPED_TEST_SUITE(TracePortContract, Benches);

TYPED_TEST(TracePortContract, EachRegister_ReportsItsNumber) {
  for (std::uint32_t number = 0; number < 64; ++number) {
    this->bench.write(Event::offset(number), 0xA500'0000U + number);
    EXPECT_FALSE(this->bench.access_failed());
  }
  this->bench.step(4);
  ASSERT_EQ(this->bench.reports.size(), 64U);
  for (std::uint32_t number = 0; number < 64; ++number) {
    // trace_port.sv: one cycle after the store.
    EXPECT_EQ(this->bench.reports[number], Report(number + 1, number, 0xA500'0000U + number));
  }
}

TYPED_TEST(TracePortContract, AReport_IsOne_HoweverLongTheNextTakes) {
  this->bench.step(10);
  this->bench.write(Event::offset(3), 7);
  this->bench.step(100);
  this->bench.write(Event::offset(3), 7);
  this->bench.step(100);
  EXPECT_EQ(this->bench.reports, (std::vector<Report>{{11, 3, 7}, {112, 3, 7}}));
}

TYPED_TEST(TracePortContract, Reads_GiveZeroAndReportNothing) {
  this->bench.write(Event::offset(5), 0xFFFF'FFFF);
  EXPECT_EQ(this->bench.read(Event::offset(5)), 0U);
  EXPECT_FALSE(this->bench.access_failed());
  this->bench.step(4);
  EXPECT_EQ(this->bench.reports.size(), 1U);
}

TYPED_TEST(TracePortContract, PastTheLastEvent_IsABusError) {
  this->bench.write(0x100, 1);
  EXPECT_TRUE(this->bench.access_failed());
  static_cast<void>(this->bench.read(0x100));
  EXPECT_TRUE(this->bench.access_failed());
  this->bench.step(4);
  EXPECT_TRUE(this->bench.reports.empty());
  this->bench.write(0xFC, 1);
  EXPECT_FALSE(this->bench.access_failed());
}

// trace_port.sv: a narrow store reports its bytes, the others as 0.
TYPED_TEST(TracePortContract, NarrowStore_ReportsItsBytesOnly) {
  this->bench.write(Event::offset(1), 0x1122'3344, 0b0101);
  this->bench.step(2);
  EXPECT_EQ(this->bench.reports, (std::vector<Report>{{1, 1, 0x0022'0044}}));
}

}  // namespace
}  // namespace headstack::contract
