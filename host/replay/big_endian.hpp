// SPDX-License-Identifier: Apache-2.0
// Numbers in what a drive sends: the most significant byte comes first (SCSI-2 7.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headstack::replay {

/// Reads a number of `count` bytes, at most 4, from `at` on. Throws std::out_of_range.
inline std::uint32_t big_endian(const std::vector<std::uint8_t>& bytes, std::size_t at,
                                std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8U | bytes.at(at + i);
  return value;
}

}  // namespace headstack::replay
