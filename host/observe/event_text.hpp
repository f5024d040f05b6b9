// SPDX-License-Identifier: Apache-2.0
// The argument of a firmware's event as text, by the descriptions in firmware/events.h.
#pragma once

#include <cstdint>
#include <string>

namespace headstack::observe {

/// Text of the argument, such as "tag 3, task 17". It is "" for an event that is not in the table,
/// or whose argument has no meaning.
std::string event_argument_text(unsigned number, std::uint32_t argument);

}  // namespace headstack::observe
