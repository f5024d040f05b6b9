#include "sim/drive/import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <nlohmann/json.hpp>

#include "sim/drive/json_table.hpp"
#include "sim/drive/schema.hpp"
#include "sim/mechanics/profile_fit.hpp"

namespace headstack::drive {
namespace {

struct SparingCode {
  std::uint32_t code;
  Sparing sparing;
};

// The published codes are DiskSim's ("Sparing scheme used"). 7: spares at the disk's end, in no
// zone.
constexpr SparingCode kSparingCodes[] = {
    {0, {SpareLocation::kNone, false, 1}},         {1, {SpareLocation::kZoneEndTracks, false, 1}},
    {2, {SpareLocation::kCylinderEnd, false, 1}},  {3, {SpareLocation::kTrackEnd, false, 1}},
    {4, {SpareLocation::kCylinderEnd, true, 1}},   {5, {SpareLocation::kCylinderFront, false, 1}},
    {6, {SpareLocation::kCylinderFront, true, 1}}, {7, {SpareLocation::kNone, true, 1}},
    {8, {SpareLocation::kRangeEnd, false, 1}},     {9, {SpareLocation::kZoneEnd, false, 1}},
    {10, {SpareLocation::kZoneEnd, true, 1}},
};

/// One import: facts in, description and warnings out.
class Importer {
 public:
  Importer(const nlohmann::json& root, std::string file)
      : facts_(root, ""), file_(std::move(file)) {}

  Loaded run() {
    read_identity();
    read_sparing();
    read_zones();
    settle_cylinders();
    read_times();
    read_seek();
    read_published();
    facts_.reject_unknown();
    estimate_profile();
    out_.notes = fmt::format("Imported from {}. {}", base_name(), fmt::join(choices_, " "));
    for (std::string& warning : check(out_)) warnings_.push_back(std::move(warning));
    return {std::move(out_), std::move(warnings_)};
  }

 private:
  std::string base_name() const { return std::filesystem::path(file_).filename().string(); }
  void warn(const std::string& text) { warnings_.push_back(text); }

  void read_identity() {
    out_.name = facts_.text("name");
    out_.published.source = facts_.text_or("source", "");
    design().rpm = facts_.number("rpm", kRpm);
    design().heads = facts_.integer("heads", kHeads);
    design().cylinders = facts_.integer("cylinders", kCylinderCount);
    design().sector_bytes = facts_.integer_or("sector_bytes", kSectorBytes, 512);
    if (auto mapping = facts_.table("lbn_mapping")) {
      mapping->text_or("meaning", "");
      constexpr std::array<Mapping, 3> kCodes = {Mapping::kPlain, Mapping::kSerpentine,
                                                 Mapping::kSerpentineAbsolute};
      design().mapping = kCodes.at(mapping->integer_or("code", {0, 2, "(mapping code)"}, 0));
      mapping->reject_unknown();
    }
  }

  void read_sparing() {
    auto sparing = facts_.table("sparing");
    if (!sparing) return;
    const std::string meaning = sparing->text_or("meaning", "");
    const bool coded = sparing->has("code");
    const std::uint32_t code = sparing->integer_or("code", {0, 10, "(sparing code)"}, 0);
    if (!coded) {
      warn(fmt::format("sparing.code: none given, taken as no sparing{}",
                       meaning.empty() ? "" : " (the facts say: " + meaning + ")"));
    }
    design().sparing = kSparingCodes[code].sparing;
    design().sparing.range_cylinders =
        sparing->integer_or("range_cylinders", {1, 1'000'000, "cylinders"}, 1);
    sparing->reject_unknown();
  }

  void read_zones() {
    for (JsonTable& zone : facts_.tables("zones")) design().zones.push_back(read_zone(zone));
  }

  Zone read_zone(JsonTable& facts) {
    Zone zone;
    zone.first_cylinder = facts.integer("first_cyl", kCylinders);
    zone.last_cylinder = facts.integer("last_cyl", kCylinders);
    zone.sectors_per_track = facts.integer("sectors_per_track", kSectorsPerTrack);
    zone.first_sector_offset = facts.integer_or("first_block_offset_sectors", kSectors, 0);
    zone.reserved_sectors = facts.integer_or("reserved_front_sectors", kPositions, 0);
    zone.track_skew = facts.integer_or("track_skew", kSectors, 0);
    zone.cylinder_skew = facts.integer_or("cyl_skew", kSectors, 0);
    zone.spares = facts.integer_or("spares", kPositions, 0);
    zone.slips = facts.integers("slips", kPositions);
    zone.remaps = facts.pairs("remaps", kPositions);
    facts.reject_unknown();
    if (!std::is_sorted(zone.slips.begin(), zone.slips.end())) {
      warn(fmt::format("{}.slips: not in order, sorted", facts.path()));
      std::sort(zone.slips.begin(), zone.slips.end());
    }
    const auto repeated = std::unique(zone.slips.begin(), zone.slips.end());
    if (repeated != zone.slips.end()) {
      warn(fmt::format("{}.slips: repeated entries dropped", facts.path()));
      zone.slips.erase(repeated, zone.slips.end());
    }
    if (design().sparing.location == SpareLocation::kNone && zone.spares > 0) {
      warn(fmt::format("{}.spares: {} spares, but sparing.code places none in the zones; left out",
                       facts.path(), zone.spares));
      zone.spares = 0;
    }
    return zone;
  }

