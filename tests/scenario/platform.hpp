// SPDX-License-Identifier: Apache-2.0
/// @file
/// The scenarios' interface to a platform: a bus with hosts and a drive, and the drive's mechanics.
///
/// A scenario program is the test sources and one file that defines make_platform():
/// platform_rtl.cpp makes the cycle-accurate drive. Nothing else in a scenario may depend on the
/// platform.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/bus/observer.hpp"
#include "sim/bus/phase.hpp"
#include "sim/channel/assembly.hpp"
#include "sim/channel/surface.hpp"
#include "sim/core/hart.hpp"
#include "sim/description/description.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/initiator/host_adapter.hpp"

namespace headstack::scenario {

struct PlatformSetup {
  drive::DriveDescription description;
  bool at_speed = true;  // of the spindle at power-on
  std::vector<initiator::Config> hosts;
  std::string media_file = {};  // file of the media, made if it is not there; "": fresh media
};

class Platform {
 public:
  virtual ~Platform() = default;

  virtual Picoseconds now() const = 0;
  /// Simulates up to and including a time.
  virtual void run_until(Picoseconds time) = 0;
  /// The firmware's exit code. Only a bug can make the firmware stop.
  virtual std::optional<std::uint32_t> exit_code() const = 0;

  /// The host with this number in the setup.
  virtual initiator::HostAdapter& host(std::size_t index) = 0;
  virtual bus::Phase phase() const = 0;
  /// Violations of the bus's protocol so far.
  virtual const std::vector<bus::Violation>& violations() const = 0;

  // Mechanics and media, for preparation and inspection without the drive.
  virtual const geometry::Geometry& geometry() const = 0;
  virtual channel::Surface& surface() = 0;
  /// Whether a track is under the heads: they do not move, and the spindle is at speed.
  virtual bool read_ready() const = 0;

  /// The core on `vp`; null on other platforms.
  virtual core::Hart* hart() { return nullptr; }
};

/// The number of seeds for storms of faults: few on a platform where a storm takes half a minute.
/// Called before main().
std::uint32_t storm_seeds();
/// The distance of the moments that a scenario tries: 1 if all can be tried.
int moment_step();

/// The media of a setup.
inline media::MediaStore make_media(const PlatformSetup& setup) {
  const media::MediaGeometry geometry = channel::media_geometry(setup.description);
  if (setup.media_file.empty()) return media::MediaStore(geometry);
  return media::MediaStore::open_file(setup.media_file, geometry, media::FileMode::kCreateOrOpen);
}

/// Switches the power on. Throws the exceptions of its parts for a setup that they do not support.
std::unique_ptr<Platform> make_platform(const PlatformSetup& setup);

}  // namespace headstack::scenario
