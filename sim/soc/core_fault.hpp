// SPDX-License-Identifier: Apache-2.0
/// @file
/// Faults of the drive's core that end its run. The electronics and the exact core stop at them, at
/// the same clock edge and with the same words.
///
/// Nothing in the world raises an exception, and the firmware's stack has a computed size. So
/// either fault is a bug. The core stops at once, because an exception handler needs a stack, and
/// what lies below the stack is the drive's state.
#pragma once

#include <cstdint>

namespace headstack::soc {

/// The registers from which a backtrace begins.
struct CoreFrame {
  std::uint32_t pc = 0;
  std::uint32_t sp = 0;
  std::uint32_t return_address = 0;  // ra
};

struct CoreFault {
  bool is_stack = false;    // sp has fallen below its limit; otherwise an exception
  std::uint64_t edge = 0;   // first edge after which the core's registers show it
  std::uint32_t cause = 0;  // exception: mcause
  std::uint32_t pc = 0;     // address of the instruction
  std::uint32_t value = 0;  // exception: mtval; stack: its lowest address
  std::uint32_t sp = 0;
  std::uint32_t return_address = 0;  // ra
};

/// Replaces a cause in the code for a fault of the stack; mcause has no such exception.
constexpr std::uint32_t kStackCause = 0x7F;

/// The code that firmware/start/main.c would report by the test device's EXIT register.
constexpr std::uint32_t exit_code_of(const CoreFault& fault) {
  return 0x8000'0000U | (fault.is_stack ? kStackCause : fault.cause) << 24 |
         (fault.pc & 0x00FF'FFFFU);
}

}  // namespace headstack::soc
