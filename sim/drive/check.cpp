// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/drive/check_specimen.hpp"
#include "sim/drive/drive_media.hpp"
#include "sim/drive/electronics.hpp"
#include "sim/drive/load.hpp"
#include "sim/drive/schema.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/mechanics/seek_curve.hpp"

namespace headstack::drive {
namespace {

constexpr std::uint64_t kMostTracks = 16'000'000;

void check_name(const DriveDescription& description) {
  const std::string& name = description.name;
  const bool control = std::any_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
  });
  if (name.empty() || control) {
    throw Fault("name", name.empty() ? "empty" : "holds a control character",
                "give maker and model on one line");
  }
}

/// Limits the size of a drive. Layouts with spares on every track keep an entry per track.
void check_size(const Design& design) {
  const std::uint64_t tracks = std::uint64_t{design.cylinders} * design.heads;
  if (tracks <= kMostTracks) return;
  throw Fault("design.cylinders", fmt::format("{} tracks in all", tracks),
              fmt::format("stay within {} tracks", kMostTracks));
}

struct CylinderRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::string key;
};

/// Zones and reserved cylinders, in cylinder order.
std::vector<CylinderRange> cylinder_ranges(const Design& design) {
  std::vector<CylinderRange> ranges;
  for (std::size_t i = 0; i < design.zones.size(); ++i) {
    ranges.push_back({design.zones[i].first_cylinder, design.zones[i].last_cylinder,
                      fmt::format("design.zones[{}]", i)});
    if (i > 0 && design.zones[i].first_cylinder <= design.zones[i - 1].first_cylinder) {
      throw Fault(ranges.back().key + ".first_cylinder", "zones are not in cylinder order",
                  "sort the zones by first_cylinder");
    }
  }
  for (std::size_t i = 0; i < design.reserved_cylinders.size(); ++i) {
    ranges.push_back({design.reserved_cylinders[i][0], design.reserved_cylinders[i][1],
                      fmt::format("design.reserved_cylinders[{}]", i)});
  }
  std::stable_sort(ranges.begin(), ranges.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return ranges;
}

/// Checks that every cylinder belongs to exactly one zone or reserved range.
void check_cylinders(const Design& design) {
  if (design.zones.empty()) throw Fault("design.zones", "no zone", "add [[design.zones]]");
  std::uint32_t next = 0;
  for (const CylinderRange& range : cylinder_ranges(design)) {
    if (range.last < range.first) {
      throw Fault(range.key,
                  fmt::format("last cylinder {} before first {}", range.last, range.first),
                  "swap or correct them");
    }
    if (range.first < next) {
      throw Fault(range.key, fmt::format("overlaps cylinders before {}", next),
                  "every cylinder belongs to one zone; correct the limits");
    }
    if (range.first > next) {
      throw Fault(range.key,
                  fmt::format("gap: cylinders {}..{} belong to no zone", next, range.first - 1),
                  fmt::format("extend a zone or add [{}, {}] to design.reserved_cylinders", next,
                              range.first - 1));
    }
    if (range.last >= design.cylinders) {
      throw Fault(
          range.key,
          fmt::format("cylinder {} lies past design.cylinders = {}", range.last, design.cylinders),
          "correct the limit or design.cylinders");
    }
    next = range.last + 1;
  }
  if (next < design.cylinders) {
    throw Fault("design.cylinders",
                fmt::format("gap: cylinders {}..{} belong to no zone", next, design.cylinders - 1),
                fmt::format("lower it to {} or reserve the cylinders", next));
  }
}

void check_seek_order(const Seek& seek, std::uint32_t cylinders) {
  if (seek.table.empty() && seek.pieces.empty()) {
    throw Fault("design.seek", "neither table_ms nor pieces", "give the seek times in one of them");
  }
  for (std::size_t i = 0; i < seek.table.size(); ++i) {
    const std::uint32_t before = i == 0 ? 0 : seek.table[i - 1].first;
    if (seek.table[i].first > before) continue;
    throw Fault(
        fmt::format("design.seek.table_ms[{}]", i),
        fmt::format("out of order: distance {} does not exceed {}", seek.table[i].first, before),
        "sort the rows by distance, from 1 up, each distance once");
  }
  std::uint32_t covered = seek.table.empty() ? 0 : seek.table.back().first;
  for (std::size_t i = 0; i < seek.pieces.size(); ++i) {
    const std::string key = fmt::format("design.seek.pieces[{}]", i);
    if (seek.pieces[i].up_to_cylinders <= covered) {
      throw Fault(key + ".up_to_cylinders",
                  fmt::format("out of order: {} does not exceed {}", seek.pieces[i].up_to_cylinders,
                              covered),
                  "order table and pieces by distance, without overlap");
    }
    if (seek.pieces[i].sqrt_ms != 0 && seek.pieces[i].origin_cylinders > covered + 1) {
      throw Fault(key + ".origin_cylinders", "the square root of a negative distance",
                  fmt::format("give an origin of at most {}", covered + 1));
    }
    covered = seek.pieces[i].up_to_cylinders;
  }
  if (!seek.pieces.empty() && covered + 1 < cylinders) {
    throw Fault(fmt::format("design.seek.pieces[{}].up_to_cylinders", seek.pieces.size() - 1),
                fmt::format("the curve ends at {} of {} cylinders", covered, cylinders - 1),
                "extend the last piece");
  }
}

void check_seek_times(const Design& design) {
  const std::vector<double> times_ms = mechanics::seek_times_ms(design.seek, design.cylinders);
  for (std::uint32_t x = 1; x < design.cylinders; ++x) {
    const double ms = times_ms[x];
    if (!std::isfinite(ms) || ms <= 0 || ms > kTimeMs.high) {
      throw Fault("design.seek", fmt::format("a seek over {} cylinders takes {} ms", x, ms),
                  "correct the table or the formula: every time is finite and above 0");
    }
    if (ms < design.seek.settle_ms) {
      throw Fault("design.seek.settle_ms",
                  fmt::format("{} ms exceeds the whole seek over {} cylinders, {} ms",
                              design.seek.settle_ms, x, ms),
                  "settling is part of every seek; lower it");
    }
  }
}

/// Checks write_offset_ms: every seek may change the element, too, so none may be shorter.
void check_write_offset(const Design& design) {
  const std::vector<double> times_ms = mechanics::seek_times_ms(design.seek, design.cylinders);
  for (std::uint32_t x = 1; x < design.cylinders; ++x) {
    if (design.write_offset_ms <= times_ms[x]) continue;
    throw Fault("design.write_offset_ms",
                fmt::format("{} ms exceeds the whole seek over {} cylinders, {} ms",
                            design.write_offset_ms, x, times_ms[x]),
                "it is part of every seek; lower it");
  }
}

void check_spares(const Design& design) {
  if (design.sparing.location != SpareLocation::kNone) return;
  for (std::size_t z = 0; z < design.zones.size(); ++z) {
    if (design.zones[z].spares == 0) continue;
    throw Fault(fmt::format("design.zones[{}].spares", z), "spares without a place",
                "give their place in design.sparing.location, or give 0");
  }
}

/// Checks that a skew is less than a track, since it is a part of a revolution.
void check_skews(const Design& design) {
  for (std::size_t z = 0; z < design.zones.size(); ++z) {
    const Zone& zone = design.zones[z];
    const auto check = [&](const char* key, std::uint32_t skew) {
      if (skew == 0 || skew < zone.sectors_per_track) return;
      throw Fault(fmt::format("design.zones[{}].{}", z, key),
                  fmt::format("{} sectors, but a track has {}", skew, zone.sectors_per_track),
                  "give less than a track");
    };
    check("track_skew", zone.track_skew);
    check("cylinder_skew", zone.cylinder_skew);
  }
}

/// Checks that the specimen's speed is within the design's bounds, for which the arithmetic is
/// made.
void check_speed(const DriveDescription& description) {
  const double rpm = description.design.rpm * (1 + description.specimen.speed_error_ppm * 1e-6);
  if (rpm >= kRpm.low && rpm <= kRpm.high) return;
  throw Fault("specimen.speed_error_ppm", fmt::format("makes it {:.3f} rpm", rpm),
              fmt::format("stay within {} .. {} {}", kRpm.low, kRpm.high, kRpm.unit));
}

void check_media(const Design& design) {
  const geometry::Geometry geometry(design);
  const std::string error =
      media::find_geometry_error(media::media_geometry_of(design, geometry), false);
  if (!error.empty()) throw Fault("design.format.check_bytes", error, "give 4 (CRC-32) or 0");
}

/// Warns about published times far from the curve: often they are a parameter of another model.
void warn_about_published_seeks(const DriveDescription& description,
                                std::vector<std::string>& warnings) {
  const Design& design = description.design;
  const auto compare = [&](const char* key, const std::optional<double>& published,
                           std::uint32_t distance) {
    if (!published || distance == 0) return;
    const double ms = mechanics::seek_time_ms(design.seek, distance);
    if (*published > ms / 2 && *published < ms * 2) return;
    warnings.push_back(fmt::format(
        "published.{}: {} ms, but the curve takes {:.3f} ms over {} cylinder{}; the curve counts",
        key, *published, ms, distance, distance == 1 ? "" : "s"));
  };
  compare("single_cylinder_seek_ms", description.published.single_cylinder_seek_ms,
          std::min(design.cylinders - 1, 1U));
  compare("full_stroke_seek_ms", description.published.full_stroke_seek_ms, design.cylinders - 1);
}

}  // namespace

