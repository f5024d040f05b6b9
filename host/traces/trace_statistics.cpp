// SPDX-License-Identifier: Apache-2.0
#include "host/traces/trace_statistics.hpp"

#include <algorithm>

namespace headstack::traces {
namespace {

constexpr std::size_t kRateBins = 512;
constexpr std::size_t kTimeBins = 512, kPlaceBins = 256;
// Stands for "no previous end": an initiator's first request is not sequential, not even at block
// 0.
constexpr std::uint64_t kNoEnd = UINT64_MAX;

std::uint64_t first_width(Loop loop) {
  return loop == Loop::kOpen ? static_cast<std::uint64_t>(kPicosecondsPerMicrosecond) : 1;
}

}  // namespace

TraceStatistics::TraceStatistics(const TraceHeader& header)
    : read_rate(kRateBins, first_width(header.loop)),
      write_rate(kRateBins, first_width(header.loop)),
      read_places({kTimeBins, first_width(header.loop)}, {kPlaceBins, 1}),
      write_places({kTimeBins, first_width(header.loop)}, {kPlaceBins, 1}),
      has_times_(header.loop == Loop::kOpen) {}

void TraceStatistics::add(const TraceRequest& request) {
  const std::uint64_t number = requests();
  add_arrival(request);
  deadlines += request.deadline ? 1 : 0;
  real_time += request.service_class() == ServiceClass::kRealTime ? 1 : 0;
  if (request.urgency.stream) ++streams[*request.urgency.stream];
  if (request.urgency.priority != 0) ++priorities[request.urgency.priority];
  initiators = std::max(initiators, request.initiator + 1);
  if (request.service) service.add(static_cast<std::uint64_t>(*request.service));
  if (request.think) think.add(static_cast<std::uint64_t>(*request.think));
  for (const std::string_view word : words_of(request.options)) ++options[std::string(word)];
  switch (request.operation) {
    case Operation::kRead: ++reads; break;
    case Operation::kWrite: ++writes; break;
    case Operation::kFlush: ++flushes; return;
    case Operation::kVerify:
      ++verifies;
      end_lba = std::max(end_lba, request.lba + request.blocks);
      return;
  }
  add_extent(request, has_times_ ? static_cast<std::uint64_t>(request.arrival) : number);
}

void TraceStatistics::add_extent(const TraceRequest& request, std::uint64_t x) {
  const bool read = request.operation == Operation::kRead;
  const std::uint64_t end = request.lba + request.blocks;
  (read ? blocks_read : blocks_written) += request.blocks;
  largest = std::max<std::uint64_t>(largest, request.blocks);
  end_lba = std::max(end_lba, end);
  ++sizes[31 - static_cast<std::size_t>(__builtin_clz(request.blocks))];
  if (request.initiator >= ends_.size()) ends_.resize(request.initiator + 1, kNoEnd);
  sequential += ends_[request.initiator] == request.lba ? 1 : 0;
  ends_[request.initiator] = end;
  const std::uint64_t last_page = (end - 1) / kPageBlocks;
  for (std::uint64_t page = request.lba / kPageBlocks; page <= last_page; ++page) pages.add(page);
  (read ? read_rate : write_rate).add(x);
  (read ? read_places : write_places).add(x, request.lba);
}

void TraceStatistics::add_arrival(const TraceRequest& request) {
  if (!has_times_) return;
  const std::uint64_t second = static_cast<std::uint64_t>(request.arrival) / kPicosecondsPerSecond;
  if (requests() == 0) {
    first_arrival = request.arrival;
  } else {
    gaps.add(static_cast<std::uint64_t>(request.arrival - last_arrival));
  }
  second_count_ = second == second_ ? second_count_ + 1 : 1;
  second_ = second;
  peak_second = std::max(peak_second, second_count_);
  last_arrival = request.arrival;
}

}  // namespace headstack::traces
