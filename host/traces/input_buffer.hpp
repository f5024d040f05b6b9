// Bytes of a trace, in order, without seeking: lines, records, and a look at what comes next.
//
// Memory is constant, whatever the size of the file. A view stays valid until the next call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <string_view>

namespace headstack::traces {

/// Where bytes come from.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// At least 1 and at most `most` bytes; 0 at the end. Throws TraceError where reading fails.
  virtual std::size_t read(char* to, std::size_t most) = 0;
};

/// A file, a pipe, or ("-") standard input. Throws TraceError when it cannot be opened.
std::unique_ptr<ByteSource> open_file(const std::string& file);

/// A stream that outlives what is returned.
std::unique_ptr<ByteSource> from_stream(std::istream& in);

class InputBuffer {
 public:
  static constexpr std::size_t kMostPeekBytes = 1 << 16;  // the longest line, too

  enum class Line {
    kWhole,    // without its LF
    kUnended,  // the last, and no LF behind it
    kTooLong,  // longer than kMostPeekBytes; its beginning, and all of it is taken
    kNone      // the end of the file
  };

  explicit InputBuffer(std::unique_ptr<ByteSource> source);

  /// What comes next, `bytes` of it; fewer only at the end.
  std::string_view peek(std::size_t bytes);
  /// Passes over bytes that peek() has shown.
  void take(std::size_t bytes);
  /// Takes a line.
  Line take_line(std::string_view& line);

  /// Bytes taken so far.
  std::uint64_t offset() const { return offset_; }
  /// Whether a line was taken that had no LF.
  bool has_unended_line() const { return has_unended_line_; }

 private:
  bool fill();
  void drop_line();

  std::unique_ptr<ByteSource> source_;
  std::unique_ptr<char[]> bytes_;  // not zeroed: a fresh page costs more than what is read into it
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
  bool at_end_ = false;
  bool has_unended_line_ = false;
  std::string long_line_;
};

}  // namespace headstack::traces
