#include "sim/drive/json_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/description/fault.hpp"
#include "sim/drive/text.hpp"

namespace headstack::drive {
namespace {

using Json = nlohmann::json;

double number_of(const Json& node, const std::string& path, Bounds bounds) {
  if (!node.is_number()) throw Fault(path, "not a number", "write a plain number");
  const double value = node.get<double>();
  check_bounds(value, path, bounds);
  return value;
}

/// Whole numbers may be written as 254 or 254.0.
std::uint64_t integer_of(const Json& node, const std::string& path, Bounds bounds) {
  const double value = number_of(node, path, bounds);
  if (value != std::floor(value)) {
    throw Fault(path, fmt::format("{} is not a whole number", value), "round it");
  }
  return static_cast<std::uint64_t>(value);
}

const Json& pair_of(const Json& node, const std::string& path) {
  if (!node.is_array() || node.size() != 2) {
    throw Fault(path, "not a pair", "write two numbers in brackets");
  }
  return node;
}

}  // namespace

std::string JsonTable::path_of(const std::string& key) const {
  return path_.empty() ? key : path_ + "." + key;
}

const Json* JsonTable::find(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  const auto found = object_->find(key);
  return found == object_->end() || found->is_null() ? nullptr : &*found;
}

const Json& JsonTable::require(const std::string& key) {
  const Json* node = find(key);
  if (node != nullptr) return *node;
  std::vector<std::string> others;
  for (const auto& [name, value] : object_->items()) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) others.push_back(name);
  }
  const std::string near = nearest_word(key, others);
  throw Fault(path_of(key), "required key is missing",
              near.empty() ? "add it" : fmt::format("add it, or is it meant by '{}'?", near));
}

const Json* JsonTable::find_array(const std::string& key) {
  const Json* node = find(key);
  if (node != nullptr && !node->is_array()) {
    throw Fault(path_of(key), "not an array", "write [ ... ]");
  }
  return node;
}

std::string JsonTable::text(const std::string& key) {
  const Json& node = require(key);
  if (!node.is_string()) throw Fault(path_of(key), "not a string", "write it in quotes");
  return node.get<std::string>();
}

std::string JsonTable::text_or(const std::string& key, const std::string& fallback) {
  return has(key) ? text(key) : fallback;
}

double JsonTable::number(const std::string& key, Bounds bounds) {
  return number_of(require(key), path_of(key), bounds);
}

std::optional<double> JsonTable::optional_number(const std::string& key, Bounds bounds) {
  const Json* node = find(key);
  if (node == nullptr) return std::nullopt;
  return number_of(*node, path_of(key), bounds);
}

std::uint32_t JsonTable::integer(const std::string& key, Bounds bounds) {
  return static_cast<std::uint32_t>(integer_of(require(key), path_of(key), bounds));
}

std::uint32_t JsonTable::integer_or(const std::string& key, Bounds bounds, std::uint32_t fallback) {
  return has(key) ? integer(key, bounds) : fallback;
}

std::optional<std::uint64_t> JsonTable::optional_integer(const std::string& key, Bounds bounds) {
  const Json* node = find(key);
  if (node == nullptr) return std::nullopt;
  return integer_of(*node, path_of(key), bounds);
}

std::vector<std::uint32_t> JsonTable::integers(const std::string& key, Bounds bounds) {
  std::vector<std::uint32_t> values;
  const Json* array = find_array(key);
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
    const std::string path = fmt::format("{}[{}]", path_of(key), i);
    values.push_back(static_cast<std::uint32_t>(integer_of((*array)[i], path, bounds)));
  }
  return values;
}

std::vector<std::array<std::uint32_t, 2>> JsonTable::pairs(const std::string& key, Bounds bounds) {
  std::vector<std::array<std::uint32_t, 2>> values;
  const Json* array = find_array(key);
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
    const std::string path = fmt::format("{}[{}]", path_of(key), i);
    const Json& pair = pair_of((*array)[i], path);
    values.push_back({static_cast<std::uint32_t>(integer_of(pair[0], path + "[0]", bounds)),
                      static_cast<std::uint32_t>(integer_of(pair[1], path + "[1]", bounds))});
  }
  return values;
}

std::vector<std::pair<std::uint32_t, double>> JsonTable::rows(const std::string& key,
                                                              Bounds bounds) {
  std::vector<std::pair<std::uint32_t, double>> values;
  const Json* array = find_array(key);
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
    const std::string path = fmt::format("{}[{}]", path_of(key), i);
    const Json& row = pair_of((*array)[i], path);
    values.emplace_back(static_cast<std::uint32_t>(integer_of(row[0], path + "[0]", kCylinders)),
                        number_of(row[1], path + "[1]", bounds));
  }
  return values;
}

std::map<std::string, double> JsonTable::facts(const std::string& key) {
  std::map<std::string, double> values;
  const Json* node = find(key);
  if (node == nullptr) return values;
  if (!node->is_object()) throw Fault(path_of(key), "not an object", "write { ... }");
  for (const auto& [name, value] : node->items()) {
    if (value.is_null() || value.is_string()) continue;
    values[name] = number_of(value, path_of(key) + "." + name, {-1e15, 1e15, ""});
  }
  return values;
}

std::optional<JsonTable> JsonTable::table(const std::string& key) {
  const Json* node = find(key);
  if (node == nullptr) return std::nullopt;
  if (!node->is_object()) throw Fault(path_of(key), "not an object", "write { ... }");
  return JsonTable(*node, path_of(key));
}

std::vector<JsonTable> JsonTable::tables(const std::string& key) {
  std::vector<JsonTable> values;
  const Json* array = find_array(key);
  for (std::size_t i = 0; array != nullptr && i < array->size(); ++i) {
    const std::string path = fmt::format("{}[{}]", path_of(key), i);
    if (!(*array)[i].is_object()) throw Fault(path, "not an object", "write { ... }");
    values.emplace_back((*array)[i], path);
  }
  return values;
}

void JsonTable::reject_unknown() const {
  for (const auto& [key, value] : object_->items()) {
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    throw Fault(path_of(key), "unknown key", suggest(key, known_));
  }
}

}  // namespace headstack::drive
