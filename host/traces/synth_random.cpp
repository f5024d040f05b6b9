// SPDX-License-Identifier: Apache-2.0
#include "host/traces/synth_random.hpp"

#include <cmath>

namespace headstack::traces {
namespace {

constexpr double kLog2 = 0.693147180559945309417232121458;
constexpr double kSqrtHalf = 0.707106781186547524400844362105;

std::uint64_t rotate_left(std::uint64_t x, unsigned by) { return x << by | x >> (64 - by); }

}  // namespace

// Let x = m * 2^e, with m in [sqrt(1/2), sqrt(2)). Then ln x = e ln 2 + 2 artanh((m - 1) / (m +
// 1)). The fraction is at most 0.1716, so the 12th term of the series is below 2^-60 of the first.
double exact_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < kSqrtHalf) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1);
  const double square = s * s;
  double sum = 0;
  for (int k = 11; k >= 0; --k) sum = sum * square + 1.0 / (2 * k + 1);
  return exponent * kLog2 + 2 * s * sum;
}

// Let x = n ln 2 + r with |r| at most ln 2 / 2. Then e^x = 2^n e^r, and r^15 / 15! is below 2^-62.
double exact_exp(double x) {
  const double n = std::floor(x / kLog2 + 0.5);
  const double r = x - n * kLog2;
  double sum = 1;
  for (int k = 15; k >= 1; --k) sum = 1 + sum * r / k;
  return std::ldexp(sum, static_cast<int>(n));
}

SynthRandom::SynthRandom(std::uint64_t seed) : state_() {
  for (std::uint64_t& word : state_) {
    seed += 0x9E3779B97F4A7C15U;
    std::uint64_t x = seed;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    word = x ^ (x >> 31);
  }
}

std::uint64_t SynthRandom::next() {
  const std::uint64_t result = rotate_left(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = rotate_left(state_[3], 45);
  return result;
}

std::uint64_t SynthRandom::below(std::uint64_t n) {
  return static_cast<std::uint64_t>(Uint128{next()} * n >> 64);
}

double SynthRandom::unit() { return std::ldexp(static_cast<double>((next() >> 11) + 1), -53); }

Picoseconds SynthRandom::exponential(Picoseconds mean) {
  return static_cast<Picoseconds>(-exact_log(unit()) * static_cast<double>(mean));
}

WeightedChoice::WeightedChoice(const std::vector<double>& weights)
    : keep_(weights.size(), 1), alias_(weights.size()) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  std::vector<std::uint32_t> small, large;
  std::vector<double> scaled(weights.size());
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    scaled[i] = weights[i] * static_cast<double>(weights.size()) / sum;
    alias_[i] = i;
    (scaled[i] < 1 ? small : large).push_back(i);
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t less = small.back(), more = large.back();
    small.pop_back();
    keep_[less] = scaled[less];
    alias_[less] = more;
    scaled[more] -= 1 - scaled[less];
    if (scaled[more] < 1) {
      large.pop_back();
      small.push_back(more);
    }
  }
}

std::size_t WeightedChoice::choose(SynthRandom& random) const {
  const auto index = static_cast<std::size_t>(random.below(keep_.size()));
  return random.unit() <= keep_[index] ? index : alias_[index];
}

}  // namespace headstack::traces
