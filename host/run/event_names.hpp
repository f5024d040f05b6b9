// The names of the firmware's events, for logs, waves and commands.
#pragma once

#include "firmware/events.h"

namespace headstack::run {

/// "TASK_QUEUED"; "?" for a number that names none.
inline const char* event_name(unsigned number) {
  switch (number) {
#define HEADSTACK_EVENT_NAME(value, name, argument) \
  case value: return #name;
    TRACE_EVENTS(HEADSTACK_EVENT_NAME)
#undef HEADSTACK_EVENT_NAME
    default: return "?";
  }
}

}  // namespace headstack::run
