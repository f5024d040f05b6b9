/// @file
/// Clock, reset and register port of one Verilated block with the ports that every block has
/// (hdl/README.md).
///
/// A cycle is: drive() sets inputs, they settle, observe() looks at the outputs of the cycle, the
/// clock edge. With gating on, the edge is left out when the block does not ask for it: then a
/// block that forgets to ask behaves differently, and the test that compares finds it.
#pragma once

#include <verilated.h>

#include <cstddef>
#include <cstdint>

namespace headstack::disk_test {

template <class Model>
class BlockBench {
 public:
  explicit BlockBench(bool gating = false) : gating_(gating) {}
  virtual ~BlockBench() {
    model_.final();
    // A model leaves its scopes in the thread's context, which is that of the model evaluated last.
    Verilated::threadContextp(&context_);
  }
  BlockBench(const BlockBench&) = delete;
  BlockBench& operator=(const BlockBench&) = delete;

  /// One clock period.
  void step() {
    model_.clk_i = 0;
    drive();
    model_.eval();
    observe();
    if (!gating_ || model_.clk_req_o) {
      model_.clk_i = 1;
      model_.eval();
      ++edges_;
    }
    ++cycle_;
  }
  void step(std::uint64_t cycles) {
    for (std::uint64_t i = 0; i < cycles; ++i) step();
  }

  /// Steps until a claim holds; false if it does not within `cycles`.
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
  /// Clock edges given; fewer than cycles only with gating.
  std::uint64_t edges() const { return edges_; }

  Model& model() { return model_; }

 protected:
  void reset() {
    model_.clk_i = 0;
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
  std::uint32_t access(std::size_t offset, bool write, std::uint32_t value,
                       std::uint32_t byte_enables) {
    model_.reg_req_i = 1;
    model_.reg_we_i = write;
    model_.reg_addr_i = static_cast<std::uint16_t>(offset);
    model_.reg_wdata_i = value;
    model_.reg_be_i = static_cast<std::uint8_t>(byte_enables);
    // The answer is combinational: it must be looked at before the edge of its cycle.
    model_.clk_i = 0;
    model_.eval();
    const std::uint32_t data = model_.reg_rdata_o;
    access_failed_ = model_.reg_err_o;
    step();
    model_.reg_req_i = 0;
    model_.reg_we_i = 0;
    return data;
  }

  bool gating_;
  bool access_failed_ = false;
  std::uint64_t cycle_ = 0;
  std::uint64_t edges_ = 0;
};

}  // namespace headstack::disk_test
