// SPDX-License-Identifier: Apache-2.0
// Every key of a drive's facts in JSON, the format for extracted drives: name, bounds, unit,
// meaning. schema.hpp does the same for descriptions; reader.hpp reads both.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/drive/schema.hpp"

namespace headstack::drive {

/// Codes are DiskSim's; a `meaning` is for human readers.
struct MappingFacts {
  std::uint32_t code = 0;
  std::string meaning;
};
struct SparingFacts {
  std::optional<std::uint64_t> code;
  std::string meaning;
  std::uint32_t range_cylinders = 1;
};

/// A zone under the facts' names.
struct ZoneFacts {
  Zone zone;
};

/// short: a + b sqrt(d) below short_below_cyl; long: a + b d from there on.
struct FormulaFacts {
  std::uint32_t short_below_cyl = 1;
  double short_a_ms = 0, short_b_ms_per_sqrt_cyl = 0;
  double long_a_ms = 0, long_b_ms_per_cyl = 0;
  std::optional<double> v6;
  std::string note;
};

struct DriveFacts {
  std::string name, source;
  double rpm = 0;
  std::uint32_t heads = 0, cylinders = 0, sector_bytes = 512;
  MappingFacts lbn_mapping;
  std::optional<SparingFacts> sparing;
  std::vector<ZoneFacts> zones;
  std::optional<double> head_switch_ms, write_settle_ms;
  std::optional<double> avg_seek_ms, single_cyl_seek_ms, full_stroke_seek_ms;
  std::string seek_model, seek_interp;
  std::vector<std::pair<std::uint32_t, double>> seek_table_ms;
  std::optional<FormulaFacts> seek_formula;
  std::optional<std::uint64_t> capacity_sectors;
  std::optional<double> validation_rms_ms_published;
  std::map<std::string, double> overheads_ms, cache, bus;
};

// Keys of overheads_ms, cache and bus: a number each, and a "note" for human readers.
inline const std::vector<std::string> kOverheadFacts = {"controller_read",
                                                        "controller_write",
                                                        "per_request",
                                                        "read_hit_after_read",
                                                        "read_hit_after_write",
                                                        "read_miss_after_read",
                                                        "read_miss_after_write",
                                                        "write_hit_after_read",
                                                        "write_hit_after_write",
                                                        "write_miss_after_read",
                                                        "write_miss_after_write",
                                                        "read_completion",
                                                        "write_completion",
                                                        "data_prep",
                                                        "first_reselect",
                                                        "other_reselect",
                                                        "read_disconnect_after_read",
                                                        "read_disconnect_after_write",
                                                        "write_disconnect",
                                                        "extradisc_command",
                                                        "extradisc_disconnect",
                                                        "extradisc_delay",
                                                        "extradisc_second_disconnect",
                                                        "extradisc_seek_delta",
                                                        "minimum_seek_delay",
                                                        "access"};
/// The times in kOverheadFacts of writes that leave the bus once more before their data (DiskSim's
/// "Extra write disconnect").
inline constexpr const char* kExtraDisconnectFacts[] = {
    "extradisc_command", "extradisc_disconnect", "extradisc_delay", "extradisc_second_disconnect",
    "extradisc_seek_delta"};
/// Whether a drive's writes leave the bus once more. Parameter files have these times for every
/// drive; 0 means that it does not.
inline bool leaves_once_more(const std::map<std::string, double>& overheads_ms) {
  return std::any_of(std::begin(kExtraDisconnectFacts), std::end(kExtraDisconnectFacts),
                     [&overheads_ms](const char* name) {
                       const auto found = overheads_ms.find(name);
                       return found != overheads_ms.end() && found->second > 0;
                     });
}
inline const std::vector<std::string> kCacheFacts = {"bytes",
                                                     "read_fence_bytes",
                                                     "write_fence_bytes",
                                                     "segments",
                                                     "write_segments",
                                                     "segment_sectors",
                                                     "enable",
                                                     "readahead_mode",
                                                     "max_readahead_sectors",
                                                     "min_readahead_sectors",
                                                     "fast_write_level",
                                                     "combine_seq_writes",
                                                     "read_on_arrival",
                                                     "write_on_arrival",
                                                     "sectors_per_cyl_avg",
                                                     "max_queue",
                                                     "read_water_mark",
                                                     "write_water_mark",
                                                     "readahead_on_idle_hit",
                                                     "readahead_over_requested",
                                                     "read_hits_on_written",
                                                     "read_any_free_blocks",
                                                     "separate_write_segment"};
inline const std::vector<std::string> kBusFacts = {"ms_per_512B_sector", "MB_per_s",
                                                   "host_read_ms_per_512B_sector",
                                                   "host_write_ms_per_512B_sector"};

template <class V>
void visit(V& v, MappingFacts& f) {
  v.integer("code", f.code, {0, 2, "(mapping code)"}, Need::kOptional,
            "0 plain, 1 serpentine, 2 serpentine by absolute heads");
  v.text("meaning", f.meaning, Need::kOptional, "of the code");
}

template <class V>
void visit(V& v, SparingFacts& f) {
  v.optional_integer("code", f.code, {0, 10, "(sparing code)"}, "location of the spare sectors");
  v.text("meaning", f.meaning, Need::kOptional, "of the code");
  v.integer("range_cylinders", f.range_cylinders, {1, 1'000'000, "cylinders"}, Need::kOptional,
            "cylinders of one range");
}

template <class V>
void visit(V& v, ZoneFacts& f) {
  Zone& z = f.zone;
  v.integer("first_cyl", z.first_cylinder, kCylinders, Need::kRequired,
            "first cylinder of the zone");
  v.integer("last_cyl", z.last_cylinder, kCylinders, Need::kRequired,
            "last cylinder of the zone, inclusive");
  v.integer("sectors_per_track", z.sectors_per_track, kSectorsPerTrack, Need::kRequired,
            "sectors on every track of the zone");
  v.integer("first_block_offset_sectors", z.first_sector_offset, kSectors, Need::kOptional,
            "offset of the zone's first sector from the index");
  v.integer("reserved_front_sectors", z.reserved_sectors, kPositions, Need::kOptional,
            "sectors at the zone's beginning that have no block address");
  v.integer("track_skew", z.track_skew, kSectors, Need::kOptional,
            "skew from a track to that of the next head");
  v.integer("cyl_skew", z.cylinder_skew, kSectors, Need::kOptional,
            "skew from a cylinder's last track to the next cylinder's first");
  v.integer("spares", z.spares, kPositions, Need::kOptional, "per unit of sparing");
  v.integers("slips", z.slips, kPositions, "positions skipped by the mapping");
  v.pairs("remaps", z.remaps, kPositions, "remapped positions as pairs [defect, replacement]");
}

template <class V>
void visit(V& v, FormulaFacts& f) {
  v.integer("short_below_cyl", f.short_below_cyl, {1, 1'000'000, "cylinders"}, Need::kRequired,
            "shortest distance of the long piece");
  v.number("short_a_ms", f.short_a_ms, kAnyMs, Need::kRequired, "constant of the short piece");
  v.number("short_b_ms_per_sqrt_cyl", f.short_b_ms_per_sqrt_cyl, kAnyMs, Need::kRequired,
           "times sqrt(distance)");
  v.number("long_a_ms", f.long_a_ms, kAnyMs, Need::kRequired, "constant of the long piece");
  v.number("long_b_ms_per_cyl", f.long_b_ms_per_cyl, kAnyMs, Need::kRequired, "times distance");
  v.optional_number("v6", f.v6, kAnyMs, "a parameter of the source model that sets no time");
  v.text("note", f.note, Need::kOptional, "for people");
}

template <class V>
void visit(V& v, DriveFacts& f) {
  v.text("name", f.name, Need::kRequired, "maker and model");
  v.text("source", f.source, Need::kOptional, "source of the published figures");
  v.number("rpm", f.rpm, kRpm, Need::kRequired, "spindle speed");
  v.integer("heads", f.heads, kHeads, Need::kRequired, "number of data heads");
  v.integer("cylinders", f.cylinders, kCylinderCount, Need::kRequired, "that the arm can reach");
  v.integer("sector_bytes", f.sector_bytes, kSectorBytes, Need::kOptional, "data of a sector");
  v.table("lbn_mapping", f.lbn_mapping, Need::kOptional,
          "order in which blocks are laid out over heads and cylinders");
  v.optional_table("sparing", f.sparing, "sparing scheme");
  v.tables("zones", f.zones, "zones, in cylinder order");
  v.optional_number("head_switch_ms", f.head_switch_ms, kTimeMs, "another head, same cylinder");
  v.optional_number("write_settle_ms", f.write_settle_ms, kAnyMs, "added before a write");
  v.optional_number("avg_seek_ms", f.avg_seek_ms, kTimeMs, "as published");
  v.optional_number("single_cyl_seek_ms", f.single_cyl_seek_ms, kTimeMs, "as published");
  v.optional_number("full_stroke_seek_ms", f.full_stroke_seek_ms, kTimeMs, "as published");
  v.text("seek_model", f.seek_model, Need::kOptional, "for people");
  v.text("seek_interp", f.seek_interp, Need::kOptional, "for people");
  v.rows("seek_table_ms", f.seek_table_ms, kTimeMs,
         "seek times as rows [cylinders, ms], in ascending order of distance");
  v.optional_table("seek_formula", f.seek_formula, "two pieces; they apply beyond the table");
  v.optional_integer("capacity_sectors", f.capacity_sectors, {0, 9e15, "sectors"}, "as published");
  v.optional_number("validation_rms_ms_published", f.validation_rms_ms_published, kTimeMs,
                    "published demerit figure (RMS error) of a model against the real drive");
  v.facts("overheads_ms", f.overheads_ms, "controller overheads as measured");
  v.facts("cache", f.cache, "buffer segmentation and policies as measured");
  v.facts("bus", f.bus, "bus pace as measured");
}

}  // namespace headstack::drive
