// SPDX-License-Identifier: Apache-2.0
#include "sim/drive/drive_media.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include "sim/draw.hpp"
#include "sim/media/fnv1a.hpp"

namespace headstack::media {

MediaGeometry media_geometry_of(const drive::Design& design, const geometry::Geometry& geometry) {
  Fnv1a64 hash;
  const auto add = [&hash](std::uint64_t value) { hash.add_u64(value); };
  add(design.heads);
  add(static_cast<std::uint64_t>(design.mapping));
  for (const drive::Zone& zone : design.zones) {
    add(zone.first_cylinder);
    add(zone.last_cylinder);
    add(zone.sectors_per_track);
  }
  return {geometry.sector_count(), design.sector_bytes, design.format.check_bytes, hash.value()};
}

namespace {

using geometry::Chs;
using geometry::Geometry;

/// The sector of a track that lies under an angle. Mark i of the circle is at floor(2^32 i / n).
std::uint32_t sector_under(const Geometry& geometry, const Chs& track, std::uint32_t sectors,
                           Turn32 angle) {
  const auto mark_holding = [sectors](std::uint64_t at) {
    std::uint64_t mark = (at * sectors) >> 32;
    // The floor in a mark's angle may bring the next mark to the angle.
    if (((mark + 1) << 32) / sectors <= at) ++mark;
    return mark;
  };
  const Turn32 first = geometry.sector_angle({track.cylinder, track.head, 0});
  return static_cast<std::uint32_t>((mark_holding(angle) + sectors - mark_holding(first)) %
                                    sectors);
}

/// The sectors of a defect: `sectors` of the track from `at` on, and those at the same angle on the
/// following cylinders. Cylinders outside every zone have no sectors to be damaged.
std::vector<SectorIndex> sectors_of_defect(const Geometry& geometry, const Chs& at,
                                           std::uint32_t sectors, std::uint32_t cylinders) {
  std::vector<SectorIndex> covered;
  const Turn32 angle = geometry.sector_angle(at);
  for (std::uint32_t c = at.cylinder; c < at.cylinder + cylinders; ++c) {
    const auto zone = geometry.zone_of(c);
    if (!zone) continue;
    const std::uint32_t on_track = geometry.zones()[*zone].sectors_per_track;
    Chs next{c, at.head, at.sector};
    if (c != at.cylinder) next.sector = sector_under(geometry, next, on_track, angle);
    for (std::uint32_t i = 0; i < std::min(sectors, on_track); ++i) {
      covered.push_back(geometry.sector_index(next));
      next.sector = next.sector + 1 == on_track ? 0 : next.sector + 1;
    }
  }
  return covered;
}

/// Adds scratches chosen by seed: each begins on a sector drawn from all, and has two sectors or
/// more. Sectors with a listed flaw, or another scratch, keep it.
void add_scratches(const drive::Specimen& specimen, const Geometry& geometry, FlawSpec& spec) {
  std::set<SectorIndex> taken;
  for (const Flaw& flaw : spec.listed) taken.insert(flaw.index);
  for (std::uint32_t i = 0; i < specimen.scratches; ++i) {
    const auto drawn = [&](std::uint64_t what) {
      return draw(specimen.flaw_seed, Stream::kScratch, i, what);
    };
    const Chs at = geometry.sector_at(below(drawn(0), geometry.sector_count()));
    const std::uint32_t length =
        2 + static_cast<std::uint32_t>(below(drawn(1), specimen.scratch_sectors_max - 1));
    for (const SectorIndex index : sectors_of_defect(geometry, at, length, 1)) {
      if (taken.insert(index).second) spec.listed.push_back({index, FlawKind::kUnreadable});
    }
  }
}

}  // namespace

FlawSpec flaw_spec_of(const drive::Specimen& specimen, const geometry::Geometry& geometry) {
  FlawSpec spec;
  spec.seed = specimen.flaw_seed;
  spec.unreadable_count = specimen.unreadable_sectors;
  spec.correctable_count = specimen.correctable_sectors;
  spec.retries_min = specimen.correctable_retries_min;
  spec.retries_max = specimen.correctable_retries_max;
  spec.misplaced_write_count = specimen.misplaced_writes;
  spec.intermittent_count = specimen.intermittent_sectors;
  spec.intermittent_probability = specimen.intermittent_probability;
  spec.decaying_count = specimen.decaying_sectors;
  spec.decaying_half_reads = specimen.decaying_half_reads;
  spec.write_fault_count = specimen.write_fault_sectors;
  spec.weak_write_count = specimen.weak_write_sectors;
  spec.bad_header_count = specimen.bad_header_sectors;
  spec.no_sync_count = specimen.no_sync_sectors;
  for (const drive::Flaw& flaw : specimen.flaws) {
    const Chs at = geometry.locate(flaw.lba).chs();
    for (const SectorIndex index : sectors_of_defect(geometry, at, flaw.sectors, flaw.cylinders)) {
      Flaw listed{index, flaw.kind, flaw.retries};
      listed.probability = flaw.probability;
      listed.half_reads = flaw.half_reads;
      spec.listed.push_back(listed);
    }
  }
  add_scratches(specimen, geometry, spec);
  return spec;
}

}  // namespace headstack::media
