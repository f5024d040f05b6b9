// The core's registers as the debugger numbers them; the others follow (registers.hpp).
#pragma once

#include <cstddef>

namespace headstack::debug {

/// x0 to x31 and pc: what packet `g` has, with these numbers.
constexpr unsigned kCoreRegisters = 33;
constexpr unsigned kPc = 32;
constexpr std::size_t kCoreRegisterBytes = 4;

}  // namespace headstack::debug
