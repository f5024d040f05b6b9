// SPDX-License-Identifier: Apache-2.0
/// @file
/// The drives of storylines. Most are small, so that places, segments and rings are scarce and a
/// case is short. Some are shipped drives of headstack.
#pragma once

#include <string>
#include <vector>

#include "sim/description/description.hpp"

namespace headstack::fuzz {

/// The names, in the order for generate(): the simplest first.
const std::vector<std::string>& drive_names();

/// Throws StorylineError when there is no such drive.
const drive::DriveDescription& drive_named(const std::string& name);

/// Whether this drive takes the logical unit from the CDB where there is no IDENTIFY (SCSI-2
/// 7.2.2). Those that claim a later standard do not.
bool cdb_names_unit(const std::string& drive);

/// Number and size of a drive's blocks.
struct Capacity;
Capacity capacity_of(const std::string& drive);

}  // namespace headstack::fuzz
