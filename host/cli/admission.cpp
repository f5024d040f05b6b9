// SPDX-License-Identifier: Apache-2.0
#include "host/cli/admission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace headstack::cli {
namespace {

constexpr std::uint64_t kMostStreams = 1'000'000;

/// The largest number for which `fits` holds. It must hold for all smaller ones, too.
std::uint64_t most(const std::function<bool(std::uint64_t)>& fits) {
  std::uint64_t good = 0;
  std::uint64_t bad = kMostStreams + 1;
  while (bad - good > 1) {
    const std::uint64_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

/// The value z that a normal variable exceeds with the probability `tail`, found by bisection.
double normal_quantile(double tail) {
  double low = -10;
  double high = 10;
  constexpr int kSteps = 100;
  for (int i = 0; i < kSteps; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(middle / std::sqrt(2.0)) > tail ? low : high) = middle;
  }
  return high;
}

/// The longest transfer of runs of blocks, timed from their first sector. They begin anywhere in
/// the first, middle and last cylinder of each zone. The layout of the other cylinders is the same,
/// except for defects.
Picoseconds longest_transfer(const drive::Design& design, const mechanics::AccessModel& model,
                             const AdmissionLoad& load) {
  const geometry::Geometry& geometry = model.geometry();
  Picoseconds longest = 0;
  for (const geometry::ZoneGrid& zone : geometry.zones()) {
    const std::uint64_t cylinder = std::uint64_t{zone.sectors_per_track} * design.heads;
    const std::uint64_t last = zone.block_count > cylinder ? zone.block_count - cylinder : 0;
    for (const std::uint64_t from : {std::uint64_t{0}, last / 2, last}) {
      for (std::uint64_t i = from; i < std::min(from + cylinder, zone.block_count); ++i) {
        const geometry::Lba lba = zone.first_lba + i;
        if (lba + load.blocks > geometry.capacity()) break;
        const geometry::Placement at = geometry.locate(lba);
        const mechanics::AccessStart start{model.rotation().time_to_angle(0, at.angle), at.cylinder,
                                           at.head};
        longest = std::max(longest, model.access_time(start, at, lba, load.blocks, load.is_write));
      }
    }
  }
  return longest;
}

/// The values that the formulas use.
struct Round {
  const ServiceBounds& bounds;
  const AdmissionLoad& load;
  double length_ms;
  std::uint64_t each;  // requests of a stream in a round
  double request_bytes;

  double doubled_buffer(std::uint64_t n) const {
    return 2.0 * static_cast<double>(n * each) * request_bytes;
  }
  bool has_room(double bytes) const { return load.buffer_bytes == 0 || bytes <= load.buffer_bytes; }
  /// The most streams of a scheme with two buffers per stream.
  std::uint64_t most_streams(const std::function<double(std::uint64_t)>& busy) const {
    return most(
        [&](std::uint64_t n) { return busy(n) <= length_ms && has_room(doubled_buffer(n)); });
  }
};

/// The busy time of a round of n streams in g groups.
double gss_busy(const Round& round, std::uint64_t n, std::uint64_t g) {
  const std::uint64_t larger = n % g;
  const std::uint64_t size = n / g;
  return static_cast<double>(larger) * round.bounds.sweep((size + 1) * round.each) +
         static_cast<double>(g - larger) * round.bounds.sweep(size * round.each);
}

double gss_buffer(const Round& round, std::uint64_t n, std::uint64_t g) {
  const std::uint64_t largest_group = (n + g - 1) / g;
  return static_cast<double>(round.each * (n + largest_group)) * round.request_bytes;
}

bool gss_fits(const Round& round, std::uint64_t n, std::uint64_t g) {
  return gss_busy(round, n, g) <= round.length_ms && round.has_room(gss_buffer(round, n, g));
}

/// The number of groups that carries n streams with the least buffer; 0 if none does.
std::uint64_t best_groups(const Round& round, std::uint64_t n) {
  const std::uint64_t given = round.load.groups;
  if (given != 0) return gss_fits(round, n, given) ? given : 0;
  // More groups need more time and less buffer.
  for (std::uint64_t g = n; g > 0; --g) {
    if (gss_fits(round, n, g)) return g;
  }
  return 0;
}

Admission admit_gss(const Round& round) {
  const std::uint64_t n = most([&](std::uint64_t some) {
    if (round.load.groups == 0 && round.load.buffer_bytes == 0) return gss_fits(round, some, 1);
    return best_groups(round, some) != 0;
  });
  Admission made;
  made.streams = n;
  made.formula = "sum over groups of W(k size) <= T";
  if (n == 0) return made;
  const std::uint64_t g = best_groups(round, n);
  made.groups = g;
  made.busy_ms = gss_busy(round, n, g);
  made.buffer_bytes = gss_buffer(round, n, g);
  made.response_ms =
      round.length_ms + round.bounds.sweep((n + g - 1) / g * round.each) + round.bounds.alone();
  return made;
}

/// The result of a scheme with two buffers per stream. `busy` is the time that a round of n streams
/// takes.
Admission doubled(const Round& round, const std::function<double(std::uint64_t)>& busy,
                  std::string formula) {
  Admission made;
  made.formula = std::move(formula);
  made.streams = round.most_streams(busy);
  made.busy_ms = made.streams == 0 ? 0 : busy(made.streams);
  made.buffer_bytes = round.doubled_buffer(made.streams);
  return made;
}

Admission admit_rangan(const Round& round) {
  const double far = round.bounds.alone();
  const double near = round.bounds.alone(round.load.scatter);
  Admission made = doubled(
      round,
      [&](std::uint64_t n) {
        return static_cast<double>(n) * (far + static_cast<double>(round.each - 1) * near);
      },
      "n a + n (k - 1) b <= T");
  made.response_ms = round.length_ms + made.busy_ms + round.bounds.alone();
  const double block_ms = round.request_bytes / round.load.bytes_per_second * 1000;
  made.any_round = static_cast<std::uint64_t>(std::max(0.0, std::ceil(block_ms / near) - 1));
  return made;
}

Admission admit_reddy(const Round& round) {
  Admission made = doubled(
      round,
      [&](std::uint64_t n) {
        return static_cast<double>(n * round.each) * round.bounds.alone() / round.load.share;
      },
      "n k a <= share T");
  made.busy_ms *= round.load.share;
  made.response_ms = 2 * round.length_ms + round.bounds.alone();
  return made;
}

Admission admit_wrr(const Round& round) {
  Admission made = doubled(
      round,
      [&](std::uint64_t n) { return round.bounds.sweep(n * round.each + round.load.best_effort); },
      "W(n k + best effort) <= T");
  made.response_ms = round.length_ms + made.busy_ms + round.bounds.alone();
  return made;
}

Admission admit_chen(const Round& round) {
  const ServiceBounds::Moments m = round.bounds.moments();
  const double z = normal_quantile(round.load.late_rounds);
  return doubled(
      round,
      [&](std::uint64_t n) {
        const auto count = static_cast<double>(n * round.each);
        const double variance = count * m.variance + 2 * (count - 1) * m.covariance;
        return count * m.mean + z * std::sqrt(std::max(variance, 0.0));
      },
      "N u + z sqrt(N v + 2 (N - 1) c) <= T");
}

Admission admit_horizon(const Round& round) {
  Admission made = doubled(
      round,
      [&](std::uint64_t n) {
        return static_cast<double>(n * round.each + 1) * round.bounds.alone();
      },
      "n k a / T + a / T <= 1");
  made.response_ms = round.length_ms;
  return made;
}

struct Scheme {
  const char* name;
  Admission (*admit)(const Round& round);
};
constexpr Scheme kSchemes[] = {{"gss", admit_gss},     {"rangan", admit_rangan},
                               {"reddy", admit_reddy}, {"wrr", admit_wrr},
                               {"chen", admit_chen},   {"horizon", admit_horizon}};

}  // namespace

ServiceBounds::ServiceBounds(const drive::Design& design, const mechanics::AccessModel& model,
                             const AdmissionLoad& load)
    : overhead_(load.overhead_ms),
      mean_latency_(design.rotational_latency == drive::RotationalLatency::kMean) {
  const double turn = model.rotation().period_ms();
  revolution_ = mean_latency_ ? turn / 2 : turn;
  transfer_ = to_ms(longest_transfer(design, model, load));
  for (const geometry::ZoneGrid& zone : model.geometry().zones()) {
    const double rate = 1000.0 * zone.sectors_per_track * design.sector_bytes / turn;
    slowest_rate_ = slowest_rate_ == 0 ? rate : std::min(slowest_rate_, rate);
    fastest_rate_ = std::max(fastest_rate_, rate);
  }
  for (std::uint32_t x = 0; x < design.cylinders; ++x) {
    const double time = to_ms(model.positioning().total(x, design.heads > 1, load.is_write));
    seeks_.push_back(seeks_.empty() ? time : std::max(seeks_.back(), time));
  }
  for (std::uint32_t x = 0; x < seeks_.size(); ++x) {
    // A corner is removed if it lies on or below the line from the previous corner to the new
    // point.
    while (hull_.size() > 1) {
      const std::uint32_t a = hull_[hull_.size() - 2];
      const std::uint32_t b = hull_.back();
      if ((seeks_[b] - seeks_[a]) * (x - a) > (seeks_[x] - seeks_[a]) * (b - a)) break;
      hull_.pop_back();
    }
    hull_.push_back(x);
  }
}

double ServiceBounds::envelope(double cylinders) const {
  const auto right = std::lower_bound(hull_.begin(), hull_.end(), cylinders);
  if (right == hull_.end()) return seeks_.back();
  if (right == hull_.begin()) return seeks_[*right];
  const std::uint32_t b = *right;
  const std::uint32_t a = *(right - 1);
  return seeks_[a] + (seeks_[b] - seeks_[a]) * (cylinders - a) / (b - a);
}

double ServiceBounds::sweep(std::uint64_t requests) const {
  if (requests == 0) return 0;
  const double longest = last_cylinder();
  const auto count = static_cast<double>(requests);
  return count * (fixed() + envelope(std::min(longest, 2 * longest / count)));
}

/// The moments over pairs of cylinders, at most kMostPlaces of them at equal distances.
ServiceBounds::Moments ServiceBounds::moments() const {
  constexpr std::uint32_t kMostPlaces = 1500;
  const std::uint32_t step = last_cylinder() / kMostPlaces + 1;
  double count = 0;
  double sum = 0;
  double squares = 0;
  double means = 0;  // sum of the squares of each cylinder's mean
  for (std::uint32_t x = 0; x <= last_cylinder(); x += step) {
    double from_here = 0;
    double places = 0;
    for (std::uint32_t y = 0; y <= last_cylinder(); y += step) {
      const double seek = seeks_[x > y ? x - y : y - x];
      from_here += seek;
      squares += seek * seek;
      ++places;
    }
    sum += from_here / places;
    means += from_here / places * (from_here / places);
    count = places;
  }
  const double mean = sum / count;
  constexpr double kUniform = 12;  // variance of a uniform variable: the square of its span divided
                                   // by this
  const double latency = mean_latency_ ? 0 : revolution_ * revolution_ / kUniform;
  return {overhead_ + transfer_ + (mean_latency_ ? revolution_ : revolution_ / 2) + mean,
          squares / (count * count) - mean * mean + latency, means / count - mean * mean};
}

std::vector<std::string> admission_schemes() {
  std::vector<std::string> names;
  for (const Scheme& scheme : kSchemes) names.emplace_back(scheme.name);
  return names;
}

AdmissionResult admit(const ServiceBounds& bounds, const AdmissionLoad& load, double request_bytes,
                      const std::vector<std::string>& schemes) {
  AdmissionResult result;
  const double request_ms = request_bytes / load.bytes_per_second * 1000;
  result.round_ms = load.round_ms > 0 ? load.round_ms : request_ms;
  constexpr double kRounding = 1e-9;  // a round of exactly k requests has k in spite of rounding
                                      // errors
  result.requests_per_round =
      static_cast<std::uint64_t>(std::ceil(result.round_ms / request_ms - kRounding));
  const Round round{bounds, load, result.round_ms, result.requests_per_round, request_bytes};
  for (const Scheme& scheme : kSchemes) {
    if (std::find(schemes.begin(), schemes.end(), scheme.name) == schemes.end()) continue;
    result.schemes.push_back(scheme.admit(round));
    result.schemes.back().scheme = scheme.name;
  }
  return result;
}

}  // namespace headstack::cli
