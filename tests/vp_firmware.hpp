// SPDX-License-Identifier: Apache-2.0
/// @file
/// The firmware of a fast drive in a test program. On `vp` it is drive.elf, which
/// HEADSTACK_DRIVE_ELF names. Without that name it is the native firmware, on platform `native`.
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
