// SPDX-License-Identifier: Apache-2.0
#include "sim/media/flaw_spec.hpp"

#include <limits>
#include <map>
#include <random>
#include <set>

#include "sim/assert.hpp"

namespace headstack::media {
namespace {

/// A number in 0 .. bound - 1, each equally likely: draws from the incomplete last run of `bound`
/// numbers below 2^64 are thrown away.
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

/// An error in the numbers of a flaw, besides its place; else empty.
std::string find_number_error(const Flaw& flaw) {
  const std::string name = flaw_kind_name(flaw.kind);
  const bool has_retries = flaw.kind == FlawKind::kCorrectable ||
                           flaw.kind == FlawKind::kWriteFault || flaw.kind == FlawKind::kWeakWrite;
  if (flaw.kind == FlawKind::kCorrectable && flaw.retries == 0) {
    return "a correctable flaw needs retries of 1 or more";
  }
  if (!has_retries && flaw.retries != 0) {
    return "only correctable, write_fault and weak_write have retries, not " + name;
  }
  const bool has_probability = flaw.kind == FlawKind::kIntermittent || is_of_header(flaw.kind);
  if (flaw.probability && !has_probability) {
    return "only intermittent, bad_header and no_sync have a probability, not " + name;
  }
  if (flaw.kind == FlawKind::kIntermittent && !flaw.probability) {
    return "an intermittent flaw needs a probability";
  }
  if (flaw.probability && (!(*flaw.probability > 0) || *flaw.probability > 1)) {
    return "a probability lies above 0, and is 1 at most";
  }
  if (flaw.kind == FlawKind::kDecaying && flaw.half_reads == 0) {
    return "a decaying flaw needs half_reads of 1 or more";
  }
  if (flaw.kind != FlawKind::kDecaying && flaw.half_reads != 0) {
    return "only a decaying flaw has half_reads";
  }
  return {};
}

/// A kind that is chosen by seed, and the count of its sectors, in the order of the draws. A new
/// kind goes to the end, so that an old seed still chooses the same sectors.
struct ChosenKind {
  FlawKind kind;
  std::uint64_t FlawSpec::*count;
};
constexpr ChosenKind kChosenKinds[] = {
    {FlawKind::kUnreadable, &FlawSpec::unreadable_count},
    {FlawKind::kCorrectable, &FlawSpec::correctable_count},
    {FlawKind::kMisplacedWrite, &FlawSpec::misplaced_write_count},
    {FlawKind::kIntermittent, &FlawSpec::intermittent_count},
    {FlawKind::kDecaying, &FlawSpec::decaying_count},
    {FlawKind::kWriteFault, &FlawSpec::write_fault_count},
    {FlawKind::kWeakWrite, &FlawSpec::weak_write_count},
    {FlawKind::kBadHeader, &FlawSpec::bad_header_count},
    {FlawKind::kNoSync, &FlawSpec::no_sync_count},
};

bool draws_retries(FlawKind kind) {
  return kind == FlawKind::kCorrectable || kind == FlawKind::kWriteFault ||
         kind == FlawKind::kWeakWrite;
}

std::string find_retries_error(const FlawSpec& spec) {
  bool wanted = false;
  for (const ChosenKind& chosen : kChosenKinds) {
    wanted = wanted || (draws_retries(chosen.kind) && spec.*chosen.count != 0);
  }
  if (!wanted) return {};
  if (spec.retries_min == 0) return "retries_min is 0, but must be 1 or more";
  if (spec.retries_min <= spec.retries_max) return {};
  return "retries_min is " + std::to_string(spec.retries_min) + ", above retries_max, " +
         std::to_string(spec.retries_max);
}

std::string find_count_error(const FlawSpec& spec, std::uint64_t sector_count) {
  std::uint64_t free = sector_count - spec.listed.size();  // listed ones are distinct by now
  for (const ChosenKind& chosen : kChosenKinds) {
    const std::uint64_t count = spec.*chosen.count;
    if (count > free) {
      return "more flaws than sectors: a drive of " + std::to_string(sector_count) +
             " sectors cannot hold them all";
    }
    free -= count;
  }
  return {};
}

Flaw chosen_flaw(const FlawSpec& spec, SectorIndex index, FlawKind kind,
                 std::mt19937_64& generator) {
  Flaw flaw{index, kind};
  if (draws_retries(kind)) {
    const std::uint64_t span = std::uint64_t{spec.retries_max} - spec.retries_min + 1;
    flaw.retries = spec.retries_min + static_cast<std::uint32_t>(draw_below(generator, span));
  }
  if (kind == FlawKind::kIntermittent) flaw.probability = spec.intermittent_probability;
  if (kind == FlawKind::kDecaying) flaw.half_reads = spec.decaying_half_reads;
  return flaw;
}

}  // namespace

const char* flaw_kind_name(FlawKind kind) {
  switch (kind) {
    case FlawKind::kUnreadable: return "unreadable";
    case FlawKind::kCorrectable: return "correctable";
    case FlawKind::kMisplacedWrite: return "misplaced_write";
    case FlawKind::kIntermittent: return "intermittent";
    case FlawKind::kDecaying: return "decaying";
    case FlawKind::kWriteFault: return "write_fault";
    case FlawKind::kWeakWrite: return "weak_write";
    case FlawKind::kBadHeader: return "bad_header";
    case FlawKind::kNoSync: return "no_sync";
  }
  HEADSTACK_ASSERT(false, "a FlawKind is one of its values");
}

bool operator==(const Flaw& a, const Flaw& b) {
  return a.index == b.index && a.kind == b.kind && a.retries == b.retries &&
         a.lands_on == b.lands_on && a.probability == b.probability && a.half_reads == b.half_reads;
}

std::string find_flaw_error(const Flaw& flaw, std::uint64_t sector_count) {
  if (flaw.index >= sector_count) return past_the_end(flaw.index, sector_count);
  std::string error = find_number_error(flaw);
  if (error.empty()) error = find_landing_error(flaw, sector_count);
  return error.empty() ? error : sector_name(flaw.index) + ": " + error;
}

std::string find_flaw_spec_error(const FlawSpec& spec, std::uint64_t sector_count) {
  std::set<SectorIndex> seen;
  for (const Flaw& flaw : spec.listed) {
    std::string error = find_flaw_error(flaw, sector_count);
    if (!error.empty()) return error;
    if (!seen.insert(flaw.index).second) return sector_name(flaw.index) + " is listed twice";
  }
  std::string error = find_retries_error(spec);
  if (!error.empty()) return error;
  const double probability = spec.intermittent_probability;
  if (spec.intermittent_count != 0 && (!(probability > 0) || probability > 1)) {
    return "intermittent_probability lies above 0, and is 1 at most";
  }
  if (spec.decaying_count != 0 && spec.decaying_half_reads == 0) {
    return "decaying_half_reads is 0, but must be 1 or more";
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
  for (const ChosenKind& chosen : kChosenKinds) {
    for (std::uint64_t i = 0; i < spec.*chosen.count; ++i) {
      const SectorIndex index = draw_free_sector(generator, planned, sector_count);
      const Flaw flaw = chosen_flaw(spec, index, chosen.kind, generator);
      planned.emplace(index, resolve_landing(flaw, sector_count));
    }
  }

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
