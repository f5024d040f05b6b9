// What only the cycle-accurate drive has, for those who look inside it.
#pragma once

#include "host/run/run_observer.hpp"
#include "sim/bus/scsi_bus.hpp"
#include "sim/platform/rtl_drive.hpp"
#include "sim/soc/elf_image.hpp"

namespace headstack::run {

struct Electronics {
  const soc::ElfImage& firmware;
  platform::RtlDrive& drive;
  bus::ScsiBus& bus;
  /// Of the core; to be added to before the world goes on. RunOptions choose the build of the SoC:
  /// only the inspecting one can be watched.
  CoreWatchers& watchers;
};

}  // namespace headstack::run
