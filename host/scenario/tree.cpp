// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/tree.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <utility>

#include "host/scenario/fields.hpp"
#include "host/scenario/reading.hpp"
#include "sim/drive/line_map.hpp"
#include "sim/drive/text.hpp"
#include "sim/drive/toml_file.hpp"

namespace headstack::scenario {
namespace {

namespace fs = std::filesystem;

/// Keys that C++ ignores: the expectations of a case of regress.
constexpr const char* kOfRegress[] = {"expect", "regress"};
/// Tables that a text may replace. The text is then the value of this key.
constexpr std::pair<const char*, const char*> kShorthands[] = {{"drive", "name"},
                                                               {"platform", "kind"}};
/// Sources of requests. Each of them replaces the others.
constexpr const char* kSources[] = {"trace", "requests", "synthetic"};

bool begins_with(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

/// Removes the origins of a key and of those below it.
void forget_origins(Origins& origins, const std::string& path) {
  for (auto at = origins.lower_bound(path); at != origins.end() && begins_with(at->first, path);) {
    const char next = at->first.size() == path.size() ? '.' : at->first[path.size()];
    at = next == '.' || next == '[' ? origins.erase(at) : std::next(at);
  }
}

void erase_path(Tree& tree, const std::string& path) {
  toml::table* table = &tree.root;
  std::string rest = path;
  for (std::size_t dot = rest.find('.'); table != nullptr && dot != std::string::npos;
       dot = rest.find('.')) {
    table = (*table)[rest.substr(0, dot)].as_table();
    rest = rest.substr(dot + 1);
  }
  if (table != nullptr) table->erase(rest);
  forget_origins(tree.origins, path);
}

/// Removes the sources of `base` that `over` does not give, if it gives one.
void replace_source(Tree& base, const toml::table& over) {
  const toml::table* load = over["load"].as_table();
  if (load == nullptr) return;
  const bool gives = std::any_of(std::begin(kSources), std::end(kSources),
                                 [&](const char* source) { return load->contains(source); });
  for (const char* source : kSources) {
    if (gives && !load->contains(source)) erase_path(base, std::string("load.") + source);
  }
}

void write_out_shorthands(Tree& tree) {
  for (const auto& [section, key] : kShorthands) {
    const auto* text = tree.root[section].as_string();
    if (text == nullptr) continue;
    tree.root.insert_or_assign(section, toml::table{{key, text->get()}});
    tree.origins[fmt::format("{}.{}", section, key)] = tree.origins[section];
  }
}

void lay_over_tree(Tree& base, Tree&& over) {
  replace_source(base, over.root);
  drive::lay_over(base.root, std::move(over.root));
  for (auto& [path, origin] : over.origins) base.origins[path] = origin;
}

/// The tree of one file, without the file that it extends.
Tree plain_tree(const std::string& text, const std::string& file) {
  Tree tree;
  tree.root = drive::parse_toml(text, file);
  for (const auto& [path, line] : drive::lines_in(tree.root)) tree.origins[path] = {file, line};
  for (const char* key : kOfRegress) erase_path(tree, key);
  write_out_shorthands(tree);
  return tree;
}

/// The file that `extends` names, or nothing.
std::optional<std::string> extended_file(const Tree& tree, const std::string& file) {
  const toml::node* node = find_node(tree.root, "extends");
  if (node == nullptr) return std::nullopt;
  if (!node->is_string()) {
    throw_located(tree.origins, drive::Fault("extends", "not a text", "name a scenario's file"));
  }
  return (fs::path(file).parent_path() / node->as_string()->get()).lexically_normal().string();
}

/// Whether a setting's value may be text without quotes. Lists and quoted texts are read as TOML
/// for these keys, too.
bool takes_plain_text(const Field& field) {
  switch (field.type) {
    case Type::kText:
    case Type::kFile:
    case Type::kWord:
    case Type::kChoice:
    case Type::kTime: return true;
    default: return false;
  }
}

/// Sets tree.root[path] from a table that has the value under "v".
void set_path(Tree& tree, const std::string& path, toml::table&& holder) {
  Tree over;
  toml::table* table = &over.root;
  std::string rest = path;
  for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
    const std::string part = rest.substr(0, dot);
    table->insert_or_assign(part, toml::table{});
    table = (*table)[part].as_table();
    rest = rest.substr(dot + 1);
  }
  table->insert_or_assign(rest, std::move(*holder.get("v")));
  for (const auto& [key, line] : drive::lines_in(over.root)) {
    if (begins_with(key, path)) over.origins[key] = {kCommandLine, 0};
  }
  lay_over_tree(tree, std::move(over));
}

toml::table value_of(const std::string& path, const std::string& text) {
  const Field* field = find_field(schema_fields(), path);
  const bool is_toml = std::string_view("\"'[").find(text.front()) != std::string_view::npos;
  if (field == nullptr || !takes_plain_text(*field) || is_toml) {
    try {
      toml::table holder = toml::parse("v = " + text);
      if (holder.size() == 1 && holder.contains("v")) return holder;
    } catch (const toml::parse_error&) {  // the value is plain text
    }
  }
  return toml::table{{"v", text}};
}

}  // namespace

const toml::node* find_node(const toml::table& root, const std::string& path) {
  const toml::table* table = &root;
  std::string rest = path;
  for (std::size_t dot = rest.find('.'); dot != std::string::npos; dot = rest.find('.')) {
    const toml::node* node = table->get(rest.substr(0, dot));
    table = node == nullptr ? nullptr : node->as_table();
    if (table == nullptr) return nullptr;
    rest = rest.substr(dot + 1);
  }
  return table->get(rest);
}

Origin origin_of(const Origins& origins, std::string path) {
  while (!path.empty()) {
    if (const auto found = origins.find(path); found != origins.end()) return found->second;
    const auto cut = path.find_last_of(".[");
    path.resize(cut == std::string::npos ? 0 : cut);
  }
  // If the file has neither this key nor its section, the origin is the file without a line.
  const auto top = origins.find("");
  return top == origins.end() ? Origin{kCommandLine, 0} : Origin{top->second.file, 0};
}

Tree tree_of_text(const std::string& text, const std::string& file) {
  Tree tree = plain_tree(text, file);
  const std::optional<std::string> base_file = extended_file(tree, file);
  if (!base_file) return tree;
  Tree base;
  try {
    base = plain_tree(drive::read_file(*base_file), *base_file);
  } catch (const drive::FileError& error) {
    const Origin at = origin_of(tree.origins, "extends");
    drive::throw_file_error(at.file, at.line, fmt::format("extends: {}", error.what()));
  }
  if (base.root.contains("extends")) {
    throw_located(tree.origins,
                  drive::Fault("extends", fmt::format("{} extends another file itself", *base_file),
                               "give what differs from that file"));
  }
  erase_path(tree, "extends");
  lay_over_tree(base, std::move(tree));
  return base;
}

Tree tree_of_file(const std::string& file) { return tree_of_text(drive::read_file(file), file); }

void apply_setting(const std::string& setting, Tree& tree) {
  const std::size_t equals = setting.find('=');
  const std::string key = setting.substr(0, equals);
  if (equals == std::string::npos || equals == 0) {
    drive::throw_file_error(kCommandLine, 0,
                            fmt::format("'{}' is no setting; write KEY=VALUE", setting));
  }
  const std::string short_path = path_of_short_name(key);
  const std::string path = short_path.empty() ? key : short_path;
  require_known_path(path);
  const std::string text = setting.substr(equals + 1);
  if (text.empty()) {
    erase_path(tree, path);
  } else {
    set_path(tree, path, value_of(path, text));
  }
}

}  // namespace headstack::scenario
