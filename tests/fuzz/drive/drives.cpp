// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/drives.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "firmware/drive_design.h"
#include "sim/drive/load.hpp"
#include "sim/geometry/geometry.hpp"
#include "tests/fuzz/drive/cdb.hpp"
#include "tests/fuzz/drive/storyline.hpp"
#include "tests/paths.hpp"

namespace headstack::fuzz {
namespace {

using drive::DriveDescription;

/// 6000 rpm, 2 heads, 60 cylinders in two zones, 2,160 blocks: the drive of tests/scenario.
DriveDescription small_drive(std::uint32_t buffer_bytes) {
  DriveDescription description;
  description.name = "Small";
  drive::Design& design = description.design;
  design.rpm = 6000;
  design.heads = 2;
  design.cylinders = 60;
  design.head_switch_ms = 0.5;
  design.write_settle_ms = 0.3;
  design.spin_up_ms = 200;
  design.spin_down_ms = 100;
  design.buffer_bytes = buffer_bytes;
  design.seek.pieces = {{59, 2.0, 0, 0.1, 0}};
  design.seek.coast_cylinders_per_ms = 30;
  design.bus = {16, 100, 15};
  drive::Zone outer;
  outer.last_cylinder = 29;
  outer.sectors_per_track = 20;
  outer.track_skew = 2;
  outer.cylinder_skew = 5;
  drive::Zone inner = outer;
  inner.first_cylinder = 30;
  inner.last_cylinder = 59;
  inner.sectors_per_track = 16;
  design.zones = {outer, inner};
  return description;
}

/// One head, 40 cylinders of 12 sectors, an 8-bit bus, and a buffer of 16 blocks.
DriveDescription tiny_drive() {
  DriveDescription description = small_drive(8'192);
  description.name = "Tiny";
  drive::Design& design = description.design;
  design.rpm = 12000;
  design.heads = 1;
  design.cylinders = 40;
  design.spin_up_ms = 30;
  design.spin_down_ms = 20;
  design.seek.pieces = {{39, 0.5, 0, 0.05, 0}};
  design.bus = {8, 200, 7};
  drive::Zone zone;
  zone.last_cylinder = 39;
  zone.sectors_per_track = 12;
  zone.track_skew = 1;
  zone.cylinder_skew = 3;
  design.zones = {zone};
  return description;
}

/// Blocks of 1,024 bytes, spares at the end of cylinders, a slip and a remap. The heads move a
/// little between reading and writing.
DriveDescription spared_drive() {
  DriveDescription description = small_drive(65'536);
  description.name = "Spared";
  drive::Design& design = description.design;
  design.sector_bytes = 1024;
  design.write_offset_ms = 0.4;
  design.sparing.location = drive::SpareLocation::kCylinderEnd;
  for (drive::Zone& zone : design.zones) zone.spares = 4;
  design.zones[0].slips = {45};
  design.zones[1].remaps = {{10, 30}};
  return description;
}

/// A drive that has spares, and keeps mode pages, grown defects and maps on its media. 30 cylinders
/// of two tracks of 40 sectors, less 1,330 of the store and 30 spares: 1,040 blocks. The store has
/// room for 8 scratch slots of 16 blocks, or for one of 136 (firmware/transfer/remap_area.h).
DriveDescription mapped_drive() {
  DriveDescription description = small_drive(65'536);
  description.name = "Mapped";
  drive::Design& design = description.design;
  design.cylinders = 30;
  design.seek.pieces = {{29, 2.0, 0, 0.1, 0}};
  design.sparing.location = drive::SpareLocation::kZoneEnd;
  drive::Zone zone;
  zone.last_cylinder = 29;
  zone.sectors_per_track = 40;
  zone.track_skew = 4;
  zone.cylinder_skew = 9;
  zone.spares = 30;
  zone.reserved_sectors = 1'330;
  zone.store_sectors = 1'330;
  design.zones = {zone};
  return description;
}

DriveDescription make(const std::string& name) {
  if (name == "small") return small_drive(131'072);
  if (name == "small-32k") return small_drive(32'768);
  if (name == "small-64k") return small_drive(65'536);
  if (name == "small-1m") return small_drive(1'048'576);
  if (name == "tiny") return tiny_drive();
  if (name == "spared") return spared_drive();
  if (name == "mapped") return mapped_drive();
  const std::filesystem::path file =
      std::filesystem::path(test::source_root()) / "sim/drives" / (name + ".toml");
  if (std::filesystem::exists(file)) return drive::load(file).description;
  std::string names;
  for (const std::string& one : drive_names()) names += (names.empty() ? "" : ", ") + one;
  throw StorylineError(fmt::format("there is no drive '{}'; use one of {}", name, names));
}

}  // namespace

const std::vector<std::string>& drive_names() {
  static const std::vector<std::string> names = {"small",  "small-64k", "tiny",      "small-1m",
                                                 "spared", "mvax_71mb", "hp_c3323a", "cheetah_9lp",
                                                 "mapped", "small-32k"};
  return names;
}

const DriveDescription& drive_named(const std::string& name) {
  static std::map<std::string, DriveDescription> known;
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  return known.emplace(name, make(name)).first->second;
}

bool cdb_names_unit(const std::string& drive) {
  return drive_named(drive).design.scsi_version == DRIVE_DESIGN_SCSI_2;
}

Capacity capacity_of(const std::string& drive) {
  static std::map<std::string, Capacity> known;
  const auto found = known.find(drive);
  if (found != known.end()) return found->second;
  const DriveDescription& description = drive_named(drive);
  const geometry::Geometry geometry(description.design);
  const Capacity capacity{static_cast<std::uint32_t>(geometry.capacity()),
                          description.design.sector_bytes};
  return known.emplace(drive, capacity).first->second;
}

}  // namespace headstack::fuzz
