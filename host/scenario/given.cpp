// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/given.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "host/options/wave_window.hpp"
#include "host/scenario/value_text.hpp"
#include "sim/description/fault.hpp"
#include "sim/drive/text.hpp"

namespace headstack::scenario {
namespace {

constexpr std::size_t kMostShown = 40;

/// Splits the sentence of a parser into its problem and its remedy.
std::pair<std::string, std::string> parted(const std::string& sentence, const Word& word) {
  const std::size_t mark = sentence.find("; ");
  if (mark != std::string::npos) return {sentence.substr(0, mark), sentence.substr(mark + 2)};
  return {sentence, fmt::format("write it as in {}", quoted(word.example))};
}

}  // namespace

void Given::refuse(const std::string& problem, const std::string& remedy) const {
  throw drive::Fault(path_, problem, remedy);
}

std::string Given::shown() const {
  if (node_.is_table()) return "a table";
  std::ostringstream out;
  if (const auto* text = node_.as_string()) {
    out << text->get();
  } else {
    node_.visit([&out](const auto& value) { out << value; });
  }
  std::string text = out.str();
  if (text.size() > kMostShown) text = text.substr(0, kMostShown) + "...";
  return fmt::format("'{}'", text);
}

bool Given::boolean() const {
  if (!node_.is_boolean()) refuse(fmt::format("{} is no boolean", shown()), "write true or false");
  return node_.as_boolean()->get();
}

std::int64_t Given::integer(const Whole& whole) const {
  const std::string range = fmt::format("give {}", range_text(whole));
  if (!node_.is_integer()) refuse(fmt::format("{} is no whole number", shown()), range);
  const std::int64_t value = node_.as_integer()->get();
  if (value < whole.low || value > whole.high) {
    refuse(fmt::format("{} is out of range", value), range);
  }
  return value;
}

double Given::number(const drive::Bounds& bounds) const {
  const std::string range = fmt::format("give {}", range_text(bounds));
  if (!node_.is_number()) refuse(fmt::format("{} is no number", shown()), range);
  const double value = *node_.value<double>();
  if (!std::isfinite(value) || value < bounds.low || value > bounds.high) {
    refuse(fmt::format("{} is out of range", value), range);
  }
  return value;
}

Picoseconds Given::time(const Times& times) const {
  Picoseconds time = 0;
  try {
    if (!node_.is_string()) throw options::WindowError("");
    time = options::parse_time(node_.as_string()->get());
  } catch (const options::WindowError&) {
    refuse(fmt::format("{} is no time", shown()), "write it as in \"12.5ms\"");
  }
  if (time < times.low || time > times.high) {
    refuse(fmt::format("{} is out of range", shown()), fmt::format("give {}", range_text(times)));
  }
  return time;
}

std::string Given::text() const {
  if (!node_.is_string()) refuse(fmt::format("{} is no text", shown()), "write it in quotes");
  return node_.as_string()->get();
}

std::string Given::word_of(const std::vector<std::string>& words) const {
  std::string word = node_.is_integer() ? std::to_string(node_.as_integer()->get()) : text();
  if (std::find(words.begin(), words.end(), word) == words.end()) {
    refuse(fmt::format("'{}' is not known", word), drive::suggest(word, words));
  }
  return word;
}

std::string Given::checked(const Word& word) const {
  std::string value = text();
  if (value.empty()) refuse("the text is empty", "leave the key out for its default");
  try {
    word.check(value);
  } catch (const std::exception& error) {
    const auto [problem, remedy] = parted(error.what(), word);
    refuse(problem, remedy);
  }
  return value;
}

std::string Given::file(FileRole role) const {
  std::string name = text();
  const bool is_name = role == FileRole::kDrive && name.find('/') == std::string::npos &&
                       std::filesystem::path(name).extension() != ".toml";
  if (name.empty()) refuse("the path is empty", "leave the key out for its default");
  if (name == "-" || is_name || folder_.empty()) return name;
  return (std::filesystem::path(folder_) / name).lexically_normal().string();
}

const toml::table& Given::table() const {
  if (node_.is_table()) return *node_.as_table();
  refuse(fmt::format("{} is no table", shown()), fmt::format("write its keys under [{}]", path_));
}

std::vector<Given> Given::items() const {
  const toml::array* array = node_.as_array();
  if (array == nullptr) refuse(fmt::format("{} is no list", shown()), "write [ ... ]");
  std::vector<Given> items;
  items.reserve(array->size());
  for (std::size_t i = 0; i < array->size(); ++i) {
    items.emplace_back(*array->get(i), fmt::format("{}[{}]", path_, i), folder_);
  }
  return items;
}

std::vector<Given> Given::one_or_several() const {
  if (node_.is_array()) return items();
  return {*this};
}

}  // namespace headstack::scenario
