// SPDX-License-Identifier: Apache-2.0
// Values and ranges as texts: in the canonical form of TOML, and for help.
#pragma once

#include <string>
#include <vector>

#include "host/scenario/schema.hpp"

namespace headstack::scenario {

/// The text as a basic string of TOML, on one line.
std::string quoted(const std::string& text);

/// The time in the largest unit that gives 1 or more, such as "12.5ms"; "0s" for 0.
std::string time_text(Picoseconds time);

/// The shortest decimal number that reads as the same value.
std::string number_text(double value);

/// The items as a list of TOML: "[a, b]".
std::string list_text(const std::vector<std::string>& items);

/// The range with its unit: "1 .. 15 hosts".
std::string range_text(const Whole& whole);
std::string range_text(const drive::Bounds& bounds);
std::string range_text(const Times& times);

}  // namespace headstack::scenario
