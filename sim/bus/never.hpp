// SPDX-License-Identifier: Apache-2.0
// A time that has not happened.
#pragma once

#include "sim/units.hpp"

namespace headstack::bus {

/// A time before every time of a simulation. It stands for "has not happened".
constexpr Picoseconds kNever = -1'000 * kPicosecondsPerSecond;

}  // namespace headstack::bus
