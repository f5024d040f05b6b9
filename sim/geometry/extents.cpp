// SPDX-License-Identifier: Apache-2.0
#include "sim/geometry/extents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "firmware/hal/mmio.h"
#include "sim/description/fault.hpp"

namespace headstack::geometry {
namespace {

using drive::Fault;
using drive::SpareLocation;

struct Run {  // a run of consecutive positions, [first, last)
  std::uint64_t first = 0;
  std::uint64_t last = 0;
};

/// The layout of one zone, counted in sectors, or in tracks with whole-track spares.
class ZoneLayout {
 public:
  ZoneLayout(const drive::Design& design, std::size_t zone_index)
      : design_(design),
        zone_index_(zone_index),
        zone_(design.zones[zone_index]),
        slips_cost_blocks_(design.sparing.slip_to_zone_end ||
                           design.sparing.location == SpareLocation::kNone),
        by_track_(design.sparing.location == SpareLocation::kZoneEndTracks),
        track_(by_track_ ? 1 : zone_.sectors_per_track),
        cylinder_(std::uint64_t{track_} * design.heads),
        count_(cylinder_ * (zone_.last_cylinder - zone_.first_cylinder + 1)) {}

  /// Runs of positions in block order, in sectors, before reserved sectors are taken off.
  std::vector<Run> runs() {
    check_slips();
    for (std::uint64_t first = 0; first < count_; first += unit_size()) lay_unit(first);
    apply_remaps();
    if (by_track_) scale_to_sectors();
    return std::move(runs_);
  }

 private:
  // The key for a fault. It is made on demand, since a drive has thousands of slips and few faults.
  std::string key() const { return fmt::format("design.zones[{}]", zone_index_); }
  std::string key(const char* list, std::size_t index) const {
    return fmt::format("{}.{}[{}]", key(), list, index);
  }

  std::uint64_t unit_size() const {
    switch (design_.sparing.location) {
      case SpareLocation::kTrackEnd: return track_;
      case SpareLocation::kCylinderEnd:
      case SpareLocation::kCylinderFront: return cylinder_;
      case SpareLocation::kRangeEnd: return cylinder_ * design_.sparing.range_cylinders;
      case SpareLocation::kNone:
      case SpareLocation::kZoneEnd:
      case SpareLocation::kZoneEndTracks: break;
    }
    return count_;
  }

  void check_slips() const {
    for (std::size_t i = 0; i < zone_.slips.size(); ++i) {
      if (zone_.slips[i] >= count_) {
        throw Fault(key("slips", i),
                    fmt::format("position {} lies past the zone's {}", zone_.slips[i], count_),
                    "give a position inside the zone");
      }
      if (i > 0 && zone_.slips[i] <= zone_.slips[i - 1]) {
        throw Fault(key("slips", i), "not above the slip before it",
                    "sort the slips and drop repeated ones");
      }
    }
  }

  void lay_unit(std::uint64_t first) {
    const std::uint64_t last = std::min(first + unit_size(), count_);
    const bool whole = last - first == unit_size();
    const bool spared = design_.sparing.location != SpareLocation::kNone &&
                        (whole || design_.sparing.location != SpareLocation::kRangeEnd);
    const std::uint64_t spares = spared ? zone_.spares : 0;
    if (spares >= last - first) {
      throw Fault(key() + ".spares",
                  fmt::format("{} spares leave no block in a unit of {}", spares, last - first),
                  "spares count per unit of design.sparing.location; give fewer");
    }
    if (design_.sparing.location == SpareLocation::kCylinderFront) {
      lay_downwards(first, last, spares);
    } else {
      lay_upwards(first, last, spares);
    }
  }

  /// Lays blocks from the unit's front on; slips push them towards the spares at its end.
  void lay_upwards(std::uint64_t first, std::uint64_t last, std::uint64_t spares) {
    auto slip = std::lower_bound(zone_.slips.begin(), zone_.slips.end(), first);
    const std::uint64_t data_end = last - spares;
    std::uint64_t wanted = data_end - first;
    std::uint64_t at = first;
    while (wanted > 0) {
      const std::uint64_t stop = slip != zone_.slips.end() && *slip < last ? *slip : last;
      const std::uint64_t end = std::min(stop, at + wanted);
      if (end > at) runs_.push_back({at, end});
      wanted -= end - at;
      if (wanted == 0) return;
      if (end == last) break;
      at = end + 1;
      ++slip;
      if (slips_cost_blocks_) --wanted;
    }
    if (wanted > 0) fail_spares(first, last, spares);
  }

