#include "sim/media/check_code.hpp"

#include <array>

namespace headstack::media {
namespace {

// 0x04C11DB7 with its bits reversed, because the code takes the least significant bit first.
constexpr std::uint32_t kReversedPolynomial = 0xEDB88320U;

// Row k is what a byte comes to after k zero bytes have followed it: eight bytes, each by its own
// row, are taken in one step (Kounavis, Berry: A systematic approach to building high performance
// software-based CRC generators, 2005).
constexpr std::size_t kSlices = 8;
using CrcTable = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr CrcTable make_crc_table() {
  CrcTable table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 1U) != 0 ? (crc >> 1) ^ kReversedPolynomial : crc >> 1;
    }
    table[0][byte] = crc;
  }
  for (std::size_t slice = 1; slice < kSlices; ++slice) {
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t crc = table[slice - 1][byte];
      table[slice][byte] = (crc >> 8) ^ table[0][crc & 0xFFU];
    }
  }
  return table;
}

constexpr CrcTable kCrcTable = make_crc_table();

/// Four bytes, the first lowest, whatever the host's order.
std::uint32_t little_endian(const std::uint8_t* from) {
  return from[0] | static_cast<std::uint32_t>(from[1]) << 8 |
         static_cast<std::uint32_t>(from[2]) << 16 | static_cast<std::uint32_t>(from[3]) << 24;
}

}  // namespace

std::uint32_t crc32_ieee(const std::uint8_t* data, std::size_t data_bytes, std::uint32_t running) {
  std::uint32_t crc = ~running;
  for (; data_bytes >= kSlices; data += kSlices, data_bytes -= kSlices) {
    const std::uint32_t low = crc ^ little_endian(data);
    const std::uint32_t high = little_endian(data + 4);
    crc = kCrcTable[7][low & 0xFFU] ^ kCrcTable[6][(low >> 8) & 0xFFU] ^
          kCrcTable[5][(low >> 16) & 0xFFU] ^ kCrcTable[4][low >> 24] ^ kCrcTable[3][high & 0xFFU] ^
          kCrcTable[2][(high >> 8) & 0xFFU] ^ kCrcTable[1][(high >> 16) & 0xFFU] ^
          kCrcTable[0][high >> 24];
  }
  for (std::size_t i = 0; i < data_bytes; ++i) {
    crc = (crc >> 8) ^ kCrcTable[0][(crc ^ data[i]) & 0xFFU];
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
