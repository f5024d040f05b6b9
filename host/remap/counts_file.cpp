// SPDX-License-Identifier: Apache-2.0
#include "host/remap/counts_file.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "host/remap/json_file.hpp"

namespace headstack::remap {
namespace {

constexpr std::uint32_t kMostCount = UINT32_MAX;
constexpr std::uint32_t kMostIn16Bits = 65'535;
constexpr std::uint32_t kMostGroups = 65'536;  // a group's number has 16 bits
const double kBinFactor = std::sqrt(2.0);

struct Pair {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t count;
};

std::vector<std::uint32_t> read_visits(const JsonFile& file, std::uint32_t groups) {
  std::vector<std::uint32_t> visits(groups);
  std::set<std::uint32_t> seen;
  for (const auto& value : file.list("visits")) {
    const auto& row = file.row(value, "visits", 2);
    const std::uint32_t group = file.whole(row[0], "visits", 0, groups - 1);
    if (!seen.insert(group).second) file.fail(fmt::format("'visits' has group {} twice", group));
    visits[group] = file.whole(row[1], "visits", 0, kMostCount);
  }
  return visits;
}

/// The pairs that occurred, the most frequent first.
std::vector<Pair> read_pairs(const JsonFile& file, std::uint32_t groups) {
  std::vector<Pair> pairs;
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen;
  for (const auto& value : file.list("pairs")) {
    const auto& row = file.row(value, "pairs", 3);
    const Pair pair{file.whole(row[0], "pairs", 0, groups - 1),
                    file.whole(row[1], "pairs", 0, groups - 1),
                    file.whole(row[2], "pairs", 0, kMostCount)};
    if (!seen.insert({pair.from, pair.to}).second) {
      file.fail(fmt::format("'pairs' has {}, {} twice", pair.from, pair.to));
    }
    if (pair.count > 0) pairs.push_back(pair);
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.count > b.count; });
  return pairs;
}

std::vector<::remap_gap> read_gaps(const JsonFile& file) {
  std::vector<::remap_gap> gaps;
  std::vector<double> from;
  const auto& rows = file.list("gaps");
  for (const auto& value : rows) {
    const auto& row = file.row(value, "gaps", 2);
    const bool ascends = row[0].is_number() && row[0].get<double>() >= 0 &&
                         row[0].get<double>() < 4e9 &&
                         (from.empty() || row[0].get<double>() > from.back());
    if (!ascends) file.fail(fmt::format("'gaps' has {}, which does not ascend", row.dump()));
    from.push_back(row[0].get<double>());
  }
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double next = i + 1 < from.size() ? from[i + 1] : HUGE_VAL;
    const double to = std::min(next, std::max(1.0, from[i] * kBinFactor));
    const auto from_us = static_cast<std::uint32_t>(std::floor(from[i]));
    const auto to_us =
        std::max(from_us + 1, static_cast<std::uint32_t>(std::lround(std::min(to, 4.2e9))));
    const std::uint32_t count = file.whole(rows[i][1], "gaps", 0, kMostCount);
    if (count > 0) gaps.push_back({from_us, to_us, count});
  }
  if (gaps.size() > REMAP_GAPS_MAX) {
    file.fail(fmt::format("'gaps' has {} bins, more than {}", gaps.size(), REMAP_GAPS_MAX));
  }
  return gaps;
}

/// The number of times that all counts must be halved to fit in 16 bits.
unsigned halvings_of(const std::vector<std::uint32_t>& visits, const std::vector<Pair>& pairs) {
  std::uint32_t most = pairs.empty() ? 0 : pairs.front().count;
  for (const std::uint32_t count : visits) most = std::max(most, count);
  unsigned halvings = 0;
  for (; most > kMostIn16Bits; most /= 2) ++halvings;
  return halvings;
}

}  // namespace

::remap_counts Counts::view() const {
  ::remap_counts counts{};
  counts.visits = visits.data();
  counts.groups = static_cast<std::uint32_t>(visits.size());
  counts.pairs = pairs.data();
  counts.pair_count = static_cast<std::uint32_t>(pairs.size());
  counts.gaps = gaps.data();
  counts.gap_count = static_cast<std::uint32_t>(gaps.size());
  return counts;
}

Counts read_counts(const std::string& path) {
  const JsonFile file(path, "headstack-counts-1", "'headstack remap analyse'");
  Counts counts;
  counts.first_block = file.number("first_block", 0, UINT32_MAX);
  counts.group_blocks = file.number("group_blocks", 1, UINT32_MAX);
  const std::uint32_t groups = file.number("groups", 1, kMostGroups);
  const std::vector<std::uint32_t> visits = read_visits(file, groups);
  std::vector<Pair> pairs = read_pairs(file, groups);
  if (pairs.size() > REMAP_PAIRS_MAX) {
    counts.pairs_left_out = static_cast<std::uint32_t>(pairs.size() - REMAP_PAIRS_MAX);
    pairs.resize(REMAP_PAIRS_MAX);
  }
  counts.halvings = halvings_of(visits, pairs);
  for (const std::uint32_t count : visits) {
    counts.visits.push_back(static_cast<std::uint16_t>(count >> counts.halvings));
  }
  for (const Pair& pair : pairs) {
    const auto count = static_cast<std::uint16_t>(pair.count >> counts.halvings);
    if (count == 0) continue;
    counts.pairs.push_back(
        {static_cast<std::uint16_t>(pair.from), static_cast<std::uint16_t>(pair.to), count});
  }
  counts.gaps = read_gaps(file);
  return counts;
}

}  // namespace headstack::remap
