#include "sim/drive/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <toml++/toml.h>

#include "sim/drive/schema.hpp"
#include "sim/drive/text.hpp"

namespace headstack::drive {
namespace {

using LineMap = std::map<std::string, unsigned>;  // key path -> line of its value

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
};

template <class Structure>
std::vector<std::string> keys_of() {
  KeyNames keys;
  Structure structure;
  visit(keys, structure);
  return keys.names;
}

/// The schema visitor that fills a structure from one TOML table.
class Reader {
 public:
  /// `lines` hears the line of each key; null when nobody wants to know.
  Reader(const toml::table& table, std::string path, LineMap* lines)
      : table_(table), path_(std::move(path)), lines_(lines) {}

  void number(const char* key, double& value, Bounds bounds, Need need, const char* /*meaning*/) {
    if (const toml::node* node = find(key, need)) value = number_of(*node, path_of(key), bounds);
  }

  template <class Integer>
  void integer(const char* key, Integer& value, Bounds bounds, Need need, const char* /*meaning*/) {
    if (const toml::node* node = find(key, need)) {
      value = integer_of<Integer>(*node, path_of(key), bounds);
    }
  }

  void boolean(const char* key, bool& value, const char* /*meaning*/) {
    const toml::node* node = find(key, Need::kOptional);
    if (node == nullptr) return;
    if (!node->is_boolean()) throw Fault(path_of(key), "not a boolean", "write true or false");
    value = node->as_boolean()->get();
  }

  void text(const char* key, std::string& value, Need need, const char* /*meaning*/) {
    if (const toml::node* node = find(key, need)) value = text_of(*node, path_of(key));
  }

  template <class Enum, std::size_t N>
  void choice(const char* key, Enum& value, const std::array<Choice<Enum>, N>& choices, Need need,
              const char* /*meaning*/) {
    const toml::node* node = find(key, need);
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
    if (const toml::node* node = find(key, Need::kOptional)) {
      value = number_of(*node, path_of(key), bounds);
    }
  }

  void optional_integer(const char* key, std::optional<std::uint64_t>& value, Bounds bounds,
                        const char* /*meaning*/) {
    if (const toml::node* node = find(key, Need::kOptional)) {
      value = integer_of<std::uint64_t>(*node, path_of(key), bounds);
    }
  }

  void integers(const char* key, std::vector<std::uint32_t>& values, Bounds bounds,
                const char* /*meaning*/) {
    for_each(key, [&](const toml::node& node, const std::string& path) {
      values.push_back(integer_of<std::uint32_t>(node, path, bounds));
    });
  }

  void pairs(const char* key, std::vector<std::array<std::uint32_t, 2>>& values, Bounds bounds,
             const char* /*meaning*/) {
    for_each(key, [&](const toml::node& node, const std::string& path) {
      const toml::array& pair = pair_of(node, path);
      values.push_back({integer_of<std::uint32_t>(*pair.get(0), path + "[0]", bounds),
                        integer_of<std::uint32_t>(*pair.get(1), path + "[1]", bounds)});
    });
  }

  void rows(const char* key, std::vector<std::pair<std::uint32_t, double>>& values, Bounds bounds,
            const char* /*meaning*/) {
    for_each(key, [&](const toml::node& node, const std::string& path) {
      const toml::array& row = pair_of(node, path);
      values.emplace_back(integer_of<std::uint32_t>(*row.get(0), path + "[0]", kCylinders),
                          number_of(*row.get(1), path + "[1]", bounds));
    });
  }

  void facts(const char* key, std::map<std::string, double>& values, const char* /*meaning*/) {
    const toml::node* node = find(key, Need::kOptional);
    if (node == nullptr) return;
    for (const auto& [name, value] : table_of(*node, path_of(key))) {
      const std::string path = path_of(key) + "." + std::string(name.str());
      values[std::string(name.str())] = number_of(value, path, {-1e15, 1e15, ""});
    }
  }

  template <class Structure>
  void table(const char* key, Structure& value, Need need, const char* /*meaning*/) {
    if (const toml::node* node = find(key, need)) read_table(*node, path_of(key), value);
  }

  template <class Structure>
  void tables(const char* key, std::vector<Structure>& values, const char* /*meaning*/) {
    for_each(key, [&](const toml::node& node, const std::string& path) {
      read_table(node, path, values.emplace_back());
    });
  }

  /// Fills `value` from a table. Unknown keys come first: one of them may be a missing one
  /// misspelt.
  template <class Structure>
  static void read(const toml::table& table, const std::string& path, LineMap* lines,
                   Structure& value) {
    Reader reader(table, path, lines);
    static const std::vector<std::string> kKeys = keys_of<Structure>();
    reader.reject_unknown(kKeys);
    visit(reader, value);
  }

 private:
  std::string path_of(const std::string& key) const {
    return path_.empty() ? key : path_ + "." + key;
  }

  void reject_unknown(const std::vector<std::string>& known) const {
    for (const auto& [key, node] : table_) {
      const std::string name(key.str());
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      if (lines_ != nullptr) (*lines_)[path_of(name)] = key.source().begin.line;
      throw Fault(path_of(name), "unknown key", suggest(name, known));
    }
  }