  /// The mirror image of lay_upwards(): blocks end at the unit's end, and slips push them to its
  /// front.
  void lay_downwards(std::uint64_t first, std::uint64_t last, std::uint64_t spares) {
    std::vector<Run> found;
    auto slip = std::lower_bound(zone_.slips.begin(), zone_.slips.end(), last);
    std::uint64_t wanted = last - first - spares;
    std::uint64_t end = last;
    while (wanted > 0) {
      const bool hit = slip != zone_.slips.begin() && *std::prev(slip) >= first;
      const std::uint64_t stop = hit ? *std::prev(slip) + 1 : first;
      const std::uint64_t at = std::max(stop, end > wanted ? end - wanted : 0);
      if (end > at) found.push_back({at, end});
      wanted -= end - at;
      if (wanted == 0) break;
      if (!hit) fail_spares(first, last, spares);
      end = stop - 1;
      --slip;
      if (slips_cost_blocks_) --wanted;
    }
    runs_.insert(runs_.end(), found.rbegin(), found.rend());
  }

  [[noreturn]] void fail_spares(std::uint64_t first, std::uint64_t last,
                                std::uint64_t spares) const {
    throw Fault(key() + ".slips",
                fmt::format("more slips in positions {}..{} than the {} spares there", first,
                            last - 1, spares),
                "raise spares, set design.sparing.slip_to_zone_end, or drop slips");
  }

  void apply_remaps() {
    for (std::size_t i = 0; i < zone_.remaps.size(); ++i) {
      const auto [defect, replacement] = zone_.remaps[i];
      if (defect >= count_ || replacement >= count_) {
        throw Fault(key("remaps", i), fmt::format("a position lies past the zone's {}", count_),
                    "give positions inside the zone");
      }
      if (defect == replacement) continue;  // published lists hold such no-ops; check() warns
      check_replacement(replacement, i);
      if (find_run(replacement) != runs_.end()) {
        throw Fault(key("remaps", i),
                    fmt::format("replacement {} already holds a block", replacement),
                    "choose a spare position");
      }
      const auto run = find_run(defect);
      if (run == runs_.end()) {
        throw Fault(key("remaps", i), fmt::format("defect {} holds no block", defect),
                    "drop the remap");
      }
      split_out(static_cast<std::size_t>(run - runs_.begin()), defect, replacement);
    }
  }

  /// Checks that a replacement is not bad itself.
  void check_replacement(std::uint32_t replacement, std::size_t index) const {
    bool bad = std::binary_search(zone_.slips.begin(), zone_.slips.end(), replacement);
    for (std::size_t i = 0; i < index; ++i) bad = bad || zone_.remaps[i][0] == replacement;
    if (bad) {
      throw Fault(key("remaps", index),
                  fmt::format("replacement {} is slipped or a defect itself", replacement),
                  "choose a good spare position");
    }
  }

  std::vector<Run>::iterator find_run(std::uint64_t position) {
    return std::find_if(runs_.begin(), runs_.end(), [position](const Run& run) {
      return position >= run.first && position < run.last;
    });
  }

  void split_out(std::size_t index, std::uint64_t defect, std::uint64_t replacement) {
    const Run run = runs_[index];
    std::vector<Run> parts;
    if (defect > run.first) parts.push_back({run.first, defect});
    parts.push_back({replacement, replacement + 1});
    if (defect + 1 < run.last) parts.push_back({defect + 1, run.last});
    const auto at = runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(index));
    runs_.insert(at, parts.begin(), parts.end());
  }

  void scale_to_sectors() {
    for (Run& run : runs_) {
      run.first *= zone_.sectors_per_track;
      run.last *= zone_.sectors_per_track;
    }
  }

