// SPDX-License-Identifier: Apache-2.0
#include "tests/scenario/defect_bench.hpp"

namespace headstack::scenario {

drive::DriveDescription spared_drive() {
  drive::DriveDescription description = small_drive();
  drive::Design& design = description.design;
  design.cylinders = 8;
  design.seek.pieces = {{7, 2.0, 0, 0.1, 0}};
  design.sparing.location = drive::SpareLocation::kZoneEnd;
  drive::Zone& outer = design.zones[0];
  outer.last_cylinder = 3;
  outer.spares = 8;
  outer.slips = {25, 26};
  outer.remaps = {{40, 159}};
  drive::Zone& inner = design.zones[1];
  inner.first_cylinder = 4;
  inner.last_cylinder = 7;
  inner.spares = 2;
  return description;
}

PlatformSetup DefectBench::spared_setup() {
  return {spared_drive(), true, {host_config(initiator::kFast10Wide)}};
}

void DefectBench::flaw_sector(media::SectorIndex index, media::FlawKind kind,
                              std::uint32_t retries) {
  media::FlawSpec spec;
  spec.listed = {{index, kind, retries}};
  platform().surface().media().inject(spec);
}

void DefectBench::flaw_block(std::uint32_t lba, media::FlawKind kind, std::uint32_t retries) {
  flaw_sector(home(lba), kind, retries);
}

media::SectorIndex DefectBench::home(std::uint32_t lba) {
  const geometry::Geometry& geometry = platform().geometry();
  return geometry.sector_index(geometry.locate(lba).chs());
}

DefectBench::Place DefectBench::place_of(media::SectorIndex index) {
  const geometry::Chs at = platform().geometry().sector_at(index);
  return {at.cylinder, at.head, at.sector};
}

std::vector<media::SectorIndex> DefectBench::spares() {
  const geometry::Geometry& geometry = platform().geometry();
  std::vector<media::SectorIndex> found;
  for (media::SectorIndex i = 0; i < geometry.sector_count(); ++i) {
    if (geometry.content(geometry.sector_at(i)).use == geometry::SectorUse::kSpare) {
      found.push_back(i);
    }
  }
  return found;
}

std::set<media::SectorIndex> DefectBench::used_spares() {
  std::set<media::SectorIndex> used;
  for (const media::SectorIndex spare : spares()) {
    if (platform().surface().media().is_written(spare)) used.insert(spare);
  }
  return used;
}

Bytes DefectBench::on_sector(media::SectorIndex index) {
  Bytes data(kBlockBytes);
  platform().surface().media().peek(index, data.data(), nullptr);
  return data;
}

namespace {

std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> places_in(const Bytes& data) {
  std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> places;
  EXPECT_EQ(data.size(), 4 + big_endian(data, 2, 2)) << "header and list are of one length";
  for (std::size_t at = 4; at + 8 <= data.size(); at += 8) {
    places.emplace_back(big_endian(data, at, 3), data[at + 3], big_endian(data, at + 4, 4));
  }
  return places;
}

}  // namespace

std::vector<DefectBench::Place> DefectBench::grown_list() {
  const Completion done = execute(read_defect_data_10(false, true, kPhysicalSector));
  EXPECT_EQ(outcome(done), "GOOD");
  return places_in(done.data);
}

std::vector<DefectBench::Place> DefectBench::primary_list() {
  const Completion done = execute(read_defect_data_10(true, false, kPhysicalSector));
  EXPECT_EQ(outcome(done), "GOOD");
  return places_in(done.data);
}

void DefectBench::set_recovery(std::uint8_t bits, std::uint8_t retries) {
  ASSERT_EQ(run(mode_select_6({0x01, 0x0A, bits, retries, 0, 0, 0, 0, retries, 0, 0, 0})), "GOOD");
}

std::uint64_t DefectBench::counter(std::uint8_t page, std::uint16_t parameter) {
  const Completion done = execute(log_sense(page));
  EXPECT_EQ(outcome(done), "GOOD");
  const auto value = log_parameter(done.data, parameter);
  EXPECT_TRUE(value.has_value());
  return value.value_or(~std::uint64_t{0});
}

void DefectBench::expect_block(std::uint32_t lba, const Bytes& data) {
  const Completion done = execute(read_10(lba, 1));
  EXPECT_EQ(outcome(done), "GOOD") << "block " << lba;
  EXPECT_EQ(done.data, data) << "block " << lba;
}

}  // namespace headstack::scenario
