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
  v.choice("location", s.location, kSpareLocations, Need::kRequired, "where spare sectors lie");
  v.boolean("slip_to_zone_end", s.slip_to_zone_end,
            "a slip moves every later block of the zone and leaves the unit's spares alone");
  v.integer("range_cylinders", s.range_cylinders, {1, 1'000'000, "cylinders"}, Need::kOptional,
            "cylinders of one range (location = range-end)");
}

template <class V>
void visit(V& v, SeekPiece& p) {
  v.integer("up_to_cylinders", p.up_to_cylinders, {1, 1'000'000, "cylinders"}, Need::kRequired,
            "longest distance of this piece");
  v.number("constant_ms", p.constant_ms, kAnyMs, Need::kRequired, "constant term");
  v.number("sqrt_ms", p.sqrt_ms, kAnyMs, Need::kOptional, "times sqrt(distance - origin)");
  v.number("linear_ms", p.linear_ms, kAnyMs, Need::kOptional, "times (distance - origin)");
  v.integer("origin_cylinders", p.origin_cylinders, kCylinders, Need::kOptional,
            "distance at which the two terms start");
}

template <class V>
void visit(V& v, Seek& s) {
  v.number("settle_ms", s.settle_ms, kTimeMs, Need::kRequired,
           "settling at the end of every seek, part of its time");
  v.number("coast_cylinders_per_ms", s.coast_cylinders_per_ms, {1e-6, 1e6, "cylinders/ms"},
           Need::kRequired, "top speed of the arm");
  v.rows("table_ms", s.table, kTimeMs, "rows [cylinders, ms], distances ascending");
  v.tables("pieces", s.pieces, "formula pieces, ascending; they apply beyond the table");
}

template <class V>
void visit(V& v, Format& f) {
  v.integer("preamble_bytes", f.preamble_bytes, kBytes, Need::kOptional, "clock recovery field");
  v.integer("sync_bytes", f.sync_bytes, kBytes, Need::kOptional, "sync mark");
  v.integer("header_bytes", f.header_bytes, kBytes, Need::kOptional, "address of the sector");
  v.integer("check_bytes", f.check_bytes, {0, 4, "bytes"}, Need::kOptional, "4: CRC-32; 0: none");
  v.integer("gap_bytes", f.gap_bytes, kBytes, Need::kOptional, "gap to the next sector");
}

template <class V>
void visit(V& v, Bus& b) {
  v.integer("width_bits", b.width_bits, {8, 16, "bits"}, Need::kOptional, "8 narrow, 16 wide");
  v.integer("sync_period_ns", b.sync_period_ns, {25, 1000, "ns"}, Need::kOptional,
            "shortest synchronous transfer period");
  v.integer("sync_offset", b.sync_offset, {0, 255, "transfers"}, Need::kOptional,
            "largest REQ/ACK offset; 0 is asynchronous only");
}

