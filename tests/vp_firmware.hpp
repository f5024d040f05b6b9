/// @file
/// What the firmware of a fast platform is in a test program: drive.elf, exact to the cycle, where
/// HEADSTACK_DRIVE_ELF names it; else the native firmware and its table of costs.
#pragma once

#include <filesystem>

#include "sim/soc/elf_image.hpp"
#include "sim/tlm/cost_table.hpp"

namespace headstack::test {

/// For platform::VpOptions::firmware; null for the native one.
inline const soc::ElfImage* vp_firmware() {
#ifdef HEADSTACK_DRIVE_ELF
  static const soc::ElfImage image = soc::ElfImage::read(HEADSTACK_DRIVE_ELF);
  return &image;
#else
  return nullptr;
#endif
}

/// The exact core needs no table, and the table takes long to read.
inline const tlm::CostTable& vp_costs() {
  static const tlm::CostTable table =
      vp_firmware() != nullptr
          ? tlm::CostTable::flat(0)
          : tlm::CostTable::load(
                (std::filesystem::path(HEADSTACK_SOURCE_DIR) / "sim/tlm/costs.toml").string());
  return table;
}

}  // namespace headstack::test
