// SPDX-License-Identifier: Apache-2.0
// Reads lines and fields of a text trace, and describes their places for error messages.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/traces/format_reader.hpp"
#include "host/traces/input_buffer.hpp"

namespace headstack::traces {

/// Text of a trace for a message: at most `most` characters on one line, all printable.
std::string printable(std::string_view text, std::size_t most = 80);

/// The fields of a line. Those after the 24th are only counted.
class Fields {
 public:
  static constexpr std::size_t kMost = 24;
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view operator[](std::size_t index) const { return parts_[index]; }
  void add(std::string_view part) {
    if (size_ < kMost) parts_[size_] = part;
    ++size_;
  }

 private:
  std::array<std::string_view, kMost> parts_;
  std::size_t size_ = 0;
};

Fields split_blanks(std::string_view line);
/// Splits a line at commas, and removes blanks around the fields.
Fields split_commas(std::string_view line);

/// Whether the fields are names of columns: words without digits, as on the first line of some
/// published tables.
bool is_column_names(const Fields& fields);

/// Whether the last line may lack a newline. Published tables often end in this way; such a line
/// with all its fields is accepted (TraceCounts reports it). In headstack's own format it means
/// that the file is truncated.
enum class LastLine { kMayBeUnended, kMustEnd };

/// The lines of one file, numbered from 1.
class LineSource {
 public:
  LineSource(InputBuffer& in, std::string file, LastLine last = LastLine::kMayBeUnended)
      : in_(in), file_(std::move(file)), last_(last) {}

  /// Reads the next line, without its end (LF or CRLF). Returns false at the end. Throws BadRecord.
  bool next(std::string_view& line);
  std::uint64_t line() const { return line_; }

  std::string describe(std::string_view field, std::string_view problem,
                       std::string_view remedy) const;
  [[noreturn]] void fail(std::string_view field, std::string_view problem,
                         std::string_view remedy) const {
    throw BadRecord(describe(field, problem, remedy));
  }

 private:
  InputBuffer& in_;
  std::string file_;
  LastLine last_;
  std::uint64_t line_ = 0;
  std::string_view text_;  // text of the present line, for errors
};

/// A whole number in `base`, at most `most`.
std::uint64_t parse_integer(const LineSource& at, std::string_view field, std::string_view text,
                            std::uint64_t most, int base = 10);

/// An exact decimal number of units of `unit` picoseconds (a power of ten). Digits below a
/// picosecond must be zero. Suits any clock: up to 2^63 - 1 units.
Int128 parse_clock(const LineSource& at, std::string_view field, std::string_view text,
                   Picoseconds unit);

/// Parses as parse_clock() does a time after the trace's start, or between two events, of at most
/// kLongestTime.
Picoseconds parse_time(const LineSource& at, std::string_view field, std::string_view text,
                       Picoseconds unit);

/// The operation of the words R, r, Read, read, READ, and the same for a write; nothing for any
/// other word.
std::optional<Operation> operation_of_word(std::string_view word);

/// A reader of a format that consists of lines.
class LineReader : public FormatReader {
 public:
  LineReader(InputBuffer& in, const std::string& file, LastLine last = LastLine::kMayBeUnended)
      : lines_(in, file, last) {}
  std::uint64_t line() const override { return lines_.line(); }
  std::string describe(std::string_view field, std::string_view problem,
                       std::string_view remedy) const override {
    return lines_.describe(field, problem, remedy);
  }

 protected:
  LineSource lines_;
};

/// A reader of a format with one request per line.
class TextReader : public LineReader {
 public:
  struct Layout {
    char separator;           // ',' or ' '
    std::size_t least, most;  // permitted numbers of fields
    const char* form;         // names of the fields, for the error message
  };

  TextReader(InputBuffer& in, const std::string& file, const Layout& layout)
      : LineReader(in, file), layout_(layout) {}
  RawItem next(RawRequest& raw) override;

 protected:
  /// Fills in a request from a line. Returns false if the line is no request.
  virtual bool take(const Fields& fields, RawRequest& raw) = 0;
  const LineSource& at() const { return lines_; }

 private:
  Layout layout_;
};

}  // namespace headstack::traces
