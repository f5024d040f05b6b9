// A drive, as its TOML file describes it: published numbers in published units, nothing derived.
//
// [design] is what the drive's makers knew: firmware and simulator share it. [specimen] is what is
// true of one copy of it (speed error, flaws): only the simulator sees it. [published] keeps facts
// that no model reads, for comparison and for later work. The keys, their bounds and their
// meanings are in schema.hpp, which reads, checks and writes this structure.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/media/flaw_spec.hpp"

namespace headstack::drive {

/// How logical blocks climb through the heads of a cylinder.
enum class Mapping {
  kPlain,               // heads ascend in every cylinder
  kSerpentine,          // heads ascend and descend in turn; a zone's first cylinder ascends
  kSerpentineAbsolute,  // as serpentine, but even-numbered cylinders of the drive ascend
};

/// Where the spare sectors of a zone lie. `spares` of a zone counts per unit of this kind.
enum class SpareLocation {
  kNone,
  kTrackEnd,
  kCylinderEnd,
  kCylinderFront,
  kRangeEnd,       // a range is `range_cylinders` cylinders; a last, shorter one has no spares
  kZoneEnd,        // sectors at the end of the zone
  kZoneEndTracks,  // whole tracks: spares, slips and remaps of the zone count tracks, not sectors
};

/// How long a sector takes to come round.
enum class RotationalLatency {
  kAngular,  // from the platter's angle: what a drive does
  kMean,     // always half a revolution: a paper's abstract drive
};

struct Sparing {
  SpareLocation location = SpareLocation::kNone;
  bool slip_to_zone_end = false;  // a slip moves all later blocks of the zone, not of the unit
  std::uint32_t range_cylinders = 1;
};

/// Positions (slips, remaps) count sectors from the zone's start in traversal order, spares and
/// reserved sectors included; see sim/geometry/geometry.hpp. With kZoneEndTracks they count tracks.
struct Zone {
  std::uint32_t first_cylinder = 0;
  std::uint32_t last_cylinder = 0;
  std::uint32_t sectors_per_track = 1;
  std::uint32_t track_skew = 0;           // sectors
  std::uint32_t cylinder_skew = 0;        // sectors
  std::uint32_t first_sector_offset = 0;  // sectors: angle of the zone's first sector
  std::uint32_t reserved_sectors = 0;     // at the zone's front, never addressed by a block
  std::uint32_t spares = 0;               // per unit of Sparing::location
  std::vector<std::uint32_t> slips;
  std::vector<std::array<std::uint32_t, 2>> remaps;  // defect, replacement
};

/// time(x) = constant + sqrt * sqrt(x - origin) + linear * (x - origin), for x up to the bound.
struct SeekPiece {
  std::uint32_t up_to_cylinders = 0;
  double constant_ms = 0;
  double sqrt_ms = 0;
  double linear_ms = 0;
  std::uint32_t origin_cylinders = 0;
};

/// Rows of (cylinders, ms) hold up to the last row, linear between rows and from (0, 0) to the
/// first; pieces hold beyond; without pieces the last two rows are extended.
struct Seek {
  std::vector<std::pair<std::uint32_t, double>> table;
  std::vector<SeekPiece> pieces;
  double settle_ms = 0;               // the end of every seek spent settling, part of its time
  double coast_cylinders_per_ms = 0;  // top speed of the arm
};

/// Bytes of one sector on the track beside its data; with the rotation they set the byte clock.
struct Format {
  std::uint32_t preamble_bytes = 12;
  std::uint32_t sync_bytes = 2;
  std::uint32_t header_bytes = 8;
  std::uint32_t check_bytes = 4;
  std::uint32_t gap_bytes = 22;
};

struct Bus {
  std::uint32_t width_bits = 8;
  std::uint32_t sync_period_ns = 100;
  std::uint32_t sync_offset = 15;
};

struct Design {
  double rpm = 3600;
  std::uint32_t heads = 1;
  std::uint32_t cylinders = 1;
  std::uint32_t sector_bytes = 512;
  Mapping mapping = Mapping::kPlain;
  RotationalLatency rotational_latency = RotationalLatency::kAngular;
  double head_switch_ms = 0;
  double write_settle_ms = 0;
  double spin_up_ms = 10'000;
  double spin_down_ms = 10'000;
  std::uint32_t buffer_bytes = 65'536;
  std::vector<std::array<std::uint32_t, 2>> reserved_cylinders;  // first, last: in no zone
  Sparing sparing;
  Seek seek;
  Format format;
  Bus bus;
  std::vector<Zone> zones;
};

/// A flaw at a chosen place; `retries` counts failing reads before a correctable one succeeds.
struct Flaw {
  media::FlawKind kind = media::FlawKind::kUnreadable;
  std::uint64_t lba = 0;
  std::uint32_t retries = 0;
};

struct Specimen {
  double speed_error_ppm = 0;
  std::uint64_t flaw_seed = 0;
  std::uint32_t unreadable_sectors = 0;
  std::uint32_t correctable_sectors = 0;
  std::uint32_t correctable_retries_min = 1;
  std::uint32_t correctable_retries_max = 3;
  std::uint32_t misplaced_writes = 0;
  std::vector<Flaw> flaws;
};

struct Published {
  std::string source;
  std::optional<std::uint64_t> capacity_sectors;
  std::optional<double> average_seek_ms;
  std::optional<double> single_cylinder_seek_ms;
  std::optional<double> full_stroke_seek_ms;
  std::optional<double> demerit_rms_ms;
  std::map<std::string, double> overheads_ms;
  std::map<std::string, double> cache;
  std::map<std::string, double> bus;
};

struct DriveDescription {
  std::string name;
  std::string notes;
  Design design;
  Specimen specimen;
  Published published;
};

}  // namespace headstack::drive
