// SPDX-License-Identifier: Apache-2.0
#include "host/traces/input_buffer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/traces/trace.hpp"

namespace headstack::traces {
namespace {

// Size of the buffer: the most that may be peeked at, and the most that a source gives at once.
constexpr std::size_t kBufferBytes = 2 * InputBuffer::kMostPeekBytes;

/// A file with a position of its own, because forked processes share the descriptor's. Each
/// snapshot of a run continues to read from its own position. A pipe has no position.
class FileSource : public ByteSource {
 public:
  FileSource(int descriptor, std::string file)
      : descriptor_(descriptor),
        file_(std::move(file)),
        place_(is_regular(descriptor) ? ::lseek(descriptor, 0, SEEK_CUR) : -1) {}
  ~FileSource() override {
    if (descriptor_ != STDIN_FILENO) close(descriptor_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t read(char* to, std::size_t most) override {
    while (true) {
      const ssize_t got =
          place_ >= 0 ? ::pread(descriptor_, to, most, place_) : ::read(descriptor_, to, most);
      if (got >= 0 && place_ >= 0) place_ += got;
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) {
        throw TraceError(fmt::format("{}: reading failed: {}", file_, std::strerror(errno)));
      }
    }
  }

 private:
  static bool is_regular(int descriptor) {
    struct stat status = {};
    return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  }

  int descriptor_;
  std::string file_;
  off_t place_;  // position in the file; -1: the descriptor's own
};

class StreamSource : public ByteSource {
 public:
  explicit StreamSource(std::istream& in) : in_(in) {}
  std::size_t read(char* to, std::size_t most) override {
    in_.read(to, static_cast<std::streamsize>(most));
    return static_cast<std::size_t>(in_.gcount());
  }

 private:
  std::istream& in_;
};

class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string text) : text_(std::move(text)) {}
  std::size_t read(char* to, std::size_t most) override {
    const std::size_t count = text_.copy(to, most, at_);
    at_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::string& file) {
  if (file == "-") return std::make_unique<FileSource>(STDIN_FILENO, "standard input");
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    throw TraceError(errno == ENOENT || errno == ENOTDIR
                         ? fmt::format("{}: cannot be read; check that the file exists", file)
                         : fmt::format("{}: cannot be read: {}", file, std::strerror(errno)));
  }
  auto source = std::make_unique<FileSource>(descriptor, file);
  struct stat status = {};
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    throw TraceError(fmt::format("{}: is a folder; name the trace in it", file));
  }
  return source;
}

std::unique_ptr<ByteSource> from_stream(std::istream& in) {
  return std::make_unique<StreamSource>(in);
}

std::unique_ptr<ByteSource> from_text(std::string text) {
  return std::make_unique<TextSource>(std::move(text));
}

InputBuffer::InputBuffer(std::unique_ptr<ByteSource> source)
    : source_(std::move(source)), bytes_(new char[kBufferBytes]) {}

/// Reads more bytes behind those in the buffer. Returns false at the end.
bool InputBuffer::fill() {
  if (at_end_) return false;
  if (end_ == kBufferBytes) {
    std::memmove(bytes_.get(), bytes_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const std::size_t got = source_->read(bytes_.get() + end_, kBufferBytes - end_);
  end_ += got;
  at_end_ = got == 0;
  return !at_end_;
}

std::string_view InputBuffer::peek(std::size_t bytes) {
  while (end_ - begin_ < bytes && fill()) continue;
  return {bytes_.get() + begin_, std::min(bytes, end_ - begin_)};
}

void InputBuffer::take(std::size_t bytes) {
  begin_ += bytes;
  offset_ += bytes;
}

InputBuffer::Line InputBuffer::take_line(std::string_view& line) {
  std::size_t searched = 0;
  while (true) {
    const char* from = bytes_.get() + begin_;
    const std::size_t size = end_ - begin_;
    if (const void* found = std::memchr(from + searched, '\n', size - searched)) {
      const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - from);
      if (length > kMostPeekBytes) break;
      line = {from, length};
      take(length + 1);
      return Line::kWhole;
    }
    searched = size;
    if (size > kMostPeekBytes) break;
    if (fill()) continue;
    if (size == 0) return Line::kNone;
    line = {from, size};
    take(size);
    has_unended_line_ = true;
    return Line::kUnended;
  }
  long_line_.assign(bytes_.get() + begin_, kMostPeekBytes);
  drop_line();
  line = long_line_;
  return Line::kTooLong;
}

void InputBuffer::drop_line() {
  while (true) {
    const char* from = bytes_.get() + begin_;
    if (const void* found = std::memchr(from, '\n', end_ - begin_)) {
      return take(static_cast<std::size_t>(static_cast<const char*>(found) - from) + 1);
    }
    take(end_ - begin_);
    if (!fill()) return;
  }
}

}  // namespace headstack::traces
