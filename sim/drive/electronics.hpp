// What the electronics ask of a drive's mechanics.
#pragma once

#include <string>

#include "sim/description/description.hpp"

namespace headstack::drive {

/// The formatter takes one byte of the track in a clock at most (DRIVE_DESIGN_TICK_NS). Of a drive
/// whose bytes pass faster, at its specimen's speed: the first such key and its byte time, as a
/// sentence without its full stop. Of any other drive: "".
std::string find_too_fast_zone(const DriveDescription& description);

}  // namespace headstack::drive
