/// @file
/// What stands in the processor's place on the fast platform, as the other blocks see it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/tlm/kernel/ports.hpp"

namespace headstack::tlm {

/// Whose an address outside of firmware RAM is (hdl/README.md, addresses).
enum class Owner { kNobody, kRegisters, kBuffer };

class Processor : public InterruptSink, public ExitSink {
 public:
  class Map {
   public:
    /// In the order of the address map.
    std::array<RegisterPage*, 8> pages{};
    BufferWindow* buffer = nullptr;

    static Owner owner_of(std::uint32_t address) {
      if (address >> 15 == kPages) return Owner::kRegisters;
      return address >> 21 == kBuffer ? Owner::kBuffer : Owner::kNobody;
    }
    /// Of a word. False, and `value` as it was: nobody's address, or one without a register.
    bool read(std::uint32_t address, std::uint32_t& value) const {
      const Owner owner = owner_of(address);
      if (owner == Owner::kRegisters) return page(address).read(offset(address), value);
      if (owner == Owner::kNobody) return false;
      value = buffer->read_word(address & kBufferMask);
      return true;
    }
    /// The bits of `mask`, whose bytes are whole. False likewise.
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

    /// It is that of an aligned word there.
    static bool is_register_word(std::uint32_t address) {
      return (address & (~kPagesMask | 3U)) == kPages << 15;
    }
    /// Of a register's address.
    RegisterPage& page(std::uint32_t address) const { return *pages[address >> 12 & 7]; }
    static std::uint32_t offset(std::uint32_t address) { return address & kPageMask; }

   private:
    // The blocks' pages are 32 KiB together, the window 2 MiB.
    static constexpr std::uint32_t kPages = 0x4000'0000U >> 15;
    static constexpr std::uint32_t kBuffer = 0x5000'0000U >> 21;
    static constexpr std::uint32_t kPagesMask = 0x7FFF;
    static constexpr std::uint32_t kPageMask = 0xFFF;
    static constexpr std::uint32_t kBufferMask = 0x1F'FFFF;
  };

  /// Before the agenda goes on. All must outlive it.
  virtual void connect(const Map& map) = 0;
  /// Set once firmware has ended the run; from then on the core stands still.
  virtual std::optional<std::uint32_t> exit_code() const = 0;
  /// Register accesses made, and time spent awake.
  virtual std::uint64_t accesses() const = 0;
  virtual Picoseconds awake_time() const = 0;
};

}  // namespace headstack::tlm
