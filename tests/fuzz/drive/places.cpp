// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/places.hpp"

#include <algorithm>

#include "tests/fuzz/drive/drives.hpp"

namespace headstack::fuzz {

Places::Places(const std::string& drive, Stage& stage) : drive_(drive), stage_(stage) {
  const auto& zones = drive_named(drive).design.zones;
  kept_ = std::any_of(zones.begin(), zones.end(),
                      [](const drive::Zone& zone) { return zone.store_sectors != 0; });
}

void Places::read() {
  if (read_at_ == stage_.now()) return;
  read_at_ = stage_.now();
  area_ = replay::read_kept_area(drive_named(drive_).design, stage_.media());
}

media::SectorIndex Places::sector_of(std::uint32_t lba) {
  if (!kept_) return stage_.sector_of(lba);
  read();
  std::uint64_t physical = lba;
  const std::uint64_t units = area_.location.size();
  const std::uint64_t end = area_.first_block + units * area_.unit_blocks;
  if (lba >= area_.first_block && lba < end) {
    const std::uint64_t within = (lba - area_.first_block) % area_.unit_blocks;
    const std::uint64_t slot = area_.location[(lba - area_.first_block) / area_.unit_blocks];
    if (slot >= units) return area_.scratch_sector + (slot - units) * area_.unit_blocks + within;
    physical = area_.first_block + slot * area_.unit_blocks + within;
  }
  const auto moved = area_.moved.find(physical);
  return moved != area_.moved.end() ? moved->second
                                    : stage_.sector_of(static_cast<std::uint32_t>(physical));
}

std::string Places::find_fault() {
  if (!kept_) return {};
  read();
  return area_.faults.empty() ? "" : area_.faults.front();
}

}  // namespace headstack::fuzz
