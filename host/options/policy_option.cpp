// SPDX-License-Identifier: Apache-2.0
#include "host/options/policy_option.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "sim/drive/text.hpp"

namespace headstack::options {
namespace {

struct Word {
  std::string key;  // key of a parameter, or a flag
  std::optional<std::string> value;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::uint64_t scale_of(const ::policy_parameter& parameter) {
  std::uint64_t scale = 1;
  for (unsigned i = 0; i < parameter.decimals; ++i) scale *= 10;
  return scale;
}

/// The number without zeros at the end, such as 30 or 0.2.
std::string number_text(std::uint64_t value, const ::policy_parameter& parameter) {
  const std::uint64_t scale = scale_of(parameter);
  std::string text = fmt::format("{}", value / scale);
  std::string decimals = fmt::format("{:0{}}", value % scale, parameter.decimals);
  while (!decimals.empty() && decimals.back() == '0') decimals.pop_back();
  return parameter.decimals == 0 || decimals.empty() ? text : text + "." + decimals;
}

/// The range on rtl and vp, such as "0 to 1 of the stroke, in steps of 0.001".
std::string range_text(const ::policy_parameter& parameter) {
  const std::string unit = unit_of(parameter);
  const std::string steps =
      parameter.decimals == 0 ? "" : fmt::format(", in steps of {}", number_text(1, parameter));
  return fmt::format("{} to {}{}{}{}", number_text(parameter.minimum, parameter),
                     number_text(maximum_on_core(parameter), parameter), unit.empty() ? "" : " ",
                     unit, steps);
}

/// The larger limit of `native`, or "" if it is the same.
std::string native_text(const ::policy_parameter& parameter) {
  if (maximum_on_core(parameter) == parameter.maximum) return "";
  return fmt::format("; up to {} on native", number_text(parameter.maximum, parameter));
}

std::string initial_text(const ::policy_parameter& parameter) {
  if (parameter.initial_share == 0) return number_text(parameter.initial, parameter);
  return fmt::format("the drive's cylinders / {}", parameter.initial_share);
}

/// Words for what the policy does without any flag.
std::vector<std::string> defaults_of(const ::policy& policy) {
  std::vector<std::string> words;
  for (const char* const* word = policy.defaults; word != nullptr && *word != nullptr; ++word) {
    words.emplace_back(*word);
  }
  return words;
}

std::string key_of(const std::string& word) { return word.substr(0, word.find('=')); }

std::vector<std::string> words_of(const ::policy& policy) {
  std::vector<std::string> words;
  for (std::uint32_t i = 0; i < policy_parameter_count(&policy); ++i) {
    words.emplace_back(policy.parameters[i].name);
  }
  for (std::uint32_t i = 0; i < policy_flag_count(&policy); ++i)
    words.emplace_back(policy.flags[i].name);
  for (const std::string& word : defaults_of(policy)) words.push_back(word);
  return words;
}

/// Parses digits, with at most as many decimals as the parameter has, in units of its smallest
/// step.
std::optional<std::uint64_t> parse_number(const std::string& text,
                                          const ::policy_parameter& parameter) {
  constexpr std::size_t kDigitsMax = 12;
  const std::vector<std::string> parts = split(text, '.');
  const std::string& whole = parts[0];
  std::string decimals = parts.size() == 2 ? parts[1] : "";
  const bool has_point = parts.size() == 2;
  if (parts.size() > 2 || whole.empty() || (has_point && decimals.empty())) return std::nullopt;
  if (decimals.size() > parameter.decimals || whole.size() > kDigitsMax) return std::nullopt;
  decimals.resize(parameter.decimals, '0');
  const std::string digits = whole + decimals;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
  return std::stoull(digits);
}

class Parser {
 public:
  explicit Parser(const ::policy& policy) : policy_(policy) { selection_.number = policy.number; }

