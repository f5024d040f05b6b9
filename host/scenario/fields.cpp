// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/scenario/given.hpp"
#include "host/scenario/overlay.hpp"
#include "host/scenario/reading.hpp"
#include "host/scenario/value_text.hpp"

namespace headstack::scenario {
namespace {

constexpr std::pair<const char*, traces::Operation> kOperations[] = {
    {"r", traces::Operation::kRead},
    {"w", traces::Operation::kWrite},
    {"f", traces::Operation::kFlush},
    {"v", traces::Operation::kVerify},
};
constexpr Whole kRowBlocks = {1, static_cast<std::int64_t>(traces::kMostBlocks), "blocks"};

std::string request_text(const InlineRequest& request) {
  const auto* row = std::find_if(std::begin(kOperations), std::end(kOperations),
                                 [&](const auto& r) { return r.second == request.operation; });
  const bool is_flush = request.operation == traces::Operation::kFlush;
  std::vector<std::string> items = {quoted(row->first)};
  if (!is_flush || request.arrival) {
    items.push_back(std::to_string(request.lba));
    items.push_back(std::to_string(request.blocks));
  }
  if (request.arrival) items.push_back(quoted(time_text(*request.arrival)));
  return list_text(items);
}

InlineRequest request_from(const Given& given) {
  const std::vector<Given> items = given.items();
  constexpr const char* kForm =
      R"(write ["r", LBA, BLOCKS], and the arrival behind it if there is one: "1ms")";
  std::vector<std::string> words;
  for (const auto& row : kOperations) words.emplace_back(row.first);
  if (items.empty()) given.refuse("the row is empty", kForm);
  InlineRequest request;
  const std::string word = items[0].word_of(words);
  for (const auto& row : kOperations) {
    if (word == row.first) request.operation = row.second;
  }
  const bool is_flush = request.operation == traces::Operation::kFlush;
  if (is_flush && items.size() == 1) return request;
  constexpr std::size_t kWithArrival = 4;
  if (items.size() != kWithArrival && items.size() + 1 != kWithArrival) {
    given.refuse(fmt::format("the row has {} values", items.size()), kForm);
  }
  request.lba = static_cast<std::uint64_t>(items[1].integer(is_flush ? Whole{} : kLba));
  request.blocks = static_cast<std::uint32_t>(items[2].integer(is_flush ? Whole{} : kRowBlocks));
  if (items.size() == kWithArrival) request.arrival = items[3].time(kLongTime);
  return request;
}

void take_warm_up(const Given& given, WarmUp& warm_up, const Whole& whole, const Times& times) {
  warm_up = {};
  for (const Given& item : given.one_or_several()) {
    const bool is_count = item.is_integer();
    if (is_count ? warm_up.requests != 0 : warm_up.time != 0) {
      item.refuse("a second one of its kind", "give one number and one time at most");
    }
    if (is_count) {
      warm_up.requests = static_cast<std::uint64_t>(item.integer(whole));
    } else if (item.is_text()) {
      warm_up.time = item.time(times);
    } else {
      item.refuse("neither a number nor a time", "write 50, or \"10s\"");
    }
  }
}

std::string warm_up_text(const WarmUp& warm_up) {
  std::string count = std::to_string(warm_up.requests);
  if (warm_up.time == 0) return count;
  const std::string time = quoted(time_text(warm_up.time));
  return warm_up.requests == 0 ? time : list_text({count, time});
}

/// The TOML of a choice. Digits need no quotes: qerr = 3.
std::string choice_text(std::string_view name) {
  const bool is_number = name.find_first_not_of("0123456789") == std::string_view::npos;
  return is_number ? std::string(name) : quoted(std::string(name));
}

/// The values as a list. A single one needs no brackets.
template <class Values, class Text>
std::string texts_of(const Values& values, const Text& text) {
  std::vector<std::string> items;
  items.reserve(values.size());
  for (const auto& value : values) items.push_back(text(value));
  return items.size() == 1 ? items.front() : list_text(items);
}

class FieldMaker {
 public:
  FieldMaker(std::string section, Fields& made, bool is_absent)
      : section_(std::move(section)), made_(made), is_absent_(is_absent) {}

  void boolean(const Key& key, bool& value) {
    Field& field = add(key, Type::kBoolean);
    field.value = [&value] { return std::string(value ? "true" : "false"); };
    field.take = [&value](const Given& given) { value = given.boolean(); };
  }

  template <class Integer>
  void integer(const Key& key, Integer& value, const Whole& whole) {
    Field& field = add(key, Type::kInteger);
    field.whole = whole;
    field.value = [&value] { return std::to_string(value); };
    field.take = [&value, whole](const Given& given) {
      value = static_cast<Integer>(given.integer(whole));
    };
  }

