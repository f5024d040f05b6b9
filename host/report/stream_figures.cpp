// SPDX-License-Identifier: Apache-2.0
#include "host/report/stream_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "host/statistics/nearest_rank.hpp"

namespace headstack::report {
namespace {

// The bits suffice for ten hours. In percentiles, a longer response counts as the longest; mean and
// maximum are exact.
constexpr unsigned kTimeBits = 55;
constexpr Picoseconds kLongest = (Picoseconds{1} << kTimeBits) - 1;
// Ranks are found digit by digit, the most significant first, in 5 passes over all values.
constexpr unsigned kDigitBits = 11;
static_assert(kTimeBits % kDigitBits == 0, "every digit is whole");
constexpr std::uint64_t kDigitMask = (1U << kDigitBits) - 1;

double seconds(Picoseconds time) { return to_ms(time) / 1000; }

double a_second(std::uint64_t count, Picoseconds elapsed) {
  return elapsed > 0 ? static_cast<double>(count) / seconds(elapsed) : 0;
}

}  // namespace

double jain_index(const std::vector<double>& shares) {
  double sum = 0;
  double squares = 0;
  for (const double share : shares) {
    sum += share;
    squares += share * share;
  }
  return squares > 0 ? sum * sum / (static_cast<double>(shares.size()) * squares) : 1;
}

Picoseconds StreamFigures::Figures::mean_response() const {
  return commands == 0 ? 0 : static_cast<Picoseconds>(responses / static_cast<Int128>(commands));
}

Picoseconds StreamFigures::Figures::jitter() const {
  return commands < 2 ? 0 : static_cast<Picoseconds>(changes / static_cast<Int128>(commands - 1));
}

double StreamFigures::Figures::missed_share() const {
  return deadlines == 0 ? 0 : static_cast<double>(missed) / static_cast<double>(deadlines);
}

void StreamFigures::add(std::uint8_t stream, const CommandRecord& record) {
  Figures& one = streams_[stream];
  const Picoseconds response = record.response();
  if (one.commands > 0) one.changes += std::abs(response - one.last_response);
  one.last_response = response;
  ++one.commands;
  one.blocks += record.request().blocks;
  one.responses += response;
  one.most_response = std::max(one.most_response, response);
  times_.add(Picoseconds{stream} << kTimeBits | std::min(response, kLongest));
  if (!record.request().deadline) return;
  ++one.deadlines;
  if (!record.missed_deadline()) {
    one.missed_now = 0;
    return;
  }
  ++one.missed;
  one.most_missed = std::max(one.most_missed, ++one.missed_now);
}

std::size_t StreamFigures::count() const {
  return static_cast<std::size_t>(std::count_if(
      streams_.begin(), streams_.end(), [](const Figures& one) { return one.commands > 0; }));
}

double StreamFigures::throughput_fairness() const {
  std::vector<double> shares;
  for (const Figures& one : streams_) {
    if (one.commands > 0) shares.push_back(static_cast<double>(one.blocks));
  }
  return jain_index(shares);
}

double StreamFigures::response_fairness() const {
  std::vector<double> shares;
  for (const Figures& one : streams_) {
    if (one.commands > 0) shares.push_back(static_cast<double>(one.mean_response()));
  }
  return jain_index(shares);
}

std::array<Picoseconds, StreamFigures::kMost> StreamFigures::percentiles(
    std::uint64_t per_mille) const {
  std::array<std::uint64_t, kMost> ranks{};
  for (std::size_t i = 0; i < kMost; ++i) {
    ranks[i] = statistics::nearest_rank(streams_[i].commands, per_mille);
  }
  std::array<Picoseconds, kMost> found{};  // the digits that have been found
  std::vector<std::uint64_t> counts(kMost << kDigitBits);
  for (unsigned shift = kTimeBits; shift > 0;) {
    shift -= kDigitBits;
    std::fill(counts.begin(), counts.end(), 0);
    times_.visit([&](Picoseconds value) {
      const auto stream = static_cast<std::size_t>(value >> kTimeBits);
      const Picoseconds upper = (value & kLongest) >> shift;
      if (upper >> kDigitBits != found[stream]) return;
      ++counts[stream << kDigitBits | (static_cast<std::uint64_t>(upper) & kDigitMask)];
    });
    for (std::size_t i = 0; i < kMost; ++i) {
      std::uint64_t digit = 0;
      const std::uint64_t* count = &counts[i << kDigitBits];
      while (digit < kDigitMask && ranks[i] > count[digit]) ranks[i] -= count[digit++];
      found[i] =
          streams_[i].commands == 0 ? 0 : found[i] << kDigitBits | static_cast<Picoseconds>(digit);
    }
  }
  return found;
}

nlohmann::ordered_json StreamFigures::to_json(Picoseconds elapsed,
                                              std::uint32_t block_bytes) const {
  if (count() < 2) return nullptr;
  const auto p95 = percentiles(950);
  nlohmann::ordered_json table = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < kMost; ++i) {
    const Figures& one = streams_[i];
    if (one.commands == 0) continue;
    nlohmann::ordered_json row = {
        {"stream", i},
        {"commands", one.commands},
        {"blocks", one.blocks},
        {"commands_per_second", a_second(one.commands, elapsed)},
        {"bytes_per_second", a_second(one.blocks * block_bytes, elapsed)},
        {"response_ps",
         {{"mean", one.mean_response()}, {"p95", p95[i]}, {"max", one.most_response}}},
        {"jitter_ps", one.jitter()}};
    if (one.deadlines > 0) {
      row["deadlines"] = {{"commands", one.deadlines},
                          {"missed", one.missed},
                          {"missed_share", one.missed_share()},
                          {"missed_in_a_row", one.most_missed}};
    }
    table.push_back(std::move(row));
  }
  return {{"count", count()},
          {"fairness", {{"throughput", throughput_fairness()}, {"response", response_fairness()}}},
          {"table", table}};
}

std::string StreamFigures::to_table(Picoseconds elapsed, std::uint32_t block_bytes) const {
  if (count() < 2) return "";
  constexpr double kMega = 1e6;
  const auto p95 = percentiles(950);
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "\n  {} streams; fairness (Jain's index) of throughput {:.3f}, of the mean "
                 "response {:.3f}; times in ms\n"
                 "  {:>6} {:>9} {:>9} {:>8} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
                 count(), throughput_fairness(), response_fairness(), "stream", "requests",
                 "a second", "MB/s", "response", "95 %", "max", "jitter", "missed", "in a row");
  std::size_t shown = 0;
  for (std::size_t i = 0; i < kMost && shown < kMostShown; ++i) {
    const Figures& one = streams_[i];
    if (one.commands == 0) continue;
    ++shown;
    fmt::format_to(out,
                   "  {:>6} {:>9} {:>9.1f} {:>8.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9.3f} {:>9} "
                   "{:>9}\n",
                   i, one.commands, a_second(one.commands, elapsed),
                   a_second(one.blocks * block_bytes, elapsed) / kMega, to_ms(one.mean_response()),
                   to_ms(p95[i]), to_ms(one.most_response), to_ms(one.jitter()),
                   one.deadlines > 0 ? fmt::to_string(one.missed) : "-",
                   one.deadlines > 0 ? fmt::to_string(one.most_missed) : "-");
  }
  if (shown < count()) {
    fmt::format_to(out, "  and {} more, which are in summary.json\n", count() - shown);
  }
  return text;
}

}  // namespace headstack::report
