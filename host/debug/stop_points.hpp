// SPDX-License-Identifier: Apache-2.0
// The stop points of a debugger: any number of breakpoints and watchpoints. They do not change
// memory; instructions and accesses are compared with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstack::debug {

/// The kinds of points, with the numbers of the remote protocol (packets Z0 to Z4).
enum class PointKind { kSoftwareBreak, kHardwareBreak, kWrite, kRead, kAccess };
constexpr std::uint64_t kPointKinds = 5;

struct Point {
  PointKind kind = PointKind::kSoftwareBreak;
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;  // watchpoint: number of watched bytes from `address` on
};
bool operator==(const Point& a, const Point& b);

/// A watched access, in the form of the report to GDB.
struct WatchHit {
  PointKind kind = PointKind::kWrite;
  std::uint32_t address = 0;  // first watched byte that was accessed
};

class StopPoints {
 public:
  /// Adds a point; an equal one is not added twice.
  void add(const Point& point);
  void remove(const Point& point);
  void clear();

  bool empty() const { return points_.empty(); }
  const std::vector<Point>& all() const { return points_; }

  /// GDB's word for a breakpoint at this instruction: "swbreak" or "hwbreak"; null without one.
  const char* break_at(std::uint32_t pc) const;
  std::optional<WatchHit> watched(bool write, std::uint32_t address, std::uint32_t bytes) const;

 private:
  void sort();

  std::vector<Point> points_;          // the points in the order in which they were set
  std::vector<std::uint32_t> breaks_;  // addresses of breakpoints, sorted for the search
  std::vector<Point> watches_;
};

/// The word of the stop reply: "watch", "rwatch" or "awatch".
const char* watch_name(PointKind kind);

}  // namespace headstack::debug
