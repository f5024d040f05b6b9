#include "sim/tlm/cost_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <utility>

#include "sim/drive/text.hpp"

namespace headstack::tlm {
namespace {

// More than any search of the queue takes, and small enough for 1/256 cycle in 32 bits.
constexpr double kMaxCycles = 16'000'000;

std::uint32_t fixed_point(double cycles) {
  return static_cast<std::uint32_t>(std::llround(cycles * (1U << CostTable::kFractionBits)));
}

/// Names one pair in messages.
class PairError {
 public:
  PairError(const std::string& path, const Costs::Pair& pair) : path_(path), pair_(pair) {}

  [[noreturn]] void fail(const char* key, const std::string& what) const {
    throw CostError(
        fmt::format("{}: pair '{}' > '{}': {}: {}", path_, pair_.from, pair_.to, key, what));
  }

  std::vector<Access> accesses(const char* key, const std::string& name) const {
    std::vector<Access> found = accesses_named(name);
    if (found.empty()) {
      fail(key,
           fmt::format("there is no access '{}'{}", name, drive::suggest(name, access_names())));
    }
    return found;
  }

  void check_cycles(double cycles) const {
    if (!(cycles >= 0 && cycles <= kMaxCycles)) {
      fail("cycles", fmt::format("{} is not between 0 and {}", cycles, kMaxCycles));
    }
  }

 private:
  const std::string& path_;
  const Costs::Pair& pair_;
};

bool is_only_entered(Access access) {
  return access == kBoot || access == kWake || access == kPreempt;
}

}  // namespace

CostTable CostTable::ideal() { return flat(0); }

CostTable CostTable::flat(double cycles) {
  Costs costs;
  costs.default_cycles = cycles;
  return {costs, "flat costs"};
}

CostTable::CostTable(const Costs& costs, const std::string& path)
    : places_(kAccessCount, kUnnamed) {
  if (!(costs.default_cycles >= 0 && costs.default_cycles <= kMaxCycles)) {
    throw CostError(fmt::format("{}: default_cycles: {} is not between 0 and {}", path,
                                costs.default_cycles, kMaxCycles));
  }
  for (Place waypoint = 0; waypoint < WAYPOINT_COUNT; ++waypoint) {
    places_[kWaypoint + waypoint] = waypoint;
  }
  Place next = kUnnamed + 1;
  // One place per name: accesses that one name means cost the same.
  const auto give_place = [&](const PairError& error, const char* key, const std::string& name) {
    const std::vector<Access> accesses = error.accesses(key, name);
    const Place first = places_[accesses.front()];
    std::size_t members = 0;
    for (const Place place : places_) members += place == first ? 1 : 0;
    for (const Access access : accesses) {
      if (places_[access] != first || (first != kUnnamed && members != accesses.size())) {
        error.fail(key, "registers of an array are named one by one, or all as '[]', not both");
      }
    }
    if (first != kUnnamed) return;
    if (next == kPlaces) {
      error.fail(key, fmt::format("more than {} accesses; raise CPU_BILL_PLACES", kPlaces));
    }
    for (const Access access : accesses) places_[access] = next;
    ++next;
  };
  for (const Costs::Pair& pair : costs.pairs) {
    const PairError error(path, pair);
    give_place(error, "from", pair.from);
    give_place(error, "to", pair.to);
  }
  entries_.assign(std::size_t{next} * kPlaces, fixed_point(costs.default_cycles));
  std::set<std::pair<Place, Place>> given;
  for (const Costs::Pair& pair : costs.pairs) {
    const PairError error(path, pair);
    const Access from = accesses_named(pair.from).front();
    const Access to = accesses_named(pair.to).front();
    if (from == kReturn) error.fail("from", "nothing is counted from here on");
    if (is_only_entered(to)) error.fail("to", "nothing is counted up to here");
    error.check_cycles(pair.cycles);
    if (!given.insert({places_[from], places_[to]}).second) {
      error.fail("to", "this pair is there already");
    }
    entries_[places_[from] * kPlaces + places_[to]] = fixed_point(pair.cycles);
  }
}

}  // namespace headstack::tlm
