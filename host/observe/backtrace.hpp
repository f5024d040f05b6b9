// SPDX-License-Identifier: Apache-2.0
// The callers of the place at which the drive's core has stopped. They come from the call frame
// information of its program (DWARF 4, 6.4), and the stack in its RAM.
//
// The firmware's frames lie on the stack pointer, and its functions save nothing but registers
// there. So three registers are enough: program counter, stack pointer and return address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace headstack::observe {

/// A function that is being executed.
struct Frame {
  std::uint32_t pc = 0;  // in the innermost one where it stands, in the others where they return to
  std::uint32_t sp = 0;
};

/// A word of RAM; none outside of it.
using WordAt = std::function<std::optional<std::uint32_t>(std::uint32_t address)>;

class Unwinder {
 public:
  /// @param debug_frame  content of the program's section .debug_frame; must outlive this object.
  explicit Unwinder(const std::vector<std::uint8_t>& debug_frame) : bytes_(debug_frame) {}

  /// The innermost first, up to a frame without information, or `most`.
  std::vector<Frame> frames(std::uint32_t pc, std::uint32_t sp, std::uint32_t return_address,
                            const WordAt& word_at, std::size_t most = 32) const;

 private:
  /// Where, at one instruction, the caller's registers are.
  struct Rules {
    std::uint64_t cfa_offset = 0;                // the caller's sp: this one's and the offset
    std::optional<std::int64_t> return_address;  // from the caller's sp; none: still in ra
  };
  std::optional<Rules> rules_at(std::uint32_t pc) const;

  const std::vector<std::uint8_t>& bytes_;
};

}  // namespace headstack::observe
