// SPDX-License-Identifier: Apache-2.0
// observe::DriveState as text.
#pragma once

#include <string>

#include "host/observe/drive_probe.hpp"

namespace headstack::debug {

std::string drive_text(const observe::DriveState& state);

}  // namespace headstack::debug
