#include "sim/tlm/cost_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <tuple>
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

struct CostTable::Way {
  Place from;
  Place to;
  std::uint32_t cost;
  std::vector<Place> before;
};

CostTable::CostTable(const Costs& costs, const std::string& path)
    : places_(kAccessCount, kUnnamed) {
  if (!(costs.default_cycles >= 0 && costs.default_cycles <= kMaxCycles)) {
    throw CostError(fmt::format("{}: default_cycles: {} is not between 0 and {}", path,
                                costs.default_cycles, kMaxCycles));
  }
  give_places(costs, path);
  const std::vector<Way> all = ways(costs, path);
  const std::uint32_t otherwise = fixed_point(costs.default_cycles);
  for (Place from = 0; from < tells_way_.size(); ++from) {
    for (Place to = 0; to < kPlaces; ++to) rows_.push_back({otherwise, to * kPlaces});
  }
  for (const Way& way : all) {
    if (way.before.empty()) rows_[way.from * kPlaces + way.to].cost = way.cost;
  }
  add_contexts(all);
}

/// One place per name: accesses that one name means cost the same.
void CostTable::give_places(const Costs& costs, const std::string& path) {
  for (Place waypoint = 0; waypoint < WAYPOINT_COUNT; ++waypoint) {
    places_[kWaypoint + waypoint] = waypoint;
  }
  tells_way_.assign(kUnnamed, true);
  tells_way_.push_back(false);
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
    if (tells_way_.size() == kPlaces) {
      error.fail(key, fmt::format("more than {} accesses; raise CPU_BILL_PLACES", kPlaces));
    }
    for (const Access access : accesses) places_[access] = static_cast<Place>(tells_way_.size());
    tells_way_.push_back(tells_way(accesses.front()));
  };
  for (const Costs::Pair& pair : costs.pairs) {
    const PairError error(path, pair);
    for (const std::string& name : pair.before) give_place(error, "before", name);
    give_place(error, "from", pair.from);
    give_place(error, "to", pair.to);
  }
}

/// Every pair, checked.
std::vector<CostTable::Way> CostTable::ways(const Costs& costs, const std::string& path) const {
  constexpr Place kAny = kPlaces;
  std::vector<Way> all;
  std::set<std::tuple<Place, Place, Place>> given;
  for (const Costs::Pair& pair : costs.pairs) {
    const PairError error(path, pair);
    const Access from = accesses_named(pair.from).front();
    const Access to = accesses_named(pair.to).front();
    if (from == kReturn) error.fail("from", "nothing is counted from here on");
    if (is_only_entered(to)) error.fail("to", "nothing is counted up to here");
    error.check_cycles(pair.cycles);
    Way way{places_[from], places_[to], fixed_point(pair.cycles), {}};
    if (pair.before.empty() && !given.insert({kAny, way.from, way.to}).second) {
      error.fail("to", "this pair is there already");
    }
    if (!pair.before.empty() && is_only_entered(from)) {
      error.fail("before", "nothing comes before here");
    }
    if (!pair.before.empty() && given.count({kAny, way.from, way.to}) == 0) {
      error.fail("before", "the pair comes first without, for all others");
    }
    for (const std::string& name : pair.before) {
      if (!tells_way(accesses_named(name).front())) {
        error.fail("before", fmt::format("'{}' is neither a waypoint nor a moment", name));
      }
      way.before.push_back(places_[accesses_named(name).front()]);
      if (!given.insert({way.before.back(), way.from, way.to}).second) {
        error.fail("before", fmt::format("'{}' is there already", name));
      }
    }
    all.push_back(std::move(way));
  }
  return all;
}

/// Rows more, for places with costs of their own behind a certain waypoint, and for the registers
/// on the way from there to them. (The pairs that are listed say which ways there are.)
void CostTable::add_contexts(const std::vector<Way>& ways) {
  using Exceptions = std::map<Place, std::uint32_t>;  // to: cost
  using Context = std::pair<Place, Place>;            // before, and the place itself
  std::map<Context, Exceptions> exceptions;
  std::map<Place, std::set<Place>> next_places;
  std::set<Place> telling;
  for (const Way& way : ways) {
    next_places[way.from].insert(way.to);
    for (const Place before : way.before) {
      exceptions[{before, way.from}][way.to] = way.cost;
      telling.insert(before);
    }
  }
  std::map<Context, std::uint32_t> row_of;
  for (const Place before : telling) {
    // What can follow it, with nothing between but registers.
    std::set<Place> reached = next_places[before];
    for (std::vector<Place> open(reached.begin(), reached.end()); !open.empty();) {
      const Place place = open.back();
      open.pop_back();
      if (tells_way_[place]) continue;
      for (const Place next : next_places[place]) {
        if (reached.insert(next).second) open.push_back(next);
      }
    }
    // Of that, what has costs of its own, or leads to some.
    std::set<Place> wanted;
    for (const Place place : reached) {
      if (exceptions.count({before, place}) != 0) wanted.insert(place);
    }
    for (std::size_t known = 0; known != wanted.size();) {
      known = wanted.size();
      for (const Place place : reached) {
        if (tells_way_[place] || wanted.count(place) != 0) continue;
        for (const Place next : next_places[place]) {
          if (wanted.count(next) != 0) wanted.insert(place);
        }
      }
    }
    for (const Place place : wanted) {
      row_of[{before, place}] = static_cast<std::uint32_t>(rows_.size());
      for (Place to = 0; to < kPlaces; ++to) rows_.push_back(rows_[place * kPlaces + to]);
    }
  }
  for (const auto& [context, row] : row_of) {
    for (const auto& [to, cost] : exceptions[context]) rows_[row + to].cost = cost;
  }
  // From a place that tells the way on, it is what came before; from a register, what did already.
  for (const auto& [context, row] : row_of) {
    const auto [before, place] = context;
    rows_[before * kPlaces + place].next = row;
    for (const auto& [earlier, earlier_row] : row_of) {
      const Place known = tells_way_[earlier.second] ? earlier.second : earlier.first;
      if (known == before) rows_[earlier_row + place].next = row;
    }
  }
}

}  // namespace headstack::tlm
