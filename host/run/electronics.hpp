// What only some drives have, for those who look inside them.
#pragma once

#include "host/run/run_observer.hpp"
#include "sim/bus/scsi_bus.hpp"
#include "sim/platform/rtl_drive.hpp"
#include "sim/soc/elf_image.hpp"

namespace headstack::run {

/// A core that executes the firmware's program: of the electronics, or the exact one.
struct CoreView {
  const soc::ElfImage& firmware;
  /// To be added to before the world goes on; of a run whose options want it (watches_core(),
  /// inspects_electronics()).
  CoreWatchers& watchers;
};

struct Electronics {
  const soc::ElfImage& firmware;
  platform::RtlDrive& drive;
  bus::ScsiBus& bus;
  CoreWatchers& watchers;
};

}  // namespace headstack::run
