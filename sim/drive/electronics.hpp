// SPDX-License-Identifier: Apache-2.0
// Limits of the electronics for a drive's mechanics.
#pragma once

#include <string>

#include "sim/description/description.hpp"

namespace headstack::drive {

/// The formatter takes at most one byte of the track per clock (DRIVE_DESIGN_TICK_NS). If the
/// drive's bytes pass faster at its specimen's speed, returns the first such key and its byte time,
/// as a sentence without full stop. Otherwise "".
std::string find_too_fast_zone(const DriveDescription& description);

}  // namespace headstack::drive
