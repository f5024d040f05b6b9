// SPDX-License-Identifier: Apache-2.0
#include "host/debug/stop_points.hpp"

#include <algorithm>

namespace headstack::debug {
namespace {

bool is_break(PointKind kind) {
  return kind == PointKind::kSoftwareBreak || kind == PointKind::kHardwareBreak;
}

bool concerns(PointKind kind, bool write) {
  return kind == PointKind::kAccess || (kind == PointKind::kWrite) == write;
}

}  // namespace

bool operator==(const Point& a, const Point& b) {
  return a.kind == b.kind && a.address == b.address && a.bytes == b.bytes;
}

void StopPoints::add(const Point& point) {
  if (std::find(points_.begin(), points_.end(), point) == points_.end()) points_.push_back(point);
  sort();
}

void StopPoints::remove(const Point& point) {
  points_.erase(std::remove(points_.begin(), points_.end(), point), points_.end());
  sort();
}

void StopPoints::clear() {
  points_.clear();
  sort();
}

void StopPoints::sort() {
  breaks_.clear();
  watches_.clear();
  for (const Point& point : points_) {
    if (is_break(point.kind)) {
      breaks_.push_back(point.address);
    } else {
      watches_.push_back(point);
    }
  }
  std::sort(breaks_.begin(), breaks_.end());
}

const char* StopPoints::break_at(std::uint32_t pc) const {
  if (!std::binary_search(breaks_.begin(), breaks_.end(), pc)) return nullptr;
  for (const Point& point : points_) {
    if (point.kind == PointKind::kSoftwareBreak && point.address == pc) return "swbreak";
  }
  return "hwbreak";
}

std::optional<WatchHit> StopPoints::watched(bool write, std::uint32_t address,
                                            std::uint32_t bytes) const {
  for (const Point& watch : watches_) {
    const std::uint64_t first = std::max(watch.address, address);
    const std::uint64_t end =
        std::min(std::uint64_t{watch.address} + watch.bytes, std::uint64_t{address} + bytes);
    if (concerns(watch.kind, write) && first < end) {
      return WatchHit{watch.kind, static_cast<std::uint32_t>(first)};
    }
  }
  return std::nullopt;
}

const char* watch_name(PointKind kind) {
  switch (kind) {
    case PointKind::kRead: return "rwatch";
    case PointKind::kAccess: return "awatch";
    default: return "watch";
  }
}

}  // namespace headstack::debug