  /// Cylinders between zones are spare or system cylinders of the real drive: reserve them.
  void settle_cylinders() {
    std::uint32_t next = 0;
    for (const Zone& zone : design().zones) {
      if (zone.first_cylinder > next) reserve(next, zone.first_cylinder - 1);
      next = std::max(next, zone.last_cylinder + 1);
    }
    if (next > kCylinderCount.high) {
      throw Fault("zones", fmt::format("{} cylinders", next),
                  fmt::format("stay within {}", kCylinderCount.high));
    }
    if (next > design().cylinders) {
      warn(fmt::format("cylinders: {} given, but the last zone ends at cylinder {}; taken as {}",
                       design().cylinders, next - 1, next));
      design().cylinders = next;
    }
    if (next < design().cylinders) reserve(next, design().cylinders - 1);
  }

  void reserve(std::uint32_t first, std::uint32_t last) {
    design().reserved_cylinders.push_back({first, last});
    warn(fmt::format("zones: cylinders {}..{} belong to no zone, reserved", first, last));
  }

  void read_times() {
    design().head_switch_ms = time_or_zero("head_switch_ms", kTimeMs);
    design().write_settle_ms = time_or_zero("write_settle_ms", kAnyMs);
    auto& published = out_.published;
    published.average_seek_ms = facts_.optional_number("avg_seek_ms", kTimeMs);
    published.single_cylinder_seek_ms = facts_.optional_number("single_cyl_seek_ms", kTimeMs);
    published.full_stroke_seek_ms = facts_.optional_number("full_stroke_seek_ms", kTimeMs);
  }

  double time_or_zero(const char* key, Bounds bounds) {
    const auto value = facts_.optional_number(key, bounds);
    if (!value) warn(fmt::format("{}: none given, taken as 0", key));
    return value.value_or(0);
  }

  void read_seek() {
    facts_.text_or("seek_model", "");
    facts_.text_or("seek_interp", "");
    design().seek.table = facts_.rows("seek_table_ms", kTimeMs);
    if (auto formula = facts_.table("seek_formula")) read_formula(*formula);
    if (design().seek.table.empty() && design().seek.pieces.empty()) fit_three_points();
  }

  /// short: a + b sqrt(d) below short_below_cyl; long: a + b d from there on; beyond the table.
  void read_formula(JsonTable& formula) {
    formula.text_or("note", "");
    formula.optional_number("v6", kAnyMs);  // a parameter of the source model that sets no time
    const std::uint32_t below = formula.integer("short_below_cyl", {1, 1'000'000, "cylinders"});
    SeekPiece near{below - 1, formula.number("short_a_ms", kAnyMs),
                   formula.number("short_b_ms_per_sqrt_cyl", kAnyMs), 0, 0};
    SeekPiece far{std::max(design().cylinders - 1, 1U), formula.number("long_a_ms", kAnyMs), 0,
                  formula.number("long_b_ms_per_cyl", kAnyMs), 0};
    formula.reject_unknown();
    const auto& table = design().seek.table;
    std::uint32_t covered = table.empty() ? 0 : table.back().first;
    for (SeekPiece piece : {near, far}) {
      piece.up_to_cylinders = std::min(piece.up_to_cylinders, far.up_to_cylinders);
      if (piece.up_to_cylinders <= covered) continue;
      covered = piece.up_to_cylinders;
      design().seek.pieces.push_back(piece);
    }
  }

  /// Lee's curve through single-cylinder, average and full-stroke times (DiskSim 4.0 manual,
  /// "3-point"): a sqrt(d - 1) + b (d - 1) + c with a and b from the number of cylinders; exact at
  /// d = 1, and at full stroke but for two cylinders' worth.
  void fit_three_points() {
    const auto& p = out_.published;
    if (!p.single_cylinder_seek_ms || !p.average_seek_ms || !p.full_stroke_seek_ms) {
      throw Fault("seek_table_ms", "no seek table, no seek_formula and no three published times",
                  "give one of them");
    }
    const double low = *p.single_cylinder_seek_ms;
    const double mean = *p.average_seek_ms;
    const double high = *p.full_stroke_seek_ms;
    const double n = design().cylinders;
    const SeekPiece curve{std::max(design().cylinders - 1, 1U), low,
                          (-10 * low + 15 * mean - 5 * high) / (3 * std::sqrt(n)),
                          (7 * low - 15 * mean + 8 * high) / (3 * n), 1};
    design().seek.pieces.push_back(curve);
    warn(
        "seek_table_ms: none given; curve fitted through single-cylinder, average and full-stroke "
        "times");
  }

