// SPDX-License-Identifier: Apache-2.0
// The canonical form of a scenario: keys in the order of the schema, one on a line, by section.
#pragma once

#include <string>

#include "host/scenario/scenario.hpp"

namespace headstack::scenario {

enum class Written : std::uint8_t {
  kDiffering,  // keys that differ from their defaults
  kAll,        // and those that have them, so that a later default changes nothing
};

/// TOML that load_text() reads as an equal scenario, and that is written in the same bytes again.
std::string to_toml(const Scenario& scenario, Written written = Written::kDiffering);

/// What differs from the defaults, for a file in `folder`: names of files are relative to it.
std::string to_toml_in(const std::string& folder, const Scenario& scenario);

}  // namespace headstack::scenario
