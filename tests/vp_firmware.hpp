// SPDX-License-Identifier: Apache-2.0
/// @file
/// The firmware of a fast drive in a test program. With HEADSTACK_ON_CORE it is drive.elf, on
/// platform `vp`. Without, it is the native firmware, on platform `native`.
#pragma once

#include "sim/soc/elf_image.hpp"
#include "tests/paths.hpp"

namespace headstack::test {

/// The value of platform::VpOptions::firmware; null on `native`.
inline const soc::ElfImage* vp_firmware() {
#ifdef HEADSTACK_ON_CORE
  static const soc::ElfImage image = soc::ElfImage::read(test::drive_elf());
  return &image;
#else
  return nullptr;
#endif
}

}  // namespace headstack::test
