// SPDX-License-Identifier: Apache-2.0
/// @file
/// Choices from bytes: random numbers of a seed, or libFuzzer's input. Bytes after the last are 0.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headstack::fuzz {

class Choices {
 public:
  Choices(const std::uint8_t* bytes, std::size_t count) : bytes_(bytes), left_(count) {}

  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *bytes_++;
  }
  std::uint32_t word() { return static_cast<std::uint32_t>(byte() << 8U | byte()); }
  /// 0 .. count - 1; uses one byte for counts up to 256.
  std::uint32_t below(std::uint32_t count) {
    return (count <= 256 ? byte() : word()) % (count == 0 ? 1 : count);
  }
  /// True in `of` of 256 cases; false for a byte of 0.
  bool chance(std::uint32_t of) { return byte() + of >= 256; }

 private:
  const std::uint8_t* bytes_;
  std::size_t left_;
};

}  // namespace headstack::fuzz
