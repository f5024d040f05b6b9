/// @file
/// The processor as a debugger works with it, wherever it executes: in the electronics (Soc), or
/// exact to the cycle without them.
///
/// All is as of the cycle that the core's watcher was shown last (CoreWatcher::core_cycle).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/soc/soc_ports.hpp"

namespace headstack::soc {

/// The instruction that is next to act, in the cycle that begins with the last edge. An instruction
/// begins in the first cycle in which it is ready: then everything older is done, or is done with
/// this cycle, and nothing of it has happened yet.
struct CoreStage {
  bool entered = false;  // it was not there in the cycle before
  bool ready = false;    // it is there, and nothing older is under way that this cycle does not end
  std::uint32_t pc = 0;  // its address; without one, that of the instruction to come
  // It makes an access to data in this cycle, of the bytes from `address` on; a part of one, where
  // the access crosses a word.
  bool access = false;
  bool write = false;
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;
};

/// The registers of the core as programs know them.
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
  /// With what completes in this cycle: where an instruction begins, exactly what it finds. In the
  /// middle of one, `x` may have parts of it.
  virtual CoreRegisters registers() const = 0;
  /// Sets x[number], 1 to 31, where an instruction begins: that instruction finds it.
  virtual void set_register(unsigned number, std::uint32_t value) = 0;
  /// In wfi.
  virtual bool asleep() const = 0;

  /// Firmware RAM by the core's addresses; an access past its end is an assertion.
  virtual std::vector<std::uint8_t> read_ram(std::uint32_t address, std::size_t bytes) const = 0;
  virtual void write_ram(std::uint32_t address, const std::vector<std::uint8_t>& bytes) = 0;
  /// The sector buffer, from its byte `offset` on; likewise.
  virtual std::vector<std::uint8_t> read_buffer(std::uint32_t offset, std::size_t bytes) const = 0;
};

}  // namespace headstack::soc
