// SPDX-License-Identifier: Apache-2.0
// Converts a drive's facts in JSON (ms, sectors, cylinders), the format for extracted drives, into
// a description.
//
// Values that the facts lack are estimated from the seek curve (settling, top speed), assumed
// (sector format, spin times, bus) or set to 0. `warnings` or `notes` name each such choice.
#pragma once

#include <filesystem>
#include <string>

#include "sim/drive/load.hpp"

namespace headstack::drive {

/// Throws FileError: "FILE:LINE: KEY: problem; remedy". The result has passed check().
Loaded import_json(const std::filesystem::path& file);
Loaded import_json_text(const std::string& text, const std::string& file);

}  // namespace headstack::drive