  template <class Integer>
  void optional_integer(const Key& key, std::optional<Integer>& value, const Whole& whole) {
    Field& field = add(key, Type::kInteger);
    field.whole = whole;
    field.is_optional = true;
    field.value = [&value] { return value ? std::to_string(*value) : std::string(); };
    field.take = [&value, whole](const Given& given) {
      value = static_cast<Integer>(given.integer(whole));
    };
  }

  void integers(const Key& key, std::vector<std::uint32_t>& values, const Whole& whole) {
    Field& field = add(key, Type::kInteger);
    field.whole = whole;
    field.is_list = true;
    field.value = [&values] {
      return texts_of(values, [](std::uint32_t value) { return std::to_string(value); });
    };
    field.take = [&values, whole](const Given& given) {
      values.clear();
      for (const Given& item : given.one_or_several()) {
        values.push_back(static_cast<std::uint32_t>(item.integer(whole)));
      }
    };
  }

  void number(const Key& key, double& value, const drive::Bounds& bounds) {
    Field& field = add(key, Type::kNumber);
    field.bounds = bounds;
    field.value = [&value] { return number_text(value); };
    field.take = [&value, bounds](const Given& given) { value = given.number(bounds); };
  }

  void optional_number(const Key& key, std::optional<double>& value, const drive::Bounds& bounds) {
    Field& field = add(key, Type::kNumber);
    field.bounds = bounds;
    field.is_optional = true;
    field.value = [&value] { return value ? number_text(*value) : std::string(); };
    field.take = [&value, bounds](const Given& given) { value = given.number(bounds); };
  }

  void time(const Key& key, Picoseconds& value, const Times& times) {
    Field& field = add(key, Type::kTime);
    field.times = times;
    field.value = [&value] { return quoted(time_text(value)); };
    field.take = [&value, times](const Given& given) { value = given.time(times); };
  }

  void optional_time(const Key& key, std::optional<Picoseconds>& value, const Times& times) {
    Field& field = add(key, Type::kTime);
    field.times = times;
    field.is_optional = true;
    field.value = [&value] { return value ? quoted(time_text(*value)) : std::string(); };
    field.take = [&value, times](const Given& given) { value = given.time(times); };
  }

  void count_or_time(const Key& key, WarmUp& value, const Whole& whole, const Times& times) {
    Field& field = add(key, Type::kCountOrTime);
    field.whole = whole;
    field.times = times;
    field.is_list = true;
    field.value = [&value] { return warm_up_text(value); };
    field.take = [&value, whole, times](const Given& given) {
      take_warm_up(given, value, whole, times);
    };
  }

  template <class Enum, std::size_t N>
  void choice(const Key& key, Enum& value, const std::array<Choice<Enum>, N>& choices) {
    Field& field = add_choice(key, choices);
    field.value = [&value, &choices] { return choice_text(drive::name_of(choices, value)); };
    field.take = [&value, &choices](const Given& given) { value = chosen(given, choices); };
  }

  template <class Enum, std::size_t N>
  void optional_choice(const Key& key, std::optional<Enum>& value,
                       const std::array<Choice<Enum>, N>& choices) {
    Field& field = add_choice(key, choices);
    field.is_optional = true;
    field.value = [&value, &choices] {
      return value ? choice_text(drive::name_of(choices, *value)) : std::string();
    };
    field.take = [&value, &choices](const Given& given) { value = chosen(given, choices); };
  }

  void text(const Key& key, std::string& value) {
    Field& field = add(key, Type::kText);
    give_text(field, value);
    field.take = [&value](const Given& given) { value = given.text(); };
  }

  void word(const Key& key, std::string& value, const Word& word) {
    Field& field = add(key, Type::kWord);
    field.word = &word;
    give_text(field, value);
    field.take = [&value, &word](const Given& given) { value = given.checked(word); };
  }

  void words(const Key& key, std::vector<std::string>& values, const Word& word) {
    Field& field = add(key, Type::kWord);
    field.word = &word;
    field.is_list = true;
    field.value = [&values] { return texts_of(values, quoted); };
    field.take = [&values, &word](const Given& given) {
      values.clear();
      for (const Given& item : given.one_or_several()) values.push_back(item.checked(word));
    };
  }

  void file(const Key& key, std::string& value, FileRole role, const Word* word = nullptr) {
    Field& field = add(key, Type::kFile);
    field.role = role;
    field.word = word;
    give_text(field, value);
    field.files = [&value] {
      return value.empty() ? std::vector<std::string>() : std::vector<std::string>{value};
    };
    field.take = [&value, role, word](const Given& given) {
      if (word != nullptr) (void)given.checked(*word);
      value = given.file(role);
    };
  }

  void files(const Key& key, std::vector<std::string>& values, FileRole role) {
    Field& field = add(key, Type::kFile);
    field.role = role;
    field.is_list = true;
    field.value = [&values] { return texts_of(values, quoted); };
    field.files = [&values] { return values; };
    field.take = [&values, role](const Given& given) {
      values.clear();
      for (const Given& item : given.one_or_several()) values.push_back(item.file(role));
    };
  }

