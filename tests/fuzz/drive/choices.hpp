// SPDX-License-Identifier: Apache-2.0
/// @file
/// Choices from bytes: random numbers of a seed, or libFuzzer's input. Bytes after the last are 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

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

/// Further choices for a setup that has used up its bytes. The same setup gives the same ones.
class FurtherChoices {
 public:
  FurtherChoices(const std::uint8_t* setup, std::size_t count) : random_(seed_of(setup, count)) {}

  /// kBytes bytes, until the next call.
  Choices next() {
    for (std::uint8_t& byte : bytes_) byte = static_cast<std::uint8_t>(random_());
    return {bytes_.data(), bytes_.size()};
  }

 private:
  static constexpr std::size_t kBytes = 256;

  /// FNV-1a.
  static std::uint64_t seed_of(const std::uint8_t* bytes, std::size_t count) {
    std::uint64_t hash = 0xCBF29CE484222325ULL;
    for (std::size_t i = 0; i < count; ++i) hash = (hash ^ bytes[i]) * 0x100000001B3ULL;
    return hash;
  }

  std::mt19937_64 random_;
  std::array<std::uint8_t, kBytes> bytes_{};
};

}  // namespace headstack::fuzz
