// SPDX-License-Identifier: Apache-2.0
// The debugger's numbers of the core's registers. The numbers of the others follow (registers.hpp).
#pragma once

#include <cstddef>

namespace headstack::debug {

/// The number of registers in packet `g`: x0 to x31 and pc, which have these numbers.
constexpr unsigned kCoreRegisters = 33;
constexpr unsigned kPc = 32;
constexpr std::size_t kCoreRegisterBytes = 4;

}  // namespace headstack::debug
