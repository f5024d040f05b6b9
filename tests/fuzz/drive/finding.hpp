// SPDX-License-Identifier: Apache-2.0
/// @file
/// A finding of the adversary against a drive.
#pragma once

#include <cstddef>
#include <string>

#include "sim/units.hpp"

namespace headstack::fuzz {

struct Finding {
  std::string kind;      // "wrong data": the shrinker preserves it
  std::string what;      // what happened
  std::string expected;  // what had to happen, and why
  Picoseconds at = 0;
};

}  // namespace headstack::fuzz
