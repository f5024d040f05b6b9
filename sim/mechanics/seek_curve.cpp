// SPDX-License-Identifier: Apache-2.0
#include "sim/mechanics/seek_curve.hpp"

#include <algorithm>
#include <cmath>

namespace headstack::mechanics {
namespace {

using Rows = std::vector<std::pair<std::uint32_t, double>>;

/// The first row at or past a distance, or else the last.
std::size_t row_at(const Rows& table, double x) {
  const auto at =
      std::lower_bound(table.begin(), table.end(), x,
                       [](const auto& row, double distance) { return row.first < distance; });
  return std::min<std::size_t>(static_cast<std::size_t>(at - table.begin()), table.size() - 1);
}

/// Interpolates between rows, and from (0, 0) to the first; extrapolates from the last two.
double interpolate(const Rows& table, std::size_t right, double x) {
  const std::pair<std::uint32_t, double> left =
      right == 0 ? std::pair<std::uint32_t, double>{0, 0.0} : table[right - 1];
  const double width = table[right].first - left.first;
  return left.second + (table[right].second - left.second) * (x - left.first) / width;
}

double piece_ms(const drive::SeekPiece& piece, double x) {
  const double beyond = x - piece.origin_cylinders;
  // Without a square root term, x may lie below the origin.
  const double root = piece.sqrt_ms == 0 ? 0 : piece.sqrt_ms * std::sqrt(beyond);
  return piece.constant_ms + root + piece.linear_ms * beyond;
}

/// Whether the table gives the time of this distance, and not a piece.
bool is_of_table(const drive::Seek& seek, std::uint32_t cylinders) {
  return seek.pieces.empty() || (!seek.table.empty() && cylinders <= seek.table.back().first);
}

}  // namespace

double seek_time_ms(const drive::Seek& seek, std::uint32_t cylinders) {
  if (cylinders == 0) return 0;
  if (is_of_table(seek, cylinders)) {
    return interpolate(seek.table, row_at(seek.table, cylinders), cylinders);
  }
  for (const drive::SeekPiece& piece : seek.pieces) {
    if (cylinders <= piece.up_to_cylinders) return piece_ms(piece, cylinders);
  }
  return piece_ms(seek.pieces.back(), cylinders);
}

std::vector<double> seek_times_ms(const drive::Seek& seek, std::uint32_t count) {
  std::vector<double> times(count);
  std::size_t row = 0;
  for (std::uint32_t x = 1; x < count; ++x) {
    if (!is_of_table(seek, x)) {
      times[x] = seek_time_ms(seek, x);
      continue;
    }
    while (row + 1 < seek.table.size() && seek.table[row].first < x) ++row;
    times[x] = interpolate(seek.table, row, x);
  }
  return times;
}

double BangBangCoast::time_ms(double cylinders) const {
  if (cylinders <= 0) return 0;
  const double a = acceleration_cylinders_per_ms2;
  const double v = top_speed_cylinders_per_ms;
  if (cylinders <= v * v / a) return settle_ms + 2 * std::sqrt(cylinders / a);
  return settle_ms + cylinders / v + v / a;
}

SeekProfile::SeekProfile(double distance_cylinders, Picoseconds motion_time,
                         double coast_cylinders_per_ms)
    : distance_(distance_cylinders), motion_time_(motion_time) {
  const double total = to_ms(motion_time);
  if (total <= 0) return;
  double ramp = total / 2;
  if (2 * distance_ / total > coast_cylinders_per_ms) {
    ramp = std::max(total - distance_ / coast_cylinders_per_ms, total / 16);
  }
  ramp_time_ = from_ms(ramp);
  peak_speed_ = distance_ / (total - ramp);
}

double SeekProfile::position_cylinders(Picoseconds since_start) const {
  if (since_start >= motion_time_) return distance_;
  if (since_start <= 0) return 0;
  const double t = to_ms(since_start);
  const double ramp = to_ms(ramp_time_);
  if (since_start < ramp_time_) return peak_speed_ * t * t / (2 * ramp);
  const double left = to_ms(motion_time_ - since_start);
  if (left < ramp) return distance_ - peak_speed_ * left * left / (2 * ramp);
  return peak_speed_ * (t - ramp / 2);
}

double SeekProfile::velocity_cylinders_per_ms(Picoseconds since_start) const {
  if (since_start <= 0 || since_start >= motion_time_) return 0;
  const double ramp = to_ms(ramp_time_);
  const double edge = to_ms(std::min(since_start, motion_time_ - since_start));
  return edge < ramp ? peak_speed_ * edge / ramp : peak_speed_;
}

SeekCurve::SeekCurve(const drive::Design& design)
    : times_(design.cylinders),
      settle_(from_ms(design.seek.settle_ms)),
      coast_cylinders_per_ms_(design.seek.coast_cylinders_per_ms) {
  const std::vector<double> times_ms = seek_times_ms(design.seek, design.cylinders);
  for (std::uint32_t x = 1; x < design.cylinders; ++x) times_[x] = from_ms(times_ms[x]);
}

SeekProfile SeekCurve::profile(std::uint32_t cylinders) const {
  return {static_cast<double>(cylinders), time(cylinders) - settle(cylinders),
          coast_cylinders_per_ms_};
}

double SeekCurve::mean_ms() const {
  const double n = cylinder_count();
  if (n < 2) return 0;
  double sum = 0;
  for (std::uint32_t x = 1; x < cylinder_count(); ++x) sum += to_ms(time(x)) * 2 * (n - x);
  return sum / (n * (n - 1));
}

}  // namespace headstack::mechanics
