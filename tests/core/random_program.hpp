// SPDX-License-Identifier: Apache-2.0
/// @file
/// Random programs: instructions from a seed, of a few classes each, in every order and at every
/// alignment, with interrupts among them.
#pragma once

#include <cstdint>
#include <vector>

namespace headstack::core::test {

/// The instructions of a program besides arithmetic.
enum Class : unsigned {
  kShort = 1U << 0,        // 16-bit forms
  kMemory = 1U << 1,       // loads and stores of RAM
  kMisaligned = 1U << 2,   // accesses that cross words
  kMultiply = 1U << 3,     // multiplications and divisions
  kBranches = 1U << 4,     // branches and jumps
  kCsrs = 1U << 5,         // CSR accesses; interrupts off and on, too
  kRegisters = 1U << 6,    // accesses to the timer and the trace port
  kWindow = 1U << 7,       // accesses to the buffer
  kFaults = 1U << 8,       // addresses without a target, registers that do not exist
  kTraps = 1U << 9,        // illegal instructions, ecall, ebreak
  kInterrupts = 1U << 10,  // the timer's
  kSleep = 1U << 11,       // wfi
  kUserMode = 1U << 12,
  kFences = 1U << 13,
};
constexpr unsigned kAllClasses = (1U << 14) - 1;

/// The program from address 0 on: vectors, handlers, set-up, the random part. At its end it sleeps
/// for ever.
std::vector<std::uint8_t> random_program(std::uint64_t seed, unsigned classes,
                                         std::uint32_t instructions);

}  // namespace headstack::core::test
