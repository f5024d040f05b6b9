// SPDX-License-Identifier: Apache-2.0
// Reads the values of a scenario from TOML.
#pragma once

#include <string>

#include "host/scenario/fields.hpp"
#include "host/scenario/given.hpp"
#include "host/scenario/load.hpp"

namespace headstack::scenario {

/// Fills a scenario. Unknown keys are reported first. Throws drive::Fault.
void read_root(const toml::table& root, const Origins& origins, Scenario& scenario);

/// Fills the fields of a table's row. Throws drive::Fault.
void read_row(const Given& given, const Fields& row);

/// Throws drive::FileError for the path of a setting that is no key, section or key of a drive.
void require_known_path(const std::string& path);

}  // namespace headstack::scenario
