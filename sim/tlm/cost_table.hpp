/// @file
/// What the firmware's instructions cost, in clock cycles: measured on `rtl`, paid on `vp`.
///
/// A cost belongs to a pair: from one access to the hardware, or waypoint, to the next
/// (accesses.hpp): the shorter the way, the fewer branches its mean has to stand for. Cycles are
/// counted between the cycles in which the two accesses happen; from "wake" and "preempt", from the
/// first cycle in which the interrupt's level stands. Where the compiler has made two copies of a
/// function, or two callers return differently, the last waypoint or moment before the pair (behind
/// it, any number of registers may have been accessed) tells which it was: a pair may be listed
/// again with those.
///
/// The file is TOML:
///
///     format = "headstack costs 3"
///     commit = "0cbf742"                  # what was measured
///     date = "2026-11-21"                 # when
///     default_cycles = 12.5               # a pair that is not listed
///
///     [[pair]]
///     from = "irq_ctrl.PENDING read"      # access names (accesses.hpp)
///     to = "irq_ctrl.ENABLE read"
///     cycles = 4.0
///
///     [[pair]]
///     from = "waypoint STF_SEARCHES"      # firmware/kernel/waypoint.h
///     to = "waypoint STF_PRICED"
///     cycles = 110.0
///
///     [[pair]]                            # the same, where one of these came before
///     before = ["waypoint SEARCH_WEIGHED"]
///     from = "waypoint STF_SEARCHES"
///     to = "waypoint STF_PRICED"
///     cycles = 104.0
///
/// Cycles have a resolution of 1/256; what a table charges is exact over many pairs, not each time.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/tlm/accesses.hpp"

namespace headstack::tlm {

/// "FILE: KEY: what is wrong; what to do", with the line where there is one.
struct CostError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A cost file's content.
struct Costs {
  struct Pair {
    std::string from;
    std::string to;
    double cycles = 0;
    std::vector<std::string> before = {};  // empty: whatever was
  };

  std::string commit;
  std::string date;
  double default_cycles = 0;
  std::vector<Pair> pairs;

  /// Throws CostError: cannot be read, is not TOML, has an unknown or missing key, or a bad value.
  static Costs read(const std::string& path);
  /// The same from text; `path` is for messages.
  static Costs parse(const std::string& path, const std::string& text);
  /// As read() takes it, pairs in their order.
  void write(std::ostream& out) const;
};

class CostTable {
 public:
  /// In 1/256 cycle.
  static constexpr unsigned kFractionBits = 8;
  /// Where a table keeps an access: waypoint n at place n, behind them those that it names, and all
  /// others at kUnnamed.
  using Place = std::uint32_t;
  static constexpr Place kUnnamed = WAYPOINT_COUNT;
  static constexpr Place kPlaces = CPU_BILL_PLACES;

  /// Instructions and bus take no time at all.
  static CostTable ideal();
  /// Every pair costs the same.
  static CostTable flat(double cycles);
  /// Throws CostError, naming `path` and the pair: unknown access, pair that cannot be, pair given
  /// twice, one with a `before` that is not listed without, cycles out of range, more accesses
  /// named than there are places.
  CostTable(const Costs& costs, const std::string& path);
  static CostTable load(const std::string& path) { return {Costs::read(path), path}; }

  Place place(Access access) const { return places_[access]; }
  /// Rows of kPlaces. The row of place p, whatever came before it, is row p.
  const cpu_charge* rows() const { return rows_.data(); }

 private:
  struct Way;  // of a pair, by places

  void give_places(const Costs& costs, const std::string& path);
  std::vector<Way> ways(const Costs& costs, const std::string& path) const;
  void add_contexts(const std::vector<Way>& ways);

  std::vector<Place> places_;    // by access
  std::vector<bool> tells_way_;  // by place
  std::vector<cpu_charge> rows_;
};

}  // namespace headstack::tlm
