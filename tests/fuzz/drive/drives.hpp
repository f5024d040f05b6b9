/// @file
/// The drives that storylines name. Small ones, so that places, segments and rings are scarce and a
/// case is short; and some that come along with headstack.
#pragma once

#include <string>
#include <vector>

#include "sim/description/description.hpp"

namespace headstack::fuzz {

/// In the order in which generate() chooses among them: the plainest first.
const std::vector<std::string>& drive_names();

/// Throws StorylineError when there is no such drive.
const drive::DriveDescription& drive_named(const std::string& name);

/// Blocks of a drive, and of what size.
struct Capacity;
Capacity capacity_of(const std::string& drive);

}  // namespace headstack::fuzz
