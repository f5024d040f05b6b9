// SPDX-License-Identifier: Apache-2.0
// Random numbers, and functions for distributions, with the same bits on every host. They use only
// integers, and floating-point operations that IEEE 754 rounds in one way (+ - * / and scaling by
// 2).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/units.hpp"

namespace headstack::traces {

/// The natural logarithm of a number above 0, to some units in the last place.
double exact_log(double x);
/// The value of e to the power of x, |x| below 700, to some units in the last place.
double exact_exp(double x);

/// xoshiro256** (D. Blackman, S. Vigna, "Scrambled linear pseudorandom number generators", ACM TOMS
/// 47, 2021). Its state is filled by splitmix64.
class SynthRandom {
 public:
  explicit SynthRandom(std::uint64_t seed);
  std::uint64_t next();
  /// Random number in 0 .. n - 1; n is 1 or more. The distribution differs from uniform by at most
  /// n / 2^64.
  std::uint64_t below(std::uint64_t n);
  /// A uniform random time from `least` to `most`, both inclusive; `least` is not above `most`.
  Picoseconds between(Picoseconds least, Picoseconds most) {
    return least + static_cast<Picoseconds>(below(static_cast<std::uint64_t>(most - least) + 1));
  }
  /// Random number above 0, at most 1.
  double unit();
  /// An exponentially distributed time with this mean, to the picosecond.
  Picoseconds exponential(Picoseconds mean);

 private:
  std::array<std::uint64_t, 4> state_;
};

/// Chooses an index by weight: Walker's alias method (M. Vose's form, IEEE TSE 17, 1991).
class WeightedChoice {
 public:
  /// Weights by index; at least one must be above 0.
  explicit WeightedChoice(const std::vector<double>& weights);
  std::size_t choose(SynthRandom& random) const;

 private:
  std::vector<double> keep_;  // probability with which an index stays; else its alias
  std::vector<std::uint32_t> alias_;
};

}  // namespace headstack::traces
