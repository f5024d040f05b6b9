// The response times of a run, however long: exact order statistics in bounded memory.
//
// The first million stays in memory. What comes behind goes into a temporary file without a name, 8
// bytes each, and is read again for every figure. Each value has its place in the file: a process
// that was forked and repeats a part of the run writes the same bytes to the same places.
//
// Percentiles are by host/statistics/nearest_rank.hpp.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <vector>

#include "sim/units.hpp"

namespace headstack::report {

/// Order statistics of a set of times; all 0 of an empty set.
struct Distribution {
  std::uint64_t count = 0;
  Picoseconds mean = 0;  // rounded down
  Picoseconds p50 = 0, p90 = 0, p99 = 0, max = 0;
};
Distribution distribution(std::vector<Picoseconds> times);

class ResponseTimes {
 public:
  static constexpr std::size_t kInMemory = std::size_t{1} << 20;

  /// 0 or more. Throws std::runtime_error when the temporary file cannot be made or has no room.
  void add(Picoseconds time);
  std::uint64_t count() const { return spilled_ + times_.size(); }
  /// Throws std::runtime_error when the temporary file cannot be read.
  Distribution distribution() const;
  /// Each of them, those first that came first. Throws as distribution() does.
  void visit(const std::function<void(Picoseconds)>& see) const;

 private:
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

  void spill();
  Picoseconds of_rank(std::uint64_t rank) const;

  std::vector<Picoseconds> times_;  // the last ones, behind those in the file
  std::uint64_t spilled_ = 0;
  File file_{nullptr, &std::fclose};
};

}  // namespace headstack::report
