// SPDX-License-Identifier: Apache-2.0
// JSON as text, even if it contains names that are not UTF-8. A file name may have any bytes, but
// JSON is UTF-8, and dump() alone throws for other bytes.
#pragma once

#include <string>

namespace headstack::output {

/// The text on one line, or with each level indented by `indent` blanks. U+FFFD stands for bytes
/// that are not UTF-8.
template <class Json>
std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace headstack::output
