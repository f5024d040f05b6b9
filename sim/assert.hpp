// SPDX-License-Identifier: Apache-2.0
/// @file
/// HEADSTACK_ASSERT: the check for a condition that only a bug can break.
///
/// A fault of the outside world (a bad sector, a missing file) is a status or an exception, never
/// an assertion. The check is always on, in release builds too, where NDEBUG disables `<assert.h>`.
/// A simulator that continues after a broken invariant prints wrong cycles, which is worse than
/// none.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace headstack {

/// Prints "file:line: bug: condition: message" to stderr and aborts.
[[noreturn]] inline void assert_failed(const char* file, int line, const char* condition,
                                       const char* message) {
  std::fprintf(stderr, "%s:%d: bug: `%s` does not hold: %s\n", file, line, condition, message);
  std::abort();
}

}  // namespace headstack

/// Aborts with `message` (a C string with the broken promise) unless `condition` holds.
#define HEADSTACK_ASSERT(condition, message)                                 \
  do {                                                                       \
    if (!(condition)) {                                                      \
      ::headstack::assert_failed(__FILE__, __LINE__, #condition, (message)); \
    }                                                                        \
  } while (false)
