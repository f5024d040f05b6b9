// SPDX-License-Identifier: Apache-2.0
/// @file Programs that access CSRs by number, whether they exist or not, and store in RAM the
/// values that they read and the traps that they took.
#pragma once

#include <cstdint>
#include <vector>

namespace headstack::core::test {

constexpr unsigned kCsrNumbers = 4096;

/// Accesses the CSRs `first` to `first + count - 1`, at most 128: reads, writes, sets and clears.
/// At its end it sleeps for ever.
/// @param user  whether the accesses are made in user mode.
std::vector<std::uint8_t> csr_program(unsigned first, unsigned count, bool user);

/// Reads minstret after instructions that have left the write-back stage, and after others.
std::vector<std::uint8_t> counter_program();

/// In user mode, a wfi with mstatus.TW, and a dret: both are illegal.
std::vector<std::uint8_t> user_wait_program();

}  // namespace headstack::core::test
