// SPDX-License-Identifier: Apache-2.0
#include "host/observe/event_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <vector>

#include "firmware/events.h"

namespace headstack::observe {
namespace {

constexpr std::uint32_t kNoTask = 0xFFFF;  // TASK_NONE of firmware/queue/task.h

const char* description_of(unsigned number) {
  switch (number) {
#define EVENT_DESCRIPTION(number, name, argument) \
  case (number): return (argument);
    TRACE_EVENTS(EVENT_DESCRIPTION)
#undef EVENT_DESCRIPTION
    default: return "";
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split(std::string_view text, std::string_view by) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(by, at), text.size());
    parts.push_back(trimmed(text.substr(at, end - at)));
    at = end + by.size();
  }
  return parts;
}

/// The layout of the bits, without the meaning of the event.
std::string_view layout_of(std::string_view description) {
  return trimmed(description.substr(0, description.find_first_of(":;(")));
}

/// A part of an argument, "NAME << SHIFT". The last one has no shift.
struct Field {
  std::string_view name;
  unsigned shift = 0;
};

Field field_of(std::string_view text) {
  constexpr std::string_view kEnum = "enum ";
  const std::size_t shift = text.find("<<");
  Field field{trimmed(text.substr(0, std::min(shift, text.find(',')))), 0};
  if (field.name.substr(0, kEnum.size()) == kEnum) field.name.remove_prefix(kEnum.size());
  if (shift != std::string_view::npos) {
    const std::string_view digits = trimmed(text.substr(shift + 2));
    std::from_chars(digits.data(), digits.data() + digits.size(), field.shift);
  }
  return field;
}

/// Whether a value is shown in hexadecimal. Codes are, as in the standards.
bool is_hexadecimal(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames = {
      "operation code", "key", "ASC", "ASCQ", "status", "formatter error bits"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

std::string text_of(std::string_view name, std::uint32_t value) {
  if (name == "task" && value == kNoTask) return "no task";
  return fmt::format(is_hexadecimal(name) ? "{} {:02x}h" : "{} {}", name, value);
}

/// The words for a value in a list such as "0 at rest, 1 spinning up, ...".
std::string listed(std::string_view layout, std::uint32_t value) {
  const std::string number = std::to_string(value) + " ";
  for (const std::string_view part : split(layout, ",")) {
    if (part.substr(0, number.size()) == number) return std::string(part.substr(number.size()));
  }
  return "";
}

}  // namespace

std::string event_argument_text(unsigned number, std::uint32_t argument) {
  const std::string_view layout = layout_of(description_of(number));
  if (layout.empty()) return "";
  if (layout.front() >= '0' && layout.front() <= '9') return listed(layout, argument);
  std::string text;
  unsigned end = 32;
  for (const std::string_view part : split(layout, "|")) {
    const Field field = field_of(part);
    const std::uint32_t mask = end - field.shift >= 32 ? ~0U : (1U << (end - field.shift)) - 1;
    if (!text.empty()) text += ", ";
    text += text_of(field.name, argument >> field.shift & mask);
    end = field.shift;
  }
  return text;
}

}  // namespace headstack::observe
