// SPDX-License-Identifier: Apache-2.0
// The schema visitor that fills structures from a parsed file of any format.
//
// A format defines the nodes of its parser:
//
//   Node, Table, Array              its types
//   kTable, table_remedy(path)      its word for a table, and how one is written
//   find(table, key)                the value of a key; null when it is not given
//   each(table, use)                use(name, node) with every key that is given
//   table(node), array(node)        null when it is none
//   size(array), at(array, index)
//   boolean, text, number, whole    of a node; nothing when it is none. Whole numbers as double:
//                                   every bound is below 2^53
//   is_note(name, node)             for people, where facts stand under free names: passed over
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/drive/schema.hpp"
#include "sim/drive/text.hpp"

namespace headstack::drive {

/// The schema visitor that only lists a structure's keys.
struct KeyNames {
  using Key = const char*;
  using Meaning = const char*;
  std::vector<std::string> names;

  void number(Key key, double&, Bounds, Need, Meaning) { names.emplace_back(key); }
  template <class Integer>
  void integer(Key key, Integer&, Bounds, Need, Meaning) {
    names.emplace_back(key);
  }
  void boolean(Key key, bool&, Meaning) { names.emplace_back(key); }
  void text(Key key, std::string&, Need, Meaning) { names.emplace_back(key); }
  template <class Enum, class Choices>
  void choice(Key key, Enum&, const Choices&, Need, Meaning) {
    names.emplace_back(key);
  }
  template <class Value>
  void optional_number(Key key, Value&, Bounds, Meaning) {
    names.emplace_back(key);
  }
  template <class Value>
  void optional_integer(Key key, Value&, Bounds, Meaning) {
    names.emplace_back(key);
  }
  template <class Values>
  void integers(Key key, Values&, Bounds, Meaning) {
    names.emplace_back(key);
  }
  template <class Values>
  void pairs(Key key, Values&, Bounds, Meaning) {
    names.emplace_back(key);
  }
  template <class Values>
  void rows(Key key, Values&, Bounds, Meaning) {
    names.emplace_back(key);
  }
  template <class Values>
  void facts(Key key, Values&, Meaning) {
    names.emplace_back(key);
  }
  template <class Structure>
  void table(Key key, Structure&, Need, Meaning) {
    names.emplace_back(key);
  }
  template <class Structures>
  void tables(Key key, Structures&, Meaning) {
    names.emplace_back(key);
  }
  template <class Structure>
  void optional_table(Key key, Structure&, Meaning) {
    names.emplace_back(key);
  }
};

template <class Structure>
std::vector<std::string> keys_of() {
  KeyNames keys;
  Structure structure;
  visit(keys, structure);
  return keys.names;
}

/// Whether a table has all required keys, or some of the keys, to be laid over others.
enum class Extent { kWhole, kPart };

/// Fills a structure from one table. Throws Fault.
template <class Format, Extent kExtent = Extent::kWhole>
class Reader {
  using Node = typename Format::Node;
  using Table = typename Format::Table;
  using Array = typename Format::Array;

 public:
  Reader(const Table& table, std::string path) : table_(table), path_(std::move(path)) {}

  void number(const char* key, double& value, Bounds bounds, Need need, const char* /*meaning*/) {
    if (const Node* node = find(key, need)) value = number_of(*node, path_of(key), bounds);
  }

  template <class Integer>
  void integer(const char* key, Integer& value, Bounds bounds, Need need, const char* /*meaning*/) {
    if (const Node* node = find(key, need)) {
      value = integer_of<Integer>(*node, path_of(key), bounds);
    }
  }

  void boolean(const char* key, bool& value, const char* /*meaning*/) {
    const Node* node = find(key, Need::kOptional);
    if (node == nullptr) return;
    const std::optional<bool> given = Format::boolean(*node);
    if (!given) throw Fault(path_of(key), "not a boolean", "write true or false");
    value = *given;
  }

  void text(const char* key, std::string& value, Need need, const char* /*meaning*/) {
    if (const Node* node = find(key, need)) value = text_of(*node, path_of(key));
  }

  template <class Enum, std::size_t N>
  void choice(const char* key, Enum& value, const std::array<Choice<Enum>, N>& choices, Need need,
              const char* /*meaning*/) {
    const Node* node = find(key, need);
    if (node == nullptr) return;
    const std::string word = text_of(*node, path_of(key));
    std::vector<std::string> names;
    for (const auto& choice : choices) {
      if (choice.name == word) {
        value = choice.value;
        return;
      }
      names.emplace_back(choice.name);
    }
    throw Fault(path_of(key), fmt::format("'{}' is not known", word), suggest(word, names));
  }

  void optional_number(const char* key, std::optional<double>& value, Bounds bounds,
                       const char* /*meaning*/) {
    if (const Node* node = find(key, Need::kOptional)) {
      value = number_of(*node, path_of(key), bounds);
    }
  }

  void optional_integer(const char* key, std::optional<std::uint64_t>& value, Bounds bounds,
                        const char* /*meaning*/) {
    if (const Node* node = find(key, Need::kOptional)) {
      value = integer_of<std::uint64_t>(*node, path_of(key), bounds);
    }
  }

