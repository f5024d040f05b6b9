// SPDX-License-Identifier: Apache-2.0
#include "host/traces/text_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool is_digits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string printable(std::string_view text, std::size_t most) {
  std::string shown(text.substr(0, most));
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > most ? shown + "..." : shown;
}

Fields split_blanks(std::string_view line) {
  Fields fields;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (true) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) return fields;
    const char* const start = at;
    while (at != end && !is_blank(*at)) ++at;
    fields.add({start, static_cast<std::size_t>(at - start)});
  }
}

Fields split_commas(std::string_view line) {
  Fields fields;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (true) {
    const char* comma = std::find(at, end, ',');
    const char* last = comma;
    while (at != last && is_blank(*at)) ++at;
    while (last != at && is_blank(last[-1])) --last;
    fields.add({at, static_cast<std::size_t>(last - at)});
    if (comma == end) return fields;
    at = comma + 1;
  }
}

bool is_column_names(const Fields& fields) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_name = [&](std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
      return is_letter(c) || c == '_' || is_blank(c);
    });
  };
  return fields.size() >= 5 && is_name(fields[0]) && is_name(fields[1]) && is_name(fields[2]);
}

bool LineSource::next(std::string_view& line) {
  const InputBuffer::Line kind = in_.take_line(text_);
  if (kind == InputBuffer::Line::kNone) {
    text_ = {};
    return false;
  }
  ++line_;
  if (kind == InputBuffer::Line::kUnended && last_ == LastLine::kMustEnd) {
    fail("line end", "the file stops in the middle of a line",
         "it is truncated: fetch it again, or end the last line");
  }
  if (kind == InputBuffer::Line::kTooLong) {
    fail("line", fmt::format("more than {} characters", InputBuffer::kMostPeekBytes),
         "is this a trace? correct the line");
  }
  if (!text_.empty() && text_.back() == '\r') text_.remove_suffix(1);
  line = text_;
  return true;
}

std::string LineSource::describe(std::string_view field, std::string_view problem,
                                 std::string_view remedy) const {
  return fmt::format("{}:{}: {}: {}; {} (the line: '{}')", file_, line_, field, problem, remedy,
                     printable(text_));
}

std::uint64_t parse_integer(const LineSource& at, std::string_view field, std::string_view text,
                            std::uint64_t most, int base) {
  std::uint64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (result.ec == std::errc() && result.ptr == text.data() + text.size() && value <= most) {
    return value;
  }
  at.fail(field, fmt::format("'{}' is not a whole number up to {}", printable(text, 40), most),
          "correct the line");
}

Int128 parse_clock(const LineSource& at, std::string_view field, std::string_view text,
                   Picoseconds unit) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = point < text.size() ? text.substr(point + 1) : "";
  const bool ends_in_point = point + 1 == text.size();
  if (whole.empty() || ends_in_point || !is_digits(whole) || !is_digits(fraction)) {
    at.fail(field, fmt::format("'{}' is not a time", printable(text, 40)),
            "write a decimal number, 0 or more, as in 5 or 0.5");
  }
  Int128 time = Int128{parse_integer(at, field, whole, INT64_MAX)} * unit;
  for (const char digit : fraction) {
    if (unit % 10 != 0 && digit != '0') {
      at.fail(field, fmt::format("'{}' has digits below a picosecond", printable(text, 40)),
              "round it");
    }
    unit /= 10;
    time += (digit - '0') * unit;
  }
  return time;
}

Picoseconds parse_time(const LineSource& at, std::string_view field, std::string_view text,
                       Picoseconds unit) {
  const Int128 time = parse_clock(at, field, text, unit);
  if (time > kLongestTime) {
    at.fail(field, fmt::format("'{}' is more than 30 days", printable(text, 40)),
            "correct the line");
  }
  return static_cast<Picoseconds>(time);
}

std::optional<Operation> operation_of_word(std::string_view word) {
  if (word == "R" || word == "r" || word == "Read" || word == "read" || word == "READ") {
    return Operation::kRead;
  }
  if (word == "W" || word == "w" || word == "Write" || word == "write" || word == "WRITE") {
    return Operation::kWrite;
  }
  return std::nullopt;
}

RawItem TextReader::next(RawRequest& raw) {
  std::string_view text;
  while (lines_.next(text)) {
    const Fields fields = layout_.separator == ',' ? split_commas(text) : split_blanks(text);
    if (text.empty() || fields.empty()) continue;
    if (lines_.line() == 1 && layout_.separator == ',' && is_column_names(fields)) continue;
    if (fields.size() < layout_.least || fields.size() > layout_.most) {
      fail("fields", fmt::format("{} of {}", fields.size(), layout_.least),
           fmt::format("a line is: {}", layout_.form));
    }
    raw = RawRequest{};
    if (take(fields, raw)) return RawItem::kRequest;
  }
  return RawItem::kEnd;
}

}  // namespace headstack::traces
