// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/old_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>

#include "host/scenario/fields.hpp"

namespace headstack::scenario {
namespace {

/// A flag without a value, and the value that its key has instead.
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
  const char* note;
};
constexpr Other kOthers[] = {
    {"--out", Fate::kStays, ""},
    {"--force", Fate::kStays, ""},
    {"--torture", Fate::kTorture, "leave it out there"},
    {"--torture-every", Fate::kTorture, "write --every there"},
    {"--torture-bytes", Fate::kTorture, "write --bytes there"},
    {"--torture-cuts", Fate::kTorture, "write --cuts there"},
    {"--torture-seed", Fate::kTorture, "write --cut-seed there"},
    {"--torture-whole", Fate::kTorture, "write --whole there"},
    {"--torture-once", Fate::kTorture, "write --once there"},
    {"--torture-jobs", Fate::kTorture, "write --jobs there"},
    {"--gdb", Fate::kDebug, ""},
    {"--run-until", Fate::kDebug, ""},
    {"--strict", Fate::kGone, "is the default"},
    {"--remap-counts", Fate::kGone, "the summary has the counters"},
    {"--batch", Fate::kStays, ""},
};
constexpr const char* kTimelineNote = "; the file is OUT/timeline.perfetto";

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
      if (name == "--timeline") flag.note = kTimelineNote;
    }
  }
  for (const Other& other : kOthers) {
    flags.push_back({other.name, other.fate, {}, other.note});
  }
  return flags;
}

/// The setting that replaces a flag, for a sentence.
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
    case Fate::kKey:
      return fmt::format("{}: is a key now; write {}{}", flag, example_of(*row), row->note);
    case Fate::kTorture: return fmt::format("{}: is for `headstack torture`; {}", flag, row->note);
    case Fate::kDebug: return fmt::format("{}: is for `headstack debug`; use that command", flag);
    case Fate::kGone: return fmt::format("{}: {}; leave it out", flag, row->note);
    case Fate::kStays: return "";
  }
  return "";
}

}  // namespace headstack::scenario
