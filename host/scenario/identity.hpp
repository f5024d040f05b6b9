// SPDX-License-Identifier: Apache-2.0
// The identity of a run's inputs: the address under which its results are stored.
#pragma once

#include <string>

#include "host/scenario/scenario.hpp"

namespace headstack::scenario {

/// The canonical text with each file replaced by the hash of its content. So a renamed or moved
/// file changes nothing. It includes the drive's file even if its name is the default.
///
/// It has no title and no names of files that the run makes. It leaves out the simulator, and the
/// build's firmware if there is no `platform.firmware`: the caller adds both. A media file that
/// does not exist yet is "new".
///
/// Throws drive::FileError for a file that cannot be read, and for standard input.
std::string identity_text(const Scenario& scenario);

/// SHA-256 of identity_text(), in hexadecimal digits.
std::string identity(const Scenario& scenario);

}  // namespace headstack::scenario
