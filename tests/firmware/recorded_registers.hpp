// SPDX-License-Identifier: Apache-2.0
// Registers for the test of a driver: reads return the test's values, and writes are recorded.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace headstack::test {

using Writes = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // address, value

struct RecordedRegisters {
  /// Values that reads of an address return, one after another, and then the last one again; 0
  /// without values.
  std::map<std::uint32_t, std::deque<std::uint32_t>> answers;
  Writes writes;
  std::vector<std::uint32_t> reads;  // addresses
};

/// The registers that hal_read32() and hal_write32() access.
inline RecordedRegisters& registers() {
  static RecordedRegisters only;
  return only;
}

/// The writes since the last call.
inline Writes taken_writes() { return std::exchange(registers().writes, {}); }

}  // namespace headstack::test