  void take(const std::string& text) {
    if (std::find(seen_.begin(), seen_.end(), text) != seen_.end()) fail(text, "is given twice");
    if (take_flag(text)) return;
    const std::size_t equals = text.find('=');
    const std::string key = text.substr(0, equals);
    if (std::find(seen_.begin(), seen_.end(), key) != seen_.end()) fail(key, "is given twice");
    const std::uint32_t parameter = find_parameter(key, text);
    if (equals == std::string::npos) fail(key, "needs a value: " + range(parameter));
    take_value(parameter, text.substr(equals + 1));
    seen_.push_back(key);
  }

  ::policy_selection finish() const {
    for (std::uint32_t i = 0; i < policy_parameter_count(&policy_); ++i) {
      const ::policy_parameter& parameter = policy_.parameters[i];
      for (std::uint32_t flag = 0; flag < policy_flag_count(&policy_); ++flag) {
        const bool both = selection_.parameter[i] != 0 && (selection_.flags >> flag & 1) != 0;
        if (both && (parameter.not_with >> flag & 1) != 0) {
          fail(parameter.name, fmt::format("has no meaning with '{}'", policy_.flags[flag].name));
        }
      }
    }
    return selection_;
  }

 private:
  [[noreturn]] void fail(const std::string& word, const std::string& what) const {
    throw PolicyError(fmt::format("policy '{}': '{}' {}", policy_.name, word, what));
  }

  std::string range(std::uint32_t parameter) const {
    return range_text(policy_.parameters[parameter]) + native_text(policy_.parameters[parameter]);
  }

  bool take_flag(const std::string& text) {
    for (std::uint32_t i = 0; i < policy_flag_count(&policy_); ++i) {
      if (text != policy_.flags[i].name) continue;
      take_word(text);
      selection_.flags = static_cast<std::uint8_t>(selection_.flags | 1U << i);
      return true;
    }
    const std::vector<std::string> defaults = defaults_of(policy_);
    if (std::find(defaults.begin(), defaults.end(), text) == defaults.end()) return false;
    take_word(text);
    return true;
  }

  /// Takes a word. There may be only one with the same key.
  void take_word(const std::string& text) {
    const std::string key = key_of(text);
    for (const std::string& seen : seen_) {
      if (seen != key_of(seen) && key_of(seen) == key) fail(key, "is given twice");
    }
    seen_.push_back(text);
  }

  std::uint32_t find_parameter(const std::string& key, const std::string& text) const {
    for (std::uint32_t i = 0; i < policy_parameter_count(&policy_); ++i) {
      if (key == policy_.parameters[i].name) return i;
    }
    const std::vector<std::string> words = words_of(policy_);
    if (std::find(words.begin(), words.end(), key) != words.end()) fail(key, "takes no value");
    if (words.empty()) fail(text, "is unknown; this policy has no parameters");
    fail(text, "is unknown; " + drive::suggest(key, words));
  }

  void take_value(std::uint32_t index, const std::string& text) {
    const ::policy_parameter& parameter = policy_.parameters[index];
    const std::optional<std::uint64_t> value = parse_number(text, parameter);
    if (!value || *value < parameter.minimum || *value > parameter.maximum) {
      fail(fmt::format("{}={}", parameter.name, text), "is not possible: " + range(index));
    }
    selection_.parameter[index] =
        *value == 0 ? POLICY_PARAMETER_ZERO : static_cast<std::uint32_t>(*value);
  }

