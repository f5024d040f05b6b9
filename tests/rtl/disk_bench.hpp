// SPDX-License-Identifier: Apache-2.0
/// @file
/// Clock, reset and register port of one Verilated block, which every block has (hdl/README.md).
///
/// A cycle is: drive() sets inputs, they settle, observe() reads the outputs of the cycle, the
/// clock edge. With gating on, the edge is omitted if the block does not request it. A block with a
/// missing request then behaves differently, and a comparing test finds it.
#pragma once

#include <verilated.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "tests/rtl/coverage.hpp"
#include "tests/rtl/reg_port.hpp"

namespace headstack::disk_test {

/// Whether a block's registers have a clock of their own.
template <class Model, class = void>
struct HasRegisterClock : std::false_type {};
template <class Model>
struct HasRegisterClock<Model, std::void_t<decltype(std::declval<Model&>().reg_clk_i)>>
    : std::true_type {};

template <class Model>
class BlockBench {
 public:
  explicit BlockBench(bool gating = false) : gating_(gating) {}
  virtual ~BlockBench() {
    model_.final();
    rtl_test::keep_coverage(context_);
    // A model removes its scopes from the thread's context, which is that of the model evaluated
    // last.
    Verilated::threadContextp(&context_);
  }
  BlockBench(const BlockBench&) = delete;
  BlockBench& operator=(const BlockBench&) = delete;

  /// One clock period.
  void step() {
    lower_clocks();
    drive();
    model_.eval();
    observe();
    if (raise_clocks()) {
      model_.eval();
      ++edges_;
    }
    ++cycle_;
  }
  void step(std::uint64_t cycles) {
    for (std::uint64_t i = 0; i < cycles; ++i) step();
  }

  /// Steps until a condition holds; false if it does not within `cycles`.
  template <class Claim>
  [[nodiscard]] bool step_until(std::uint64_t cycles, Claim claim) {
    for (std::uint64_t i = 0; i < cycles; ++i) {
      if (claim()) return true;
      step();
    }
    return claim();
  }

  void write(std::size_t offset, std::uint32_t value, std::uint32_t byte_enables = 0xF) {
    access(offset, true, value, byte_enables);
  }
  [[nodiscard]] std::uint32_t read(std::size_t offset) { return access(offset, false, 0, 0xF); }
  /// Whether the last access was answered with an error.
  bool access_failed() const { return access_failed_; }

  std::uint64_t cycle() const { return cycle_; }
  /// Clock edges so far; fewer than cycles only with gating.
  std::uint64_t edges() const { return edges_; }

  Model& model() { return model_; }

 protected:
  void reset() {
    lower_clocks();
    model_.rst_ni = 1;
    model_.eval();
    model_.rst_ni = 0;
    model_.eval();
    model_.rst_ni = 1;
    model_.eval();
  }
  virtual void drive() = 0;
  virtual void observe() = 0;

  VerilatedContext context_;
  Model model_{&context_};

 private:
  void lower_clocks() {
    model_.clk_i = 0;
    if constexpr (HasRegisterClock<Model>::value) model_.reg_clk_i = 0;
  }

  /// Raises the requested clocks; false if none is requested.
  bool raise_clocks() {
    model_.clk_i = !gating_ || model_.clk_req_o;
    if constexpr (HasRegisterClock<Model>::value) {
      model_.reg_clk_i = !gating_ || model_.reg_clk_req_o;
      return model_.clk_i || model_.reg_clk_i;
    }
    return model_.clk_i;
  }

  std::uint32_t access(std::size_t offset, bool write, std::uint32_t value,
                       std::uint32_t byte_enables) {
    model_.reg_req_i = reg_port::request(write, offset, value, byte_enables);
    // The answer is combinational: it must be read before the edge of its cycle.
    lower_clocks();
    model_.eval();
    const std::uint32_t data = reg_port::data(model_.reg_rsp_o);
    access_failed_ = reg_port::failed(model_.reg_rsp_o);
    step();
    model_.reg_req_i = reg_port::kNone;
    return data;
  }

  bool gating_;
  bool access_failed_ = false;
  std::uint64_t cycle_ = 0;
  std::uint64_t edges_ = 0;
};

}  // namespace headstack::disk_test
