// What the firmware's instructions cost on `rtl`: the measurements behind the fast platform's cost
// table (sim/tlm/cost_table.hpp says what a pair of accesses is and how its cycles are counted).
//
// Watched are the core's accesses, its sleep, the waypoints it passes, and the way into and out of
// its interrupt handler. What a handler takes that preempts a pair does not count for the pair. An
// interrupt that had to wait until interrupts were on counts from when it would have had to rise to
// be taken when it was.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "host/run/way_log.hpp"
#include "sim/soc/elf_image.hpp"
#include "sim/soc/soc_clock.hpp"
#include "sim/tlm/accesses.hpp"

namespace headstack::run {

class CostMeter : public soc::CoreWatcher {
 public:
  /// Finds the handler's way out, and the ways to sleep, in the program, which must outlive it.
  explicit CostMeter(const soc::ElfImage& image);

  void core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) override;

  /// Pairs, by what came before, with their sums, for calibrate.py: before, from, to, count,
  /// cycles.
  std::string to_csv() const;
  /// Where the ways of pairs part, for who places waypoints: WayLog.
  std::string ways_to_text() const;

 private:
  struct Point {
    tlm::Access before = tlm::kBoot;  // the last that tells the way, or itself, where none does
    tlm::Access access = tlm::kBoot;
    std::uint64_t edge = 0;
    std::uint64_t elsewhere = 0;  // cycles since then that handlers took
    WayTaken way = {};            // since then, without theirs
  };

  void reach(tlm::Access access, std::uint64_t edge);
  void retire(std::uint64_t edge, tlm::Access point);
  void enter_handler(std::uint64_t edge);
  void leave_handler(std::uint64_t edge);

  // Addresses whose instruction is a moment, or a waypoint: of mret, of wfi, of interrupts off and
  // on.
  std::map<std::uint32_t, tlm::Access> points_;
  WayLog ways_;
  const soc::ElfImage& image_;
  Point last_;
  Point interrupted_;                // what a preempting handler came between
  std::uint64_t taken_ = 0;          // since when the handler counts
  std::uint64_t risen_ = 0;          // when the interrupt's level rose
  std::uint64_t entry_cycles_ = 16;  // from there to the vector, at the least
  bool level_ = false;
  bool asleep_ = false;
  bool handling_ = false;
  bool woken_ = false;  // the handler has ended a sleep
};

}  // namespace headstack::run
