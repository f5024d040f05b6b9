// SPDX-License-Identifier: Apache-2.0
// Texts generated from the schema for users, editors and Python.
#pragma once

#include <string>

namespace headstack::scenario {

/// The keys of a section and those below it ("" for all), with short name, kind, range, default and
/// meaning. Throws drive::FileError for an unknown section.
std::string list_keys(const std::string& section = "");

/// A JSON Schema of a scenario's file. It is draft 4, the newest that editors support for TOML.
std::string json_schema();

/// A stub of Python (.pyi): a TypedDict for each section.
std::string python_stub();

}  // namespace headstack::scenario
