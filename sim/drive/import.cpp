// SPDX-License-Identifier: Apache-2.0
#include "sim/drive/import.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <nlohmann/json.hpp>

#include "firmware/transfer/segments.h"
#include "sim/drive/disksim_keys.hpp"
#include "sim/drive/facts.hpp"
#include "sim/drive/line_map.hpp"
#include "sim/drive/reader.hpp"
#include "sim/drive/text.hpp"
#include "sim/mechanics/profile_fit.hpp"

namespace headstack::drive {
namespace {

struct SparingCode {
  std::uint32_t code;
  Sparing sparing;
};

// The published codes are DiskSim's ("Sparing scheme used"). With 7, spares are at the disk's end,
// in no zone.
constexpr SparingCode kSparingCodes[] = {
    {0, {SpareLocation::kNone, false, 1}},         {1, {SpareLocation::kZoneEndTracks, false, 1}},
    {2, {SpareLocation::kCylinderEnd, false, 1}},  {3, {SpareLocation::kTrackEnd, false, 1}},
    {4, {SpareLocation::kCylinderEnd, true, 1}},   {5, {SpareLocation::kCylinderFront, false, 1}},
    {6, {SpareLocation::kCylinderFront, true, 1}}, {7, {SpareLocation::kNone, true, 1}},
    {8, {SpareLocation::kRangeEnd, false, 1}},     {9, {SpareLocation::kZoneEnd, false, 1}},
    {10, {SpareLocation::kZoneEnd, true, 1}},
};

/// JSON, as nlohmann's library represents it. A key whose value is null is not given.
struct JsonFormat {
  using Node = nlohmann::json;
  using Table = nlohmann::json;
  using Array = nlohmann::json;

  static constexpr const char* kTable = "an object";
  static std::string table_remedy(const std::string& /*path*/) { return "write { ... }"; }
  static const Node* find(const Table& table, const char* key) {
    const auto found = table.find(key);
    return found == table.end() || found->is_null() ? nullptr : &*found;
  }
  template <class Use>
  static void each(const Table& table, const Use& use) {
    for (const auto& [key, node] : table.items()) use(key, node);
  }
  static const Table* table(const Node& node) { return node.is_object() ? &node : nullptr; }
  static const Array* array(const Node& node) { return node.is_array() ? &node : nullptr; }
  static std::size_t size(const Array& array) { return array.size(); }
  static const Node& at(const Array& array, std::size_t index) { return array[index]; }
  static std::optional<bool> boolean(const Node& node) {
    return node.is_boolean() ? std::optional(node.get<bool>()) : std::nullopt;
  }
  static std::optional<std::string> text(const Node& node) {
    return node.is_string() ? std::optional(node.get<std::string>()) : std::nullopt;
  }
  static std::optional<double> number(const Node& node) {
    return node.is_number() ? std::optional(node.get<double>()) : std::nullopt;
  }
  /// Whole numbers may be written as 254 or 254.0.
  static std::optional<double> whole(const Node& node) {
    const std::optional<double> value = number(node);
    return value && *value == std::floor(*value) ? value : std::nullopt;
  }
  static bool is_note(const std::string& name, const Node& node) {
    return node.is_null() || (name == "note" && node.is_string());
  }
};

/// Refuses unknown names among facts under free names, of which each has a meaning.
void refuse_unknown(const char* table, const std::map<std::string, double>& facts,
                    const std::vector<std::string>& known) {
  for (const auto& [name, value] : facts) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Fault(fmt::format("{}.{}", table, name), "unknown key", suggest(name, known));
  }
}

/// Merges warnings that differ only in numbers, such as those of every zone, into one with a count.
std::vector<std::string> tell_once(const std::vector<std::string>& warnings) {
  struct Kind {
    std::string first;
    std::size_t count = 0;
  };
  std::vector<std::pair<std::string, Kind>> kinds;  // warnings by their text without numbers
  for (const std::string& warning : warnings) {
    std::string shape;
    for (const char c : warning) {
      if (c < '0' || c > '9') shape += c;
    }
    auto found = std::find_if(kinds.begin(), kinds.end(),
                              [&shape](const auto& kind) { return kind.first == shape; });
    if (found == kinds.end()) found = kinds.insert(found, {shape, {warning, 0}});
    ++found->second.count;
  }
  std::vector<std::string> told;
  told.reserve(kinds.size());
  for (const auto& [shape, kind] : kinds) {
    told.push_back(kind.count == 1 ? kind.first
                                   : fmt::format("{} ({} times so)", kind.first, kind.count));
  }
  return told;
}

/// One import: facts in, description and warnings out.
class Importer {
 public:
  Importer(nlohmann::json root, std::string file) : file_(std::move(file)) {
    const DiskSimKeys keys = take_disksim_keys(root);
    Reader<JsonFormat>::read(root, "", facts_);
    refuse_unknown("overheads_ms", facts_.overheads_ms, kOverheadFacts);
    refuse_unknown("cache", facts_.cache, kCacheFacts);
    refuse_unknown("bus", facts_.bus, kBusFacts);
    check_fact_ranges(facts_, keys);
    unlike_ = tell_unlike(facts_, keys);
    drop_absent(facts_, keys);
  }

