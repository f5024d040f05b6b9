/// @file
/// What the firmware of a fast drive is in a test program: on `vp` drive.elf, which
/// HEADSTACK_DRIVE_ELF names; without that name the native one, platform `native`.
#pragma once

#include "sim/soc/elf_image.hpp"

namespace headstack::test {

/// For platform::VpOptions::firmware; null on `native`.
inline const soc::ElfImage* vp_firmware() {
#ifdef HEADSTACK_DRIVE_ELF
  static const soc::ElfImage image = soc::ElfImage::read(HEADSTACK_DRIVE_ELF);
  return &image;
#else
  return nullptr;
#endif
}

}  // namespace headstack::test
