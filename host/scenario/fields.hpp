// SPDX-License-Identifier: Apache-2.0
// The keys of a scenario as a table, which the visitor of schema.hpp makes. Reader, writer, lists,
// JSON Schema, stub and old flags are loops over it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/scenario/schema.hpp"

namespace headstack::scenario {

class Given;

enum class Type : std::uint8_t {
  kBoolean,
  kInteger,
  kNumber,
  kTime,
  kCountOrTime,
  kChoice,
  kText,
  kFile,
  kWord,
  kRequests,
  kOverlay,
  kRows,
};

struct Field {
  std::string section;  // path of the section, as "hosts.every"; "": the top
  Key key{};
  Type type = Type::kText;
  bool is_optional = false;          // has no default
  bool is_list = false;              // takes one value, or a list of them
  bool is_absent = false;            // the scenario does not have its section
  Whole whole;                       // limits, for kInteger and kCountOrTime
  drive::Bounds bounds;              // limits, for kNumber
  Times times;                       // limits, for kTime and kCountOrTime
  std::vector<std::string> choices;  // words, for kChoice
  const Word* word = nullptr;        // syntax of a kWord, and of a kFile if it is not null
  FileRole role = FileRole::kRead;   // use of the file, for kFile
  std::vector<Field> row;            // keys of a row with their defaults, for kRows

  /// The value in the canonical form of TOML; "" when it is not given.
  std::function<std::string()> value;
  /// The paths that the value names, for kFile. For kOverlay there are none.
  std::function<std::vector<std::string>()> files;
  /// Sets the value from a file. Throws drive::Fault.
  std::function<void(const Given&)> take;

  std::string path() const { return section.empty() ? key.name : section + "." + key.name; }
};

struct Section {
  std::string path;
  const char* help = "";
  bool is_optional = false;
  bool is_there = true;
};

struct Fields {
  std::vector<Section> sections;  // sections in the schema's order
  std::vector<Field> fields;
  std::vector<std::shared_ptr<void>> stand_ins;  // values for fields of absent sections
};

/// The keys, with access to the values of this scenario, which must outlive them.
Fields fields_of(Scenario& scenario);

/// The keys with their defaults.
const Fields& schema_fields();

/// The field of this path, or null.
const Field* find_field(const Fields& fields, const std::string& path);

/// The path of a short name of the command line; "" if there is none.
std::string path_of_short_name(const std::string& name);

}  // namespace headstack::scenario
