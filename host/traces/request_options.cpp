// SPDX-License-Identifier: Apache-2.0
#include "host/traces/request_options.hpp"

#include <fmt/format.h>

#include "host/traces/trace.hpp"

namespace headstack::traces {
namespace {

/// The kinds of words. A request's options have at most one word of each.
enum class WordKind { kTag, kForceUnitAccess, kDisablePageOut, kKeepsBus, kCdb, kAct };

struct Word {
  std::string_view name;
  WordKind kind;
  unsigned value;  // value of the field that `kind` names
};
constexpr unsigned value_of(Tagging tagging) { return static_cast<unsigned>(tagging); }
constexpr unsigned value_of(Act act) { return static_cast<unsigned>(act); }
/// The words in the order in which they are written.
constexpr Word kWords[] = {
    {"ordered", WordKind::kTag, value_of(Tagging::kOrdered)},
    {"head-of-queue", WordKind::kTag, value_of(Tagging::kHeadOfQueue)},
    {"untagged", WordKind::kTag, value_of(Tagging::kUntagged)},
    {"fua", WordKind::kForceUnitAccess, 1},
    {"dpo", WordKind::kDisablePageOut, 1},
    {"no-disconnect", WordKind::kKeepsBus, 1},
    {"cdb=6", WordKind::kCdb, 6},
    {"cdb=10", WordKind::kCdb, RequestOptions::kUsualCdbBytes},
    {"cdb=16", WordKind::kCdb, 16},
    {"abort", WordKind::kAct, value_of(Act::kAbort)},
    {"clear-queue", WordKind::kAct, value_of(Act::kClearQueue)},
    {"device-reset", WordKind::kAct, value_of(Act::kDeviceReset)},
    {"bus-reset", WordKind::kAct, value_of(Act::kBusReset)},
};

const Word* find_word(std::string_view name) {
  for (const Word& word : kWords) {
    if (word.name == name) return &word;
  }
  return nullptr;
}

unsigned get(const RequestOptions& options, WordKind kind) {
  switch (kind) {
    case WordKind::kTag: return value_of(options.tagging);
    case WordKind::kForceUnitAccess: return options.force_unit_access ? 1 : 0;
    case WordKind::kDisablePageOut: return options.disable_page_out ? 1 : 0;
    case WordKind::kKeepsBus: return options.keeps_bus ? 1 : 0;
    case WordKind::kCdb: return options.cdb_bytes;
    case WordKind::kAct: return value_of(options.act);
  }
  return 0;
}

void set(RequestOptions& options, const Word& word) {
  switch (word.kind) {
    case WordKind::kTag: options.tagging = static_cast<Tagging>(word.value); return;
    case WordKind::kForceUnitAccess: options.force_unit_access = true; return;
    case WordKind::kDisablePageOut: options.disable_page_out = true; return;
    case WordKind::kKeepsBus: options.keeps_bus = true; return;
    case WordKind::kCdb: options.cdb_bytes = static_cast<std::uint8_t>(word.value); return;
    case WordKind::kAct: options.act = static_cast<Act>(word.value); return;
  }
}

}  // namespace

const char* to_string(Act act) {
  for (const Word& word : kWords) {
    if (word.kind == WordKind::kAct && word.value == value_of(act)) return word.name.data();
  }
  return "none";
}

bool takes_time(std::string_view name) {
  const Word* word = find_word(name);
  return word != nullptr && word->kind == WordKind::kAct;
}

std::optional<OptionProblem> add_option_word(std::string_view name,
                                             std::optional<Picoseconds> delay,
                                             RequestOptions& options) {
  const Word* word = find_word(name);
  if (word == nullptr) {
    return OptionProblem{fmt::format("'{}' is not known", name), "use " + option_words()};
  }
  if (word->kind == WordKind::kAct && !delay) {
    return OptionProblem{fmt::format("'{}' needs a time", name),
                         fmt::format("give the time after the issue: {}=TIME", name)};
  }
  if (get(options, word->kind) != get(RequestOptions{}, word->kind)) {
    return OptionProblem{fmt::format("'{}' next to another of its kind", name),
                         "give only one of them"};
  }
  set(options, *word);
  options.act_delay = delay.value_or(options.act_delay);
  return std::nullopt;
}

std::optional<OptionProblem> find_contradiction(Operation operation,
                                                const RequestOptions& options) {
  if (operation == Operation::kRead || operation == Operation::kWrite) return std::nullopt;
  const auto only = [](const char* word, const char* who) {
    return OptionProblem{fmt::format("only {} have {}", who, word), "leave it out"};
  };
  if (options.force_unit_access) return only("fua", "reads and writes");
  if (options.cdb_bytes != RequestOptions::kUsualCdbBytes) return only("cdb", "reads and writes");
  if (options.disable_page_out && operation == Operation::kFlush) {
    return only("dpo", "reads, writes and verifies");
  }
  return std::nullopt;
}

std::vector<std::string_view> words_of(const RequestOptions& options) {
  std::vector<std::string_view> words;
  if (options == RequestOptions{}) return words;  // true for most requests
  for (const Word& word : kWords) {
    const unsigned value = get(options, word.kind);
    if (value == word.value && value != get(RequestOptions{}, word.kind))
      words.push_back(word.name);
  }
  return words;
}

std::string options_text(const RequestOptions& options, std::string (*time_text)(Picoseconds)) {
  std::string text;
  for (const std::string_view word : words_of(options)) {
    if (!text.empty()) text += '+';
    text += word;
    if (takes_time(word)) text += '=' + time_text(options.act_delay);
  }
  return text.empty() ? "-" : text;
}

std::string option_words() {
  std::string words;
  for (const Word& word : kWords) {
    if (!words.empty()) words += ", ";
    words += word.name;
    if (word.kind == WordKind::kAct) words += "=TIME";
  }
  return words;
}

}  // namespace headstack::traces