  const ::policy& policy_;
  ::policy_selection selection_{};
  std::vector<std::string> seen_;
};

const ::policy& find_policy(const std::string& name) {
  std::vector<std::string> names;
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    if (name == policy_row(row)->name) return *policy_row(row);
    names.emplace_back(policy_row(row)->name);
  }
  throw PolicyError(fmt::format("unknown policy '{}'; {}", name, drive::suggest(name, names)));
}

struct Explained {
  std::string word;
  std::string text;
};

std::vector<Explained> explain_words(const ::policy& policy) {
  std::vector<Explained> words;
  for (std::uint32_t i = 0; i < policy_parameter_count(&policy); ++i) {
    const ::policy_parameter& parameter = policy.parameters[i];
    words.push_back(
        {fmt::format("{}=", parameter.name),
         fmt::format("{}: {}; default: {}{}", range_text(parameter), meaning_of(parameter),
                     initial_text(parameter), native_text(parameter))});
  }
  for (std::uint32_t i = 0; i < policy_flag_count(&policy); ++i) {
    std::string text = policy.flags[i].text;
    for (const std::string& word : defaults_of(policy)) {
      const bool is_its = key_of(word) == key_of(policy.flags[i].name);
      if (is_its) text += fmt::format("; default: {}", word);
    }
    words.push_back({policy.flags[i].name, text});
  }
  return words;
}

}  // namespace

std::string unit_of(const ::policy_parameter& parameter) {
  const std::string text = parameter.unit;
  return text.substr(0, text.find(':'));
}

std::string meaning_of(const ::policy_parameter& parameter) {
  const std::string text = parameter.unit;
  constexpr std::string_view kSeparator = ": ";
  const std::size_t at = text.find(kSeparator);
  return at == std::string::npos ? "" : text.substr(at + kSeparator.size());
}

std::uint32_t maximum_on_core(const ::policy_parameter& parameter) {
  return parameter.core_maximum != 0 ? parameter.core_maximum : parameter.maximum;
}

void check_on_core(const std::string& text) {
  const ::policy_selection selection = parse_policy(text);
  const ::policy& policy = *policy_by_number(selection.number);
  for (std::uint32_t i = 0; i < policy_parameter_count(&policy); ++i) {
    const ::policy_parameter& parameter = policy.parameters[i];
    const std::uint32_t value = selection.parameter[i];
    if (value == POLICY_PARAMETER_ZERO || value <= maximum_on_core(parameter)) continue;
    throw PolicyError(fmt::format(
        "policy '{}': '{}={}' is for --platform native: the drive's core "
        "has room for {}",
        policy.name, parameter.name, number_text(value, parameter), range_text(parameter)));
  }
}

::policy_selection parse_policy(const std::string& text) {
  const std::size_t colon = text.find(':');
  Parser parser(find_policy(text.substr(0, colon)));
  if (colon != std::string::npos) {
    for (const std::string& word : split(text.substr(colon + 1), ',')) parser.take(word);
  }
  return parser.finish();
}

bool goes_by_deadlines(const ::policy& policy) {
  return std::string_view(policy.text).find("deadline") != std::string_view::npos;
}

std::string policy_text(const ::policy_selection& selection, std::uint32_t cylinders) {
  const ::policy& policy = *policy_by_number(selection.number);
  std::vector<std::string> words;
  for (std::uint32_t i = 0; i < policy_parameter_count(&policy); ++i) {
    const ::policy_parameter& parameter = policy.parameters[i];
    if ((selection.flags & parameter.not_with) != 0) continue;
    const std::uint32_t value =
        policy_parameter_value(&parameter, selection.parameter[i], cylinders);
    words.push_back(fmt::format("{}={}", parameter.name, number_text(value, parameter)));
  }
  for (std::uint32_t i = 0; i < policy_flag_count(&policy); ++i) {
    if ((selection.flags >> i & 1) != 0) words.emplace_back(policy.flags[i].name);
  }
  const std::string name = policy.name;
  return words.empty() ? name : fmt::format("{}:{}", name, fmt::join(words, ","));
}

std::string policy_list(const std::function<std::string(const char*)>& remark) {
  std::string list;
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    const ::policy& policy = *policy_row(row);
    list += fmt::format("  {:<15} {}\n", policy.name, policy.text);
    for (const auto& [word, text] : explain_words(policy)) {
      list += fmt::format("    {:<13} {}\n", word, text);
    }
    if (const std::string text = remark ? remark(policy.name) : ""; !text.empty()) {
      list += fmt::format("    {}\n", text);
    }
  }
  return list;
}

}  // namespace headstack::options
