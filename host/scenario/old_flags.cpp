// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/old_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "host/scenario/fields.hpp"
#include "host/scenario/load.hpp"
#include "host/scenario/value_text.hpp"
#include "sim/drive/line_map.hpp"
#include "sim/drive/text.hpp"

namespace headstack::scenario {
namespace {

/// A flag without a value, and the value of its key.
struct Constant {
  const char* flag;
  const char* value;
};
constexpr Constant kConstants[] = {
    {"--open", "open"},     {"--closed", "closed"},   {"--think", "think"},
    {"--skip-bad", "skip"}, {"--all-devices", "all"}, {"--no-gating", "false"},
};

struct Other {
  const char* name;
  Fate fate;
  bool takes_value;
  const char* note;
};
constexpr Other kOthers[] = {
    {"--out", Fate::kStays, true, ""},
    {"--force", Fate::kStays, false, ""},
    {"--torture", Fate::kTorture, false, ""},
    {"--torture-every", Fate::kTorture, true, ""},
    {"--torture-bytes", Fate::kTorture, true, ""},
    {"--torture-cuts", Fate::kTorture, true, ""},
    {"--torture-seed", Fate::kTorture, true, ""},
    {"--torture-whole", Fate::kTorture, true, ""},
    {"--torture-once", Fate::kTorture, false, ""},
    {"--torture-jobs", Fate::kTorture, true, ""},
    {"--gdb", Fate::kDebug, true, ""},
    {"--run-until", Fate::kDebug, true, ""},
    {"--strict", Fate::kGone, false, "--strict: is the default"},
    {"--remap-counts", Fate::kGone, false, "--remap-counts: the counters are in each summary"},
    {"--batch", Fate::kGone, true, "--batch: is no part of a scenario"},
};
constexpr const char* kTimelineNote = "--timeline: the file is now OUT/timeline.perfetto";

[[noreturn]] void refuse(const std::string& flag, const std::string& sentence) {
  drive::throw_file_error(kCommandLine, 0, fmt::format("{}: {}", flag, sentence));
}

std::vector<std::string> words_of(const char* text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

const Constant* find_constant(const std::string& flag) {
  const auto* found = std::find_if(std::begin(kConstants), std::end(kConstants),
                                   [&](const Constant& row) { return flag == row.flag; });
  return found == std::end(kConstants) ? nullptr : found;
}

std::vector<OldFlag> make_flags() {
  std::vector<OldFlag> flags;
  for (const Field& field : schema_fields().fields) {
    for (const std::string& name : words_of(field.key.flags)) {
      const auto same = std::find_if(flags.begin(), flags.end(),
                                     [&](const OldFlag& flag) { return flag.name == name; });
      if (same != flags.end()) {
        same->keys.push_back(field.path());
        continue;
      }
      OldFlag& flag = flags.emplace_back();
      flag.name = name;
      flag.keys = {field.path()};
      const bool is_timeline = name == "--timeline";
      const bool is_switch = field.type == Type::kBoolean && !is_timeline;
      flag.takes_value = !is_switch && find_constant(name) == nullptr;
      if (is_timeline) flag.note = kTimelineNote;
    }
  }
  for (const Other& other : kOthers) {
    flags.push_back({other.name, other.fate, other.takes_value, {}, other.note});
  }
  return flags;
}

/// A value as a plain text, and as TOML within a list.
struct Item {
  std::string plain;
  std::string toml;
};

Item text_item(const std::string& text) {
  const bool looks_like_toml =
      !text.empty() && std::string_view("\"'[").find(text.front()) != std::string_view::npos;
  return {looks_like_toml ? quoted(text) : text, quoted(text)};
}

Item bare_item(const std::string& text) { return {text, text}; }

/// 010 is ten, as it was for the flags; for TOML it would be an error.
std::string without_zeros(const std::string& digits) {
  const std::size_t first = digits.find_first_not_of('0');
  const bool is_number = digits.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number || digits.empty()) return digits;
  return first == std::string::npos ? "0" : digits.substr(first);
}

/// The number of a flag, which may be written as TOML does not allow it: .5
double decimal_of(const std::string& flag, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || end != text.c_str() + text.size() || !std::isfinite(value)) {
    refuse(flag, fmt::format("'{}' is no number; give one", text));
  }
  return value;
}

/// A number of seconds or milliseconds as a time.
Item time_item(const std::string& flag, const std::string& text, Picoseconds unit,
               const char* unit_name) {
  const double value = decimal_of(flag, text);
  if (text.find_first_not_of("0123456789.") == std::string::npos &&
      std::isdigit(static_cast<unsigned char>(text.front())) != 0 && text.back() != '.') {
    return text_item(text + unit_name);
  }
  return text_item(time_text(std::llround(value * static_cast<double>(unit))));
}

/// "3:u=0.25,p=100ms" as a table.
Item stream_item(const std::string& flag, const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) refuse(flag, fmt::format("'{}' has no keys; give 3:w=2", text));
  std::string table = fmt::format("number = {}", without_zeros(text.substr(0, colon)));
  std::istringstream rest(text.substr(colon + 1));
  for (std::string word; std::getline(rest, word, ',');) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string name = word.substr(0, equals);
    const std::string value = equals < word.size() ? word.substr(equals + 1) : "";
    if (name == "p") {
      table += fmt::format(", period = {}", quoted(value));
    } else if (name == "u") {
      table += fmt::format(", u = {}", number_text(decimal_of(flag, value)));
    } else {
      table += fmt::format(", {} = {}", name, without_zeros(value));
    }
  }
  return bare_item(fmt::format("{{ {} }}", table));
}

