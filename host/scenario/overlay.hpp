// SPDX-License-Identifier: Apache-2.0
// Keys of a drive's file within a scenario.
#pragma once

#include <string>

#include "host/scenario/given.hpp"
#include "host/scenario/scenario.hpp"

namespace headstack::scenario {

/// Checks keys and values by the drive's schema. @return the table in braces, "" for an empty one.
/// Throws drive::Fault.
std::string overlay_text(const Given& given, const Overlay<drive::Design>& part);
std::string overlay_text(const Given& given, const Overlay<drive::Specimen>& part);

}  // namespace headstack::scenario
