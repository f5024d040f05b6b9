// SPDX-License-Identifier: Apache-2.0
// A drive, as described by its TOML file: published numbers in published units, nothing derived.
//
// [design] is known to the drive's manufacturer: firmware and simulator share it. [specimen] is
// true of one copy of the drive (speed error, flaws): only the simulator uses it. [published] keeps
// facts that no model reads, for comparison and for later work. schema.hpp has the keys, their
// bounds and their meanings; it reads, checks and writes this structure.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/media/flaw_spec.hpp"

namespace headstack::drive {

/// The order of logical blocks over the heads of a cylinder.
enum class Mapping {
  kPlain,               // heads ascend in every cylinder
  kSerpentine,          // heads ascend and descend alternately; a zone's first cylinder ascends
  kSerpentineAbsolute,  // like serpentine, but even-numbered cylinders of the drive ascend
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

/// How rotational latency is computed.
enum class RotationalLatency {
  kAngular,  // computed from the platter's angle, as in a drive
  kMean,     // always half a revolution, as in papers about abstract drives
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
  std::uint32_t first_sector_offset = 0;  // angle of the zone's first sector, in sectors
  std::uint32_t reserved_sectors = 0;     // sectors at the zone's front, never addressed by a block
  std::uint32_t spares = 0;               // sectors or tracks per unit of Sparing::location
  std::uint32_t store_sectors = 0;        // sectors that the drive keeps for itself: extents.hpp
  std::vector<std::uint32_t> slips;
  std::vector<std::array<std::uint32_t, 2>> remaps;  // pairs: defect, replacement
};

/// time(x) = constant + sqrt * sqrt(x - origin) + linear * (x - origin), for x up to the bound.
struct SeekPiece {
  std::uint32_t up_to_cylinders = 0;
  double constant_ms = 0;
  double sqrt_ms = 0;
  double linear_ms = 0;
  std::uint32_t origin_cylinders = 0;
};

/// Rows of (cylinders, ms) apply up to the last row, linear between rows and from (0, 0) to the
/// first. Pieces apply beyond. Without pieces, the line through the last two rows continues.
struct Seek {
  std::vector<std::pair<std::uint32_t, double>> table;
  std::vector<SeekPiece> pieces;
  double settle_ms = 0;               // the part of every seek's time, at its end, spent settling
  double coast_cylinders_per_ms = 0;  // top speed of the arm
};

/// Bytes of one sector on the track besides its data; with the rotation they set the byte clock.
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
  double write_offset_ms = 0;
  double spin_up_ms = 10'000;
  double spin_down_ms = 10'000;
  std::uint32_t buffer_bytes = 65'536;
  std::uint32_t scsi_version = 7;  // version that INQUIRY claims: 2 (SCSI-2) or 7 (SPC-5)
  std::vector<std::array<std::uint32_t, 2>> reserved_cylinders;  // pairs: first, last; in no zone
  Sparing sparing;
  Seek seek;
  Format format;
  Bus bus;
  std::vector<Zone> zones;
};

/// Raw bytes from one sector pulse to the next.
inline std::uint32_t raw_sector_bytes(const Design& design) {
  const Format& format = design.format;
  return format.preamble_bytes + format.sync_bytes + format.header_bytes + design.sector_bytes +
         format.check_bytes + format.gap_bytes;
}

/// A flaw at a chosen place: on a block's sector, and on the neighbours that the same scratch
/// covers. sim/media/flaw_spec.hpp describes the effect of each kind, and its numbers.
struct Flaw {
  media::FlawKind kind = media::FlawKind::kUnreadable;
  std::uint64_t lba = 0;
  std::uint32_t retries = 0;                         // attempts that fail before one succeeds
  std::optional<double> probability = std::nullopt;  // probability that an attempt fails
  std::uint32_t half_reads = 0;  // reads after which a decaying sector fails half the time
  std::uint32_t sectors = 1;     // sectors along the track, from the block's sector on
  std::uint32_t cylinders = 1;   // cylinders at the same angle and head, from the block's on
};

enum class ArmFaultKind {
  kSettle,         // reaches the target, but settles late or never
  kOffTrack,       // settles, and leaves the track again
  kWrongCylinder,  // settles on another cylinder, which the servo takes for the target
  kStuck,          // stops half way; only a recalibration moves it
};

/// Faults of the arm's movements (sim/mechanics/arm_faults.hpp). A recalibration is a movement to
/// cylinder 0.
struct ArmFault {
  ArmFaultKind kind = ArmFaultKind::kSettle;
  std::uint32_t first_cylinder = 0;                           // first affected target
  std::optional<std::uint64_t> last_cylinder = std::nullopt;  // last target; none: drive's last
  std::uint32_t first_seek = 1;                   // first affected movement, counted since power-on
  std::uint32_t seeks = 0;                        // number of affected movements; 0: all
  std::optional<double> for_ms = std::nullopt;    // settle: the delay, none: never; off_track: the
                                                  // duration, none: until the next movement
  std::optional<double> after_ms = std::nullopt;  // off_track: delay after read ready
  std::int32_t by_cylinders = 0;                  // wrong_cylinder: distance from the target
};

enum class SpindleFaultKind {
  kDropout,  // the motor loses its power
  kNoStart,  // starts do not reach the speed
};

/// Faults of the spindle's motor (sim/mechanics/spindle.hpp).
struct SpindleFault {
  SpindleFaultKind kind = SpindleFaultKind::kDropout;
  std::optional<double> at_ms = std::nullopt;   // dropout: time since power-on
  std::optional<double> for_ms = std::nullopt;  // dropout: until power is back; none: until the
                                                // motor is started again
  std::uint32_t first_start = 1;  // no_start: first failing start, counted since power-on
  std::uint32_t starts = 0;       // no_start: number of failing starts; 0: all
  double speed_share = 0;         // no_start: share of the speed that the spindle reaches
};

/// Missing index pulses (sim/mechanics/index_faults.hpp).
struct IndexFault {
  std::uint64_t first_turn = 0;  // first affected turn; turn 0 is at power-on, its index at angle 0
  std::uint64_t turns = 0;       // number of turns; 0: all that follow
  std::uint32_t every = 1;       // 1: each turn, 2: the first, third, ...
};

/// Faults drawn by Specimen::flaw_seed.
struct RandomFaults {
  double arm_share = 0;  // share of the movements with one of the four kinds, equally likely
  double arm_ms = 50;    // longest lateness, excursion, and time before one
  std::uint32_t arm_cylinders = 3;  // largest miss
  std::uint32_t dropouts = 0;       // dropouts of the spindle within dropout_span_ms
  double dropout_span_ms = 60'000;  // time from power-on in which the dropouts come
  double dropout_ms = 500;          // longest dropout
  double missing_index_share = 0;   // share of the index pulses
};

/// What becomes of the sector under the head when the power fails in the middle of it.
enum class PowerLoss {
  kFinished,  // the spindle's energy suffices for the rest of it
  kTorn,      // new bytes up to the head, old ones after it, and wrong check bytes
};

struct Specimen {
  double speed_error_ppm = 0;
  std::uint64_t flaw_seed = 0;
  std::uint32_t unreadable_sectors = 0;
  std::uint32_t correctable_sectors = 0;
  std::uint32_t correctable_retries_min = 1;
  std::uint32_t correctable_retries_max = 3;
  std::uint32_t misplaced_writes = 0;
  std::uint32_t intermittent_sectors = 0;
  double intermittent_probability = 0.5;
  std::uint32_t decaying_sectors = 0;
  std::uint32_t decaying_half_reads = 100;
  std::uint32_t write_fault_sectors = 0;
  std::uint32_t weak_write_sectors = 0;
  std::uint32_t bad_header_sectors = 0;
  std::uint32_t no_sync_sectors = 0;
  std::uint32_t scratches = 0;
  std::uint32_t scratch_sectors_max = 8;
  PowerLoss power_loss = PowerLoss::kFinished;
  std::vector<Flaw> flaws;
  std::vector<ArmFault> arm_faults;
  std::vector<SpindleFault> spindle_faults;
  std::vector<IndexFault> index_faults;
  RandomFaults random;
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
