// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>

#include "host/scenario/fields.hpp"
#include "host/scenario/keys.hpp"
#include "host/scenario/value_text.hpp"
#include "sim/drive/schema.hpp"

namespace headstack::scenario {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kTimePattern = "^[0-9]+(\\.[0-9]+)?(ps|ns|us|ms|s)$";

Json whole_schema(const Whole& whole) {
  return {{"type", "integer"}, {"minimum", whole.low}, {"maximum", whole.high}};
}

Json number_schema(const char* type, const drive::Bounds& bounds) {
  return {{"type", type}, {"minimum", bounds.low}, {"maximum", bounds.high}};
}

Json array_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

Json object_schema(const char* help, Json properties) {
  return {{"type", "object"},
          {"description", help},
          {"additionalProperties", false},
          {"properties", std::move(properties)}};
}

/// The visitor of a drive's schema: each key may be overridden, and none is required.
class DriveSchema {
 public:
  using Bounds = drive::Bounds;
  using Need = drive::Need;

  void number(const char* key, double&, Bounds bounds, Need, const char* help) {
    add(key, number_schema("number", bounds), help);
  }
  template <class Integer>
  void integer(const char* key, Integer&, Bounds bounds, Need, const char* help) {
    add(key, number_schema("integer", bounds), help);
  }
  void boolean(const char* key, bool&, const char* help) { add(key, {{"type", "boolean"}}, help); }
  void text(const char* key, std::string&, Need, const char* help) {
    add(key, {{"type", "string"}}, help);
  }
  template <class Enum, std::size_t N>
  void choice(const char* key, Enum&, const std::array<drive::Choice<Enum>, N>& choices, Need,
              const char* help) {
    Json names = Json::array();
    for (const auto& one : choices) names.push_back(one.name);
    add(key, {{"enum", std::move(names)}}, help);
  }
  void optional_number(const char* key, std::optional<double>&, Bounds bounds, const char* help) {
    add(key, number_schema("number", bounds), help);
  }
  void optional_integer(const char* key, std::optional<std::uint64_t>&, Bounds bounds,
                        const char* help) {
    add(key, number_schema("integer", bounds), help);
  }
  template <class Values>
  void integers(const char* key, Values&, Bounds bounds, const char* help) {
    add(key, array_of(number_schema("integer", bounds)), help);
  }
  template <class Values>
  void pairs(const char* key, Values&, Bounds bounds, const char* help) {
    add(key, array_of(array_of(number_schema("integer", bounds))), help);
  }
  template <class Values>
  void rows(const char* key, Values&, Bounds, const char* help) {
    add(key, array_of(array_of({{"type", "number"}})), help);
  }
  template <class Values>
  void facts(const char* key, Values&, const char* help) {
    add(key, {{"type", "object"}}, help);
  }
  template <class Structure>
  void table(const char* key, Structure& value, Need, const char* help) {
    properties_[key] = object_schema(help, properties_of(value));
  }
  template <class Structure>
  void tables(const char* key, std::vector<Structure>&, const char* help) {
    Structure value;
    add(key, array_of(object_schema(help, properties_of(value))), help);
  }

  template <class Structure>
  static Json properties_of(Structure& value) {
    DriveSchema schema;
    drive::visit(schema, value);
    return schema.properties_;
  }

 private:
  void add(const char* key, Json schema, const char* help) {
    schema["description"] = help;
    properties_[key] = std::move(schema);
  }

  Json properties_ = Json::object();
};

Json overlay_schema(const Field& field) {
  if (field.path() == "drive.design") {
    drive::Design design;
    return object_schema(field.key.help, DriveSchema::properties_of(design));
  }
  drive::Specimen specimen;
  return object_schema(field.key.help, DriveSchema::properties_of(specimen));
}

Json schema_of(const Field& field);

Json row_schema(const Field& field) {
  Json properties = Json::object();
  for (const Field& below : field.row) properties[below.key.name] = schema_of(below);
  return object_schema(field.key.help, std::move(properties));
}

/// A choice of digits may also be a number: qerr = 3.
Json choice_schema(const Field& field) {
  Json names = Json::array();
  for (const std::string& choice : field.choices) {
    names.push_back(choice);
    const bool is_number = choice.find_first_not_of("0123456789") == std::string::npos;
    if (is_number) names.push_back(std::stoi(choice));
  }
  return {{"enum", std::move(names)}};
}

Json one_schema(const Field& field) {
  Json text = {{"type", "string"}};
  Json time = {{"type", "string"}, {"pattern", kTimePattern}};
  switch (field.type) {
    case Type::kBoolean: return {{"type", "boolean"}};
    case Type::kInteger: return whole_schema(field.whole);
    case Type::kNumber: return number_schema("number", field.bounds);
    case Type::kTime: return time;
    case Type::kCountOrTime: return {{"anyOf", Json::array({whole_schema(field.whole), time})}};
    case Type::kChoice: return choice_schema(field);
    case Type::kText: return text;
    case Type::kFile:
    case Type::kWord:
      if (field.word == nullptr) return text;
      return {{"type", "string"}, {"pattern", field.word->pattern}};
    case Type::kRequests: return array_of({{"type", "array"}, {"minItems", 1}, {"maxItems", 4}});
    case Type::kOverlay: return overlay_schema(field);
    case Type::kRows: return array_of(row_schema(field));
  }
  return text;
}

Json schema_of(const Field& field) {
  Json schema = one_schema(field);
  if (field.is_list) {
    schema = {{"anyOf", Json::array({schema, array_of(schema)})}};
  }
  schema["description"] = field.key.help;
  const std::string usual = field.value();
  // Canonical values of TOML are values of JSON, except tables in braces.
  if (!usual.empty() && field.type != Type::kOverlay) schema["default"] = Json::parse(usual);
  return schema;
}

std::string last_of(const std::string& path) { return path.substr(path.rfind('.') + 1); }

Json section_properties(const std::string& path) {
  Json properties = Json::object();
  for (const Field& field : schema_fields().fields) {
    if (field.section == path) properties[field.key.name] = schema_of(field);
  }
  const std::string start = path.empty() ? "" : path + ".";
  for (const Section& section : schema_fields().sections) {
    const std::string name = last_of(section.path);
    if (section.path != start + name) continue;
    Json schema = object_schema(section.help, section_properties(section.path));
    const bool may_be_text = section.path == "drive" || section.path == "platform";
    if (may_be_text) {
      const char* key = section.path == "drive" ? "name" : "kind";
      Json text = schema["properties"][key];
      schema = {{"anyOf", Json::array({std::move(text), std::move(schema)})}};
    }
    properties[name] = std::move(schema);
  }
  return properties;
}

}  // namespace

std::string json_schema() {
  Json root = object_schema("A scenario of headstack", section_properties(""));
  root["properties"]["extends"] = {
      {"type", "string"},
      {"description", "another scenario, to which this one gives the differences"}};
  root["properties"]["expect"] = {{"description", "expectations, for regress alone"}};
  root["properties"]["regress"] = {{"description", "for regress alone"}};
  Json schema = {{"$schema", "http://json-schema.org/draft-04/schema#"}, {"title", "scenario"}};
  schema.update(root);
  return schema.dump(2) + "\n";
}

}  // namespace headstack::scenario
