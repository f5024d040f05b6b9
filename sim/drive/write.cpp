// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <toml++/toml.h>

#include "sim/drive/load.hpp"
#include "sim/drive/schema.hpp"

namespace headstack::drive {
namespace {

/// The schema visitor that prints a structure as one TOML table, then its sub-tables.
///
/// toml++ prints keys in alphabetical order; a description reads better in the schema's order, so
/// only the quoting of strings is left to it.
class Writer {
 public:
  explicit Writer(std::string path) : path_(std::move(path)) {}

  void number(const char* key, double value, Bounds, Need, const char*) { line(key, text(value)); }
  template <class Integer>
  void integer(const char* key, Integer value, Bounds, Need, const char*) {
    line(key, fmt::format("{}", value));
  }
  void boolean(const char* key, bool value, const char*) { line(key, value ? "true" : "false"); }
  void text(const char* key, const std::string& value, Need, const char*) {
    if (!value.empty()) line(key, quoted(value));
  }
  template <class Enum, std::size_t N>
  void choice(const char* key, Enum value, const std::array<Choice<Enum>, N>& choices, Need,
              const char*) {
    line(key, fmt::format("\"{}\"", name_of(choices, value)));
  }
  void optional_number(const char* key, const std::optional<double>& value, Bounds, const char*) {
    if (value) line(key, text(*value));
  }
  void optional_integer(const char* key, const std::optional<std::uint64_t>& value, Bounds,
                        const char*) {
    if (value) line(key, fmt::format("{}", *value));
  }
  void integers(const char* key, const std::vector<std::uint32_t>& values, Bounds, const char*) {
    list(key, values, [](std::uint32_t value) { return fmt::format("{}", value); });
  }
  void pairs(const char* key, const std::vector<std::array<std::uint32_t, 2>>& values, Bounds,
             const char*) {
    list(key, values, [](const auto& p) { return fmt::format("[{}, {}]", p[0], p[1]); });
  }
  void rows(const char* key, const std::vector<std::pair<std::uint32_t, double>>& values, Bounds,
            const char*) {
    list(key, values,
         [](const auto& r) { return fmt::format("[{}, {}]", r.first, text(r.second)); });
  }
  void facts(const char* key, const std::map<std::string, double>& values, const char*) {
    if (values.empty()) return;
    below_ += fmt::format("\n[{}]\n", path_of(key));
    for (const auto& [name, value] : values)
      below_ += fmt::format("{} = {}\n", key_text(name), text(value));
  }
  template <class Structure>
  void table(const char* key, Structure& value, Need need, const char*) {
    const std::string path = path_of(key);
    const std::string written = sub_table(fmt::format("[{}]", path), path, value);
    // A design is written with all defaults; a specimen only with what differs from them.
    const bool may_lack = need == Need::kOptional && path.rfind("design", 0) != 0;
    Structure usual;
    if (may_lack && written == sub_table(fmt::format("[{}]", path), path, usual)) return;
    below_ += written;
  }
  template <class Structure>
  void tables(const char* key, std::vector<Structure>& values, const char*) {
    for (Structure& value : values) {
      below_ += sub_table(fmt::format("[[{}]]", path_of(key)), path_of(key), value);
    }
  }

  std::string lines() const { return lines_; }
  std::string result() const { return lines_ + below_; }

 private:
  static constexpr std::size_t kColumns = 100;

  static std::string text(double value) { return fmt::format("{}", value); }

  /// A name as a TOML key: bare where that is allowed, else quoted.
  static std::string key_text(const std::string& name) {
    const bool bare = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    });
    if (bare) return name;
    std::string text = "\"";  // the library would break a name with a newline over two lines
    for (const char c : name) {
      const bool plain =
          static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\' && c != 0x7F;
      text += plain ? std::string(1, c) : fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    }
    return text + "\"";
  }

  static std::string quoted(const std::string& value) {
    std::ostringstream out;
    out << toml::value<std::string>(value);
    return out.str();
  }

  std::string path_of(const char* key) const {
    return path_.empty() ? key : fmt::format("{}.{}", path_, key);
  }

  void line(const char* key, const std::string& value) {
    lines_ += fmt::format("{} = {}\n", key, value);
  }

  template <class Values, class Format>
  void list(const char* key, const Values& values, Format format) {
    if (values.empty()) return;
    std::string all = fmt::format("{} = [", key);
    std::size_t column = all.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string item = format(values[i]) + (i + 1 < values.size() ? "," : "]");
      const bool wrap = column + 1 + item.size() > kColumns;
      all += wrap ? "\n  " : (i == 0 ? "" : " ");
      column = wrap ? 2 + item.size() : column + (i == 0 ? 0 : 1) + item.size();
      all += item;
    }
    lines_ += all + "\n";
  }

  template <class Structure>
  static std::string sub_table(const std::string& heading, const std::string& path,
                               Structure& value) {
    Writer writer(path);
    visit(writer, value);
    // A table with nothing of its own needs no heading: its sub-tables' headings name it.
    if (writer.lines_.empty()) return writer.below_;
    return fmt::format("\n{}\n{}", heading, writer.result());
  }

  std::string path_;
  std::string lines_;
  std::string below_;
};

}  // namespace

std::string to_toml(const DriveDescription& description) {
  DriveDescription copy = description;  // visited by reference, but not changed
  Writer writer("");
  visit(writer, copy);
  return writer.result();
}

}  // namespace headstack::drive
