// SPDX-License-Identifier: Apache-2.0
#include "sim/drive/line_map.hpp"

#include <fmt/format.h>

#include "sim/description/fault.hpp"

namespace headstack::drive {

unsigned line_of(const LineMap& lines, std::string key) {
  while (!key.empty()) {
    if (const auto found = lines.find(key); found != lines.end()) return found->second;
    const auto cut = key.find_last_of(".[");
    key.resize(cut == std::string::npos ? 0 : cut);
  }
  return 0;
}

void throw_file_error(const std::string& file, unsigned line, const std::string& text) {
  if (line == 0) throw FileError(fmt::format("{}: {}", file, text));
  throw FileError(fmt::format("{}:{}: {}", file, line, text));
}

}  // namespace headstack::drive