template <class V>
void visit(V& v, Zone& z) {
  v.integer("first_cylinder", z.first_cylinder, kCylinders, Need::kRequired, "first cylinder");
  v.integer("last_cylinder", z.last_cylinder, kCylinders, Need::kRequired, "last, inclusive");
  v.integer("sectors_per_track", z.sectors_per_track, kSectorsPerTrack, Need::kRequired,
            "sectors on every track of the zone");
  v.integer("track_skew", z.track_skew, kSectors, Need::kOptional, "from a track to the next head");
  v.integer("cylinder_skew", z.cylinder_skew, kSectors, Need::kOptional,
            "from a cylinder's last track to the next cylinder's first");
  v.integer("first_sector_offset", z.first_sector_offset, kSectors, Need::kOptional,
            "angle of the zone's first sector after the index");
  v.integer("reserved_sectors", z.reserved_sectors, kPositions, Need::kOptional,
            "at the zone's front, outside the block addresses");
  v.integer("spares", z.spares, kPositions, Need::kOptional, "per unit of sparing.location");
  v.integer("store_sectors", z.store_sectors, {0, 65'536, "sectors"}, Need::kOptional,
            "of its reserved sectors or spares: what the drive keeps for itself, in two copies");
  v.integers("slips", z.slips, kPositions, "positions skipped by the mapping, ascending");
  v.pairs("remaps", z.remaps, kPositions, "[defect, replacement] positions");
}

template <class V>
void visit(V& v, Design& d) {
  v.number("rpm", d.rpm, kRpm, Need::kRequired, "spindle speed");
  v.integer("heads", d.heads, kHeads, Need::kRequired, "data heads");
  v.integer("cylinders", d.cylinders, kCylinderCount, Need::kRequired,
            "cylinders that the arm can reach");
  v.integer("sector_bytes", d.sector_bytes, kSectorBytes, Need::kRequired,
            "data bytes of a sector; to run, a multiple of 4, 8 or more");
  v.choice("mapping", d.mapping, kMappings, Need::kOptional, "order of blocks over the heads");
  v.choice("rotational_latency", d.rotational_latency, kRotationalLatencies, Need::kOptional,
           "mean: always half a revolution, as in papers about abstract drives");
  v.number("head_switch_ms", d.head_switch_ms, kTimeMs, Need::kRequired,
           "another head, same cylinder; overlaps a seek");
  v.number("write_settle_ms", d.write_settle_ms, kAnyMs, Need::kRequired,
           "added before a write after any movement");
  v.number("write_offset_ms", d.write_offset_ms, kTimeMs, Need::kOptional,
           "small movement between a read and a write on one track: head_stack.hpp");
  v.number("spin_up_ms", d.spin_up_ms, kTimeMs, Need::kOptional, "rest to speed");
  v.number("spin_down_ms", d.spin_down_ms, kTimeMs, Need::kOptional, "speed to rest");
  v.integer("buffer_bytes", d.buffer_bytes, kBufferBytes, Need::kOptional, "sector buffer");
  v.integer("scsi_version", d.scsi_version, kScsiVersion, Need::kOptional,
            "2 or 7: of the standard that INQUIRY claims, SCSI-2 or SPC-5");
  v.pairs("reserved_cylinders", d.reserved_cylinders, kCylinders,
          "[first, last] cylinders that belong to no zone");
  v.table("sparing", d.sparing, Need::kOptional, "spare sectors");
  v.table("seek", d.seek, Need::kRequired, "seek time over distance");
  v.table("format", d.format, Need::kOptional, "bytes of a sector besides its data");
  v.table("bus", d.bus, Need::kOptional, "SCSI bus limits");
  v.tables("zones", d.zones, "zones in cylinder order");
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
  v.choice("kind", f.kind, kFlawKinds, Need::kRequired, "sim/media/flaw_spec.hpp defines them");
  v.integer("lba", f.lba, {0, 9e15, "block"}, Need::kRequired, "block with the flaw");
  v.integer("retries", f.retries, {0, 1000, "attempts"}, Need::kOptional,
            "reads or writes that fail before one succeeds (correctable, write_fault, weak_write); "
            "0: all writes fail");
  v.optional_number("probability", f.probability, kShare,
                    "of a read to fail (intermittent), of a header in a turn (bad_header, no_sync; "
                    "1 if not given)");
  v.integer("half_reads", f.half_reads, {0, kHalfReads.high, "reads"}, Need::kOptional,
            "reads after a write until every second one fails (decaying)");
  v.integer("sectors", f.sectors, {1, 65'535, "sectors"}, Need::kOptional,
            "sectors that it covers along the track, from the block's on");
  v.integer("cylinders", f.cylinders, {1, 1'000'000, "cylinders"}, Need::kOptional,
            "cylinders that it covers with the same head, from the block's on");
}

template <class V>
void visit(V& v, ArmFault& f) {
  v.choice("kind", f.kind, kArmFaultKinds, Need::kRequired,
           "sim/mechanics/arm_faults.hpp defines them");
  v.integer("first_cylinder", f.first_cylinder, kCylinders, Need::kOptional,
            "targets from here on");
  v.optional_integer("last_cylinder", f.last_cylinder, kCylinders,
                     "targets up to here, inclusive; the drive's last if not given");
  v.integer("first_seek", f.first_seek, {1, 4'294'967'295.0, "movements"}, Need::kOptional,
            "movements of the arm, counted from power-on, from this one on");
  v.integer("seeks", f.seeks, {0, 4'294'967'295.0, "movements"}, Need::kOptional,
            "how many it strikes; 0: every one");
  v.optional_number("for_ms", f.for_ms, kFaultMs,
                    "settle: the delay, never if not given; off_track: the time away, until the "
                    "next movement if not given");
  v.optional_number("after_ms", f.after_ms, {0.01, kFaultMs.high, "ms"},
                    "off_track: time after read ready at which the heads leave");
  v.integer("by_cylinders", f.by_cylinders, {-1'000'000, 1'000'000, "cylinders"}, Need::kOptional,
            "wrong_cylinder: where it lands, from the target");
}

template <class V>
void visit(V& v, SpindleFault& f) {
  v.choice("kind", f.kind, kSpindleFaultKinds, Need::kRequired,
           "sim/mechanics/spindle.hpp defines them");
  v.optional_number("at_ms", f.at_ms, kFaultMs, "dropout: since power-on");
  v.optional_number("for_ms", f.for_ms, kFaultMs,
                    "dropout: until the power is back; until it is started again if not given");
  v.integer("first_start", f.first_start, {1, 4'294'967'295.0, "starts"}, Need::kOptional,
            "no_start: of all starts since power-on");
  v.integer("starts", f.starts, {0, 4'294'967'295.0, "starts"}, Need::kOptional,
            "no_start: how many; 0: every one");
  v.number("speed_share", f.speed_share, {0, 0.99, ""}, Need::kOptional,
           "no_start: share of the speed that it reaches; 0: it does not turn");
}

template <class V>
void visit(V& v, IndexFault& f) {
  v.integer("first_turn", f.first_turn, kTurns, Need::kOptional,
            "turns of the spindle since power-on; turn 0 begins with an index");
  v.integer("turns", f.turns, kTurns, Need::kOptional, "number of turns; 0: all from there on");
  v.integer("every", f.every, {1, 1'000'000, "turns"}, Need::kOptional,
            "1: each pulse of these is missing; n: one in n, beginning with the first");
}

template <class V>
void visit(V& v, RandomFaults& f) {
  v.number("arm_share", f.arm_share, kShare, Need::kOptional,
           "of the arm's movements: one of the four kinds of arm_faults, equally likely");
  v.number("arm_ms", f.arm_ms, {0.01, 100'000, "ms"}, Need::kOptional,
           "longest lateness or time off the track");
  v.integer("arm_cylinders", f.arm_cylinders, {1, 1'000'000, "cylinders"}, Need::kOptional,
            "largest miss");
  v.integer("dropouts", f.dropouts, {0, 10'000, "times"}, Need::kOptional, "of the spindle");
  v.number("dropout_span_ms", f.dropout_span_ms, kFaultMs, Need::kOptional,
           "they come within this time from power-on");
  v.number("dropout_ms", f.dropout_ms, kFaultMs, Need::kOptional, "longest");
  v.number("missing_index_share", f.missing_index_share, kShare, Need::kOptional,
           "of the index pulses");
}

template <class V>
void visit(V& v, Specimen& s) {
  v.number("speed_error_ppm", s.speed_error_ppm, {-100'000, 100'000, "ppm"}, Need::kOptional,
           "spindle speed against design.rpm");
  v.integer("flaw_seed", s.flaw_seed, {0, 9e15, ""}, Need::kOptional,
            "chooses places, and all other random properties of faults");
  v.integer("unreadable_sectors", s.unreadable_sectors, kCount, Need::kOptional, "by seed");
  v.integer("correctable_sectors", s.correctable_sectors, kCount, Need::kOptional, "by seed");
  v.integer("correctable_retries_min", s.correctable_retries_min, kRetries, Need::kOptional,
            "fewest failing attempts of what is chosen by seed");
  v.integer("correctable_retries_max", s.correctable_retries_max, kRetries, Need::kOptional,
            "most failing attempts of what is chosen by seed");
  v.integer("misplaced_writes", s.misplaced_writes, kCount, Need::kOptional, "by seed");
  v.integer("intermittent_sectors", s.intermittent_sectors, kCount, Need::kOptional, "by seed");
  v.number("intermittent_probability", s.intermittent_probability, kShare, Need::kOptional,
           "of a read of these to fail");
  v.integer("decaying_sectors", s.decaying_sectors, kCount, Need::kOptional, "by seed");
  v.integer("decaying_half_reads", s.decaying_half_reads, kHalfReads, Need::kOptional,
            "reads after a write until every second one of these fails");
  v.integer("write_fault_sectors", s.write_fault_sectors, kCount, Need::kOptional, "by seed");
  v.integer("weak_write_sectors", s.weak_write_sectors, kCount, Need::kOptional, "by seed");
  v.integer("bad_header_sectors", s.bad_header_sectors, kCount, Need::kOptional, "by seed");
  v.integer("no_sync_sectors", s.no_sync_sectors, kCount, Need::kOptional, "by seed");
  v.integer("scratches", s.scratches, {0, 100'000, "scratches"}, Need::kOptional,
            "unreadable sectors side by side, by seed");
  v.integer("scratch_sectors_max", s.scratch_sectors_max, {2, 65'535, "sectors"}, Need::kOptional,
            "most sectors of one of these; a track has more");
  v.choice("power_loss", s.power_loss, kPowerLossKinds, Need::kOptional,
           "the sector under the head when the power goes: finished from the spindle's energy, or "
           "torn");
  v.tables("flaws", s.flaws, "flaws at chosen blocks");
  v.tables("arm_faults", s.arm_faults, "faults of the arm's movements");
  v.tables("spindle_faults", s.spindle_faults, "of the spindle's motor");
  v.tables("index_faults", s.index_faults, "index pulses that are missing");
  v.table("random", s.random, Need::kOptional, "faults drawn by flaw_seed");
}

template <class V>
void visit(V& v, Published& p) {
  v.text("source", p.source, Need::kOptional, "where the facts come from");
  v.optional_integer("capacity_sectors", p.capacity_sectors, {0, 9e15, "sectors"},
                     "capacity as published");
  v.optional_number("average_seek_ms", p.average_seek_ms, kTimeMs, "as published");
  v.optional_number("single_cylinder_seek_ms", p.single_cylinder_seek_ms, kTimeMs, "as published");
  v.optional_number("full_stroke_seek_ms", p.full_stroke_seek_ms, kTimeMs, "as published");
  v.optional_number("demerit_rms_ms", p.demerit_rms_ms, kTimeMs,
                    "published model error against the real drive");
  v.facts("overheads_ms", p.overheads_ms, "controller overheads as measured");
  v.facts("cache", p.cache, "buffer segmentation and policies as measured");
  v.facts("bus", p.bus, "bus pace as measured");
}

template <class V>
void visit(V& v, DriveDescription& d) {
  v.text("name", d.name, Need::kRequired, "maker and model");
  v.text("notes", d.notes, Need::kOptional, "what is assumed, and why");
  v.table("design", d.design, Need::kRequired, "known to firmware and simulator");
  v.table("specimen", d.specimen, Need::kOptional, "true of this copy; only the simulator knows");
  v.table("published", d.published, Need::kOptional, "facts that no model reads");
}

}  // namespace headstack::drive
