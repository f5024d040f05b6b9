// SPDX-License-Identifier: Apache-2.0
// Mode page 02h, for tests of its limits.
#pragma once

#include <cstdint>
#include <vector>

namespace headstack::test {

/// Fields as they go over the wire (SCSI-2 8.3.3.2; DImm: SPC-4 7.5.10).
struct TenancyPage {
  std::uint8_t full_ratio = 0x80;
  std::uint8_t empty_ratio = 0;
  std::uint16_t inactivity = 0;  // 100 us, as the next two
  std::uint16_t disconnect = 0;
  std::uint16_t connect = 0;
  std::uint16_t burst = 0;  // 512 bytes
  bool dimm = false;
  std::uint8_t dtdc = 0;

  std::vector<std::uint8_t> bytes() const {
    std::vector<std::uint8_t> page = {0x02, 14, full_ratio, empty_ratio};
    for (const unsigned field : {inactivity, disconnect, connect, burst}) {
      page.push_back(static_cast<std::uint8_t>(field >> 8U));
      page.push_back(static_cast<std::uint8_t>(field));
    }
    page.push_back(static_cast<std::uint8_t>((dimm ? 0x08U : 0U) | dtdc));
    page.resize(16);
    return page;
  }
  /// The parameter list of MODE SELECT(6).
  std::vector<std::uint8_t> list() const {
    std::vector<std::uint8_t> list(4);
    for (const std::uint8_t byte : bytes()) list.push_back(byte);
    return list;
  }
};

}  // namespace headstack::test
