// SPDX-License-Identifier: Apache-2.0
// The argument of a firmware's event in words, by the description in firmware/events.h.
#pragma once

#include <cstdint>
#include <string>

namespace headstack::observe {

/// Text of the argument, as in "tag 3, task 17"; "" for an event without a meaningful argument, or
/// not in the table.
std::string event_argument_text(unsigned number, std::uint32_t argument);

}  // namespace headstack::observe
