// SPDX-License-Identifier: Apache-2.0
// Summaries of a stream of values in constant memory, with equal results on every host.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

namespace headstack::traces {

/// A histogram with 16 steps per doubling. So a percentile is at most 1/16 above its exact value.
class LogHistogram {
 public:
  void add(std::uint64_t value);
  std::uint64_t count() const { return count_; }
  std::uint64_t smallest() const { return smallest_; }
  std::uint64_t largest() const { return largest_; }
  double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }
  /// The percentile by nearest rank, accurate to the width of its step.
  std::uint64_t percentile(std::uint64_t per_mille) const;
  /// Upper ends of the non-empty steps, each with the share of values up to it.
  std::vector<std::pair<std::uint64_t, double>> cumulative() const;

 private:
  static constexpr unsigned kStepBits = 4;
  static std::size_t step_of(std::uint64_t value);
  static std::uint64_t end_of(std::size_t step);

  std::array<std::uint64_t, (64 - kStepBits + 1) << kStepBits> steps_ = {};
  std::uint64_t count_ = 0;
  std::uint64_t smallest_ = UINT64_MAX;
  std::uint64_t largest_ = 0;
  double sum_ = 0;
};

/// The number of distinct values. It is exact for few; for many it is an estimate from those with a
/// small hash. Its standard error is 1.2 / sqrt(kMost), 0.17 %. Source: adaptive sampling; P.
/// Flajolet, "On adaptive sampling", Computing 43, 1990.
class DistinctCount {
 public:
  static constexpr std::size_t kMost = 1 << 19;
  void add(std::uint64_t number);
  std::uint64_t count() const { return static_cast<std::uint64_t>(hashes_.size()) << depth_; }
  bool is_exact() const { return depth_ == 0; }

 private:
  std::unordered_set<std::uint64_t> hashes_;  // its order has no effect: it is only counted
  unsigned depth_ = 0;                        // hashes that end in this many zeros are kept
};

/// Bins of equal width over a range that begins at 0 and grows. The width doubles for that.
class FoldingAxis {
 public:
  FoldingAxis(std::size_t bins, std::uint64_t width) : bins_(bins), width_(width) {}
  /// Number of times that the width must double for `value` to have a bin.
  unsigned doublings_for(std::uint64_t value) const;
  void widen(unsigned doublings) { width_ <<= doublings; }
  std::size_t bin(std::uint64_t value) const { return static_cast<std::size_t>(value / width_); }
  std::size_t bins() const { return bins_; }
  std::uint64_t width() const { return width_; }

 private:
  std::size_t bins_;
  std::uint64_t width_;
};

class FoldingSeries {
 public:
  FoldingSeries(std::size_t bins, std::uint64_t width) : axis_(bins, width), counts_(bins) {}
  void add(std::uint64_t value);
  const FoldingAxis& axis() const { return axis_; }
  const std::vector<std::uint64_t>& counts() const { return counts_; }

 private:
  FoldingAxis axis_;
  std::vector<std::uint64_t> counts_;
};

/// Counts in two dimensions; both widths grow independently.
class FoldingGrid {
 public:
  FoldingGrid(FoldingAxis x, FoldingAxis y) : x_(x), y_(y), counts_(x.bins() * y.bins()) {}
  void add(std::uint64_t x, std::uint64_t y);
  const FoldingAxis& x() const { return x_; }
  const FoldingAxis& y() const { return y_; }
  /// The counts row by row: all x of the first y come first.
  const std::vector<std::uint64_t>& counts() const { return counts_; }

 private:
  FoldingAxis x_, y_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace headstack::traces
