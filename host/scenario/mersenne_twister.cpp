// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/mersenne_twister.hpp"

#include <array>
#include <cstddef>

namespace headstack::scenario {
namespace {

/// The authors' init_by_array(), which the seed sequences of the standard library lack. The key is
/// one word, or two if the seed has more than 32 bits.
class ArraySeed {
 public:
  using result_type = std::uint32_t;

  explicit ArraySeed(std::uint64_t seed)
      : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)} {}

  /// Fills the state of an engine, which is an array of words.
  template <class Word>
  void generate(Word* begin, Word* end) const {
    constexpr std::uint32_t kFirst = 19'650'218;
    constexpr std::uint32_t kFillFactor = 1'812'433'253;
    constexpr std::uint32_t kMixFactor = 1'664'525;
    constexpr std::uint32_t kSpreadFactor = 1'566'083'941;
    const auto words = static_cast<std::size_t>(end - begin);
    std::uint32_t last = begin[0] = kFirst;
    for (std::size_t i = 1; i < words; ++i) {
      begin[i] = last = kFillFactor * folded(last) + static_cast<std::uint32_t>(i);
    }
    std::size_t at = 1;
    const auto step = [&] {
      last = static_cast<std::uint32_t>(begin[at]);
      if (++at < words) return;
      begin[0] = last;
      at = 1;
    };
    last = kFirst;
    const std::size_t key_words = key_[1] == 0 ? 1 : 2;
    for (std::size_t i = 0; i < words; ++i) {
      const auto word = static_cast<std::uint32_t>(i % key_words);
      begin[at] = (word_at(begin, at) ^ (folded(last) * kMixFactor)) + key_[word] + word;
      step();
    }
    for (std::size_t i = 1; i < words; ++i) {
      begin[at] =
          (word_at(begin, at) ^ (folded(last) * kSpreadFactor)) - static_cast<std::uint32_t>(at);
      step();
    }
    begin[0] = 0x8000'0000;
  }

 private:
  static std::uint32_t folded(std::uint32_t word) { return word ^ (word >> 30); }
  template <class Word>
  static std::uint32_t word_at(const Word* words, std::size_t at) {
    return static_cast<std::uint32_t>(words[at]);
  }

  std::array<std::uint32_t, 2> key_;
};

std::mt19937 engine_of(std::uint64_t seed) {
  ArraySeed sequence(seed);
  return std::mt19937(sequence);
}

}  // namespace

MersenneTwister::MersenneTwister(std::uint64_t seed) : engine_(engine_of(seed)) {}

double MersenneTwister::number() {
  constexpr double kLowRange = 67'108'864;          // 2^26
  constexpr double kRange = 9'007'199'254'740'992;  // 2^53
  const auto high = static_cast<double>(engine_() >> 5);
  const auto low = static_cast<double>(engine_() >> 6);
  return (high * kLowRange + low) / kRange;
}

}  // namespace headstack::scenario
