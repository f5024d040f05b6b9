// SPDX-License-Identifier: Apache-2.0
#include "host/traces/trace_formats.hpp"

#include <algorithm>

namespace headstack::traces {

const std::vector<const TraceFormat*>& trace_formats() {
  // Formats that begin with a name or a magic number come first. Those that are only recognised by
  // their form come last.
  static const std::vector<const TraceFormat*> formats = {&kHeadstackFormat,
                                                          &kHpSrtFormat,
                                                          &kFioIologFormat,
                                                          &kBlktraceFormat,
                                                          &kDiskSimValidateFormat,
                                                          &kNbdkitFormat,
                                                          &kBlkparseFormat,
                                                          &kSpcFormat,
                                                          &kMsrFormat,
                                                          &kSystorFormat,
                                                          &kAlibabaFormat,
                                                          &kTencentFormat,
                                                          &kK5cloudFormat,
                                                          &kFiuFormat,
                                                          &kSsdsimFormat,
                                                          &kDiskSimFormat,
                                                          &kVscsiFormat};
  return formats;
}

const TraceFormat* find_format(std::string_view name) {
  for (const TraceFormat* format : trace_formats()) {
    if (format->name == name) return format;
  }
  return nullptr;
}

std::string format_names() {
  std::string names;
  for (const TraceFormat* format : trace_formats()) {
    names += (names.empty() ? "" : ", ") + std::string(format->name);
  }
  return names;
}

std::string_view operation_letter(Operation operation) {
  switch (operation) {
    case Operation::kRead: return "R";
    case Operation::kWrite: return "W";
    case Operation::kFlush: return "F";
    case Operation::kVerify: return "V";
  }
  return "?";
}

bool is_number(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_decimal(std::string_view text) {
  const std::size_t point = text.find('.');
  if (point == std::string_view::npos) return is_number(text);
  return is_number(text.substr(0, point)) && is_number(text.substr(point + 1));
}

TraceSample::TraceSample(std::string_view head) : bytes_(head) {
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    // A line that the sample cuts off does not count, unless it is the only one.
    if (end == std::string_view::npos && !lines_.empty()) break;
    std::string_view line = head.substr(0, end);
    head.remove_prefix(end == std::string_view::npos ? head.size() : end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (split_blanks(line).empty() || is_column_names(split_commas(line))) continue;
    lines_.push_back(line);
  }
  if (lines_.empty()) return;
  words_ = split_blanks(lines_.front());
  columns_ = split_commas(lines_.front());
}

}  // namespace headstack::traces
