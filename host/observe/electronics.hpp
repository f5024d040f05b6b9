// What only some drives have, for those who look inside them.
#pragma once

#include "host/observe/drive_probe.hpp"
#include "host/observe/run_observer.hpp"
#include "sim/bus/observer.hpp"
#include "sim/soc/core_access.hpp"
#include "sim/soc/elf_image.hpp"

namespace headstack::bus {
class ScsiBus;
}
namespace headstack::platform {
class RtlDrive;
}

namespace headstack::observe {

/// A drive whose core executes the firmware's program: that of the electronics, or the exact one.
struct CoreView {
  const soc::ElfImage& firmware;
  /// To be added to before the world goes on; of a session that is looked into (session::Look).
  CoreWatchers& watchers;
  Mechanics mechanics;
  bus::ObservedBus& bus;
  /// Null in a session that is not looked into.
  soc::CoreAccess* core = nullptr;
};

/// The electronics themselves, which have waves.
struct Electronics {
  platform::RtlDrive& drive;
  bus::ScsiBus& bus;
};

}  // namespace headstack::observe
