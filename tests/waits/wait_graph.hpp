// SPDX-License-Identifier: Apache-2.0
// Which parts of the drive wait for which others, read from the state of the firmware while its
// core sleeps (platform `native`). A circle of waits is a deadlock.
//
// Nodes are tasks, the bus, the media, and hosts that owe a REQUEST SENSE. An edge is a wait that
// the drive cannot end by itself. A wait that time, the mechanics or a host's answer in a phase
// ends is no edge. A task that waits for room waits for any one of the tasks that have some. All
// other waits are for all of the named nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "firmware/drive.h"

namespace headstack::test {

/// The full sectors of a ring of the buffer manager, by its number.
using RingLevel = std::function<std::uint32_t(std::uint32_t ring)>;

/// The circle of waits in a state, as "bus: held by task 3 > media: ... > bus"; empty without a
/// circle. The core must sleep.
std::string find_circle(const ::drive& drive, const RingLevel& ring_level);

}  // namespace headstack::test
