// SPDX-License-Identifier: Apache-2.0
// Converts a drive's [design] to the table for its firmware (firmware/drive_design.h).
//
// It computes once what would cost the firmware a division, a root or a search: reciprocals, seek
// times by distance, extents. Times are rounded down to 1/512 tick, so that the firmware's
// prediction is never later than the mechanics.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/drive_design.h"
#include "sim/description/description.hpp"

namespace headstack::drive {

/// Fills the table. Throws Fault, with the key, if the drive exceeds a limit of the firmware. The
/// limits are its memory for zones, cylinders and extents, 2^32 blocks, and movements below 78 ms.
void fill_firmware_design(const DriveDescription& description, ::drive_design& design);

/// The table as bytes, for address DRIVE_DESIGN_ADDRESS of firmware RAM. These are its 32-bit
/// words, low byte first, up to the last word of the pool in use.
std::vector<std::uint8_t> firmware_design_image(const ::drive_design& design);
/// The table of a description as bytes. Throws what fill_firmware_design() throws.
std::vector<std::uint8_t> firmware_design_image(const DriveDescription& description);

}  // namespace headstack::drive
