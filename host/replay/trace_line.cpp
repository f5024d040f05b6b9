#include "host/replay/trace_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace headstack::replay {
namespace {

constexpr Picoseconds kLongestTrace = 30 * 86'400 * kPicosecondsPerSecond;

bool is_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool LineSource::next(std::string& line) {
  if (!std::getline(in_, line)) return false;
  ++line_;
  if (in_.eof()) {
    fail("line end", "the file stops in the middle of a line",
         "it is truncated: fetch it again, or end the last line");
  }
  if (!line.empty() && line.back() == '\r') line.pop_back();
  return true;
}

void LineSource::fail(std::string_view field, const std::string& problem,
                      const std::string& remedy) const {
  throw TraceError(fmt::format("{}:{}: {}: {}; {}", file_, line_, field, problem, remedy));
}

std::vector<std::string_view> split_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  std::size_t at = 0;
  while (true) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) return fields;
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = end;
  }
}

std::uint64_t parse_integer(const LineSource& at, std::string_view field, std::string_view text,
                            std::uint64_t most, int base) {
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (result.ec == std::errc() && result.ptr == text.data() + text.size() && value <= most) {
    return value;
  }
  at.fail(field, fmt::format("'{}' is not a whole number up to {}", text, most), "mend the line");
}

Picoseconds parse_time(const LineSource& at, std::string_view field, std::string_view text,
                       Picoseconds unit) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = point < text.size() ? text.substr(point + 1) : "";
  if (whole.empty() || !is_digits(whole) || !is_digits(fraction)) {
    at.fail(field, fmt::format("'{}' is not a time", text), "write a decimal number, 0 or more");
  }
  const std::uint64_t most = static_cast<std::uint64_t>(kLongestTrace / unit);
  auto time = static_cast<Picoseconds>(parse_integer(at, field, whole, most)) * unit;
  for (const char digit : fraction) {
    if (unit % 10 != 0 && digit != '0') {
      at.fail(field, fmt::format("'{}' has digits below a picosecond", text), "round it");
    }
    unit /= 10;
    time += (digit - '0') * unit;
  }
  return time;
}

}  // namespace headstack::replay
