/// @file
/// What the firmware of a fast platform is in a test program: drive.elf, exact to the cycle, where
/// HEADSTACK_DRIVE_ELF names it; else the native firmware.
#pragma once

#include "sim/soc/elf_image.hpp"

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

}  // namespace headstack::test
