// SPDX-License-Identifier: Apache-2.0
/// @file
/// FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv): the hash that shows whether anything
/// changed.
///
/// It goes byte by byte, so it is the same on every host. It detects accidents, not an adversary.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headstack::media {

class Fnv1a64 {
 public:
  void add(const std::uint8_t* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) value_ = (value_ ^ bytes[i]) * kPrime;
  }

  /// Adds `number` as 8 bytes, least significant first.
  void add_u64(std::uint64_t number) {
    for (int i = 0; i < 8; ++i) value_ = (value_ ^ ((number >> (8 * i)) & 0xFFU)) * kPrime;
  }

  /// Adds `number` in one step, as if it were a byte of 64 bits: eight times as fast. A step is
  /// invertible, so two streams that differ in one word keep different hashes.
  void add_word(std::uint64_t number) { value_ = (value_ ^ number) * kPrime; }

  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  static constexpr std::uint64_t kOffsetBasis = 0xCBF29CE484222325ULL;
  static constexpr std::uint64_t kPrime = 0x00000100000001B3ULL;
  std::uint64_t value_ = kOffsetBasis;
};

}  // namespace headstack::media
