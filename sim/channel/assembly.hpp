/// @file
/// What a head-disk assembly is made of by its drive's description: the same for the one that hands
/// over every byte (head_disk_assembly.hpp) and the one in closed form (sim/tlm/disk/disk.hpp).
#pragma once

#include "sim/description/description.hpp"
#include "sim/mechanics/spindle.hpp"
#include "sim/media/media_geometry.hpp"

namespace headstack::channel {

enum class Start { kAtSpeed, kAtRest };

/// The design, if a platter can turn like that, byte by byte. Throws drive::Fault for mean
/// rotational latency, which the closed form alone serves.
[[nodiscard]] const drive::Design& runnable(const drive::Design& design);

[[nodiscard]] mechanics::Spindle make_spindle(const drive::DriveDescription& description,
                                              Start start);

/// Sizes of the store that the drive needs. Throws drive::Fault: see layout_of().
[[nodiscard]] media::MediaGeometry media_geometry(const drive::DriveDescription& description);

}  // namespace headstack::channel