  const drive::Design& design_;
  const std::size_t zone_index_;
  const drive::Zone& zone_;
  const bool slips_cost_blocks_;
  const bool by_track_;
  const std::uint32_t track_;
  const std::uint64_t cylinder_;
  const std::uint64_t count_;
  std::vector<Run> runs_;
};

/// Appends a run, or joins it to the extent before it where both blocks and positions continue.
void append(std::vector<Extent>& extents, Run run, std::uint32_t zone, std::uint64_t& lba) {
  const auto length = static_cast<std::uint32_t>(run.last - run.first);
  const auto position = static_cast<std::uint32_t>(run.first);
  if (!extents.empty() && extents.back().zone == zone &&
      extents.back().position + extents.back().length == position) {
    extents.back().length += length;
  } else {
    extents.push_back({lba, position, length, zone});
  }
  lba += length;
}

/// The maker's defects of a zone, ascending, in sectors.
std::vector<PositionRun> defect_runs(const drive::Design& design, const drive::Zone& zone) {
  std::vector<std::uint32_t> defects = zone.slips;
  for (const auto& [defect, replacement] : zone.remaps) {
    if (defect != replacement) defects.push_back(defect);
  }
  std::sort(defects.begin(), defects.end());
  const bool by_track = design.sparing.location == SpareLocation::kZoneEndTracks;
  const std::uint32_t size = by_track ? zone.sectors_per_track : 1;
  std::vector<PositionRun> runs;
  for (const std::uint32_t defect : defects) {
    const bool continues = !runs.empty() && runs.back().first + runs.back().count == defect * size;
    if (continues) {
      runs.back().count += size;
    } else {
      runs.push_back({defect * size, size});
    }
  }
  return runs;
}

// Size of an image in the store (firmware/transfer/store.h).
constexpr std::uint32_t kStoreSectorBytes = 512;

/// The place of a store in the first reserved sectors that suffice, or nothing.
std::optional<Extent> store_in_reserved(const Layout& layout, std::uint32_t zone,
                                        std::uint32_t sectors) {
  for (const Extent& extent : layout.reserved) {
    if (extent.zone == zone && extent.length >= sectors) {
      return Extent{0, extent.position, sectors, zone};
    }
  }
  return std::nullopt;
}

/// The place of a store in the last free spares that suffice, which are reserved from then on.
std::optional<Extent> store_in_spares(const drive::Design& design, Layout& layout,
                                      std::uint32_t zone, std::uint32_t sectors) {
  const Unused unused = find_unused(design, layout, zone);
  for (auto run = unused.spares.rbegin(); run != unused.spares.rend(); ++run) {
    if (run->count < sectors) continue;
    const Extent store{0, run->first + run->count - sectors, sectors, zone};
    layout.reserved.push_back(store);
    return store;
  }
  return std::nullopt;
}

void place_store(const drive::Design& design, Layout& layout, std::uint32_t zone) {
  const std::uint32_t sectors = design.zones[zone].store_sectors;
  if (sectors == 0) return;
  const std::string key = fmt::format("design.zones[{}].store_sectors", zone);
  if (layout.store) {
    throw Fault(key, "a zone before this one has a store", "leave one of them out");
  }
  if (design.sector_bytes < kStoreSectorBytes) {
    throw Fault(key, fmt::format("its sectors need {} bytes", kStoreSectorBytes),
                "leave it out: saved mode pages are volatile then");
  }
  if (design.buffer_bytes + design.sector_bytes > HAL_BUFFER_RAM_BYTES) {
    throw Fault(key, "the store is written from a sector of buffer RAM after the drive's buffer",
                fmt::format("give design.buffer_bytes of {} at most",
                            HAL_BUFFER_RAM_BYTES - design.sector_bytes));
  }
  if (sectors % 2 != 0) throw Fault(key, "each has a copy", "give an even number");
  layout.store = store_in_reserved(layout, zone, sectors);
  if (!layout.store) layout.store = store_in_spares(design, layout, zone, sectors);
  if (!layout.store) {
    throw Fault(key,
                fmt::format("neither {0} reserved sectors nor {0} free spares of the zone follow "
                            "each other",
                            sectors),
                "give fewer, or more spares");
  }
}

}  // namespace

Unused find_unused(const drive::Design& design, const Layout& layout, std::uint32_t zone) {
  Unused unused;
  unused.defects = defect_runs(design, design.zones[zone]);
  // All runs with a known use, ascending: the positions between them are spare.
  std::vector<PositionRun> known = unused.defects;
  for (const std::vector<Extent>* extents : {&layout.blocks, &layout.reserved}) {
    for (const Extent& extent : *extents) {
      if (extent.zone == zone) known.push_back({extent.position, extent.length});
    }
  }
  std::sort(known.begin(), known.end(),
            [](const PositionRun& a, const PositionRun& b) { return a.first < b.first; });
  const auto end = static_cast<std::uint32_t>(zone_sector_count(design, design.zones[zone]));
  known.push_back({end, 0});
  std::uint32_t from = 0;
  for (const PositionRun& run : known) {
    if (run.first > from) unused.spares.push_back({from, run.first - from});
    from = std::max(from, run.first + run.count);
  }
  return unused;
}

std::uint64_t zone_sector_count(const drive::Design& design, const drive::Zone& zone) {
  return std::uint64_t{zone.last_cylinder - zone.first_cylinder + 1} * design.heads *
         zone.sectors_per_track;
}

Layout build_layout(const drive::Design& design) {
  Layout layout;
  std::uint64_t lba = 0;
  for (std::uint32_t z = 0; z < design.zones.size(); ++z) {
    if (zone_sector_count(design, design.zones[z]) > 0xFFFF'FFFFULL) {
      throw Fault(fmt::format("design.zones[{}]", z), "more than 2^32 sectors in one zone",
                  "split the zone");
    }
    std::uint64_t reserved = design.zones[z].reserved_sectors;
    std::uint64_t unaddressed = 0;
    for (Run run : ZoneLayout(design, z).runs()) {
      const std::uint64_t skip = std::min(reserved, run.last - run.first);
      if (skip > 0) append(layout.reserved, {run.first, run.first + skip}, z, unaddressed);
      reserved -= skip;
      run.first += skip;
      if (run.first < run.last) append(layout.blocks, run, z, lba);
    }
    if (reserved > 0) {
      throw Fault(fmt::format("design.zones[{}].reserved_sectors", z),
                  "more than the zone has sectors", "give fewer");
    }
    place_store(design, layout, z);
  }
  return layout;
}

}  // namespace headstack::geometry
