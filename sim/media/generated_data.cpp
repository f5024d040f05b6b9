// SPDX-License-Identifier: Apache-2.0
#include "sim/media/generated_data.hpp"

namespace headstack::media {
namespace {

constexpr std::size_t kWordBytes = 8;

// SplitMix64's increment and factors, and the factors' inverses modulo 2^64.
constexpr std::uint64_t kIncrement = 0x9E37'79B9'7F4A'7C15;
constexpr std::uint64_t kFirst = 0xBF58'476D'1CE4'E5B9;
constexpr std::uint64_t kSecond = 0x94D0'49BB'1331'11EB;
constexpr std::uint64_t kFirstInverse = 0x96DE'1B17'3F11'9089;
constexpr std::uint64_t kSecondInverse = 0x3196'42B2'D24D'8EC3;
static_assert(kFirst * kFirstInverse == 1 && kSecond * kSecondInverse == 1);

constexpr std::uint64_t mix(std::uint64_t state) {
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * kFirst;
  z = (z ^ (z >> 27)) * kSecond;
  return z ^ (z >> 31);
}

/// Undoes z ^ (z >> shift), for a shift of 22 or more.
constexpr std::uint64_t unshift(std::uint64_t z, unsigned shift) {
  return z ^ (z >> shift) ^ (2 * shift < 64 ? z >> (2 * shift) : 0);
}

constexpr std::uint64_t unmix(std::uint64_t word) {
  std::uint64_t z = unshift(word, 31) * kSecondInverse;
  z = unshift(z, 27) * kFirstInverse;
  return unshift(z, 30);
}
static_assert(unmix(mix(0x0123'4567'89AB'CDEF)) == 0x0123'4567'89AB'CDEF);

void store_word(std::uint64_t word, std::uint8_t* at, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) at[i] = static_cast<std::uint8_t>(word >> (8 * i));
}

std::uint64_t load_word(const std::uint8_t* at) {
  std::uint64_t word = 0;
  for (std::size_t i = kWordBytes; i-- > 0;) word = word << 8 | at[i];
  return word;
}

}  // namespace

void generate_data(std::uint64_t state, std::uint8_t* data, std::size_t bytes) {
  for (; bytes >= kWordBytes; bytes -= kWordBytes, data += kWordBytes) {
    store_word(mix(state += kIncrement), data, kWordBytes);
  }
  if (bytes != 0) store_word(mix(state + kIncrement), data, bytes);
}

std::optional<std::uint64_t> find_generator_state(const std::uint8_t* data, std::size_t bytes) {
  if (bytes < kWordBytes) return std::nullopt;
  const std::uint64_t start = unmix(load_word(data)) - kIncrement;
  std::uint64_t state = start;
  for (; bytes >= kWordBytes; bytes -= kWordBytes, data += kWordBytes) {
    if (load_word(data) != mix(state += kIncrement)) return std::nullopt;
  }
  std::uint8_t rest[kWordBytes];
  store_word(mix(state + kIncrement), rest, kWordBytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    if (data[i] != rest[i]) return std::nullopt;
  }
  return start;
}

}  // namespace headstack::media
