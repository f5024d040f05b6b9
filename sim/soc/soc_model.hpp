// SPDX-License-Identifier: Apache-2.0
/// @file
/// The common interface of the two Verilated builds; only soc.cpp and the builds include it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sim/soc/soc.hpp"

namespace headstack::soc {

class SocModel {
 public:
  virtual ~SocModel() = default;
  virtual void reset() = 0;
  virtual void set_inputs(const SocInputs& inputs) = 0;
  /// Runs an edge. @return true where it has shown a fault, once watch_faults() was called.
  virtual bool step(std::uint64_t edge, ClockSet clocks) = 0;
  virtual void watch_faults(std::uint32_t stack_limit) = 0;
  virtual CoreFault fault() const = 0;
  virtual CoreFrame frame() const = 0;
  virtual SocOutputs outputs() const = 0;
  virtual SocClockState clock_state() const = 0;
  virtual SocReport report() const = 0;
  virtual CoreActivity activity() const = 0;
  virtual CoreStage stage() const = 0;
  virtual CoreRegisters registers() const = 0;
  virtual void set_register(unsigned number, std::uint32_t value) = 0;
  /// RAM by words; `word` counts from 0.
  virtual std::uint32_t ram_word(std::uint32_t word) const = 0;
  virtual void set_ram_word(std::uint32_t word, std::uint32_t value) = 0;
  virtual std::uint32_t buffer_word(std::uint32_t word) const = 0;
  virtual std::optional<std::uint32_t> load_register(std::uint32_t address) = 0;
  virtual void lower_clock() = 0;
  virtual void open_waves(const std::string& path, const WaveSignals* beside) = 0;
  virtual void write_waves(Picoseconds at) = 0;
  virtual void flush_waves() = 0;
  virtual void close_waves() = 0;
  virtual void abandon_waves() = 0;
};

std::unique_ptr<SocModel> make_fast_soc_model();
std::unique_ptr<SocModel> make_inspect_soc_model();

}  // namespace headstack::soc
