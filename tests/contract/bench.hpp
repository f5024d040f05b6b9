// SPDX-License-Identifier: Apache-2.0
/// @file
/// A block under a contract test: the same calls on the Verilated block and on its model.
///
/// A contract test is a typed test over two benches, RtlBench<VNAME> and TlmBench, with additions
/// for the block. Both have:
///
///     std::uint32_t read(offset);                        // a register access takes one cycle
///     void write(offset, value, byte_enables = 0xF);
///     bool access_failed();                              // the last one was a bus error
///     void step(cycles = 1);
///     bool step_until(cycles, claim);                    // false if it never holds
///     std::uint64_t cycle();
///     bool irq();                                        // the level in the current cycle
///
/// Cycle n begins with edge n, at n * kClockPeriodPs; time is the same on both. Inputs that a test
/// sets are those of the current cycle, as a block sees them after soc_top's input registers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/tlm/kernel/agenda.hpp"
#include "sim/tlm/kernel/clock.hpp"
#include "sim/tlm/kernel/ports.hpp"
#include "tests/rtl/disk_bench.hpp"

namespace headstack::contract {

/// The Verilated block. For inputs that are pulses or depend on time, derive and override drive();
/// for outputs to be noted, observe().
template <class Model>
class RtlBench : public disk_test::BlockBench<Model> {
 public:
  RtlBench() { this->reset(); }
  bool irq() {
    this->model_.eval();
    return this->model_.irq_o;
  }

 protected:
  void drive() override {}
  void observe() override {}
};

/// A model on an agenda of its own. The derived class owns the block and provides its page.
class TlmBench {
 public:
  virtual ~TlmBench() = default;

  [[nodiscard]] std::uint32_t read(std::size_t offset) {
    std::uint32_t value = 0;
    access_failed_ = !page().read(static_cast<std::uint32_t>(offset), value);
    step();
    return value;
  }
  void write(std::size_t offset, std::uint32_t value, std::uint32_t byte_enables = 0xF) {
    std::uint32_t mask = 0;
    for (unsigned byte = 0; byte < 4; ++byte) {
      if ((byte_enables >> byte & 1) != 0) mask |= 0xFFU << (8 * byte);
    }
    access_failed_ = !page().write(static_cast<std::uint32_t>(offset), value, mask);
    step();
  }
  bool access_failed() const { return access_failed_; }

  void step(std::uint64_t cycles = 1) {
    agenda_.run_to(static_cast<Picoseconds>(cycle() + cycles) * tlm::kClockPeriodPs);
  }
  template <class Claim>
  [[nodiscard]] bool step_until(std::uint64_t cycles, Claim claim) {
    for (std::uint64_t i = 0; i < cycles; ++i) {
      if (claim()) return true;
      step();
    }
    return claim();
  }
  std::uint64_t cycle() const { return tlm::edge_number(agenda_.now()); }
  bool irq() { return lines_.level; }

 protected:
  /// A sink in place of the interrupt controller, which keeps the level of the block's line.
  struct Lines : tlm::InterruptSink {
    void interrupt_level(unsigned /*line*/, bool now) override { level = now; }
    bool level = false;
  };

  virtual tlm::RegisterPage& page() = 0;

  tlm::Agenda agenda_;
  Lines lines_;

 private:
  bool access_failed_ = false;
};

}  // namespace headstack::contract
