// One JSON object of the facts form: typed access by key, and an error for every key not asked for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <nlohmann/json_fwd.hpp>

#include "sim/drive/schema.hpp"

namespace headstack::drive {

/// Missing and null are the same: not given. All getters throw Fault on a wrong type or range.
class JsonTable {
 public:
  JsonTable(const nlohmann::json& object, std::string path)
      : object_(&object), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  bool has(const std::string& key) { return find(key) != nullptr; }

  std::string text(const std::string& key);
  std::string text_or(const std::string& key, const std::string& fallback);
  double number(const std::string& key, Bounds bounds);
  std::optional<double> optional_number(const std::string& key, Bounds bounds);
  std::uint32_t integer(const std::string& key, Bounds bounds);
  std::uint32_t integer_or(const std::string& key, Bounds bounds, std::uint32_t fallback);
  std::optional<std::uint64_t> optional_integer(const std::string& key, Bounds bounds);

  std::vector<std::uint32_t> integers(const std::string& key, Bounds bounds);
  std::vector<std::array<std::uint32_t, 2>> pairs(const std::string& key, Bounds bounds);
  std::vector<std::pair<std::uint32_t, double>> rows(const std::string& key, Bounds bounds);
  /// A table of numbers under free names; texts in it (notes) are passed over.
  std::map<std::string, double> facts(const std::string& key);

  std::optional<JsonTable> table(const std::string& key);
  std::vector<JsonTable> tables(const std::string& key);

  void reject_unknown() const;

 private:
  const nlohmann::json* find(const std::string& key);
  const nlohmann::json& require(const std::string& key);
  const nlohmann::json* find_array(const std::string& key);
  std::string path_of(const std::string& key) const;

  const nlohmann::json* object_;
  std::string path_;
  std::vector<std::string> known_;
};

}  // namespace headstack::drive
