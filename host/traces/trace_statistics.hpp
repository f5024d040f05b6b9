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
  static constexpr std::size_t kSizeClasses = 25;  // sizes from 2^0 to 2^24 blocks
  static constexpr std::uint32_t kPageBlocks = 8;

  explicit TraceStatistics(const TraceHeader& header);
  void add(const TraceRequest& request);

  std::uint64_t requests() const { return reads + writes + flushes + verifies; }

  std::uint64_t reads = 0, writes = 0, flushes = 0, verifies = 0;
  std::uint64_t blocks_read = 0, blocks_written = 0;
  std::uint64_t largest = 0;     // largest request, in blocks
  std::uint64_t end_lba = 0;     // block after the last one requested
  std::uint64_t sequential = 0;  // requests that begin where the initiator's last one ended
  std::uint64_t deadlines = 0;
  std::uint32_t initiators = 0;  // highest number of an initiator, plus 1
  Picoseconds first_arrival = 0, last_arrival = 0;
  std::uint64_t peak_second = 0;  // most requests in any whole second
  /// Number of reads and writes by size: class i has 2^i up to 2^(i+1) - 1 blocks.
  std::array<std::uint64_t, kSizeClasses> sizes = {};
  std::map<std::string, std::uint64_t> options;  // number of requests with each word in their
                                                 // options
  std::uint64_t real_time = 0;                   // number of requests of class real-time
  std::map<unsigned, std::uint64_t> streams;     // number of requests that name each stream
  std::map<unsigned, std::uint64_t> priorities;  // number of requests that name each priority
  LogHistogram gaps;                             // times between arrivals, in ps
  LogHistogram service;                          // service times, in ps
  LogHistogram think;                            // think times, in ps
  DistinctCount pages;                           // distinct pages of kPageBlocks blocks
  // Counts over arrival times in ps or, in a loop without times, over the numbers of the requests.
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