  Loaded run() {
    take_identity();
    take_sparing();
    for (std::size_t i = 0; i < facts_.zones.size(); ++i) {
      design().zones.push_back(mended(facts_.zones[i].zone, fmt::format("zones[{}]", i)));
    }
    settle_cylinders();
    take_times();
    take_seek();
    take_published();
    estimate_profile();
    out_.notes = fmt::format("Imported from {}. {}", base_name(), fmt::join(choices_, " "));
    for (std::string& warning : check(out_)) warnings_.push_back(std::move(warning));
    std::move(unlike_.begin(), unlike_.end(), std::back_inserter(warnings_));
    return {std::move(out_), std::move(warnings_)};
  }

 private:
  std::string base_name() const { return std::filesystem::path(file_).filename().string(); }
  void warn(const std::string& text) { warnings_.push_back(text); }

  void take_identity() {
    out_.name = facts_.name;
    out_.published.source = facts_.source;
    design().rpm = facts_.rpm;
    design().heads = facts_.heads;
    design().cylinders = facts_.cylinders;
    design().sector_bytes = facts_.sector_bytes;
    constexpr std::array<Mapping, 3> kCodes = {Mapping::kPlain, Mapping::kSerpentine,
                                               Mapping::kSerpentineAbsolute};
    design().mapping = kCodes.at(facts_.lbn_mapping.code);
  }

  void take_sparing() {
    if (!facts_.sparing) return;
    const SparingFacts& sparing = *facts_.sparing;
    if (!sparing.code) {
      warn(fmt::format("sparing.code: none given, taken as no sparing{}",
                       sparing.meaning.empty() ? "" : " (the facts say: " + sparing.meaning + ")"));
    }
    design().sparing = kSparingCodes[sparing.code.value_or(0)].sparing;
    design().sparing.range_cylinders = sparing.range_cylinders;
  }

  Zone mended(Zone zone, const std::string& path) {
    if (!std::is_sorted(zone.slips.begin(), zone.slips.end())) {
      warn(fmt::format("{}.slips: not in order, sorted", path));
      std::sort(zone.slips.begin(), zone.slips.end());
    }
    const auto repeated = std::unique(zone.slips.begin(), zone.slips.end());
    if (repeated != zone.slips.end()) {
      warn(fmt::format("{}.slips: repeated entries dropped", path));
      zone.slips.erase(repeated, zone.slips.end());
    }
    if (design().sparing.location == SpareLocation::kNone && zone.spares > 0) {
      warn(fmt::format("{}.spares: {} spares, but sparing.code places none in the zones; left out",
                       path, zone.spares));
      zone.spares = 0;
    }
    return zone;
  }

  /// Reserves cylinders between zones, which are spare or system cylinders of the real drive.
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

  void take_times() {
    design().head_switch_ms = time_or_zero("head_switch_ms", facts_.head_switch_ms);
    design().write_settle_ms = time_or_zero("write_settle_ms", facts_.write_settle_ms);
    auto& published = out_.published;
    published.average_seek_ms = facts_.avg_seek_ms;
    published.single_cylinder_seek_ms = facts_.single_cyl_seek_ms;
    published.full_stroke_seek_ms = facts_.full_stroke_seek_ms;
  }

  double time_or_zero(const char* key, std::optional<double> value) {
    if (!value) {
      warn(fmt::format("{}: none given, taken as 0", key));
      choices_.push_back(fmt::format("Assumed: {} of 0.", key));
    }
    return value.value_or(0);
  }

  void take_seek() {
    design().seek.table = facts_.seek_table_ms;
    if (facts_.seek_formula) take_formula(*facts_.seek_formula);
    if (design().seek.table.empty() && design().seek.pieces.empty()) fit_three_points();
  }

  /// Takes the formula's pieces, which apply where the table ends.
  void take_formula(const FormulaFacts& formula) {
    const SeekPiece near{formula.short_below_cyl - 1, formula.short_a_ms,
                         formula.short_b_ms_per_sqrt_cyl, 0, 0};
    const SeekPiece far{std::max(design().cylinders - 1, 1U), formula.long_a_ms, 0,
                        formula.long_b_ms_per_cyl, 0};
    const auto& table = design().seek.table;
    std::uint32_t covered = table.empty() ? 0 : table.back().first;
    for (SeekPiece piece : {near, far}) {
      piece.up_to_cylinders = std::min(piece.up_to_cylinders, far.up_to_cylinders);
      if (piece.up_to_cylinders <= covered) continue;
      covered = piece.up_to_cylinders;
      design().seek.pieces.push_back(piece);
    }
  }

