/// @file
/// What the adversary has to say against a drive.
#pragma once

#include <cstddef>
#include <string>

#include "sim/units.hpp"

namespace headstack::fuzz {

struct Finding {
  std::string kind;      // "wrong data": what the shrinker keeps
  std::string what;      // what happened
  std::string expected;  // what must, and why
  Picoseconds at = 0;
};

}  // namespace headstack::fuzz
