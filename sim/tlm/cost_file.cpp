// The text of a cost file (cost_table.hpp).
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>
#include <ostream>
#include <sstream>
#include <string_view>
#include <utility>

#include "sim/drive/text.hpp"
#include "sim/tlm/cost_table.hpp"

namespace headstack::tlm {
namespace {

constexpr const char* kFormat = "headstack costs 3";

/// One table of the file: gives the values of its keys, and knows which there may be.
class Section {
 public:
  Section(const std::string& path, const toml::table& table, std::string name,
          std::vector<std::string> keys)
      : path_(path), table_(table), name_(std::move(name)), keys_(std::move(keys)) {
    for (const auto& [key, value] : table_) {
      const std::string_view known(key.str());
      if (std::find(keys_.begin(), keys_.end(), known) == keys_.end()) {
        fail(std::string(known), &value, "unknown key" + drive::suggest(known, keys_));
      }
    }
  }

  [[noreturn]] void fail(const std::string& key, const toml::node* at,
                         const std::string& what) const {
    const auto line = at != nullptr ? at->source().begin.line : table_.source().begin.line;
    throw CostError(fmt::format("{}:{}: {}{}: {}", path_, line, name_, key, what));
  }

  std::string text(const char* key) const {
    const auto value = need(key)->value_exact<std::string>();
    if (!value) fail(key, table_.get(key), "must be text in quotes");
    return *value;
  }
  /// None where the key is missing.
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> all;
    const toml::node* node = table_.get(key);
    if (node == nullptr) return all;
    const toml::array* array = node->as_array();
    if (array == nullptr || array->empty()) fail(key, node, "must be a list of texts");
    for (const toml::node& item : *array) {
      const auto value = item.value_exact<std::string>();
      if (!value) fail(key, &item, "must be a list of texts");
      all.push_back(*value);
    }
    return all;
  }
  double number(const char* key) const {
    const auto value = need(key)->value<double>();
    if (!value || need(key)->is_boolean()) fail(key, table_.get(key), "must be a number");
    return *value;
  }

 private:
  const toml::node* need(const char* key) const {
    const toml::node* value = table_.get(key);
    if (value == nullptr) fail(key, nullptr, "is missing");
    return value;
  }

  const std::string& path_;
  const toml::table& table_;
  std::string name_;
  std::vector<std::string> keys_;
};

Costs::Pair parse_pair(const std::string& path, const toml::node& node, std::size_t number) {
  const std::string name = fmt::format("pair {}: ", number);
  const toml::table* table = node.as_table();
  if (table == nullptr) throw CostError(fmt::format("{}: {}must be a table", path, name));
  const Section section(path, *table, name, {"before", "from", "to", "cycles"});
  return {section.text("from"), section.text("to"), section.number("cycles"),
          section.texts("before")};
}

}  // namespace

Costs Costs::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    throw CostError(
        fmt::format("{}: cannot be read; 'headstack calibrate' makes a table of costs", path));
  }
  return parse(path, text.str());
}

Costs Costs::parse(const std::string& path, const std::string& text) {
  toml::table root;
  try {
    root = toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw CostError(fmt::format("{}:{}: {}", path, error.source().begin.line, error.description()));
  }
  const Section section(path, root, "", {"format", "commit", "date", "default_cycles", "pair"});
  if (section.text("format") != kFormat) {
    section.fail("format", root.get("format"), fmt::format("must be \"{}\"", kFormat));
  }
  Costs costs;
  costs.commit = section.text("commit");
  costs.date = section.text("date");
  costs.default_cycles = section.number("default_cycles");
  if (const toml::node* pairs = root.get("pair")) {
    if (!pairs->is_array()) section.fail("pair", pairs, "must be tables, [[pair]]");
    for (const toml::node& node : *pairs->as_array()) {
      costs.pairs.push_back(parse_pair(path, node, costs.pairs.size() + 1));
    }
  }
  return costs;
}

void Costs::write(std::ostream& out) const {
  fmt::print(out, "format = \"{}\"\ncommit = \"{}\"\ndate = \"{}\"\ndefault_cycles = {:.4f}\n",
             kFormat, commit, date, default_cycles);
  for (const Pair& pair : pairs) {
    fmt::print(out, "\n[[pair]]\n");
    if (!pair.before.empty()) {
      fmt::print(out, "before = [\"{}\"]\n", fmt::join(pair.before, "\", \""));
    }
    fmt::print(out, "from = \"{}\"\nto = \"{}\"\ncycles = {:.4f}\n", pair.from, pair.to,
               pair.cycles);
  }
}

}  // namespace headstack::tlm
