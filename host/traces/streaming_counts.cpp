// SPDX-License-Identifier: Apache-2.0
#include "host/traces/streaming_counts.hpp"

#include <algorithm>

#include "host/statistics/nearest_rank.hpp"

namespace headstack::traces {
namespace {

/// A permutation of 64-bit numbers in which each bit depends on all (splitmix64's finalizer;
/// S. Vigna, public domain).
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31);
}

unsigned bits_of(std::uint64_t value) {
  return value == 0 ? 0 : 64 - static_cast<unsigned>(__builtin_clzll(value));
}

}  // namespace

// Values below 2^kStepBits have a step each. Values with more bits share a step with those that
// have the same upper bits.
std::size_t LogHistogram::step_of(std::uint64_t value) {
  const unsigned bits = bits_of(value);
  if (bits <= kStepBits) return static_cast<std::size_t>(value);
  const unsigned shift = bits - kStepBits - 1;
  return (static_cast<std::size_t>(shift) << kStepBits) + static_cast<std::size_t>(value >> shift);
}

std::uint64_t LogHistogram::end_of(std::size_t step) {
  if (step < (2U << kStepBits)) return step;
  const std::size_t shift = (step >> kStepBits) - 1;
  const std::uint64_t upper = (step & ((1U << kStepBits) - 1)) + (1U << kStepBits);
  return ((upper + 1) << shift) - 1;
}

void LogHistogram::add(std::uint64_t value) {
  ++steps_[step_of(value)];
  ++count_;
  smallest_ = std::min(smallest_, value);
  largest_ = std::max(largest_, value);
  sum_ += static_cast<double>(value);
}

std::uint64_t LogHistogram::percentile(std::uint64_t per_mille) const {
  const std::uint64_t wanted = statistics::nearest_rank(count_, per_mille);
  std::uint64_t below = 0;
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    below += steps_[step];
    if (below >= wanted) return std::min(end_of(step), largest_);
  }
  return largest_;
}

std::vector<std::pair<std::uint64_t, double>> LogHistogram::cumulative() const {
  std::vector<std::pair<std::uint64_t, double>> curve;
  std::uint64_t below = 0;
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    if (steps_[step] == 0) continue;
    below += steps_[step];
    curve.emplace_back(std::min(end_of(step), largest_),
                       static_cast<double>(below) / static_cast<double>(count_));
  }
  return curve;
}

void DistinctCount::add(std::uint64_t number) {
  const std::uint64_t hash = mix(number);
  const auto is_kept = [this](std::uint64_t h) {
    return (h & ((std::uint64_t{1} << depth_) - 1)) == 0;
  };
  if (!is_kept(hash)) return;
  hashes_.insert(hash);
  while (hashes_.size() > kMost) {
    ++depth_;
    for (auto at = hashes_.begin(); at != hashes_.end();) {
      at = is_kept(*at) ? std::next(at) : hashes_.erase(at);
    }
  }
}

unsigned FoldingAxis::doublings_for(std::uint64_t value) const {
  unsigned doublings = 0;
  while (value / width_ >> doublings >= bins_) ++doublings;
  return doublings;
}

void FoldingSeries::add(std::uint64_t value) {
  const unsigned doublings = axis_.doublings_for(value);
  for (unsigned i = 0; i < doublings; ++i) {
    for (std::size_t bin = 0; bin < counts_.size(); ++bin) {
      const std::size_t from = 2 * bin;
      counts_[bin] = from + 1 < counts_.size() ? counts_[from] + counts_[from + 1]
                     : from < counts_.size()   ? counts_[from]
                                               : 0;
    }
  }
  axis_.widen(doublings);
  ++counts_[axis_.bin(value)];
}

void FoldingGrid::add(std::uint64_t x, std::uint64_t y) {
  const unsigned right = x_.doublings_for(x);
  const unsigned up = y_.doublings_for(y);
  if (right != 0 || up != 0) {
    std::vector<std::uint64_t> folded(counts_.size());
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      folded[((i / x_.bins()) >> up) * x_.bins() + ((i % x_.bins()) >> right)] += counts_[i];
    }
    counts_ = std::move(folded);
    x_.widen(right);
    y_.widen(up);
  }
  ++counts_[y_.bin(y) * x_.bins() + x_.bin(x)];
}

}  // namespace headstack::traces
