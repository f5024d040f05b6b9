// SPDX-License-Identifier: Apache-2.0
// The canonical form of a scenario: keys in the order of the schema, one on a line, by section.
#pragma once

#include <string>

#include "host/scenario/scenario.hpp"

namespace headstack::scenario {

enum class Written : std::uint8_t {
  kDiffering,  // keys that differ from their defaults
  kAll,        // all keys, so that the text stays valid if a default changes
};

/// TOML that load_text() reads as an equal scenario. Writing that scenario gives the same bytes.
std::string to_toml(const Scenario& scenario, Written written = Written::kDiffering);

/// TOML of the keys that differ from their defaults, for a file in `folder`, to which file names
/// are relative.
std::string to_toml_in(const std::string& folder, const Scenario& scenario);

}  // namespace headstack::scenario
