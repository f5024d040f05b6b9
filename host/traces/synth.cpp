// SPDX-License-Identifier: Apache-2.0
#include "host/traces/synth.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

std::vector<double> weights_of(const std::vector<SizeWeight>& sizes) {
  std::vector<double> weights;
  weights.reserve(sizes.size());
  for (const SizeWeight& size : sizes) weights.push_back(size.weight);
  if (weights.empty()) throw TraceError("--sizes: none given; give BLOCKS[:WEIGHT],...");
  return weights;
}

std::uint32_t largest_of(const std::vector<SizeWeight>& sizes) {
  std::uint32_t largest = 0;
  for (const SizeWeight& size : sizes) largest = std::max(largest, size.blocks);
  return largest;
}

bool has_streams(SynthPattern pattern) {
  return pattern == SynthPattern::kSequential || pattern == SynthPattern::kMixed ||
         pattern == SynthPattern::kRealtime;
}

Picoseconds mean_gap(double rate) {
  return static_cast<Picoseconds>(std::floor(static_cast<double>(kPicosecondsPerSecond) / rate));
}

}  // namespace

Synth::Synth(const SynthOptions& options)
    : options_(options),
      random_(options.seed),
      sizes_(weights_of(options.sizes)),
      largest_(largest_of(options.sizes)) {
  check();
  if (options_.pattern == SynthPattern::kZipf) make_places();
  if (has_streams(options_.pattern)) make_streams();
}

void Synth::check() const {
  const std::uint64_t range = options_.end_lba - options_.begin_lba;
  if (options_.end_lba <= options_.begin_lba || range < largest_) {
    throw TraceError(
        fmt::format("--lba: blocks {}..{} do not hold a request of {}; give a larger range",
                    options_.begin_lba, options_.end_lba, largest_));
  }
  if (has_streams(options_.pattern) && range / options_.streams < largest_) {
    throw TraceError(
        fmt::format("--streams: {} of them leave each {} blocks, less than a request "
                    "of {}; give fewer, or a larger range",
                    options_.streams, range / options_.streams, largest_));
  }
}

/// Makes the places by rank: as many as have room for the largest request, with hot ones anywhere.
void Synth::make_places() {
  const std::uint64_t room = (options_.end_lba - options_.begin_lba) /
                             std::max<std::uint64_t>(largest_, options_.align_blocks);
  const auto count = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(room, 1, std::max<std::uint64_t>(options_.places, 1)));
  std::vector<double> weights(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    weights[i] = exact_exp(-options_.theta * exact_log(i + 1.0));
  }
  ranks_ = std::make_unique<WeightedChoice>(weights);
  place_of_rank_.resize(count);
  std::iota(place_of_rank_.begin(), place_of_rank_.end(), 0);
  for (std::uint32_t i = count - 1; i > 0; --i) {  // the shuffle of Fisher and Yates
    std::swap(place_of_rank_[i], place_of_rank_[random_.below(i + 1)]);
  }
}

void Synth::make_streams() {
  for (std::uint32_t i = 0; i < options_.streams; ++i) stream_next_.push_back(stream_begin(i));
  if (options_.pattern != SynthPattern::kRealtime) return;
  for (std::uint32_t i = 0; i < options_.streams; ++i) {
    stream_phase_.push_back(static_cast<Picoseconds>(
        random_.below(static_cast<std::uint64_t>(std::max<Picoseconds>(options_.period, 1)))));
  }
  std::sort(stream_phase_.begin(), stream_phase_.end());
}

std::uint64_t Synth::stream_begin(std::uint32_t stream) const {
  const Uint128 range = options_.end_lba - options_.begin_lba;
  return options_.begin_lba + static_cast<std::uint64_t>(range * stream / options_.streams);
}

TraceHeader Synth::header() const {
  TraceHeader header;
  header.source = fmt::format("headstack trace synth, seed {}", options_.seed);
  header.has_deadlines = options_.pattern == SynthPattern::kRealtime || options_.slack;
  header.has_classes = options_.best_effort_share > 0;
  header.has_streams = options_.service_streams > 0;
  header.has_priorities = options_.priorities > 0;
  header.has_options = !options_.options.empty() || options_.verify_share > 0;
  if (options_.pattern == SynthPattern::kRealtime) {
    header.has_initiators = true;
  } else if (options_.arrivals == SynthArrivals::kClosed) {
    header.loop = Loop::kClosed;
  } else if (options_.arrivals == SynthArrivals::kThink) {
    header.loop = Loop::kThink;
    header.has_think = true;
  }
  return header;
}

TraceRequest Synth::next() {
  TraceRequest request;
  request.blocks = options_.sizes[sizes_.choose(random_)].blocks;
  request.operation = random_.unit() <= options_.read_share ? Operation::kRead : Operation::kWrite;
  if (options_.pattern == SynthPattern::kRealtime) {
    set_realtime(request);
  } else {
    place(request);
    set_time(request);
  }
  change_operation(request);
  add_options(request);
  add_urgency(request);
  ++count_;
  if (request.arrival > kLongestTrace) {
    throw TraceError(
        fmt::format("--count: request {} would come after 75 days; make fewer, or "
                    "raise --rate",
                    count_));
  }
  return request;
}

