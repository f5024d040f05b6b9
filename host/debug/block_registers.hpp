// SPDX-License-Identifier: Apache-2.0
// The registers of the drive's blocks, as text for a debugger.
#pragma once

#include <string>

#include "sim/soc/core_access.hpp"

namespace headstack::debug {

/// The registers as text. Without a name: the blocks and their registers, by name. "BLOCK" or
/// "BLOCK.REGISTER": their values and fields, as a load at this clock edge would return them. A
/// copy of this process, which ends at once, makes the loads. So this process loads nothing, and a
/// FIFO keeps its bytes. For a name that does not exist, the text is the error with its remedy.
std::string block_registers_text(soc::CoreAccess& core, const std::string& name);

}  // namespace headstack::debug
