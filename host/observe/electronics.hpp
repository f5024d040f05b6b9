// SPDX-License-Identifier: Apache-2.0
// Internals of a drive for inspection, which only some drives have.
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

/// A drive whose core executes the firmware's program: the core of the electronics, or the exact
/// core.
struct CoreView {
  const soc::ElfImage& firmware;
  /// Watchers of the core's cycles. In a session with inspection (session::Look) they are added
  /// before the world continues.
  CoreWatchers& watchers;
  Mechanics mechanics;
  bus::ObservedBus& bus;
  /// Null in a session that is not inspected.
  soc::CoreAccess* core = nullptr;
};

/// The electronics themselves, whose signals can be recorded as waves.
struct Electronics {
  platform::RtlDrive& drive;
  bus::ScsiBus& bus;
};

}  // namespace headstack::observe
