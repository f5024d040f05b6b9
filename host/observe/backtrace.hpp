// SPDX-License-Identifier: Apache-2.0
// The callers of the place at which the drive's core has stopped. They come from the call frame
// information of its program (DWARF 4, 6.4), and the stack in its RAM.
//
// The firmware's stack frames are relative to the stack pointer, and its functions save only
// registers there. So three registers are enough: program counter, stack pointer and return
// address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace headstack::observe {

/// A stack frame: a function that has begun and not ended.
struct Frame {
  std::uint32_t pc = 0;  // innermost frame: next instruction; others: return address
  std::uint32_t sp = 0;
};

/// Reads a word at an address; returns nothing outside RAM.
using WordAt = std::function<std::optional<std::uint32_t>(std::uint32_t address)>;

class Unwinder {
 public:
  /// @param debug_frame  content of the program's section .debug_frame; must outlive this object.
  explicit Unwinder(const std::vector<std::uint8_t>& debug_frame) : bytes_(debug_frame) {}

  /// Frames from the innermost outwards, up to one without call frame information. There are at
  /// most `most`.
  std::vector<Frame> frames(std::uint32_t pc, std::uint32_t sp, std::uint32_t return_address,
                            const WordAt& word_at, std::size_t most = 32) const;

 private:
  /// Rules that give the caller's registers at one instruction (DWARF 4, 6.4.1).
  struct Rules {
    std::uint64_t cfa_offset = 0;                // caller's stack pointer minus this frame's
    std::optional<std::int64_t> return_address;  // offset from the caller's stack pointer; none: in
                                                 // register ra
  };
  std::optional<Rules> rules_at(std::uint32_t pc) const;

  const std::vector<std::uint8_t>& bytes_;
};

}  // namespace headstack::observe