  void read_published() {
    auto& published = out_.published;
    published.capacity_sectors = facts_.optional_integer("capacity_sectors", {0, 9e15, "sectors"});
    published.demerit_rms_ms = facts_.optional_number("validation_rms_ms_published", kTimeMs);
    published.overheads_ms = facts_.facts("overheads_ms");
    published.cache = facts_.facts("cache");
    published.bus = facts_.facts("bus");
    set_buffer(published.cache);
    const auto pace = published.bus.find("MB_per_s");
    if (pace != published.bus.end() && pace->second > 10) design().bus.width_bits = 16;
    choices_.emplace_back("Assumed: sector format bytes, spin times, bus limits.");
  }

  void set_buffer(const std::map<std::string, double>& cache) {
    const auto fact = [&](const char* key) {
      const auto found = cache.find(key);
      return found == cache.end() ? 0.0 : found->second;
    };
    const double segmented =
        fact("segments") * fact("segment_sectors") * static_cast<double>(design().sector_bytes);
    const double bytes = fact("bytes") > 0 ? fact("bytes") : segmented;
    if (bytes >= kBufferBytes.low && bytes <= kBufferBytes.high) {
      design().buffer_bytes = static_cast<std::uint32_t>(bytes);
    } else {
      choices_.emplace_back("No buffer size in the facts: 64 KiB assumed.");
    }
  }

  void estimate_profile() {
    const mechanics::ProfileFit fit = mechanics::fit_profile(design());
    design().seek.settle_ms = fit.settle_ms;
    design().seek.coast_cylinders_per_ms = fit.coast_cylinders_per_ms;
    choices_.emplace_back("Estimated from the curve: seek.settle_ms, seek.coast_cylinders_per_ms.");
  }

  Design& design() { return out_.design; }

  JsonTable facts_;
  std::string file_;
  DriveDescription out_;
  std::vector<std::string> warnings_;
  std::vector<std::string> choices_;
};

/// JSON lets a key stand twice and the last one win; facts given twice are a mistake.
nlohmann::json parse_strictly(const std::string& text) {
  std::vector<std::set<std::string>> open_objects;
  const auto watch = [&open_objects](int, nlohmann::json::parse_event_t event,
                                     nlohmann::json& parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start) open_objects.emplace_back();
    if (event == Event::object_end) open_objects.pop_back();
    if (event == Event::key && !open_objects.back().insert(parsed.get<std::string>()).second) {
      throw Fault(parsed.get<std::string>(), "stands twice in one object", "drop one");
    }
    return true;
  };
  return nlohmann::json::parse(text, watch);
}

/// A fault found by check() names description keys; the file's author knows the facts' keys.
std::string to_facts_key(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"design.seek.table_ms", "seek_table_ms"},
      {"design.reserved_cylinders", "zones"},
      {"design.seek.pieces", "seek_formula"},
      {"design.sparing.location", "sparing.code"},
      {"design.", ""},
      {"first_cylinder", "first_cyl"},
      {"last_cylinder", "last_cyl"},
      {"reserved_sectors", "reserved_front_sectors"},
      {"first_sector_offset", "first_block_offset_sectors"},
      {"cylinder_skew", "cyl_skew"},
  };
  for (const auto& [ours, theirs] : kNames) {
    for (auto at = text.find(ours); at != std::string::npos;
         at = text.find(ours, at + theirs.size())) {
      text.replace(at, ours.size(), theirs);
    }
  }
  return text;
}

}  // namespace

Loaded import_json_text(const std::string& text, const std::string& file) {
  try {
    const nlohmann::json root = parse_strictly(text);
    if (!root.is_object()) throw Fault("(top)", "not a JSON object", "give one drive per file");
    Loaded loaded = Importer(root, file).run();
    // What is handed out must load again, whatever names and numbers the facts held.
    load_text(to_toml(loaded.description), file);
    for (std::string& warning : loaded.warnings) warning = fmt::format("{}: {}", file, warning);
    return loaded;
  } catch (const nlohmann::json::exception& error) {
    // The library puts its own error number in brackets in front.
    const std::string what = error.what();
    throw FileError(
        fmt::format("{}: not valid JSON: {}; mend it", file, what.substr(what.find("] ") + 2)));
  } catch (const Fault& fault) {
    throw FileError(fmt::format("{}: {}", file, to_facts_key(fault.what())));
  }
}

Loaded import_json(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf())) {
    throw FileError(fmt::format("{}: cannot be read; check that the file exists and is not empty",
                                file.string()));
  }
  return import_json_text(text.str(), file.string());
}

}  // namespace headstack::drive
