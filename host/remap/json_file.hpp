// SPDX-License-Identifier: Apache-2.0
// A JSON file of one of headstack's formats, read strictly. Errors name the file, the field and the
// remedy.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <nlohmann/json.hpp>

#include "sim/description/fault.hpp"

namespace headstack::remap {

class JsonFile {
 public:
  /// `maker` names what makes such files. Throws drive::FileError, as all members do.
  JsonFile(std::string path, const std::string& format, std::string maker)
      : path_(std::move(path)), maker_(std::move(maker)) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path_, ignored)) fail("is a folder");
    std::ifstream in(path_);
    if (!in) fail("cannot be read");
    json_ = nlohmann::json::parse(in, nullptr, false);
    if (!json_.is_object()) fail("is no JSON object");
    const auto found = json_.find("format");
    if (found == json_.end() || *found != format) {
      fail(fmt::format("'format' is not \"{}\"", format));
    }
  }

  /// The field `key` as a whole number from `low` to `high`.
  std::uint32_t number(const char* key, std::uint32_t low, std::uint32_t high) const {
    return whole(field(key), key, low, high);
  }

  const nlohmann::json& list(const char* key) const {
    const nlohmann::json& value = field(key);
    if (!value.is_array()) fail(fmt::format("'{}' is no list", key));
    return value;
  }

  /// A row of a list; it must have `entries` entries.
  const nlohmann::json& row(const nlohmann::json& value, const char* key,
                            std::size_t entries) const {
    if (!value.is_array() || value.size() != entries) {
      fail(fmt::format("'{}' has {}, which is no list of {} numbers", key, value.dump(), entries));
    }
    return value;
  }

  std::uint32_t whole(const nlohmann::json& value, const char* key, std::uint32_t low,
                      std::uint32_t high) const {
    const bool fits = value.is_number_unsigned() && value.get<std::uint64_t>() >= low &&
                      value.get<std::uint64_t>() <= high;
    if (!fits) {
      fail(fmt::format("'{}' has {}, which is no whole number from {} to {}", key, value.dump(),
                       low, high));
    }
    return value.get<std::uint32_t>();
  }

  [[noreturn]] void fail(const std::string& problem) const {
    throw drive::FileError(
        fmt::format("{}: {}; give a file that {} wrote", path_, problem, maker_));
  }

 private:
  const nlohmann::json& field(const char* key) const {
    const auto found = json_.find(key);
    if (found == json_.end()) fail(fmt::format("'{}' is missing", key));
    return *found;
  }

  std::string path_;
  std::string maker_;
  nlohmann::json json_;
};

}  // namespace headstack::remap
