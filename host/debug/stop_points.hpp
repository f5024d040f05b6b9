// Where a debugger wants the run to stop: breakpoints and watchpoints, as many as it likes. Nothing
// in memory is changed for them; instructions and accesses are compared.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstack::debug {

/// As the remote protocol numbers them (packets Z0 to Z4).
enum class PointKind { kSoftwareBreak, kHardwareBreak, kWrite, kRead, kAccess };
constexpr std::uint64_t kPointKinds = 5;

struct Point {
  PointKind kind = PointKind::kSoftwareBreak;
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;  // of a watchpoint: what it watches, from `address` on
};
bool operator==(const Point& a, const Point& b);

/// A watched access, as GDB hears of it.
struct WatchHit {
  PointKind kind = PointKind::kWrite;
  std::uint32_t address = 0;  // the first byte that was watched and touched
};

class StopPoints {
 public:
  /// One that is there already stays one.
  void add(const Point& point);
  void remove(const Point& point);
  void clear();

  bool empty() const { return points_.empty(); }
  const std::vector<Point>& all() const { return points_; }

  /// How to tell GDB of the breakpoint at an instruction: "swbreak", "hwbreak"; null without one.
  const char* break_at(std::uint32_t pc) const;
  std::optional<WatchHit> watched(bool write, std::uint32_t address, std::uint32_t bytes) const;

 private:
  void sort();

  std::vector<Point> points_;          // in the order in which they came
  std::vector<std::uint32_t> breaks_;  // addresses of breakpoints, ascending: for the search
  std::vector<Point> watches_;
};

/// "watch", "rwatch", "awatch": the stop reply's words.
const char* watch_name(PointKind kind);

}  // namespace headstack::debug
