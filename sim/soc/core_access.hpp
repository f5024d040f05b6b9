// SPDX-License-Identifier: Apache-2.0
/// @file
/// The access of a debugger to the processor, in the Verilated electronics (Soc) or the exact core.
///
/// All state is that of the last cycle reported to the core's watcher (CoreWatcher::core_cycle).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/soc/soc_ports.hpp"

namespace headstack::soc {

/// The next instruction, in the cycle that begins with the last edge. An instruction begins in the
/// first cycle in which it is ready. All older instructions are done by the end of that cycle, and
/// it has had no effect yet.
struct CoreStage {
  bool entered = false;  // whether it was not in the stage in the cycle before
  bool ready = false;  // whether it is in the stage, with all older instructions done by the end of
                       // this cycle
  std::uint32_t pc = 0;  // address of the instruction in the stage, or of the one to come
  // Whether it accesses data in this cycle, from `address` on. If the access crosses a word, this
  // is a part of it.
  bool access = false;
  bool write = false;
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;
};

/// The core's registers as programs read them.
struct CoreRegisters {
  std::array<std::uint32_t, 32> x{};
  std::uint32_t pc = 0;
  std::uint32_t mstatus = 0;
  std::uint32_t mie = 0;
  std::uint32_t mtvec = 0;
  std::uint32_t mscratch = 0;
  std::uint32_t mepc = 0;
  std::uint32_t mcause = 0;
  std::uint32_t mtval = 0;
  std::uint32_t mip = 0;
};

class CoreAccess {
 public:
  static constexpr std::uint32_t kRamBytes = kFirmwareRamBytes;
  static constexpr std::uint32_t kBufferBytes = 2048 * 1024;

  virtual ~CoreAccess() = default;

  virtual CoreStage stage() const = 0;
  /// The registers at the end of this cycle. When an instruction begins, these are the values that
  /// it reads. In the middle of an instruction, `x` may hold some of its results.
  virtual CoreRegisters registers() const = 0;
  /// Sets x[number], 1 to 31, when an instruction begins: that instruction reads the value.
  virtual void set_register(unsigned number, std::uint32_t value) = 0;
  /// Whether the core is in wfi.
  virtual bool asleep() const = 0;

  /// Firmware RAM by the core's addresses; an access past its end is an assertion.
  virtual std::vector<std::uint8_t> read_ram(std::uint32_t address, std::size_t bytes) const = 0;
  virtual void write_ram(std::uint32_t address, const std::vector<std::uint8_t>& bytes) = 0;
  /// The sector buffer from byte `offset` on; an access past its end is an assertion.
  virtual std::vector<std::uint8_t> read_buffer(std::uint32_t offset, std::size_t bytes) const = 0;

  /// The value that a load of a block's register would return in the cycle that begins with the
  /// last edge; none where it would fail. It has the load's effects, or leaves the electronics in a
  /// state that no run has. Call it only in a copy of the process that ends then.
  virtual std::optional<std::uint32_t> load_register(std::uint32_t address) = 0;
};

}  // namespace headstack::soc
