// SPDX-License-Identifier: Apache-2.0
// Registers of a driver's test: a read answers what the test has put there, a write is noted.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

namespace headstack::test {

using Writes = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // address, value

struct RecordedRegisters {
  /// What reads of an address give, one after another; the last one from then on. 0 without any.
  std::map<std::uint32_t, std::deque<std::uint32_t>> answers;
  Writes writes;
  std::vector<std::uint32_t> reads;  // addresses
};

/// Those that hal_read32() and hal_write32() access.
inline RecordedRegisters& registers() {
  static RecordedRegisters only;
  return only;
}

/// What has been written since the last call.
inline Writes taken_writes() { return std::exchange(registers().writes, {}); }

}  // namespace headstack::test