  void integers(const char* key, std::vector<std::uint32_t>& values, Bounds bounds,
                const char* /*meaning*/) {
    for_each(key, [&](const Node& node, const std::string& path) {
      values.push_back(integer_of<std::uint32_t>(node, path, bounds));
    });
  }

  void pairs(const char* key, std::vector<std::array<std::uint32_t, 2>>& values, Bounds bounds,
             const char* /*meaning*/) {
    for_each(key, [&](const Node& node, const std::string& path) {
      const Array& pair = pair_of(node, path);
      values.push_back({integer_of<std::uint32_t>(Format::at(pair, 0), path + "[0]", bounds),
                        integer_of<std::uint32_t>(Format::at(pair, 1), path + "[1]", bounds)});
    });
  }

  void rows(const char* key, std::vector<std::pair<std::uint32_t, double>>& values, Bounds bounds,
            const char* /*meaning*/) {
    for_each(key, [&](const Node& node, const std::string& path) {
      const Array& row = pair_of(node, path);
      values.emplace_back(integer_of<std::uint32_t>(Format::at(row, 0), path + "[0]", kCylinders),
                          number_of(Format::at(row, 1), path + "[1]", bounds));
    });
  }

  void facts(const char* key, std::map<std::string, double>& values, const char* /*meaning*/) {
    const Node* node = find(key, Need::kOptional);
    if (node == nullptr) return;
    Format::each(table_of(*node, path_of(key)), [&](const std::string& name, const Node& value) {
      if (Format::is_note(name, value)) return;
      values[name] = number_of(value, path_of(key) + "." + name, {-1e15, 1e15, ""});
    });
  }

  template <class Structure>
  void table(const char* key, Structure& value, Need need, const char* /*meaning*/) {
    if (const Node* node = find(key, need))
      read(table_of(*node, path_of(key)), path_of(key), value);
  }

  template <class Structure>
  void optional_table(const char* key, std::optional<Structure>& value, const char* /*meaning*/) {
    if (const Node* node = find(key, Need::kOptional)) {
      read(table_of(*node, path_of(key)), path_of(key), value.emplace());
    }
  }

  template <class Structure>
  void tables(const char* key, std::vector<Structure>& values, const char* /*meaning*/) {
    for_each(key, [&](const Node& node, const std::string& path) {
      read(table_of(node, path), path, values.emplace_back());
    });
  }

  /// Fills `value` from a table. Unknown keys are reported first, since one may be a misspelt
  /// required key.
  template <class Structure>
  static void read(const Table& table, const std::string& path, Structure& value) {
    Reader reader(table, path);
    static const std::vector<std::string> kKeys = keys_of<Structure>();
    reader.reject_unknown(kKeys);
    visit(reader, value);
  }

 private:
  std::string path_of(const std::string& key) const {
    return path_.empty() ? key : path_ + "." + key;
  }

  void reject_unknown(const std::vector<std::string>& known) const {
    Format::each(table_, [&](const std::string& name, const Node&) {
      if (std::find(known.begin(), known.end(), name) != known.end()) return;
      throw Fault(path_of(name), "unknown key", suggest(name, known));
    });
  }

  const Node* find(const char* key, Need need) {
    const Node* node = Format::find(table_, key);
    if (node == nullptr && need == Need::kRequired && kExtent == Extent::kWhole) {
      throw Fault(path_of(key), "required key is missing", "add it");
    }
    return node;
  }

  template <class Use>
  void for_each(const char* key, Use use) {
    const Node* node = find(key, Need::kOptional);
    if (node == nullptr) return;
    const Array* array = Format::array(*node);
    if (array == nullptr) throw Fault(path_of(key), "not an array", "write [ ... ]");
    const std::string list = path_of(key) + "[";
    for (std::size_t i = 0; i < Format::size(*array); ++i) {
      use(Format::at(*array, i), list + std::to_string(i) + "]");
    }
  }

  static const Array& pair_of(const Node& node, const std::string& path) {
    const Array* array = Format::array(node);
    if (array == nullptr || Format::size(*array) != 2) {
      throw Fault(path, "not a pair", "write two numbers in brackets");
    }
    return *array;
  }

  static const Table& table_of(const Node& node, const std::string& path) {
    const Table* table = Format::table(node);
    if (table != nullptr) return *table;
    throw Fault(path, fmt::format("not {}", Format::kTable), Format::table_remedy(path));
  }

  static std::string text_of(const Node& node, const std::string& path) {
    const std::optional<std::string> text = Format::text(node);
    if (!text) throw Fault(path, "not a string", "write it in quotes");
    return *text;
  }

  static double number_of(const Node& node, const std::string& path, Bounds bounds) {
    const std::optional<double> value = Format::number(node);
    if (!value) throw Fault(path, "not a number", "write a plain number");
    check_bounds(*value, path, bounds);
    return *value;
  }

  template <class Integer>
  static Integer integer_of(const Node& node, const std::string& path, Bounds bounds) {
    const std::optional<double> value = Format::whole(node);
    if (!value) throw Fault(path, "not a whole number", "write it without fraction or quotes");
    check_bounds(*value, path, bounds);
    return static_cast<Integer>(*value);
  }

  const Table& table_;
  std::string path_;
};

}  // namespace headstack::drive