/// Translates one line. Values are gathered by key, since a flag may be given several times.
class Translation {
 public:
  void take(const OldFlag& flag, const std::string& value) {
    if (flag.name == "--reset-every") {
      take_reset(value);
    } else if (const Constant* constant = find_constant(flag.name)) {
      add(flag, flag.keys.front(), text_item(constant->value));
    } else {
      const std::string& path = flag.keys.front();
      add(flag, path, item_of(flag, *find_field(schema_fields(), path), value));
    }
    if (!flag.note.empty()) words_.notes.push_back(flag.note);
  }

  void take_other(const OldFlag& flag, const std::string& value) {
    if (flag.fate == Fate::kGone) {
      words_.notes.push_back(flag.note);
      return;
    }
    words_.others.push_back(flag.name);
    if (flag.takes_value) words_.others.push_back(value);
  }

  OldWords result() {
    for (const Field& field : schema_fields().fields) {
      const auto found = items_.find(field.path());
      if (found == items_.end()) continue;
      words_.settings.push_back(fmt::format("{}={}", field.path(), value_of(field, found->second)));
    }
    return std::move(words_);
  }

 private:
  static Item item_of(const OldFlag& flag, const Field& field, const std::string& value) {
    if (flag.name == "--watchdog") return time_item(flag.name, value, kPicosecondsPerSecond, "s");
    if (flag.name == "--snapshot-every") {
      return time_item(flag.name, value, kPicosecondsPerMillisecond, "ms");
    }
    if (flag.name == "--device" && value == "all") {
      refuse(flag.name, "a device of this name cannot be told from all of them; rename it");
    }
    switch (field.type) {
      case Type::kBoolean: return bare_item("true");
      case Type::kInteger: return bare_item(without_zeros(value));
      case Type::kNumber: return bare_item(number_text(decimal_of(flag.name, value)));
      case Type::kCountOrTime:
        return flag.name == "--warm-up" ? bare_item(without_zeros(value)) : text_item(value);
      case Type::kRows: return stream_item(flag.name, value);
      default: return text_item(value);
    }
  }

