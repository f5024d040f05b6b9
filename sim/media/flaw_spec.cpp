#include "sim/media/flaw_spec.hpp"

#include <limits>
#include <map>
#include <random>
#include <set>

#include "sim/assert.hpp"

namespace headstack::media {
namespace {

/// A number in 0 .. bound - 1, every one equally likely: draws from the incomplete last run of
/// `bound` numbers below 2^64 are thrown away.
std::uint64_t draw_below(std::mt19937_64& generator, std::uint64_t bound) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t left_over = (kMost % bound + 1) % bound;  // 2^64 mod bound
  std::uint64_t number = generator();
  while (number > kMost - left_over) number = generator();
  return number % bound;
}

using FlawMap = std::map<SectorIndex, Flaw>;

SectorIndex draw_free_sector(std::mt19937_64& generator, const FlawMap& taken,
                             std::uint64_t sector_count) {
  SectorIndex index = draw_below(generator, sector_count);
  while (taken.count(index) != 0) index = draw_below(generator, sector_count);
  return index;
}

std::string sector_name(SectorIndex index) { return "sector " + std::to_string(index); }

std::string past_the_end(SectorIndex index, std::uint64_t sector_count) {
  return sector_name(index) + " lies past the last sector, " + std::to_string(sector_count - 1);
}

std::string find_landing_error(const Flaw& flaw, std::uint64_t sector_count) {
  if (flaw.kind != FlawKind::kMisplacedWrite) {
    return flaw.lands_on ? "only a misplaced_write has a lands_on" : "";
  }
  if (sector_count < 2) return "a misplaced_write needs a drive of 2 sectors or more";
  if (!flaw.lands_on) return {};
  if (*flaw.lands_on >= sector_count) {
    return "lands_on " + past_the_end(*flaw.lands_on, sector_count);
  }
  return *flaw.lands_on == flaw.index ? "a misplaced_write cannot land on its own sector" : "";
}

std::string find_count_error(const FlawSpec& spec, std::uint64_t sector_count) {
  std::uint64_t free = sector_count - spec.listed.size();  // listed ones are distinct by now
  for (const std::uint64_t count :
       {spec.unreadable_count, spec.correctable_count, spec.misplaced_write_count}) {
    if (count > free) {
      return "more flaws than sectors: a drive of " + std::to_string(sector_count) +
             " sectors cannot hold them all";
    }
    free -= count;
  }
  return {};
}

}  // namespace

const char* flaw_kind_name(FlawKind kind) {
  switch (kind) {
    case FlawKind::kUnreadable: return "unreadable";
    case FlawKind::kCorrectable: return "correctable";
    case FlawKind::kMisplacedWrite: return "misplaced_write";
  }
  HEADSTACK_ASSERT(false, "a FlawKind is one of its three values");
}

bool operator==(const Flaw& a, const Flaw& b) {
  return a.index == b.index && a.kind == b.kind && a.retries == b.retries &&
         a.lands_on == b.lands_on;
}

std::string find_flaw_error(const Flaw& flaw, std::uint64_t sector_count) {
  if (flaw.index >= sector_count) return past_the_end(flaw.index, sector_count);
  std::string error;
  if (flaw.kind == FlawKind::kCorrectable && flaw.retries == 0) {
    error = "a correctable flaw needs retries of 1 or more";
  } else if (flaw.kind != FlawKind::kCorrectable && flaw.retries != 0) {
    error = "only a correctable flaw has retries";
  } else {
    error = find_landing_error(flaw, sector_count);
  }
  return error.empty() ? error : sector_name(flaw.index) + ": " + error;
}

std::string find_flaw_spec_error(const FlawSpec& spec, std::uint64_t sector_count) {
  std::set<SectorIndex> seen;
  for (const Flaw& flaw : spec.listed) {
    std::string error = find_flaw_error(flaw, sector_count);
    if (!error.empty()) return error;
    if (!seen.insert(flaw.index).second) return sector_name(flaw.index) + " is listed twice";
  }
  if (spec.correctable_count != 0 && spec.retries_min == 0) {
    return "retries_min is 0, but must be 1 or more";
  }
  if (spec.correctable_count != 0 && spec.retries_min > spec.retries_max) {
    return "retries_min is " + std::to_string(spec.retries_min) + ", above retries_max, " +
           std::to_string(spec.retries_max);
  }
  if (spec.misplaced_write_count != 0 && sector_count < 2) {
    return "a misplaced_write needs a drive of 2 sectors or more";
  }
  return find_count_error(spec, sector_count);
}

std::vector<Flaw> plan_flaws(const FlawSpec& spec, std::uint64_t sector_count) {
  const std::string error = find_flaw_spec_error(spec, sector_count);
  HEADSTACK_ASSERT(error.empty(), error.c_str());
  FlawMap planned;
  for (const Flaw& flaw : spec.listed) {
    planned.emplace(flaw.index, resolve_landing(flaw, sector_count));
  }
  std::mt19937_64 generator(spec.seed);
  const auto choose = [&](FlawKind kind) {
    Flaw flaw{draw_free_sector(generator, planned, sector_count), kind};
    if (kind == FlawKind::kCorrectable) {
      const std::uint64_t span = std::uint64_t{spec.retries_max} - spec.retries_min + 1;
      flaw.retries = spec.retries_min + static_cast<std::uint32_t>(draw_below(generator, span));
    }
    planned.emplace(flaw.index, resolve_landing(flaw, sector_count));
  };
  for (std::uint64_t i = 0; i < spec.unreadable_count; ++i) choose(FlawKind::kUnreadable);
  for (std::uint64_t i = 0; i < spec.correctable_count; ++i) choose(FlawKind::kCorrectable);
  for (std::uint64_t i = 0; i < spec.misplaced_write_count; ++i) choose(FlawKind::kMisplacedWrite);

  std::vector<Flaw> list;
  list.reserve(planned.size());
  for (const auto& entry : planned) list.push_back(entry.second);
  return list;
}

Flaw resolve_landing(Flaw flaw, std::uint64_t sector_count) {
  if (flaw.kind == FlawKind::kMisplacedWrite && !flaw.lands_on) {
    flaw.lands_on = flaw.index + 1 < sector_count ? flaw.index + 1 : flaw.index - 1;
  }
  return flaw;
}

}  // namespace headstack::media
