// SPDX-License-Identifier: Apache-2.0
// MT19937 (M. Matsumoto, T. Nishimura, ACM TOMACS 8, 1998), seeded by an array and read as numbers
// below 1, as the authors' version of 2002 does. Python's random.Random(seed).random() is the same.
#pragma once

#include <cstdint>
#include <random>

namespace headstack::scenario {

class MersenneTwister {
 public:
  explicit MersenneTwister(std::uint64_t seed);

  /// Random number in [0, 1), in steps of 2^-53.
  double number();
  /// Random whole number in 0 .. n - 1; n is below 2^53.
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>(number() * static_cast<double>(n));
  }

 private:
  std::mt19937 engine_;
};

}  // namespace headstack::scenario