/// Changes reads to verifies, and requests to flushes. An option that is not given draws no number,
/// so the results of others stay the same.
void Synth::change_operation(TraceRequest& request) {
  if (options_.verify_share > 0 && request.operation == Operation::kRead &&
      random_.unit() <= options_.verify_share) {
    request.operation = Operation::kVerify;
  }
  if (options_.flush_share == 0 || random_.unit() > options_.flush_share) return;
  request.operation = Operation::kFlush;
  request.lba = request.blocks = 0;
}

void Synth::add_options(TraceRequest& request) {
  for (const OptionShare& option : options_.options) {
    if (random_.unit() > option.share) continue;
    std::optional<Picoseconds> delay = option.earliest;
    if (delay) {
      *delay = random_.between(*option.earliest, option.latest);
    }
    RequestOptions changed = request.options;
    const bool refused = add_option_word(option.word, delay, changed) ||
                         find_contradiction(request.operation, changed);
    if (!refused) request.options = changed;
  }
}

void Synth::add_urgency(TraceRequest& request) {
  if (options_.slack) {
    request.deadline = request.deadline.value_or(options_.deadline) +
                       random_.between(options_.slack->least, options_.slack->most);
  }
  if (options_.best_effort_share > 0) {
    const bool best_effort = random_.unit() <= options_.best_effort_share;
    if (best_effort) request.deadline.reset();
    request.urgency.service_class = request.service_class();
  }
  if (options_.service_streams > 0) {
    request.urgency.stream = static_cast<std::uint8_t>(random_.below(options_.service_streams));
  }
  if (options_.priorities > 0) {
    request.urgency.priority = static_cast<std::uint8_t>(1 + random_.below(options_.priorities));
  }
}

void Synth::place(TraceRequest& request) {
  const auto any_stream = [this] {
    return static_cast<std::uint32_t>(random_.below(options_.streams));
  };
  switch (options_.pattern) {
    case SynthPattern::kZipf: return place_zipf(request);
    case SynthPattern::kSequential: return place_stream(request, any_stream());
    case SynthPattern::kMixed:
      if (random_.unit() <= options_.sequential_share) return place_stream(request, any_stream());
      break;
    case SynthPattern::kUniform:
    case SynthPattern::kRealtime: break;
  }
  place_uniform(request, options_.begin_lba, options_.end_lba);
}

void Synth::place_uniform(TraceRequest& request, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t starts = (end - begin - request.blocks) / options_.align_blocks + 1;
  request.lba = begin + random_.below(starts) * options_.align_blocks;
}

void Synth::place_zipf(TraceRequest& request) {
  const std::uint64_t slots = (options_.end_lba - options_.begin_lba) / options_.align_blocks;
  const Uint128 place = place_of_rank_[ranks_->choose(random_)];
  const std::size_t count = place_of_rank_.size();
  const auto slot_at = [&](Uint128 n) { return static_cast<std::uint64_t>(n * slots / count); };
  const std::uint64_t begin = options_.begin_lba + slot_at(place) * options_.align_blocks;
  const std::uint64_t end = options_.begin_lba + slot_at(place + 1) * options_.align_blocks;
  place_uniform(request, begin, std::max(end, begin + request.blocks));
  request.lba = std::min(request.lba, options_.end_lba - request.blocks);
}

/// Places the request where the stream's last one ended. After the end of the stream's part, it
/// begins again at the part's start.
void Synth::place_stream(TraceRequest& request, std::uint32_t stream) {
  if (stream_next_[stream] + request.blocks > stream_begin(stream + 1)) {
    stream_next_[stream] = stream_begin(stream);
  }
  request.lba = stream_next_[stream];
  stream_next_[stream] += request.blocks;
}

void Synth::set_time(TraceRequest& request) {
  switch (options_.arrivals) {
    case SynthArrivals::kPoisson: now_ += random_.exponential(mean_gap(options_.rate)); break;
    case SynthArrivals::kBursty: advance_bursty(); break;
    case SynthArrivals::kClosed: return;
    case SynthArrivals::kThink: request.think = random_.exponential(options_.think); return;
  }
  request.arrival = now_;
}

/// Advances an interrupted Poisson process: arrivals during on-times, and none during off-times.
/// The rest of a gap at the end of an on-time continues in the next one.
void Synth::advance_bursty() {
  const double share = static_cast<double>(options_.on_time) /
                       static_cast<double>(options_.on_time + options_.off_time);
  Picoseconds gap = random_.exponential(mean_gap(options_.rate / share));
  while (gap >= on_left_) {
    gap -= on_left_;
    now_ += on_left_ + (count_ == 0 && on_left_ == 0 ? 0 : random_.exponential(options_.off_time));
    on_left_ = random_.exponential(options_.on_time) + 1;
  }
  on_left_ -= gap;
  now_ += gap;
}

void Synth::set_realtime(TraceRequest& request) {
  const auto stream = static_cast<std::uint32_t>(count_ % options_.streams);
  const std::uint64_t round = count_ / options_.streams;
  const Uint128 arrival = Uint128{round} * static_cast<std::uint64_t>(options_.period) +
                          static_cast<std::uint64_t>(stream_phase_[stream]);
  constexpr Uint128 kPastTheEnd = static_cast<std::uint64_t>(kLongestTrace) + 1;
  request.arrival = static_cast<Picoseconds>(std::min(arrival, kPastTheEnd));
  request.deadline = options_.deadline;
  request.initiator = stream;
  place_stream(request, stream);
}

}  // namespace headstack::traces
