// SPDX-License-Identifier: Apache-2.0
// The meaning of a stopped firmware's code in the test device's EXIT register, and on its console.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "sim/soc/core_fault.hpp"

namespace headstack::soc {

/// The file that asserts under this number (firmware/kernel/file_ids.def).
inline std::string asserting_file(std::uint32_t file_id) {
  switch (file_id) {
#define ASSERTING_FILE(number, name, path) \
  case (number):                           \
    return (path);
#include "firmware/kernel/file_ids.def"
#undef ASSERTING_FILE
    default: return fmt::format("file {}, which firmware/kernel/file_ids.def lacks", file_id);
  }
}

/// The address of the instruction that raised an exception; nothing for an assertion.
inline std::optional<std::uint32_t> stopped_at(std::uint32_t code) {
  constexpr std::uint32_t kException = 1U << 31;
  if ((code & kException) == 0) return std::nullopt;
  return code & 0xFF'FFFF;
}

/// mcause in words (RISC-V privileged architecture, machine cause register).
inline const char* exception_name(std::uint32_t cause) {
  switch (cause) {
    case 1: return "instruction access fault, a bus error";
    case 2: return "illegal instruction";
    case 3: return "breakpoint";
    case 5: return "load access fault, a bus error";
    case 7: return "store access fault, a bus error";
    case 8: return "environment call from user mode";
    case 11: return "environment call";
    default: return "not an exception of this core";
  }
}

/// The stop in words: "assertion at FILE:LINE", "exception 2 (mcause), illegal instruction, at
/// 0x1234". firmware/kernel/assert.h and firmware/start/main.c make the codes.
inline std::string stop_text(std::uint32_t code) {
  if (const std::optional<std::uint32_t> address = stopped_at(code)) {
    const std::uint32_t cause = code >> 24 & 0x7F;
    if (cause == kStackCause) return fmt::format("stack overflow at {:#x}", *address);
    return fmt::format("exception {} (mcause), {}, at {:#x}", cause, exception_name(cause),
                       *address);
  }
  return fmt::format("assertion at {}:{}", asserting_file(code >> 16), code & 0xFFFF);
}

/// The sentence about a fault; `name_at` gives the name of the function at an address.
template <class NameAt>
std::string fault_text(const CoreFault& fault, const NameAt& name_at) {
  const std::string caller = name_at(fault.return_address);
  if (fault.is_stack) {
    return fmt::format(
        "the firmware's stack overflowed in {} (pc {:#x}): sp {:#x} is below __stack_limit {:#x}; "
        "called from {}",
        name_at(fault.pc), fault.pc, fault.sp, fault.value, caller);
  }
  return fmt::format(
      "the firmware stopped: exception {} (mcause), {}, at {:#x} in {}; mtval {:#x}, sp {:#x}, "
      "called "
      "from {}",
      fault.cause, exception_name(fault.cause), fault.pc, name_at(fault.pc), fault.value, fault.sp,
      caller);
}

}  // namespace headstack::soc
