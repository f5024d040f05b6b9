// SPDX-License-Identifier: Apache-2.0
// Command descriptor blocks that several kinds of hosts send.
#pragma once

#include <cstdint>
#include <vector>

namespace headstack::initiator {

/// Makes a CDB of ten bytes with a block range (SBC-2 5.6): `flags` is byte 1.
inline std::vector<std::uint8_t> cdb10(std::uint8_t operation, std::uint8_t flags,
                                       std::uint64_t lba, std::uint32_t blocks) {
  return {operation,
          flags,
          static_cast<std::uint8_t>(lba >> 24),
          static_cast<std::uint8_t>(lba >> 16),
          static_cast<std::uint8_t>(lba >> 8),
          static_cast<std::uint8_t>(lba),
          0,
          static_cast<std::uint8_t>(blocks >> 8),
          static_cast<std::uint8_t>(blocks),
          0};
}

}  // namespace headstack::initiator