std::vector<std::string> check(const DriveDescription& description) {
  const Design& design = description.design;
  std::vector<std::string> warnings;
  check_name(description);
  check_cylinders(design);
  check_size(design);
  check_seek_order(design.seek, design.cylinders);
  check_seek_times(design);
  check_write_offset(design);
  check_spares(design);
  check_skews(design);
  if (design.scsi_version != 2 && design.scsi_version != 7) {
    throw Fault("design.scsi_version",
                fmt::format("{} is no version that the firmware knows", design.scsi_version),
                "give 2 (SCSI-2) or 7 (SPC-5)");
  }
  if (design.bus.width_bits != 8 && design.bus.width_bits != 16) {
    throw Fault("design.bus.width_bits", fmt::format("{} bits", design.bus.width_bits),
                "give 8 (narrow) or 16 (wide)");
  }
  if (design.sparing.location == SpareLocation::kZoneEndTracks && design.sparing.slip_to_zone_end) {
    warnings.emplace_back(
        "design.sparing.slip_to_zone_end: slipped tracks cost the zone blocks and leave its spare "
        "tracks free");
  }

  const std::vector<geometry::Extent> extents = geometry::build_layout(design).blocks;
  if (extents.empty()) {
    throw Fault("design.zones", "no block left", "give fewer spares, slips or reserved sectors");
  }
  const std::uint64_t blocks = extents.back().lba + extents.back().length;
  check_media(design);
  check_speed(description);
  check_specimen(description);

  if (design.write_settle_ms < 0) {
    warnings.push_back(fmt::format(
        "design.write_settle_ms: {} is negative, as published; it counts as 0, because a write "
        "reads its sector's header first. With drive.controller=published the arm starts so much "
        "sooner for a write instead",
        design.write_settle_ms));
  }
  for (std::size_t z = 0; z < design.zones.size(); ++z) {
    for (const auto& [defect, replacement] : design.zones[z].remaps) {
      if (defect != replacement) continue;
      warnings.push_back(fmt::format(
          "design.zones[{}].remaps: {} is remapped to itself, which changes nothing", z, defect));
    }
  }
  if (const std::string what = find_too_fast_zone(description); !what.empty()) {
    warnings.push_back(what + ", so that platform rtl refuses the drive; vp and native run it");
  }
  warn_about_published_seeks(description, warnings);
  const auto& published = description.published.capacity_sectors;
  if (published && *published != blocks) {
    warnings.push_back(
        fmt::format("published.capacity_sectors: {} published, but zones, spares and slips make {}",
                    *published, blocks));
  }
  return warnings;
}

}  // namespace headstack::drive
