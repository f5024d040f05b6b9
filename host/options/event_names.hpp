// SPDX-License-Identifier: Apache-2.0
// The names of the firmware's events, for logs, waves and commands.
#pragma once

#include <optional>
#include <string_view>

#include "firmware/events.h"

namespace headstack::options {

/// Name of an event, such as "TASK_QUEUED"; "?" for an unknown number.
inline const char* event_name(unsigned number) {
  switch (number) {
#define HEADSTACK_EVENT_NAME(value, name, argument) \
  case value: return #name;
    TRACE_EVENTS(HEADSTACK_EVENT_NAME)
#undef HEADSTACK_EVENT_NAME
    default: return "?";
  }
}

/// Number of the event with this name; nothing for an unknown name.
inline std::optional<unsigned> event_number(std::string_view name) {
#define HEADSTACK_EVENT_NUMBER(value, known, argument) \
  if (name == #known) return value;
  TRACE_EVENTS(HEADSTACK_EVENT_NUMBER)
#undef HEADSTACK_EVENT_NUMBER
  return std::nullopt;
}

}  // namespace headstack::options
