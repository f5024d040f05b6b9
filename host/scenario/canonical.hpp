// SPDX-License-Identifier: Apache-2.0
// The lines of the canonical form, for its writer and for the identity.
#pragma once

#include <functional>
#include <string>

#include "host/scenario/fields.hpp"
#include "host/scenario/write.hpp"

namespace headstack::scenario {

/// The text of a field, or "" to leave its line out. `usual` is the text of its default.
using LineText = std::function<std::string(const Field& field, const std::string& usual)>;

/// The lines by section. A section without lines has no heading, unless it is optional and present.
std::string canonical_text(const Fields& fields, const LineText& text);

/// The text of each field's default, in the order of the fields.
const std::vector<std::string>& usual_texts();

}  // namespace headstack::scenario