  void add(const OldFlag& flag, const std::string& path, Item item) {
    const Field* field = find_field(schema_fields(), path);
    std::vector<Item>& items = items_[path];
    const bool may_be_several = field->is_list || field->type == Type::kRows;
    if (!items.empty() && !may_be_several) {
      refuse(flag.name, fmt::format("{} is given twice; leave one out", path));
    }
    items.push_back(std::move(item));
  }

  void take_reset(const std::string& value) {
    const std::string device = "device:";
    const std::string bus = "bus:";
    const bool is_device = value.compare(0, device.size(), device) == 0;
    if (is_device) {
      items_["hosts.every.device_reset"].push_back(text_item(value.substr(device.size())));
      return;
    }
    if (items_.count("hosts.every.device_reset") != 0) {
      refuse("--reset-every",
             "resets of the bus come before those of the device in a scenario; give bus: first");
    }
    const bool is_bus = value.compare(0, bus.size(), bus) == 0;
    items_["hosts.every.bus_reset"].push_back(text_item(is_bus ? value.substr(bus.size()) : value));
  }

  static std::string value_of(const Field& field, const std::vector<Item>& items) {
    if (items.size() == 1 && field.type != Type::kRows) return items.front().plain;
    std::vector<std::string> texts;
    texts.reserve(items.size());
    for (const Item& item : items) texts.push_back(item.toml);
    return list_text(texts);
  }

  std::map<std::string, std::vector<Item>> items_;  // by path
  OldWords words_;
};

const OldFlag& flag_called(const std::string& name) {
  std::vector<std::string> names;
  for (const OldFlag& flag : old_flags()) {
    if (flag.name == name) return flag;
    names.push_back(flag.name);
  }
  refuse(name, fmt::format("unknown flag; {}", drive::suggest(name, names)));
}

/// The setting that a flag becomes, for a sentence.
std::string example_of(const OldFlag& flag) {
  const Field* field = find_field(schema_fields(), flag.keys.front());
  if (const Constant* constant = find_constant(flag.name)) {
    return fmt::format("{}={}", field->path(), constant->value);
  }
  const std::string value = field->type == Type::kBoolean ? "true" : "VALUE";
  std::vector<std::string> settings;
  for (const std::string& key : flag.keys) settings.push_back(fmt::format("{}={}", key, value));
  return fmt::format("{}", fmt::join(settings, " or "));
}

}  // namespace

const std::vector<OldFlag>& old_flags() {
  static const std::vector<OldFlag> flags = make_flags();
  return flags;
}

std::string old_flag_sentence(const std::string& flag) {
  const std::vector<OldFlag>& flags = old_flags();
  const auto row = std::find_if(flags.begin(), flags.end(),
                                [&](const OldFlag& one) { return one.name == flag; });
  if (row == flags.end()) return "";
  switch (row->fate) {
    case Fate::kKey: return fmt::format("{}: is a key now; write {}", flag, example_of(*row));
    case Fate::kTorture:
      return fmt::format("{}: is for `headstack torture`; use that command", flag);
    case Fate::kDebug: return fmt::format("{}: is for `headstack debug`; use that command", flag);
    case Fate::kGone: return fmt::format("{}; leave it out", row->note);
    case Fate::kStays: return "";
  }
  return "";
}

OldWords settings_of_flags(const std::vector<std::string>& words) {
  Translation translation;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = std::min(words[i].find('='), words[i].size());
    const OldFlag& flag = flag_called(words[i].substr(0, equals));
    const bool has_value = equals < words[i].size();
    if (has_value && !flag.takes_value) refuse(flag.name, "takes no value; leave it out");
    std::string value = has_value ? words[i].substr(equals + 1) : "";
    if (flag.takes_value && !has_value) {
      if (i + 1 == words.size()) refuse(flag.name, "has no value; give one");
      value = words[++i];
    }
    if (flag.fate == Fate::kKey) {
      translation.take(flag, value);
    } else {
      translation.take_other(flag, value);
    }
  }
  return translation.result();
}

}  // namespace headstack::scenario
