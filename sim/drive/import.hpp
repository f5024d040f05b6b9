// Converts a drive's facts in JSON (ms, sectors, cylinders; as extracted drives are passed on) into
// a description.
//
// What the facts do not hold is estimated from the seek curve (settling, top speed), assumed
// (sector format, spin times, bus) or set to 0; each such choice is in `warnings` or `notes`.
#pragma once

#include <filesystem>
#include <string>

#include "sim/drive/load.hpp"

namespace headstack::drive {

/// Throws FileError: "FILE:LINE: KEY: problem; remedy". The result has passed check().
Loaded import_json(const std::filesystem::path& file);
Loaded import_json_text(const std::string& text, const std::string& file);

}  // namespace headstack::drive
