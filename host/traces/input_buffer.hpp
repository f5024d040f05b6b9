// SPDX-License-Identifier: Apache-2.0
// The bytes of a trace, in order and without seeking: lines, records, and a preview of the next
// bytes.
//
// Memory does not depend on the file's size. A view stays valid until the next call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <string_view>

namespace headstack::traces {

/// A source of bytes.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Reads at least 1 and at most `most` bytes. Returns 0 at the end. Throws TraceError if reading
  /// fails.
  virtual std::size_t read(char* to, std::size_t most) = 0;
};

/// A source from a file, a pipe, or standard input ("-"). Throws TraceError when it cannot be
/// opened.
std::unique_ptr<ByteSource> open_file(const std::string& file);

/// A source from a stream, which must outlive it.
std::unique_ptr<ByteSource> from_stream(std::istream& in);

/// A source from a text, which it owns.
std::unique_ptr<ByteSource> from_text(std::string text);

class InputBuffer {
 public:
  static constexpr std::size_t kMostPeekBytes = 1 << 16;  // also the longest line

  enum class Line {
    kWhole,    // a whole line, shown without its LF
    kUnended,  // last line, without an LF
    kTooLong,  // longer than kMostPeekBytes: the view is its beginning, and all of it is skipped
    kNone      // end of the file
  };

  explicit InputBuffer(std::unique_ptr<ByteSource> source);

  /// The next `bytes` bytes, without skipping them. There are fewer only at the end.
  std::string_view peek(std::size_t bytes);
  /// Skips bytes that peek() has returned.
  void take(std::size_t bytes);
  /// Reads a line, and skips it.
  Line take_line(std::string_view& line);

  /// Number of bytes that have been skipped.
  std::uint64_t offset() const { return offset_; }
  /// Whether the last line was read and had no LF.
  bool has_unended_line() const { return has_unended_line_; }

 private:
  bool fill();
  void drop_line();

  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<char[]> bytes_;  // not zeroed: a new page costs more than reading into it
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
  bool at_end_ = false;
  bool has_unended_line_ = false;
  std::string long_line_;
};

}  // namespace headstack::traces
