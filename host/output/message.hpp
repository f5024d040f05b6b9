// SPDX-License-Identifier: Apache-2.0
// Messages for the user, on standard error.
//
// fmt::print() throws when standard error cannot be written: it is closed, on a full disk, or a
// pipe without a reader. A lost message must not end a command, whose results and exit status
// matter more.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace headstack::output {

/// Writes to standard error. If that fails, it neither throws nor ends the program.
void say_text(std::string_view text) noexcept;

/// Formats a message, and writes it as say_text() does.
template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  say_text(fmt::format(text, std::forward<Args>(args)...));
}

/// Reserves the numbers 0 to 2 for the standard streams. If one of them is closed (`2>&-`), the
/// next file opened would get its number, and the data meant for the stream. Reading or writing
/// such a stream still fails. Call it once, at the program's start.
void keep_standard_streams();

}  // namespace headstack::output
