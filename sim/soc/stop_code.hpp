// SPDX-License-Identifier: Apache-2.0
// What a firmware that stopped says by the test device's EXIT register, and on its console.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

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

/// "assertion at FILE:LINE", "exception 5 (mcause) at 0x1234": firmware/kernel/assert.h and
/// firmware/start/main.c make the codes.
inline std::string stop_text(std::uint32_t code) {
  if (const std::optional<std::uint32_t> address = stopped_at(code)) {
    return fmt::format("exception {} (mcause) at {:#x}", code >> 24 & 0x7F, *address);
  }
  return fmt::format("assertion at {}:{}", asserting_file(code >> 16), code & 0xFFFF);
}

/// What firmware/start/main.c prints when it stops for an exception. The exit code has only the low
/// bits of the address.
struct ExceptionReport {
  std::uint32_t pc = 0;              // of the instruction
  std::uint32_t value = 0;           // mtval
  std::uint32_t return_address = 0;  // ra
};

/// The last report on the console, if there is one.
inline std::optional<ExceptionReport> exception_report(const std::string& console) {
  const std::size_t at = console.rfind("exception: pc ");
  ExceptionReport report;
  if (at == std::string::npos ||
      std::sscanf(console.c_str() + at, "exception: pc %x value %x ra %x", &report.pc,
                  &report.value, &report.return_address) != 3) {
    return std::nullopt;
  }
  return report;
}

}  // namespace headstack::soc
