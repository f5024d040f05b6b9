// SPDX-License-Identifier: Apache-2.0
// The response times of a run of any length: exact order statistics in bounded memory.
//
// Up to a million times stay in memory. Earlier ones go into a temporary file without a name, 8
// bytes each, and are read again for every figure. Each value has a fixed place in the file. So a
// forked process that repeats a part of the run writes the same bytes there.
//
// Percentiles are defined in host/statistics/nearest_rank.hpp.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#include "sim/units.hpp"

namespace headstack::report {

/// Order statistics of a set of times; all 0 for an empty set.
struct Distribution {
  std::uint64_t count = 0;
  Picoseconds mean = 0;  // rounded down
  Picoseconds p50 = 0, p90 = 0, p99 = 0, max = 0;
};
Distribution distribution(std::vector<Picoseconds> times);

class ResponseTimes {
 public:
  static constexpr std::size_t kInMemory = std::size_t{1} << 20;

  /// `time` is 0 or more. Throws std::runtime_error when the temporary file cannot be made or has
  ///   no room.
  void add(Picoseconds time);
  std::uint64_t count() const { return spilled_ + times_.size(); }
  /// The order statistics of all times. Throws std::runtime_error when the temporary file cannot be
  /// read.
  Distribution distribution() const;
  /// Calls `see` with each time, in the order of add(). Throws as distribution() does.
  void visit(const std::function<void(Picoseconds)>& see) const;

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

  void spill();
  Picoseconds of_rank(std::uint64_t rank) const;

  std::vector<Picoseconds> times_;  // the latest times; earlier ones are in the file
  std::uint64_t spilled_ = 0;
  File file_{nullptr, &std::fclose};
};

}  // namespace headstack::report
