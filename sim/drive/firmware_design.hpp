// From a drive's [design] to the table that its firmware knows it by (firmware/drive_design.h).
//
// Everything the firmware would have to divide, take a root of or search for is worked out here
// once: reciprocals, seek times by distance, extents. Times are rounded down to 1/512 tick, so that
// the firmware's prediction is never later than the mechanics.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/drive_design.h"
#include "sim/description/description.hpp"

namespace headstack::drive {

/// Fills the table. Throws Fault, naming the key, where the drive exceeds a limit of the firmware:
/// zones, cylinders and extents that its memory holds, 2^32 blocks, movements below 78 ms.
void fill_firmware_design(const DriveDescription& description, ::drive_design& design);

/// The table as the bytes that the simulator puts at DRIVE_DESIGN_ADDRESS of firmware RAM: its
/// 32-bit words, low byte first, up to the last word of the pool in use.
std::vector<std::uint8_t> firmware_design_image(const ::drive_design& design);
/// The same of a drive's table. Throws what fill_firmware_design() throws.
std::vector<std::uint8_t> firmware_design_image(const DriveDescription& description);

}  // namespace headstack::drive
