// SPDX-License-Identifier: Apache-2.0
// Every key of a drive file: name, bounds, unit, meaning. No other place defines them.
//
// visit(visitor, structure) calls the visitor once per key, in file order. The reader fills the
// structure and rejects every key that was not visited; the writer prints it; `headstack drive
// keys` lists it. A key without a default is required.
#pragma once

#include "sim/description/description.hpp"
#include "sim/description/fault.hpp"
#include "sim/description/words.hpp"

namespace headstack::drive {

enum class Need { kRequired, kOptional };

struct Bounds {
  double low = 0;
  double high = 0;
  const char* unit = "";
};

/// Throws Fault when `value` is not finite or lies outside the bounds.
void check_bounds(double value, const std::string& path, Bounds bounds);

// Limits that keep every later product within its integer type, far above any real drive.
constexpr Bounds kRpm = {60, 60'000, "revolutions per minute"};
constexpr Bounds kHeads = {1, 255, "heads"};
constexpr Bounds kCylinderCount = {1, 1'000'000, "cylinders"};
constexpr Bounds kSectorBytes = {1, 16'384, "bytes"};
constexpr Bounds kSectorsPerTrack = {1, 65'535, "sectors"};
constexpr Bounds kBufferBytes = {512, 2'097'152, "bytes"};
constexpr Bounds kScsiVersion = {2, 7, ""};
constexpr Bounds kTimeMs = {0, 100'000, "ms"};
constexpr Bounds kAnyMs = {-100'000, 100'000, "ms"};
constexpr Bounds kCylinders = {0, 1'000'000, "cylinders"};
constexpr Bounds kSectors = {0, 65'535, "sectors"};
constexpr Bounds kPositions = {0, 4'294'967'295.0, "sectors or tracks of the zone"};
constexpr Bounds kBytes = {0, 4096, "bytes"};

template <class V>
void visit(V& v, Sparing& s) {
  v.choice("location", s.location, kSpareLocations, Need::kRequired,
           "location of the spare sectors");
  v.boolean(
      "slip_to_zone_end", s.slip_to_zone_end,
      "true: a slip shifts every later block of the zone, and uses none of the unit's spares");
  v.integer("range_cylinders", s.range_cylinders, {1, 1'000'000, "cylinders"}, Need::kOptional,
            "cylinders per range, for location = range-end");
}

template <class V>
void visit(V& v, SeekPiece& p) {
  v.integer("up_to_cylinders", p.up_to_cylinders, {1, 1'000'000, "cylinders"}, Need::kRequired,
            "longest seek distance to which this piece applies");
  v.number("constant_ms", p.constant_ms, kAnyMs, Need::kRequired, "constant term");
  v.number("sqrt_ms", p.sqrt_ms, kAnyMs, Need::kOptional, "coefficient of sqrt(distance - origin)");
  v.number("linear_ms", p.linear_ms, kAnyMs, Need::kOptional, "coefficient of (distance - origin)");
  v.integer("origin_cylinders", p.origin_cylinders, kCylinders, Need::kOptional,
            "origin: distance that is subtracted in the two terms");
}

template <class V>
void visit(V& v, Seek& s) {
  v.number("settle_ms", s.settle_ms, kTimeMs, Need::kRequired,
           "settle time at the end of every seek, included in the seek time");
  v.number("coast_cylinders_per_ms", s.coast_cylinders_per_ms, {1e-6, 1e6, "cylinders/ms"},
           Need::kRequired, "top speed of the arm");
  v.rows("table_ms", s.table, kTimeMs,
         "seek times as rows [cylinders, ms], in ascending order of distance");
  v.tables("pieces", s.pieces,
           "pieces of the seek formula, in ascending order; they apply beyond the table");
}

template <class V>
void visit(V& v, Format& f) {
  v.integer("preamble_bytes", f.preamble_bytes, kBytes, Need::kOptional, "clock recovery field");
  v.integer("sync_bytes", f.sync_bytes, kBytes, Need::kOptional, "sync mark");
  v.integer("header_bytes", f.header_bytes, kBytes, Need::kOptional,
            "header field with the sector's address");
  v.integer("check_bytes", f.check_bytes, {0, 4, "bytes"}, Need::kOptional,
            "check field: 4 is a CRC-32, 0 is none");
  v.integer("gap_bytes", f.gap_bytes, kBytes, Need::kOptional, "gap to the next sector");
}

template <class V>
void visit(V& v, Bus& b) {
  v.integer("width_bits", b.width_bits, {8, 16, "bits"}, Need::kOptional,
            "width of the data bus: 8 narrow, 16 wide");
  v.integer("sync_period_ns", b.sync_period_ns, {25, 1000, "ns"}, Need::kOptional,
            "shortest synchronous transfer period");
  v.integer("sync_offset", b.sync_offset, {0, 255, "transfers"}, Need::kOptional,
            "largest REQ/ACK offset; 0 is asynchronous only");
}

template <class V>
void visit(V& v, Zone& z) {
  v.integer("first_cylinder", z.first_cylinder, kCylinders, Need::kRequired,
            "first cylinder of the zone");
  v.integer("last_cylinder", z.last_cylinder, kCylinders, Need::kRequired,
            "last cylinder of the zone, inclusive");
  v.integer("sectors_per_track", z.sectors_per_track, kSectorsPerTrack, Need::kRequired,
            "sectors on every track of the zone");
  v.integer("track_skew", z.track_skew, kSectors, Need::kOptional,
            "skew from a track to that of the next head");
  v.integer("cylinder_skew", z.cylinder_skew, kSectors, Need::kOptional,
            "skew from a cylinder's last track to the next cylinder's first");
  v.integer("first_sector_offset", z.first_sector_offset, kSectors, Need::kOptional,
            "offset of the zone's first sector from the index");
  v.integer("reserved_sectors", z.reserved_sectors, kPositions, Need::kOptional,
            "sectors at the zone's beginning that have no block address");
  v.integer("spares", z.spares, kPositions, Need::kOptional,
            "spare sectors or tracks per unit of sparing.location");
  v.integer("store_sectors", z.store_sectors, {0, 65'536, "sectors"}, Need::kOptional,
            "reserved or spare sectors for the drive's own data, in two copies");
  v.integers("slips", z.slips, kPositions,
             "positions that the mapping skips (slips), in ascending order");
  v.pairs("remaps", z.remaps, kPositions, "remapped positions as pairs [defect, replacement]");
}

template <class V>
void visit(V& v, Design& d) {
  v.number("rpm", d.rpm, kRpm, Need::kRequired, "spindle speed");
  v.integer("heads", d.heads, kHeads, Need::kRequired, "number of data heads");
  v.integer("cylinders", d.cylinders, kCylinderCount, Need::kRequired,
            "number of cylinders that the arm can reach");
  v.integer("sector_bytes", d.sector_bytes, kSectorBytes, Need::kRequired,
            "data bytes per sector; a run needs a multiple of 4, at least 8");
  v.choice("mapping", d.mapping, kMappings, Need::kOptional,
           "order in which blocks are laid out over heads and cylinders");
  v.choice("rotational_latency", d.rotational_latency, kRotationalLatencies, Need::kOptional,
           "mean: every access waits half a revolution, as in papers about abstract drives");
  v.number("head_switch_ms", d.head_switch_ms, kTimeMs, Need::kRequired,
           "head switch time within a cylinder; it overlaps a seek");
  v.number("write_settle_ms", d.write_settle_ms, kAnyMs, Need::kRequired,
           "additional settle time before a write that follows a movement");
  v.number("write_offset_ms", d.write_offset_ms, kTimeMs, Need::kOptional,
           "time of the offset movement between a read and a write on one track (head_stack.hpp)");
  v.number("spin_up_ms", d.spin_up_ms, kTimeMs, Need::kOptional,
           "spin-up time, from rest to full speed");
  v.number("spin_down_ms", d.spin_down_ms, kTimeMs, Need::kOptional,
           "spin-down time, from full speed to rest");
  v.integer("buffer_bytes", d.buffer_bytes, kBufferBytes, Need::kOptional,
            "size of the sector buffer");
  v.integer("scsi_version", d.scsi_version, kScsiVersion, Need::kOptional,
            "standard that INQUIRY claims: 2 is SCSI-2, 7 is SPC-5");
  v.pairs("reserved_cylinders", d.reserved_cylinders, kCylinders,
          "ranges [first, last] of cylinders that belong to no zone");
  v.table("sparing", d.sparing, Need::kOptional, "sparing scheme");
  v.table("seek", d.seek, Need::kRequired, "seek time as a function of distance");
  v.table("format", d.format, Need::kOptional, "fields of a sector besides its data");
  v.table("bus", d.bus, Need::kOptional, "limits of the SCSI bus interface");
  v.tables("zones", d.zones, "zones, in cylinder order");
}

// Bounds of faults. A share is a part of 1.
constexpr Bounds kShare = {0, 1, ""};
constexpr Bounds kCount = {0, 1'000'000, "sectors"};
constexpr Bounds kRetries = {1, 1000, "reads"};
constexpr Bounds kHalfReads = {1, 1'000'000'000, "reads"};
constexpr Bounds kFaultMs = {0.001, 86'400'000, "ms"};
constexpr Bounds kTurns = {0, 4'294'967'295.0, "turns"};

template <class V>
void visit(V& v, Flaw& f) {
  v.choice("kind", f.kind, kFlawKinds, Need::kRequired,
           "kind of flaw, as defined in sim/media/flaw_spec.hpp");
  v.integer("lba", f.lba, {0, 9e15, "block"}, Need::kRequired, "block that has the flaw");
  v.integer("retries", f.retries, {0, 1000, "attempts"}, Need::kOptional,
            "number of reads or writes that fail before one succeeds (correctable, write_fault, "
            "weak_write); 0: all writes fail");
  v.optional_number("probability", f.probability, kShare,
                    "probability that a read fails (intermittent), or that the header fails in a "
                    "revolution (bad_header, no_sync; default 1)");
  v.integer("half_reads", f.half_reads, {0, kHalfReads.high, "reads"}, Need::kOptional,
            "number of reads after a write at which a read fails with probability 1/2 (decaying)");
  v.integer("sectors", f.sectors, {1, 65'535, "sectors"}, Need::kOptional,
            "length of the flaw along the track, in sectors from the block's own");
  v.integer("cylinders", f.cylinders, {1, 1'000'000, "cylinders"}, Need::kOptional,
            "width of the flaw under the same head, in cylinders from the block's own");
}

template <class V>
void visit(V& v, ArmFault& f) {
  v.choice("kind", f.kind, kArmFaultKinds, Need::kRequired,
           "kind of fault, as defined in sim/mechanics/arm_faults.hpp");
  v.integer("first_cylinder", f.first_cylinder, kCylinders, Need::kOptional,
            "first target cylinder that is affected");
  v.optional_integer(
      "last_cylinder", f.last_cylinder, kCylinders,
      "last target cylinder that is affected, inclusive (default: the drive's last)");
  v.integer("first_seek", f.first_seek, {1, 4'294'967'295.0, "movements"}, Need::kOptional,
            "first arm movement that is affected, counted from power-on");
  v.integer("seeks", f.seeks, {0, 4'294'967'295.0, "movements"}, Need::kOptional,
            "number of arm movements that are affected; 0: all");
  v.optional_number("for_ms", f.for_ms, kFaultMs,
                    "settle: delay (default: forever); off_track: time off the track (default: "
                    "until the next movement)");
  v.optional_number("after_ms", f.after_ms, {0.01, kFaultMs.high, "ms"},
                    "off_track: time from read ready until the heads leave the track");
  v.integer("by_cylinders", f.by_cylinders, {-1'000'000, 1'000'000, "cylinders"}, Need::kOptional,
            "wrong_cylinder: offset of the arm from the target cylinder");
}

template <class V>
void visit(V& v, SpindleFault& f) {
  v.choice("kind", f.kind, kSpindleFaultKinds, Need::kRequired,
           "kind of fault, as defined in sim/mechanics/spindle.hpp");
  v.optional_number("at_ms", f.at_ms, kFaultMs, "dropout: time of the dropout since power-on");
  v.optional_number(
      "for_ms", f.for_ms, kFaultMs,
      "dropout: time until motor power returns (default: until the next start command)");
  v.integer("first_start", f.first_start, {1, 4'294'967'295.0, "starts"}, Need::kOptional,
            "no_start: first start that is affected, counted from power-on");
  v.integer("starts", f.starts, {0, 4'294'967'295.0, "starts"}, Need::kOptional,
            "no_start: number of starts that are affected; 0: all");
  v.number("speed_share", f.speed_share, {0, 0.99, ""}, Need::kOptional,
           "no_start: fraction of full speed that is reached; 0: the spindle does not turn");
}

template <class V>
void visit(V& v, IndexFault& f) {
  v.integer("first_turn", f.first_turn, kTurns, Need::kOptional,
            "first revolution that is affected, counted from power-on; revolution 0 begins with an "
            "index pulse");
  v.integer("turns", f.turns, kTurns, Need::kOptional,
            "number of revolutions that are affected; 0: all from first_turn on");
  v.integer(
      "every", f.every, {1, 1'000'000, "turns"}, Need::kOptional,
      "n: every nth index pulse of these revolutions is missing, beginning with the first; 1: all");
}

template <class V>
void visit(V& v, RandomFaults& f) {
  v.number("arm_share", f.arm_share, kShare, Need::kOptional,
           "fraction of arm movements that fail, by one of the four kinds of arm_faults, equally "
           "likely");
  v.number("arm_ms", f.arm_ms, {0.01, 100'000, "ms"}, Need::kOptional,
           "longest settle delay or time off the track");
  v.integer("arm_cylinders", f.arm_cylinders, {1, 1'000'000, "cylinders"}, Need::kOptional,
            "largest offset from the target cylinder");
  v.integer("dropouts", f.dropouts, {0, 10'000, "times"}, Need::kOptional,
            "number of spindle dropouts");
  v.number("dropout_span_ms", f.dropout_span_ms, kFaultMs, Need::kOptional,
           "time from power-on within which the dropouts occur");
  v.number("dropout_ms", f.dropout_ms, kFaultMs, Need::kOptional, "longest dropout");
  v.number("missing_index_share", f.missing_index_share, kShare, Need::kOptional,
           "fraction of index pulses that are missing");
}

template <class V>
void visit(V& v, Specimen& s) {
  v.number("speed_error_ppm", s.speed_error_ppm, {-100'000, 100'000, "ppm"}, Need::kOptional,
           "deviation of the spindle speed from design.rpm");
  v.integer("flaw_seed", s.flaw_seed, {0, 9e15, ""}, Need::kOptional,
            "seed for the places and all other random properties of faults");
  v.integer("unreadable_sectors", s.unreadable_sectors, kCount, Need::kOptional,
            "number of sectors with flaw unreadable, at places chosen by seed");
  v.integer("correctable_sectors", s.correctable_sectors, kCount, Need::kOptional,
            "number of sectors with flaw correctable, at places chosen by seed");
  v.integer("correctable_retries_min", s.correctable_retries_min, kRetries, Need::kOptional,
            "fewest failing attempts of a sector chosen by seed");
  v.integer("correctable_retries_max", s.correctable_retries_max, kRetries, Need::kOptional,
            "most failing attempts of a sector chosen by seed");
  v.integer("misplaced_writes", s.misplaced_writes, kCount, Need::kOptional,
            "number of misplaced writes, at places chosen by seed");
  v.integer("intermittent_sectors", s.intermittent_sectors, kCount, Need::kOptional,
            "number of sectors with flaw intermittent, at places chosen by seed");
  v.number("intermittent_probability", s.intermittent_probability, kShare, Need::kOptional,
           "probability that a read of an intermittent sector fails");
  v.integer("decaying_sectors", s.decaying_sectors, kCount, Need::kOptional,
            "number of sectors with flaw decaying, at places chosen by seed");
  v.integer("decaying_half_reads", s.decaying_half_reads, kHalfReads, Need::kOptional,
            "number of reads after a write at which a decaying sector fails with probability 1/2");
  v.integer("write_fault_sectors", s.write_fault_sectors, kCount, Need::kOptional,
            "number of sectors with flaw write_fault, at places chosen by seed");
  v.integer("weak_write_sectors", s.weak_write_sectors, kCount, Need::kOptional,
            "number of sectors with flaw weak_write, at places chosen by seed");
  v.integer("bad_header_sectors", s.bad_header_sectors, kCount, Need::kOptional,
            "number of sectors with flaw bad_header, at places chosen by seed");
  v.integer("no_sync_sectors", s.no_sync_sectors, kCount, Need::kOptional,
            "number of sectors with flaw no_sync, at places chosen by seed");
  v.integer("scratches", s.scratches, {0, 100'000, "scratches"}, Need::kOptional,
            "scratches (adjacent unreadable sectors) at places chosen by seed");
  v.integer("scratch_sectors_max", s.scratch_sectors_max, {2, 65'535, "sectors"}, Need::kOptional,
            "longest scratch; it is shorter than a track");
  v.choice("power_loss", s.power_loss, kPowerLossKinds, Need::kOptional,
           "fate of the sector being written when power fails: finished with the spindle's energy, "
           "or torn");
  v.tables("flaws", s.flaws, "flaws at chosen blocks");
  v.tables("arm_faults", s.arm_faults, "faults of the arm's movements");
  v.tables("spindle_faults", s.spindle_faults, "faults of the spindle motor");
  v.tables("index_faults", s.index_faults, "missing index pulses");
  v.table("random", s.random, Need::kOptional, "random faults, drawn by flaw_seed");
}

template <class V>
void visit(V& v, Published& p) {
  v.text("source", p.source, Need::kOptional, "source of the published figures");
  v.optional_integer("capacity_sectors", p.capacity_sectors, {0, 9e15, "sectors"},
                     "published capacity");
  v.optional_number("average_seek_ms", p.average_seek_ms, kTimeMs, "published average seek time");
  v.optional_number("single_cylinder_seek_ms", p.single_cylinder_seek_ms, kTimeMs,
                    "published single-cylinder seek time");
  v.optional_number("full_stroke_seek_ms", p.full_stroke_seek_ms, kTimeMs,
                    "published full-stroke seek time");
  v.optional_number("demerit_rms_ms", p.demerit_rms_ms, kTimeMs,
                    "published demerit figure (RMS error) of a model against the real drive");
  v.facts("overheads_ms", p.overheads_ms, "measured controller overheads");
  v.facts("cache", p.cache, "measured buffer segmentation and policies");
  v.facts("bus", p.bus, "measured bus pace");
}

template <class V>
void visit(V& v, DriveDescription& d) {
  v.text("name", d.name, Need::kRequired, "maker and model");
  v.text("notes", d.notes, Need::kOptional, "assumptions and their reasons");
  v.table("design", d.design, Need::kRequired, "design data, known to firmware and simulator");
  v.table("specimen", d.specimen, Need::kOptional,
          "properties of this copy of the drive, known to the simulator only");
  v.table("published", d.published, Need::kOptional, "published facts, read by no model");
}

}  // namespace headstack::drive
