// SPDX-License-Identifier: Apache-2.0
// Statistics of a trace: counts, sizes, rates, order, places. One pass, constant memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/traces/streaming_counts.hpp"
#include "host/traces/trace.hpp"

namespace headstack::traces {

class TraceStatistics {
 public:
  static constexpr std::size_t kSizeClasses = 25;  // 2^0 .. 2^24 blocks
  static constexpr std::uint32_t kPageBlocks = 8;

  explicit TraceStatistics(const TraceHeader& header);
  void add(const TraceRequest& request);

  std::uint64_t requests() const { return reads + writes + flushes + verifies; }

  std::uint64_t reads = 0, writes = 0, flushes = 0, verifies = 0;
  std::uint64_t blocks_read = 0, blocks_written = 0;
  std::uint64_t largest = 0;     // request, in blocks
  std::uint64_t end_lba = 0;     // block after the last one requested
  std::uint64_t sequential = 0;  // requests that begin where the initiator's last one ended
  std::uint64_t deadlines = 0;
  std::uint32_t initiators = 0;  // the highest number, plus 1
  Picoseconds first_arrival = 0, last_arrival = 0;
  std::uint64_t peak_second = 0;  // most requests in any whole second
  /// Reads and writes by size: class i has 2^i up to 2^(i+1) - 1 blocks.
  std::array<std::uint64_t, kSizeClasses> sizes = {};
  std::map<std::string, std::uint64_t> options;  // requests, by words of their options
  std::uint64_t real_time = 0;                   // requests
  std::map<unsigned, std::uint64_t> streams;     // requests, by those that name a stream
  std::map<unsigned, std::uint64_t> priorities;  // likewise
  LogHistogram gaps;                             // between arrivals, in ps
  LogHistogram service;                          // in ps
  LogHistogram think;                            // in ps
  DistinctCount pages;                           // distinct pages of kPageBlocks blocks
  // Over arrival times in ps or, in a loop without times, over the numbers of the requests.
  FoldingSeries read_rate, write_rate;
  FoldingGrid read_places, write_places;

 private:
  void add_extent(const TraceRequest& request, std::uint64_t x);
  void add_arrival(const TraceRequest& request);

  bool has_times_;
  std::uint64_t second_ = 0, second_count_ = 0;
  std::vector<std::uint64_t> ends_;  // block after the last request of each initiator
};

}  // namespace headstack::traces