  /// Fits Lee's curve to single-cylinder, average and full-stroke times (DiskSim 4.0 manual,
  /// "3-point"): a sqrt(d - 1) + b (d - 1) + c. The number of cylinders gives a and b. It is exact
  /// at d = 1, and at full stroke except for two cylinders' worth.
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

  void take_published() {
    auto& published = out_.published;
    published.capacity_sectors = facts_.capacity_sectors;
    published.demerit_rms_ms = facts_.validation_rms_ms_published;
    published.overheads_ms = facts_.overheads_ms;
    published.cache = facts_.cache;
    published.bus = facts_.bus;
    set_buffer(published.cache);
    if (moves_more_than_10_mb_per_s(published.bus)) design().bus.width_bits = 16;
    choices_.emplace_back("Assumed: sector format bytes, spin times, bus limits.");
  }

  /// Whether the bus is faster than one of a byte's width (Fast-10).
  static bool moves_more_than_10_mb_per_s(const std::map<std::string, double>& bus) {
    const auto block = bus.find("ms_per_512B_sector");
    if (block != bus.end() && block->second > 0 && block->second < 512 * 100e-6) return true;
    const auto pace = bus.find("MB_per_s");
    return pace != bus.end() && pace->second > 10;
  }

  /// Sets the buffer. The maker's size often holds only the segments of the facts. This drive's
  /// buffer holds data in transfer, too, so it is made larger if both do not fit.
  void set_buffer(const std::map<std::string, double>& cache) {
    const auto fact = [&](const char* key) {
      const auto found = cache.find(key);
      return found == cache.end() ? 0.0 : found->second;
    };
    const double segment_bytes =
        fact("segment_sectors") * static_cast<double>(design().sector_bytes);
    const double segmented = fact("segments") * segment_bytes;
    const double makers = fact("bytes") > 0 ? fact("bytes") : segmented;
    if (makers < kBufferBytes.low || makers > kBufferBytes.high) {
      choices_.emplace_back("No buffer size in the facts: 64 KiB assumed.");
      return;
    }
    design().buffer_bytes = static_cast<std::uint32_t>(makers);
    // Writes never take a segment of the cache.
    const double for_reads = fact("segments") - fact("separate_write_segment");
    const double room = room_for_segments(for_reads, fact("segment_sectors")) *
                        static_cast<double>(design().sector_bytes);
    if (room <= makers) return;
    if (room > kBufferBytes.high) {
      warn(fmt::format(
          "cache.segments: {:.0f} of {:.0f} sectors do not fit into the largest buffer, of {:.0f} "
          "bytes; the drive makes them shorter",
          for_reads, fact("segment_sectors"), kBufferBytes.high));
    }
    design().buffer_bytes = static_cast<std::uint32_t>(std::min(room, kBufferBytes.high));
    choices_.push_back(fmt::format(
        "Buffer: {:.0f} bytes in the facts hold the segments; {:.0f} more for data in transfer, "
        "which they leave out.",
        makers, design().buffer_bytes - makers));
  }

  /// The fewest sectors of a buffer in which the firmware has `segments` segments of that size
  /// beside the tasks' part (firmware/transfer/segments.h).
  static double room_for_segments(double segments, double segment_sectors) {
    if (segments < 1 || segment_sectors < 1) return 0;
    const double most = kBufferBytes.high;
    for (double sectors = segments * segment_sectors; sectors < most; ++sectors) {
      double cell = 1;
      while (sectors / cell >= SEGMENT_CELLS_MAX + 1) cell *= 2;
      const double cells = std::floor(sectors / cell);
      const double for_tasks =
          std::max(std::ceil(cells / SEGMENT_TASK_PARTS), std::ceil(SEGMENT_SECTORS_MIN / cell));
      if (segments * std::ceil(segment_sectors / cell) <= cells - for_tasks) return sectors;
    }
    return most;
  }

  void estimate_profile() {
    const mechanics::ProfileFit fit = mechanics::fit_profile(design());
    design().seek.settle_ms = fit.settle_ms;
    design().seek.coast_cylinders_per_ms = fit.coast_cylinders_per_ms;
    choices_.emplace_back("Estimated from the curve: seek.settle_ms, seek.coast_cylinders_per_ms.");
  }

  Design& design() { return out_.design; }

