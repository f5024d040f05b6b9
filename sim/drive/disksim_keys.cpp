// SPDX-License-Identifier: Apache-2.0
#include "sim/drive/disksim_keys.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "sim/drive/text.hpp"

namespace headstack::drive {
namespace {

constexpr Bounds kFlag = {0, 1, ""};
constexpr Bounds kCounts = {0, 1e9, ""};
constexpr Bounds kPartOfAll = {0, 1, "(share)"};

/// A parameter that is a fact under another name.
struct FactKey {
  const char* name;  // DiskSim's name
  const char* table;
  const char* fact;
  Bounds bounds;
  bool whole;
};
constexpr FactKey kFactKeys[] = {
    {"Per-request overhead time", "overheads_ms", "per_request", kTimeMs, false},
    {"Read hit over. after read", "overheads_ms", "read_hit_after_read", kTimeMs, false},
    {"Read hit over. after write", "overheads_ms", "read_hit_after_write", kTimeMs, false},
    {"Read miss over. after read", "overheads_ms", "read_miss_after_read", kTimeMs, false},
    {"Read miss over. after write", "overheads_ms", "read_miss_after_write", kTimeMs, false},
    {"Write hit over. after read", "overheads_ms", "write_hit_after_read", kTimeMs, false},
    {"Write hit over. after write", "overheads_ms", "write_hit_after_write", kTimeMs, false},
    {"Write miss over. after read", "overheads_ms", "write_miss_after_read", kTimeMs, false},
    {"Write miss over. after write", "overheads_ms", "write_miss_after_write", kTimeMs, false},
    {"Read completion overhead", "overheads_ms", "read_completion", kTimeMs, false},
    {"Write completion overhead", "overheads_ms", "write_completion", kTimeMs, false},
    {"Data preparation overhead", "overheads_ms", "data_prep", kTimeMs, false},
    {"First reselect overhead", "overheads_ms", "first_reselect", kTimeMs, false},
    {"Other reselect overhead", "overheads_ms", "other_reselect", kTimeMs, false},
    {"Read disconnect afterread", "overheads_ms", "read_disconnect_after_read", kTimeMs, false},
    {"Read disconnect afterwrite", "overheads_ms", "read_disconnect_after_write", kTimeMs, false},
    {"Write disconnect overhead", "overheads_ms", "write_disconnect", kTimeMs, false},
    {"Extradisc command overhead", "overheads_ms", "extradisc_command", kTimeMs, false},
    {"Extradisc disconnect overhead", "overheads_ms", "extradisc_disconnect", kTimeMs, false},
    {"Extradisc inter-disconnect delay", "overheads_ms", "extradisc_delay", kTimeMs, false},
    {"Extradisc 2nd disconnect overhead", "overheads_ms", "extradisc_second_disconnect", kTimeMs,
     false},
    {"Extradisc seek delta", "overheads_ms", "extradisc_seek_delta", kTimeMs, false},
    {"Minimum seek delay", "overheads_ms", "minimum_seek_delay", kTimeMs, false},
    {"Number of buffer segments", "cache", "segments", kCounts, true},
    {"Maximum number of write segments", "cache", "write_segments", kCounts, true},
    {"Segment size (in blks)", "cache", "segment_sectors", kCounts, true},
    {"Enable caching in buffer", "cache", "enable", {0, 2, ""}, true},
    {"Buffer continuous read", "cache", "readahead_mode", {0, 4, ""}, true},
    {"Maximum read-ahead (blks)", "cache", "max_readahead_sectors", kCounts, true},
    {"Minimum read-ahead (blks)", "cache", "min_readahead_sectors", kCounts, true},
    {"Fast write level", "cache", "fast_write_level", {0, 2, ""}, true},
    {"Combine seq writes", "cache", "combine_seq_writes", kFlag, true},
    {"Immediate buffer read", "cache", "read_on_arrival", {0, 2, ""}, true},
    {"Immediate buffer write", "cache", "write_on_arrival", {0, 2, ""}, true},
    {"Avg sectors per cylinder", "cache", "sectors_per_cyl_avg", kCounts, true},
    {"Max queue length", "cache", "max_queue", kCounts, true},
    {"High (read) water mark", "cache", "read_water_mark", kPartOfAll, false},
    {"Low (write) water mark", "cache", "write_water_mark", kPartOfAll, false},
    {"Read-ahead on idle hit", "cache", "readahead_on_idle_hit", kFlag, true},
    {"Read-ahead over requested", "cache", "readahead_over_requested", {-1, 1, ""}, true},
    {"Allow read hits on write data", "cache", "read_hits_on_written", kFlag, true},
    {"Read any free blocks", "cache", "read_any_free_blocks", kFlag, true},
    {"Use separate write segment", "cache", "separate_write_segment", kFlag, true},
    {"Bulk sector transfer time", "bus", "ms_per_512B_sector", kTimeMs, false},
    {"host bus read ms a block (BUS1)", "bus", "host_read_ms_per_512B_sector", kTimeMs, false},
    {"host bus write ms a block (BUS1)", "bus", "host_write_ms_per_512B_sector", kTimeMs, false},
};

/// Values of a parameter that the drive does not honour, and its behaviour instead.
struct Unlike {
  const char* name;          // DiskSim's name; it may be a fact under another name
  double from, to;           // range of the values
  const char* what_instead;  // null: no command's time depends on it, if commands come one by one
};
constexpr double kMost = 1e9;
constexpr const char* kReadsFirst =
    "data go in the order of their blocks, and not as they pass under the head";
constexpr Unlike kUnlike[] = {
    {"Time scale for overheads", 0, 0.999'999, "not honoured: times are taken as they stand"},
    {"Time scale for overheads", 1.000'001, kMost, "not honoured: times are taken as they stand"},
    {"Allow almost read hits", 1, 1,
     "not honoured: a read of a sector that is just being read ahead is a miss"},
    {"Never disconnect", 1, 1, "not honoured: this drive leaves the bus before it moves the arm"},
    {"Disconnect write if seek", 0, 0,
     "not honoured: a write leaves the bus when its data are in the buffer"},
    {"Low (write) water mark", 1e-9, 1,
     "not honoured: a full segment takes more data as soon as it has room"},
    {"Set watermark by reqsize", 0, 0,
     "not honoured: a water mark is a share of the request, and not of a segment"},
    {"Buffer continuous read", 1, 1,
     "1 is taken as 4: to the end of the track, and of a stream to that of the next"},
    {"Buffer continuous read", 2, 2,
     "2 is taken as 3: as far as the cache allows, and not to the end of the cylinder"},
    {"Minimum read-ahead (blks)", 1, kMost,
     "not honoured: any command ends read-ahead, however short"},
    {"Read-ahead over requested", -1, -1, "-1 is taken as 0"},
    {"Immediate buffer read", 1, 2, kReadsFirst},
    {"Immediate buffer write", 1, 2, kReadsFirst},
    {"Stop prefetch in sector", 0, 0,
     "not honoured: a command ends read-ahead at once, within a sector"},
    {"Write hit stop prefetch", 0, 0, "not honoured: a reported write ends read-ahead"},
    {"Read directly to buffer", 0, 0, "not honoured: sectors go to the buffer while they are read"},
    {"Immed transfer partial hit", 0, 0,
     "not honoured: a read gets at once what the buffer has of it"},
    {"Hold bus entire read xfer", 0, 1, nullptr},
    {"Hold bus entire write xfer", 0, 1, nullptr},
    {"Allow sneaky full read hits", 0, 1, nullptr},
    {"Allow sneaky partial read hits", 0, 1, nullptr},
    {"Allow sneaky intermediate read hits", 0, 1, nullptr},
    {"Allow write prebuffering", 0, 1, nullptr},
    {"Preseeking level", 0, 2, nullptr},
    {"Avg sectors per cylinder", 0, kMost, nullptr},
    {"Max queue length", 0, kMost, nullptr},
    {"Maximum number of write segments", 0, kMost, nullptr},
    {"Print stats", 0, 1, nullptr},
    {"Calc sector by sector", 0, 1, nullptr},
    // The arm moves during the disconnection.
    {"Read disconnect afterread", 1e-9, kMost, nullptr},
    {"Read disconnect afterwrite", 1e-9, kMost, nullptr},
    {"Write disconnect overhead", 1e-9, kMost, nullptr},
    {"Extradisc 2nd disconnect overhead", 1e-9, kMost, nullptr},
};

/// Parameters that are no facts under another name. They are honoured unless they are in kUnlike.
struct OtherKey {
  const char* name;
  Bounds bounds;
  bool whole = true;
};
constexpr const char* kExtraDisconnect = "Extra write disconnect";
constexpr OtherKey kOtherKeys[] = {
    {"Time scale for overheads", {0, kMost, ""}, false},
    {"Hold bus entire read xfer", kFlag},
    {"Hold bus entire write xfer", kFlag},
    {"Allow almost read hits", kFlag},
    {"Allow sneaky full read hits", kFlag},
    {"Allow sneaky partial read hits", kFlag},
    {"Allow sneaky intermediate read hits", kFlag},
    {"Allow write prebuffering", kFlag},
    {"Preseeking level", {0, 2, ""}},
    {"Never disconnect", kFlag},
    {"Print stats", kFlag},
    {"Set watermark by reqsize", kFlag},
    {"Calc sector by sector", kFlag},
    {"Stop prefetch in sector", kFlag},
    {"Disconnect write if seek", kFlag},
    {"Write hit stop prefetch", kFlag},
    {"Read directly to buffer", kFlag},
    {"Immed transfer partial hit", kFlag},
    {kExtraDisconnect, kFlag},
};

constexpr const char* kNeededTimes[] = {
    "per_request",           "read_hit_after_read",   "read_hit_after_write",
    "read_miss_after_read",  "read_miss_after_write", "write_hit_after_read",
    "write_hit_after_write", "write_miss_after_read", "write_miss_after_write",
    "read_completion",       "write_completion",      "data_prep",
    "first_reselect"};
constexpr const char* kNeededExtraTimes[] = {"extradisc_command", "extradisc_disconnect",
                                             "extradisc_delay", "extradisc_seek_delta",
                                             "other_reselect"};
constexpr const char* kOverheads = "overheads_ms";
constexpr const char* kPlaces[] = {"controller_facts", kOverheads, "cache", "bus"};

template <class Rows>
auto find_row(const Rows& rows, const std::string& name) -> decltype(std::begin(rows)) {
  const auto found = std::find_if(std::begin(rows), std::end(rows),
                                  [&name](const auto& row) { return name == row.name; });
  return found == std::end(rows) ? nullptr : found;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const FactKey& row : kFactKeys) names.emplace_back(row.name);
  for (const OtherKey& row : kOtherKeys) names.emplace_back(row.name);
  return names;
}

double number_of(const nlohmann::json& node, const std::string& path, Bounds bounds, bool whole) {
  if (!node.is_number()) throw Fault(path, "not a number", "write a plain number");
  const auto value = node.get<double>();
  check_bounds(value, path, bounds);
  if (whole && value != std::floor(value)) {
    throw Fault(path, fmt::format("{} is no whole number", value), "write one");
  }
  return value;
}

/// Moves the parameters of one object.
class Taker {
 public:
  Taker(nlohmann::json& root, DiskSimKeys& keys) : root_(root), keys_(keys) {}

  void take(nlohmann::json& object, const std::string& prefix, bool no_other_names) {
    for (auto at = object.begin(); at != object.end();) {
      const bool gone = take_one(at.key(), at.value(), prefix + at.key(), no_other_names);
      at = gone ? object.erase(at) : std::next(at);
    }
  }

 private:
  /// Moves a parameter, if it is one. @return whether to remove it from its place.
  bool take_one(const std::string& name, const nlohmann::json& node, const std::string& path,
                bool no_other_names) {
    const auto* fact = find_row(kFactKeys, name);
    const auto* other = find_row(kOtherKeys, name);
    if (fact == nullptr && other == nullptr) {
      const bool is_note = name == "note" && node.is_string();
      if (!is_note && (no_other_names || name.find(' ') != std::string::npos)) {
        throw Fault(path, "unknown key", suggest(name, all_names()));
      }
      return is_note && no_other_names;
    }
    if (node.is_null()) return true;
    if (fact != nullptr) {
      put(*fact, number_of(node, path, fact->bounds, fact->whole), path);
    } else {
      const double value = number_of(node, path, other->bounds, other->whole);
      if (!keys_.others.emplace(name, value).second) {
        throw Fault(path, "stands twice in the file", "drop one");
      }
      keys_.given_as[name] = path;
    }
    return true;
  }

  void put(const FactKey& fact, double value, const std::string& path) {
    nlohmann::json& table = moved_[fact.table];
    const std::string own = fmt::format("{}.{}", fact.table, fact.fact);
    if (table.contains(fact.fact)) throw Fault(path, "stands twice in the file", "drop one");
    if (root_.contains(fact.table) && root_[fact.table].is_object()) {
      const auto given = root_[fact.table].find(fact.fact);
      if (given != root_[fact.table].end() && given->is_number() && *given != value) {
        throw Fault(path, fmt::format("{} here, but {} is {}", value, own, given->get<double>()),
                    "they are the same fact; give it once");
      }
    }
    table[fact.fact] = value;
    keys_.given_as[own] = path;
  }

 public:
  /// Writes the facts after the walk over all objects: they must not grow during it.
  void write() {
    for (auto& [table, facts] : moved_.items()) {
      if (!root_.contains(table) || root_[table].is_null()) root_[table] = nlohmann::json::object();
      if (!root_[table].is_object()) continue;  // the reader reports it
      for (auto& [fact, value] : facts.items()) root_[table][fact] = value;
    }
  }

 private:
  nlohmann::json& root_;
  DiskSimKeys& keys_;
  nlohmann::json moved_ = nlohmann::json::object();
};

const std::map<std::string, double>& table_of(const DriveFacts& facts, const std::string& table) {
  if (table == kOverheads) return facts.overheads_ms;
  return table == "cache" ? facts.cache : facts.bus;
}

std::optional<double> value_of(const DriveFacts& facts, const FactKey& row) {
  const auto& table = table_of(facts, row.table);
  const auto found = table.find(row.fact);
  return found == table.end() ? std::nullopt : std::optional(found->second);
}

/// The fact's key as it stands in the file.
std::string key_in_file(const DiskSimKeys& keys, const std::string& table,
                        const std::string& fact) {
  const std::string own = fmt::format("{}.{}", table, fact);
  const auto found = keys.given_as.find(own);
  return found == keys.given_as.end() ? own : found->second;
}

struct Given {
  std::string key;  // the key in the file
  double value;
};

std::optional<Given> find_given(const DriveFacts& facts, const DiskSimKeys& keys,
                                const std::string& name) {
  if (const auto* row = find_row(kFactKeys, name)) {
    const std::optional<double> value = value_of(facts, *row);
    if (!value) return std::nullopt;
    return Given{key_in_file(keys, row->table, row->fact), *value};
  }
  const auto found = keys.others.find(name);
  if (found == keys.others.end()) return std::nullopt;
  return Given{keys.given_as.at(name), found->second};
}

/// Names in `wanted` that are not given.
template <class Names>
std::vector<std::string> missing_of(const std::map<std::string, double>& given,
                                    const Names& wanted) {
  std::vector<std::string> missing;
  for (const char* name : wanted) {
    if (given.count(name) == 0) missing.emplace_back(name);
  }
  return missing;
}

void tell_missing_times(const DriveFacts& facts, std::vector<std::string>& told) {
  const auto& times = facts.overheads_ms;
  if (times.empty()) return;
  std::vector<std::string> missing = missing_of(times, kNeededTimes);
  if (leaves_once_more(times)) {
    for (std::string& name : missing_of(times, kNeededExtraTimes)) {
      missing.push_back(std::move(name));
    }
  }
  if (missing.empty()) return;
  told.push_back(fmt::format("{}: no {}; without them there is no drive.controller=published",
                             kOverheads, fmt::join(missing, ", ")));
}

/// Reports the flag without times of writes that leave the bus once more, or times without it.
void tell_extra_disconnect(const DriveFacts& facts, const DiskSimKeys& keys,
                           std::vector<std::string>& told) {
  const auto flag = keys.others.find(kExtraDisconnect);
  if (flag == keys.others.end()) return;
  const bool has_times = leaves_once_more(facts.overheads_ms);
  if ((flag->second != 0) == has_times) return;
  told.push_back(fmt::format("{}: {}", keys.given_as.at(kExtraDisconnect),
                             has_times ? "0, so that the times for it are not used"
                                       : "not honoured: no time for it is above 0"));
}

void tell_read_hits(const DriveFacts& facts, const DiskSimKeys& keys,
                    std::vector<std::string>& told) {
  const std::optional<Given> hits = find_given(facts, keys, "Allow read hits on write data");
  const std::optional<Given> separate = find_given(facts, keys, "Use separate write segment");
  if (!hits || !separate || hits->value * separate->value == 0) return;
  told.push_back(fmt::format("{}: not honoured: writes have a segment of their own", hits->key));
}

/// Reports a pace for one direction of the bus without that of the other: it is not used.
void tell_one_way(const DriveFacts& facts, const DiskSimKeys& keys,
                  std::vector<std::string>& told) {
  const auto pace = [&facts](const char* name) {
    const auto found = facts.bus.find(name);
    return found == facts.bus.end() ? 0.0 : found->second;
  };
  if (pace("ms_per_512B_sector") > 0) return;
  const char* const ways[] = {"host_read_ms_per_512B_sector", "host_write_ms_per_512B_sector"};
  for (std::size_t way : {0U, 1U}) {
    if (pace(ways[way]) == 0 || pace(ways[1 - way]) > 0) continue;
    told.push_back(fmt::format("{}: not used without {}", key_in_file(keys, "bus", ways[way]),
                               key_in_file(keys, "bus", ways[1 - way])));
  }
}

/// Reports a faster bus: the fastest here is Fast-10 with 2 bytes at a time (SCSI-2 6.6.21,
/// 6.6.23).
void tell_fast_bus(const DriveFacts& facts, const DiskSimKeys& keys,
                   std::vector<std::string>& told) {
  constexpr double kFastestMs = 512 * 50e-6;
  constexpr const char* kPace = "ms_per_512B_sector";
  const auto pace = facts.bus.find(kPace);
  if (pace == facts.bus.end() || pace->second == 0 || pace->second >= kFastestMs) return;
  told.push_back(fmt::format("{}: {} ms, but the bus of this drive takes {} ms",
                             key_in_file(keys, "bus", kPace), pace->second, kFastestMs));
}

}  // namespace

DiskSimKeys take_disksim_keys(nlohmann::json& root) {
  DiskSimKeys keys;
  Taker taker(root, keys);
  taker.take(root, "", false);
  for (const char* place : kPlaces) {
    if (!root.contains(place) || !root[place].is_object()) continue;
    const bool alone = place == kPlaces[0];
    taker.take(root[place], fmt::format("{}.", place), alone);
    if (alone) root.erase(place);
  }
  taker.write();
  return keys;
}

void check_fact_ranges(const DriveFacts& facts, const DiskSimKeys& keys) {
  for (const FactKey& row : kFactKeys) {
    const std::optional<double> value = value_of(facts, row);
    if (!value) continue;
    number_of(*value, key_in_file(keys, row.table, row.fact), row.bounds, row.whole);
  }
}

void drop_absent(DriveFacts& facts, const DiskSimKeys& keys) {
  auto& times = facts.overheads_ms;
  const auto flag = keys.others.find(kExtraDisconnect);
  const bool denied = flag != keys.others.end() && flag->second == 0;
  if (denied || !leaves_once_more(times)) {
    for (const char* name : kExtraDisconnectFacts) times.erase(name);
  }
  const auto drop_zero = [](std::map<std::string, double>& table, const char* name) {
    const auto found = table.find(name);
    if (found != table.end() && found->second == 0) table.erase(found);
  };
  drop_zero(times, "minimum_seek_delay");
  drop_zero(facts.bus, "host_read_ms_per_512B_sector");
  drop_zero(facts.bus, "host_write_ms_per_512B_sector");
}

std::vector<std::string> tell_unlike(const DriveFacts& facts, const DiskSimKeys& keys) {
  std::vector<std::string> told;
  std::vector<std::string> without_effect;
  for (const Unlike& row : kUnlike) {
    const std::optional<Given> given = find_given(facts, keys, row.name);
    if (!given || given->value < row.from || given->value > row.to) continue;
    if (row.what_instead == nullptr) {
      without_effect.push_back(given->key);
    } else {
      told.push_back(fmt::format("{}: {}", given->key, row.what_instead));
    }
  }
  tell_extra_disconnect(facts, keys, told);
  tell_read_hits(facts, keys, told);
  tell_one_way(facts, keys, told);
  tell_missing_times(facts, told);
  tell_fast_bus(facts, keys, told);
  if (!without_effect.empty()) {
    told.push_back(fmt::format("{}: not used: commands that come one by one take the same time",
                               fmt::join(without_effect, ", ")));
  }
  return told;
}

}  // namespace headstack::drive
