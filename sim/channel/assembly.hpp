// SPDX-License-Identifier: Apache-2.0
/// @file
/// The parts of a head-disk assembly, made from its drive's description. Two assemblies use them:
/// head_disk_assembly.hpp, which passes every byte, and sim/tlm/disk/disk.hpp, in closed form.
#pragma once

#include "sim/description/description.hpp"
#include "sim/mechanics/spindle.hpp"
#include "sim/media/media_geometry.hpp"

namespace headstack::channel {

enum class Start { kAtSpeed, kAtRest };

/// Returns the design if its platters can turn byte by byte. Throws drive::Fault for mean
/// rotational latency, which only the closed form serves.
[[nodiscard]] const drive::Design& runnable(const drive::Design& design);

[[nodiscard]] mechanics::Spindle make_spindle(const drive::DriveDescription& description,
                                              Start start);

/// Sizes of the store that the drive needs. Throws drive::Fault as layout_of() does.
[[nodiscard]] media::MediaGeometry media_geometry(const drive::DriveDescription& description);

}  // namespace headstack::channel