  DriveFacts facts_;
  std::string file_;
  DriveDescription out_;
  std::vector<std::string> warnings_;
  std::vector<std::string> unlike_;  // differences from the facts
  std::vector<std::string> choices_;
};

/// The parser's input, which counts the lines that it has returned.
class CountedText {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountedText(const char* at, unsigned* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  CountedText& operator++() {
    if (*at_++ == '\n') ++*line_;
    return *this;
  }
  bool operator==(const CountedText& other) const { return at_ == other.at_; }
  bool operator!=(const CountedText& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  unsigned* line_;
};

/// Follows the open objects and arrays while a file is parsed: the path of each key, and its line.
/// It refuses a key that comes twice: JSON keeps the last one, but facts given twice are a mistake.
/// It also refuses deep nesting: each level makes paths longer, so a hostile file could take hours.
class KeyWatch {
 public:
  using Event = nlohmann::json::parse_event_t;
  KeyWatch(const std::string& file, const unsigned& line, LineMap& lines)
      : file_(file), line_(line), lines_(lines) {}

  void hear(Event event, const nlohmann::json& parsed) {
    switch (event) {
      case Event::key: return enter(parsed.get<std::string>());
      case Event::object_start: return open(false);
      case Event::array_start: return open(true);
      case Event::object_end:
      case Event::array_end: open_.pop_back(); return;
      case Event::value:
        if (!open_.empty()) ++open_.back().count;
        return;
    }
  }

 private:
  static constexpr std::size_t kMostOpen = 100;
  struct Open {
    std::string path;
    bool is_array;
    std::size_t count;  // elements of an array so far
    std::set<std::string> keys;
  };

  void enter(const std::string& key) {
    Open& object = open_.back();
    key_ = object.path.empty() ? key : object.path + "." + key;
    lines_[key_] = line_;
    if (!object.keys.insert(key).second)
      throw Fault(key_, "stands twice in one object", "drop one");
  }

  void open(bool is_array) {
    if (open_.size() == kMostOpen) {
      throw_file_error(file_, line_,
                       fmt::format("more than {} lists and objects within each other; correct the "
                                   "line",
                                   kMostOpen));
    }
    std::string path = open_.empty() ? "" : key_;
    if (!open_.empty() && open_.back().is_array) {
      path = fmt::format("{}[{}]", open_.back().path, open_.back().count++);
      lines_[path] = line_;
    }
    open_.push_back({std::move(path), is_array, 0, {}});
  }

  const std::string& file_;
  const unsigned& line_;
  LineMap& lines_;
  std::string key_;  // the last key
  std::vector<Open> open_;
};

nlohmann::json parse_strictly(const std::string& text, const std::string& file, LineMap& lines) {
  unsigned line = 1;
  KeyWatch watch(file, line, lines);
  const auto hear = [&watch](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    watch.hear(event, parsed);
    return true;
  };
  const char* begin = text.data();
  return nlohmann::json::parse(CountedText(begin, &line), CountedText(begin + text.size(), &line),
                               hear);
}

/// Changes description keys in a fault or warning of check() to the facts' keys, which the file
/// has.
std::string to_facts_key(std::string text) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"design.seek.table_ms", "seek_table_ms"},
      {"design.reserved_cylinders", "zones"},
      {"design.seek.pieces", "seek_formula"},
      {"design.sparing.location", "sparing.code"},
      {"design.sparing.slip_to_zone_end", "sparing.code"},
      {"published.single_cylinder_seek_ms", "single_cyl_seek_ms"},
      {"published.average_seek_ms", "avg_seek_ms"},
      {"published.demerit_rms_ms", "validation_rms_ms_published"},
      {"published.", ""},
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
  LineMap lines;
  try {
    const nlohmann::json root = parse_strictly(text, file, lines);
    if (!root.is_object()) throw Fault("(top)", "not a JSON object", "give one drive per file");
    Loaded loaded = Importer(root, file).run();
    // The result must load again, whatever names and numbers the facts had.
    load_text(to_toml(loaded.description), file);
    loaded.warnings = tell_once(loaded.warnings);
    for (std::string& warning : loaded.warnings) {
      warning = fmt::format("{}: {}", file, to_facts_key(warning));
    }
    return loaded;
  } catch (const nlohmann::json::exception& error) {
    // The library puts its own error number in brackets in front.
    const std::string what = error.what();
    throw FileError(
        fmt::format("{}: not valid JSON: {}; correct it", file, what.substr(what.find("] ") + 2)));
  } catch (const Fault& fault) {
    throw_file_error(file, line_of(lines, to_facts_key(fault.key)), to_facts_key(fault.what()));
  }
}

Loaded import_json(const std::filesystem::path& file) {
  return import_json_text(read_file(file), file.string());
}

}  // namespace headstack::drive