  const toml::node* find(const char* key, Need need) {
    const toml::node* node = table_.get(key);
    if (node != nullptr) {
      if (lines_ != nullptr) note_line(*node, path_of(key));
    } else if (need == Need::kRequired) {
      throw Fault(path_of(key), "required key is missing", "add it");
    }
    return node;
  }

  void note_line(const toml::node& node, const std::string& path) {
    if (lines_ != nullptr) (*lines_)[path] = node.source().begin.line;
  }

  template <class Use>
  void for_each(const char* key, Use use) {
    const toml::node* node = find(key, Need::kOptional);
    if (node == nullptr) return;
    if (!node->is_array()) throw Fault(path_of(key), "not an array", "write [ ... ]");
    const std::string list = path_of(key) + "[";
    std::size_t index = 0;
    for (const toml::node& element : *node->as_array()) {
      const std::string path = list + std::to_string(index++) + "]";
      note_line(element, path);
      use(element, path);
    }
  }

  static const toml::array& pair_of(const toml::node& node, const std::string& path) {
    if (!node.is_array() || node.as_array()->size() != 2) {
      throw Fault(path, "not a pair", "write two numbers in brackets");
    }
    return *node.as_array();
  }

  static const toml::table& table_of(const toml::node& node, const std::string& path) {
    if (!node.is_table()) throw Fault(path, "not a table", "write its keys under [" + path + "]");
    return *node.as_table();
  }

  template <class Structure>
  void read_table(const toml::node& node, const std::string& path, Structure& value) {
    read(table_of(node, path), path, lines_, value);
  }

  static std::string text_of(const toml::node& node, const std::string& path) {
    if (!node.is_string()) throw Fault(path, "not a string", "write it in quotes");
    return node.as_string()->get();
  }

  static double number_of(const toml::node& node, const std::string& path, Bounds bounds) {
    if (!node.is_number()) throw Fault(path, "not a number", "write a plain number");
    const double value = node.is_integer() ? static_cast<double>(node.as_integer()->get())
                                           : node.as_floating_point()->get();
    check_bounds(value, path, bounds);
    return value;
  }

  template <class Integer>
  static Integer integer_of(const toml::node& node, const std::string& path, Bounds bounds) {
    if (!node.is_integer()) {
      throw Fault(path, "not a whole number", "write it without fraction or quotes");
    }
    const std::int64_t value = node.as_integer()->get();
    check_bounds(static_cast<double>(value), path, bounds);
    return static_cast<Integer>(value);
  }

  const toml::table& table_;
  std::string path_;
  LineMap* lines_;
};

/// The line of the key, or of its nearest known parent ("design.zones[3].x" -> "design.zones[3]").
unsigned line_of(const LineMap& lines, std::string key) {
  while (!key.empty()) {
    if (const auto found = lines.find(key); found != lines.end()) return found->second;
    const auto cut = key.find_last_of(".[");
    key.resize(cut == std::string::npos ? 0 : cut);
  }
  return 0;
}

/// The lines of all keys up to the first fault. Read again for it, since most files have none.
LineMap lines_in(const toml::table& root) {
  LineMap lines;
  DriveDescription unused;
  try {
    Reader::read(root, "", &lines, unused);
  } catch (const Fault&) {
    // Its line is there.
  }
  return lines;
}

[[noreturn]] void throw_file_error(const std::string& file, unsigned line, const char* text) {
  if (line == 0) throw FileError(fmt::format("{}: {}", file, text));
  throw FileError(fmt::format("{}:{}: {}", file, line, text));
}

/// The parser descends once per part of a dotted key: a hostile file could exhaust the stack.
void refuse_deep_keys(const std::string& text, const std::string& file) {
  constexpr std::ptrdiff_t kMostParts = 100;
  std::istringstream lines(text);
  unsigned number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const auto key_end =
        line.begin() + static_cast<std::ptrdiff_t>(std::min(line.find('='), line.size()));
    if (std::count(line.begin(), key_end, '.') <= kMostParts) continue;
    throw_file_error(file, number, "a key of more than 100 parts; mend the line");
  }
}

toml::table parse(const std::string& text, const std::string& file) {
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    const std::string message =
        fmt::format("not valid TOML: {}; mend the line", error.description());
    throw_file_error(file, error.source().begin.line, message.c_str());
  }
}

}  // namespace

Loaded load_text(const std::string& text, const std::string& file) {
  refuse_deep_keys(text, file);
  const toml::table root = parse(text, file);
  try {
    Loaded loaded;
    Reader::read(root, "", nullptr, loaded.description);
    for (const std::string& warning : check(loaded.description)) {
      loaded.warnings.push_back(fmt::format("{}: {}", file, warning));
    }
    return loaded;
  } catch (const Fault& fault) {
    throw_file_error(file, line_of(lines_in(root), fault.key), fault.what());
  }
}

Loaded load(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf())) {
    throw FileError(fmt::format("{}: cannot be read; check that the file exists and is not empty",
                                file.string()));
  }
  return load_text(text.str(), file.string());
}

}  // namespace headstack::drive
