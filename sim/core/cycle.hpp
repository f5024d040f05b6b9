// SPDX-License-Identifier: Apache-2.0
/// @file
/// Time of the core.
#pragma once

#include <cstdint>

namespace headstack::core {

/// Number of a clock edge, and of the cycle that begins with it.
using Cycle = std::int64_t;

}  // namespace headstack::core
