// SPDX-License-Identifier: Apache-2.0
// Checks of one copy of a drive: its flaws and faults.
#pragma once

#include "sim/description/description.hpp"

namespace headstack::drive {

/// Throws Fault for a flaw or fault that contradicts itself, the design, or another one. The design
/// must have passed its checks, since places come from its geometry.
void check_specimen(const DriveDescription& description);

}  // namespace headstack::drive
