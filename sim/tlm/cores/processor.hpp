// SPDX-License-Identifier: Apache-2.0
/// @file
/// The interface of the fast platform's processors to the other blocks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "firmware/hal/mmio.h"
#include "sim/tlm/kernel/ports.hpp"

namespace headstack::tlm {

/// The target of an address outside of firmware RAM (hdl/bus/bus_pkg.sv).
enum class Owner { kNobody, kRegisters, kBuffer };

class Processor : public InterruptSink, public ExitSink {
 public:
  class Map {
   public:
    /// The pages of registers, in the order of the address map.
    std::array<RegisterPage*, 8> pages{};
    BufferWindow* buffer = nullptr;

    static Owner owner_of(std::uint32_t address) {
      if (address >> 15 == kPages) return Owner::kRegisters;
      return (address & ~kBufferMask) == HAL_BASE_BUFFER_RAM ? Owner::kBuffer : Owner::kNobody;
    }
    /// Reads a word. False, with `value` unchanged, if the address has no target or no register.
    bool read(std::uint32_t address, std::uint32_t& value) const {
      const Owner owner = owner_of(address);
      if (owner == Owner::kRegisters) return page(address).read(offset(address), value);
      if (owner == Owner::kNobody) return false;
      value = buffer->read_word(address & kBufferMask);
      return true;
    }
    /// Writes the bits of `mask`, which covers whole bytes. False if the address has no target or
    /// no register.
    bool write(std::uint32_t address, std::uint32_t value,
               std::uint32_t mask = RegisterPage::kWholeWord) const {
      const Owner owner = owner_of(address);
      if (owner == Owner::kRegisters) return page(address).write(offset(address), value, mask);
      if (owner == Owner::kNobody) return false;
      const std::uint32_t at = address & kBufferMask;
      const std::uint32_t kept =
          mask == RegisterPage::kWholeWord ? 0 : buffer->read_word(at) & ~mask;
      buffer->write_word(at, kept | (value & mask));
      return true;
    }

    /// Whether the address is that of an aligned word of registers.
    static bool is_register_word(std::uint32_t address) {
      return (address & (~kPagesMask | 3U)) == kPages << 15;
    }
    /// The page of a register's address.
    RegisterPage& page(std::uint32_t address) const { return *pages[address >> 12 & 7]; }
    static std::uint32_t offset(std::uint32_t address) { return address & kPageMask; }

   private:
    // The blocks' pages are 32 KiB together.
    static constexpr std::uint32_t kPages = 0x4000'0000U >> 15;
    static constexpr std::uint32_t kPagesMask = 0x7FFF;
    static constexpr std::uint32_t kPageMask = 0xFFF;
    static constexpr std::uint32_t kBufferMask = HAL_BUFFER_RAM_BYTES - 1;
    static_assert((HAL_BUFFER_RAM_BYTES & kBufferMask) == 0);
  };

  /// Call it before the agenda runs. The parts of `map` must outlive the processor.
  virtual void connect(const Map& map) = 0;
  /// The exit code, once the firmware has ended the run; the core then stops.
  virtual std::optional<std::uint32_t> exit_code() const = 0;
  /// The number of register accesses, and the time spent awake.
  virtual std::uint64_t accesses() const = 0;
  virtual Picoseconds awake_time() const = 0;
};

}  // namespace headstack::tlm