  void requests(const Key& key, std::vector<InlineRequest>& values) {
    Field& field = add(key, Type::kRequests);
    field.value = [&values] {
      std::vector<std::string> rows;
      rows.reserve(values.size());
      for (const InlineRequest& request : values) rows.push_back(request_text(request));
      return list_text(rows);
    };
    field.take = [&values](const Given& given) {
      values.clear();
      for (const Given& row : given.items()) values.push_back(request_from(row));
    };
  }

  template <class Structure>
  void overlay(const Key& key, Overlay<Structure>& value) {
    Field& field = add(key, Type::kOverlay);
    field.value = [&value] { return value.toml; };
    field.take = [&value](const Given& given) { value.toml = overlay_text(given, value); };
  }

  template <class Structure>
  void table(const Key& key, Structure& value) {
    descend(key, value, false, true);
  }

  template <class Structure>
  void optional_table(const Key& key, std::optional<Structure>& value) {
    if (value) {
      descend(key, *value, true, true);
    } else {
      auto stand_in = std::make_shared<Structure>();
      made_.stand_ins.push_back(stand_in);
      descend(key, *stand_in, true, false);
    }
  }

  template <class Structure>
  void tables(const Key& key, std::vector<Structure>& values) {
    Field& field = add(key, Type::kRows);
    static Structure usual;
    static const Fields usual_row = row_of(usual);
    field.row = usual_row.fields;
    field.value = [&values] {
      std::vector<std::string> rows;
      rows.reserve(values.size());
      for (Structure& value : values) rows.push_back(row_text(row_of(value), usual_row));
      return list_text(rows);
    };
    field.take = [&values](const Given& given) {
      values.clear();
      for (const Given& item : given.items()) {
        values.emplace_back();
        read_row(item, row_of(values.back()));
      }
    };
  }

 private:
  Field& add(const Key& key, Type type) {
    Field& field = made_.fields.emplace_back();
    field.section = section_;
    field.key = key;
    field.type = type;
    field.is_absent = is_absent_;
    return field;
  }

  template <class Enum, std::size_t N>
  Field& add_choice(const Key& key, const std::array<Choice<Enum>, N>& choices) {
    Field& field = add(key, Type::kChoice);
    for (const auto& choice : choices) field.choices.emplace_back(choice.name);
    return field;
  }

  template <class Enum, std::size_t N>
  static Enum chosen(const Given& given, const std::array<Choice<Enum>, N>& choices) {
    std::vector<std::string> words;
    words.reserve(N);
    for (const auto& choice : choices) words.emplace_back(choice.name);
    const std::string word = given.word_of(words);
    const auto* found = std::find_if(choices.begin(), choices.end(),
                                     [&](const auto& choice) { return choice.name == word; });
    return found->value;
  }

  static void give_text(Field& field, std::string& value) {
    field.value = [&value] { return value.empty() ? std::string() : quoted(value); };
  }

  template <class Structure>
  static Fields row_of(Structure& value) {
    Fields row;
    FieldMaker maker("", row, false);
    visit(maker, value);
    return row;
  }

  /// The row in braces: its first key, and those that differ from a row of defaults.
  static std::string row_text(const Fields& row, const Fields& usual) {
    std::string text;
    for (std::size_t i = 0; i < row.fields.size(); ++i) {
      const std::string value = row.fields[i].value();
      if (i != 0 && value == usual.fields[i].value()) continue;
      text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", row.fields[i].key.name, value);
    }
    return fmt::format("{{ {} }}", text);
  }

  template <class Structure>
  void descend(const Key& key, Structure& value, bool is_optional, bool is_there) {
    const std::string path = section_.empty() ? key.name : section_ + "." + key.name;
    made_.sections.push_back({path, key.help, is_optional, is_there});
    FieldMaker maker(path, made_, is_absent_ || !is_there);
    visit(maker, value);
  }

  std::string section_;
  Fields& made_;
  bool is_absent_;
};

}  // namespace

Fields fields_of(Scenario& scenario) {
  Fields made;
  FieldMaker maker("", made, false);
  visit(maker, scenario);
  return made;
}

const Fields& schema_fields() {
  static Scenario usual;
  static const Fields fields = fields_of(usual);
  return fields;
}

const Field* find_field(const Fields& fields, const std::string& path) {
  const auto found = std::find_if(fields.fields.begin(), fields.fields.end(),
                                  [&](const Field& field) { return field.path() == path; });
  return found == fields.fields.end() ? nullptr : &*found;
}

std::string path_of_short_name(const std::string& name) {
  for (const Field& field : schema_fields().fields) {
    if (!name.empty() && name == field.key.short_name) return field.path();
  }
  return "";
}

}  // namespace headstack::scenario
