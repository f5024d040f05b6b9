// SPDX-License-Identifier: Apache-2.0
#include "sim/media/check_code.hpp"

#include <zlib.h>

namespace headstack::media {

std::uint32_t crc32_ieee(const std::uint8_t* data, std::size_t data_bytes, std::uint32_t running) {
  if (data_bytes == 0) return running;  // zlib would return the initial value for a null pointer
  return static_cast<std::uint32_t>(crc32_z(running, data, data_bytes));
}

CheckCode default_check_code(std::uint32_t check_bytes) {
  if (check_bytes == 0) {
    return [](const std::uint8_t*, std::size_t, std::uint8_t*) {};
  }
  if (check_bytes != 4) return {};
  return [](const std::uint8_t* data, std::size_t data_bytes, std::uint8_t* check) {
    const std::uint32_t crc = crc32_ieee(data, data_bytes);
    for (int i = 0; i < 4; ++i) check[i] = static_cast<std::uint8_t>(crc >> (24 - 8 * i));
  };
}

}  // namespace headstack::media
