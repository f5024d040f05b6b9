// Lines and fields of a text trace, read with their place for the error message.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "host/replay/trace.hpp"

namespace headstack::replay {

/// The lines of one file, numbered from 1. A last line without a newline is a truncated file.
class LineSource {
 public:
  LineSource(std::istream& in, std::string file) : in_(in), file_(std::move(file)) {}

  /// The next line without its end (LF or CRLF); false at the end.
  bool next(std::string& line);
  std::uint64_t line() const { return line_; }

  [[noreturn]] void fail(std::string_view field, const std::string& problem,
                         const std::string& remedy) const;

 private:
  std::istream& in_;
  std::string file_;
  std::uint64_t line_ = 0;
};

std::vector<std::string_view> split_fields(std::string_view line);

/// A whole number in `base`, at most `most`.
std::uint64_t parse_integer(const LineSource& at, std::string_view field, std::string_view text,
                            std::uint64_t most, int base = 10);

/// A decimal number of units of `unit` picoseconds (a power of ten), exactly. Digits below a
/// picosecond must be zero.
Picoseconds parse_time(const LineSource& at, std::string_view field, std::string_view text,
                       Picoseconds unit);

}  // namespace headstack::replay
