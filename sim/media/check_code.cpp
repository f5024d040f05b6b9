#include "sim/media/check_code.hpp"

#include <array>

namespace headstack::media {
namespace {

// 0x04C11DB7 with its bits reversed, because the code takes the least significant bit first.
constexpr std::uint32_t kReversedPolynomial = 0xEDB88320U;

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 1U) != 0 ? (crc >> 1) ^ kReversedPolynomial : crc >> 1;
    }
    table[byte] = crc;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kCrcTable = make_crc_table();

}  // namespace

std::uint32_t crc32_ieee(const std::uint8_t* data, std::size_t data_bytes, std::uint32_t running) {
  std::uint32_t crc = ~running;
  for (std::size_t i = 0; i < data_bytes; ++i) {
    crc = (crc >> 8) ^ kCrcTable[(crc ^ data[i]) & 0xFFU];
  }
  return ~crc;
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
