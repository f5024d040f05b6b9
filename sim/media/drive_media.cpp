#include "sim/media/drive_media.hpp"

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

FlawSpec flaw_spec_of(const drive::Specimen& specimen, const geometry::Geometry& geometry) {
  FlawSpec spec;
  spec.seed = specimen.flaw_seed;
  spec.unreadable_count = specimen.unreadable_sectors;
  spec.correctable_count = specimen.correctable_sectors;
  spec.retries_min = specimen.correctable_retries_min;
  spec.retries_max = specimen.correctable_retries_max;
  spec.misplaced_write_count = specimen.misplaced_writes;
  for (const drive::Flaw& flaw : specimen.flaws) {
    const SectorIndex index = geometry.sector_index(geometry.locate(flaw.lba).chs());
    spec.listed.push_back({index, flaw.kind, flaw.retries});
  }
  return spec;
}

}  // namespace headstack::media
