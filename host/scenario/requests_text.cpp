// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/requests_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "host/options/time_range.hpp"
#include "host/scenario/mersenne_twister.hpp"
#include "host/scenario/words.hpp"
#include "host/traces/trace_formats.hpp"
#include "sim/description/fault.hpp"

namespace headstack::scenario {
namespace {

constexpr std::uint32_t kUsualBlockBytes = 512;
constexpr double kPicosecondsPerUs = 1e6;
constexpr double kPicosecondsPerMs = 1e9;
constexpr double kNsPerUs = 1e3;
constexpr double kNsPerMs = 1e6;

/// The nearest whole number; of two equally near, the even one.
std::int64_t nearest(double value) { return static_cast<std::int64_t>(std::nearbyint(value)); }

std::string block_line(const DriveBlocks& drive) {
  return drive.bytes == kUsualBlockBytes ? "" : fmt::format("block-bytes {}\n", drive.bytes);
}

/// Chooses where the next request begins.
class Places {
 public:
  Places(const Synthetic& load, std::uint64_t span, MersenneTwister& chance)
      : load_(load), span_(span), chance_(chance) {
    std::array<double, kRegions> keys{};
    for (double& key : keys) key = chance_.number();
    std::iota(regions_.begin(), regions_.end(), 0U);
    std::stable_sort(regions_.begin(), regions_.end(),
                     [&keys](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    double total = 0;
    for (std::size_t rank = 0; rank < kRegions; ++rank) {
      total += 1 / static_cast<double>(rank + 1);
      reached_[rank] = total;
    }
  }

  /// The first block of a request of `blocks` blocks, counted from the start of the span.
  std::uint64_t take(std::uint64_t blocks) {
    const std::uint64_t room = span_ - blocks;
    switch (load_.pattern) {
      case Pattern::kSequential: {
        const std::uint64_t begin = next_ <= room ? next_ : 0;
        next_ = begin + blocks;
        return begin;
      }
      case Pattern::kZipf: {
        const std::uint64_t width = std::max<std::uint64_t>(span_ / kRegions, 1);
        const std::uint64_t region = take_region() * width;
        return std::min(region + chance_.below(width), room);
      }
      case Pattern::kUniform: break;
    }
    return chance_.below(room + 1);
  }

 private:
  static constexpr std::size_t kRegions = 256;

  std::uint64_t take_region() {
    const double drawn = chance_.number() * reached_.back();
    const auto* found = std::find_if(reached_.begin(), reached_.end(),
                                     [drawn](double reached) { return drawn < reached; });
    return regions_[static_cast<std::size_t>(found - reached_.begin())];
  }

  const Synthetic& load_;
  std::uint64_t span_;
  MersenneTwister& chance_;
  std::array<std::uint32_t, kRegions> regions_{};  // regions by popularity, the most popular first
  std::array<double, kRegions> reached_{};         // share of all weights up to each rank
  std::uint64_t next_ = 0;
};

class Maker {
 public:
  Maker(const Synthetic& load, std::uint64_t span)
      : load_(load), chance_(load.seed), places_(load, span, chance_) {
    if (load.deadline.empty()) return;
    const options::TimeRange range = options::parse_time_range(load.deadline);
    has_deadlines_ = true;
    least_ms_ = static_cast<double>(range.earliest) / kPicosecondsPerMs;
    most_ms_ = static_cast<double>(range.latest) / kPicosecondsPerMs;
  }

  std::string header(const DriveBlocks& drive) const {
    std::string text =
        fmt::format("headstack-trace {}\n{}time-unit ns\nloop {}\nsource {}, seed {}\n",
                    has_deadlines_ ? 4 : 1, block_line(drive), load_.gap != 0 ? "open" : "closed",
                    drive::name_of(kPatterns, load_.pattern), load_.seed);
    if (has_deadlines_) {
      text += fmt::format("columns time operation lba blocks deadline{}\n",
                          load_.streams != 0 ? " stream priority" : "");
    }
    return text + "requests\n";
  }

  std::string line(std::uint64_t number) {
    const std::string time = take_time();
    const std::uint64_t every = load_.flush_every;
    if (every != 0 && number % every == every - 1) {
      return fmt::format("{} F 0 0 -{}\n", time, load_.streams != 0 ? " - 0" : "");
    }
    const char operation = chance_.number() < load_.write_share ? 'W' : 'R';
    const std::uint32_t blocks = load_.blocks[chance_.below(load_.blocks.size())];
    const std::uint64_t place = load_.first + places_.take(blocks);
    const std::string urgency = load_.streams != 0 ? take_stream() : take_deadline();
    return fmt::format("{} {} {} {} {}\n", time, operation, place, blocks, urgency);
  }

 private:
  /// The time of the next arrival. Arrivals are a Poisson process, in ns.
  std::string take_time() {
    if (load_.gap == 0) return "-";
    const double gap_us = static_cast<double>(load_.gap) / kPicosecondsPerUs;
    now_ns_ += nearest(-std::log(1 - chance_.number()) * gap_us * kNsPerUs);
    return std::to_string(now_ns_);
  }

  std::string draw_deadline() {
    const double ms = least_ms_ + chance_.number() * (most_ms_ - least_ms_);
    return std::to_string(nearest(ms * kNsPerMs));
  }

  /// The deadline of the next request. A load without deadlines draws no number.
  std::string take_deadline() {
    if (!has_deadlines_ || chance_.number() < load_.best_effort_share) return "-";
    return draw_deadline();
  }

  /// Deadline, stream and priority of a request, as text.
  std::string take_stream() {
    const std::uint64_t stream = chance_.below(load_.streams);
    const bool is_real_time = static_cast<double>(stream) <
                              static_cast<double>(load_.streams) * (1 - load_.best_effort_share);
    const std::string deadline = is_real_time ? draw_deadline() : "-";
    const auto& priorities = load_.priorities;
    const std::uint32_t priority =
        priorities.empty() ? 0 : priorities[chance_.below(priorities.size())];
    return fmt::format("{} {} {}", deadline, stream, priority);
  }

  const Synthetic& load_;
  MersenneTwister chance_;
  Places places_;
  bool has_deadlines_ = false;
  double least_ms_ = 0, most_ms_ = 0;
  std::int64_t now_ns_ = 0;
};

/// With `is_mapped`, addresses past the drive's end are translated later.
std::string synthetic_text(const Synthetic& load, bool is_mapped, const DriveBlocks& drive) {
  const std::uint64_t left = load.first < drive.capacity ? drive.capacity - load.first : 0;
  const std::uint64_t span = load.span == 0 ? left : load.span;
  if (span > left && !is_mapped) {
    throw drive::Fault("load.synthetic.span",
                       fmt::format("{} blocks from {} on end past the drive's {}", span, load.first,
                                   drive.capacity),
                       "give fewer");
  }
  const std::uint32_t largest = *std::max_element(load.blocks.begin(), load.blocks.end());
  if (largest > span) {
    throw drive::Fault("load.synthetic.blocks",
                       fmt::format("{} is more than the span of {} blocks", largest, span),
                       "give fewer");
  }
  Maker maker(load, span);
  std::string text = maker.header(drive);
  for (std::uint64_t i = 0; i < load.requests; ++i) text += maker.line(i);
  return text;
}

/// A time in ns, to the picosecond.
std::string ns_text(Picoseconds time) { return fmt::format("{}.{:03}", time / 1000, time % 1000); }

std::string rows_text(const std::vector<InlineRequest>& requests, const DriveBlocks& drive) {
  const bool is_open = requests.front().arrival.has_value();
  std::string text = fmt::format(
      "headstack-trace 4\n{}time-unit ns\nloop {}\nsource rows of a scenario\n"
      "columns time operation lba blocks\nrequests\n",
      block_line(drive), is_open ? "open" : "closed");
  for (const InlineRequest& request : requests) {
    text += fmt::format("{} {} {} {}\n", request.arrival ? ns_text(*request.arrival) : "-",
                        traces::operation_letter(request.operation), request.lba, request.blocks);
  }
  return text;
}

}  // namespace

std::string requests_text(const Load& load, const DriveBlocks& drive) {
  const bool is_mapped = load.map != traces::AddressMapping::kNone;
  if (load.synthetic) return synthetic_text(*load.synthetic, is_mapped, drive);
  if (!load.requests.empty()) return rows_text(load.requests, drive);
  return "";
}

}  // namespace headstack::scenario
