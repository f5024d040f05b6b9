// SPDX-License-Identifier: Apache-2.0
#include "host/report/response_times.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "host/statistics/nearest_rank.hpp"

namespace headstack::report {
namespace {

// A rank is found digit by digit, the most significant first, in 4 passes over all values.
constexpr unsigned kDigitBits = 16;
constexpr unsigned kDigits = 64 / kDigitBits;

/// The figures of `count` times, at least one. `of_rank` gives the time of a rank; ranks begin
/// at 1.
template <class OfRank>
Distribution figures(std::uint64_t count, Int128 sum, Picoseconds max, const OfRank& of_rank) {
  const auto percentile = [&](std::uint64_t per_mille) {
    return of_rank(statistics::nearest_rank(count, per_mille));
  };
  return {count,           static_cast<Picoseconds>(sum / static_cast<Int128>(count)),
          percentile(500), percentile(900),
          percentile(990), max};
}

[[noreturn]] void fail(const char* what) {
  throw std::runtime_error(
      fmt::format("the temporary file of response times cannot be {}: {}; "
                  "make room in /tmp, or give load.limit",
                  what, std::strerror(errno)));
}

/// Reads or writes all `count` bytes.
template <class Transfer, class Byte>
void transfer_all(Transfer transfer, int file, Byte* bytes, std::size_t count, std::uint64_t at,
                  const char* what) {
  while (count > 0) {
    const ::ssize_t moved = transfer(file, bytes, count, static_cast<::off_t>(at));
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) fail(what);
    bytes += moved;
    at += static_cast<std::uint64_t>(moved);
    count -= static_cast<std::size_t>(moved);
  }
}

}  // namespace

Distribution distribution(std::vector<Picoseconds> times) {
  if (times.empty()) return {};
  std::sort(times.begin(), times.end());
  Int128 sum = 0;
  for (const Picoseconds time : times) sum += time;
  return figures(times.size(), sum, times.back(),
                 [&](std::uint64_t rank) { return times[rank - 1]; });
}

void ResponseTimes::add(Picoseconds time) {
  if (times_.size() == kInMemory) spill();
  times_.push_back(time);
}

void ResponseTimes::spill() {
  if (file_ == nullptr) file_.reset(std::tmpfile());
  if (file_ == nullptr) fail("made");
  transfer_all(::pwrite, ::fileno(file_.get()), reinterpret_cast<const char*>(times_.data()),
               times_.size() * sizeof(Picoseconds), spilled_ * sizeof(Picoseconds), "written");
  spilled_ += times_.size();
  times_.clear();
}

void ResponseTimes::visit(const std::function<void(Picoseconds)>& see) const {
  std::vector<Picoseconds> part(std::min<std::uint64_t>(spilled_, kInMemory));
  for (std::uint64_t done = 0; done < spilled_; done += part.size()) {
    transfer_all(::pread, ::fileno(file_.get()), reinterpret_cast<char*>(part.data()),
                 part.size() * sizeof(Picoseconds), done * sizeof(Picoseconds), "read");
    for (const Picoseconds time : part) see(time);
  }
  for (const Picoseconds time : times_) see(time);
}

/// The time of a rank; rank 1 is the smallest.
Picoseconds ResponseTimes::of_rank(std::uint64_t rank) const {
  std::uint64_t prefix = 0;  // the digits that have been found
  std::vector<std::uint64_t> counts(std::size_t{1} << kDigitBits);
  for (unsigned digit = kDigits; digit-- > 0;) {
    const unsigned shift = digit * kDigitBits;
    std::fill(counts.begin(), counts.end(), 0);
    visit([&](Picoseconds time) {
      const std::uint64_t upper = static_cast<std::uint64_t>(time) >> shift;
      if (upper >> kDigitBits == prefix) ++counts[upper & (counts.size() - 1)];
    });
    std::uint64_t value = 0;
    while (rank > counts[value]) rank -= counts[value++];
    prefix = prefix << kDigitBits | value;
  }
  return static_cast<Picoseconds>(prefix);
}

Distribution ResponseTimes::distribution() const {
  if (spilled_ == 0) return report::distribution(times_);
  Int128 sum = 0;
  Picoseconds max = 0;
  visit([&](Picoseconds time) {
    sum += time;
    max = std::max(max, time);
  });
  return figures(count(), sum, max, [this](std::uint64_t rank) { return of_rank(rank); });
}

}  // namespace headstack::report
