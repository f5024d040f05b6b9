// SPDX-License-Identifier: Apache-2.0
#include "host/traces/decompress.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "host/traces/trace.hpp"

namespace headstack::traces {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::size_t at;
  std::string_view bytes;
};
// First bytes of the formats: RFC 1952, bzip2's manual, .xz file format 2.1.1.1, RFC 8878, POSIX
// ustar.
constexpr std::string_view kGzipMagic = "\x1F\x8B"sv;
constexpr Magic kMagics[] = {{0, kGzipMagic},
                             {0, "BZh"sv},
                             {0,
                              "\xFD"
                              "7zXZ\0"sv},
                             {0, "\x28\xB5\x2F\xFD"sv},
                             {257, "ustar"sv}};
constexpr std::size_t kMagicBytes = 262;

bool is_packed(std::string_view head) {
  for (const Magic& magic : kMagics) {
    if (head.size() >= magic.at && head.substr(magic.at, magic.bytes.size()) == magic.bytes) {
      return true;
    }
  }
  return false;
}

TraceError damaged(const std::string& file, const std::string& why) {
  return TraceError(fmt::format("{}: damaged or truncated ({}); fetch it again", file, why));
}

/// A gzip file with one or more members. zlib verifies the checksum and the length at each member's
/// end, which libarchive ignores.
class GzipSource : public ByteSource {
 public:
  GzipSource(std::unique_ptr<InputBuffer> in, std::string file)
      : in_(std::move(in)), file_(std::move(file)) {
    constexpr int kGzipAlone = 16;  // accepts only gzip: zlib.h, inflateInit2()
    if (inflateInit2(&stream_, kGzipAlone + MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~GzipSource() override { inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  std::size_t read(char* to, std::size_t most) override {
    const auto room =
        static_cast<uInt>(std::min<std::size_t>(most, std::numeric_limits<uInt>::max()));
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = room;
    while (!at_end_ && stream_.avail_out == room) unpack();
    return room - stream_.avail_out;
  }

 private:
  /// Unpacks until there is some output, the present input is used up, or a member ends.
  void unpack() {
    const std::string_view packed = in_->peek(InputBuffer::kMostPeekBytes);
    // zlib does not write there; its type is older than `const`.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    in_->take(packed.size() - stream_.avail_in);
    if (result == Z_STREAM_END) return next_member();
    if (result == Z_BUF_ERROR) throw damaged(file_, "its end is missing");
    if (result != Z_OK) {
      throw damaged(file_, stream_.msg != nullptr ? stream_.msg : zError(result));
    }
  }

  /// Begins the next member. If none follows, only zeros may, with which tapes and disks are
  /// padded.
  void next_member() {
    std::string_view rest = in_->peek(InputBuffer::kMostPeekBytes);
    if (rest.substr(0, kGzipMagic.size()) == kGzipMagic) {
      inflateReset(&stream_);
      return;
    }
    for (; !rest.empty(); rest = in_->peek(InputBuffer::kMostPeekBytes)) {
      if (rest.find_first_not_of('\0') != std::string_view::npos) {
        throw damaged(file_, "what stands after its end is not gzip");
      }
      in_->take(rest.size());
    }
    at_end_ = true;
  }

  std::unique_ptr<InputBuffer> in_;
  std::string file_;
  z_stream stream_{};
  bool at_end_ = false;
};

class ArchiveSource : public ByteSource {
 public:
  ArchiveSource(std::unique_ptr<InputBuffer> in, std::string file)
      : in_(std::move(in)), file_(std::move(file)), archive_(archive_read_new()) {
    archive_read_support_filter_gzip(archive_.get());
    archive_read_support_filter_bzip2(archive_.get());
    archive_read_support_filter_xz(archive_.get());
    archive_read_support_filter_zstd(archive_.get());
    archive_read_support_format_tar(archive_.get());
    archive_read_support_format_raw(archive_.get());
    archive_read_support_format_empty(archive_.get());
    check(archive_read_open(archive_.get(), this, nullptr, read_packed, nullptr));
    next_file();
  }

  std::size_t read(char* to, std::size_t most) override {
    while (!at_end_) {
      const la_ssize_t got = archive_read_data(archive_.get(), to, most);
      if (got > 0) return static_cast<std::size_t>(got);
      if (got < 0) check(static_cast<int>(got));
      const std::string first = name_;
      if (next_file()) {
        throw TraceError(
            fmt::format("{}: holds several files, '{}' and '{}' and maybe more; unpack it and name "
                        "the one to read",
                        file_, first, name_));
      }
    }
    return 0;
  }

 private:
  struct Closer {
    void operator()(archive* open) const { archive_read_free(open); }
  };

  /// Goes to the next file with content. Returns false at the end.
  bool next_file() {
    archive_entry* entry = nullptr;
    while (true) {
      const int status = archive_read_next_header(archive_.get(), &entry);
      if (status == ARCHIVE_EOF) {
        at_end_ = true;
        read_to_end();
        return false;
      }
      check(status);
      // A compressed file that is no archive is one entry without a type of its own.
      if (archive_format(archive_.get()) == ARCHIVE_FORMAT_RAW ||
          archive_entry_filetype(entry) == AE_IFREG) {
        const char* name = archive_entry_pathname(entry);
        name_ = name != nullptr ? name : "";
        return true;
      }
    }
  }

  /// Reads the input after an archive's end. It was compressed with the archive, and may be
  /// damaged.
  void read_to_end() {
    in_->take(std::exchange(taken_, 0));
    while (const std::size_t more = in_->peek(InputBuffer::kMostPeekBytes).size()) in_->take(more);
  }

  void check(int status) const {
    if (status == ARCHIVE_OK || status == ARCHIVE_WARN) return;
    if (cause_) throw TraceError(*cause_);
    const char* why = archive_error_string(archive_.get());
    throw damaged(file_, why != nullptr ? why : "no reason given");
  }

  static la_ssize_t read_packed(archive* open, void* self, const void** bytes) {
    auto& in = *static_cast<ArchiveSource*>(self)->in_;
    auto& taken = static_cast<ArchiveSource*>(self)->taken_;
    in.take(taken);
    taken = 0;
    try {
      const std::string_view next = in.peek(InputBuffer::kMostPeekBytes);
      *bytes = next.data();
      taken = next.size();
      return static_cast<la_ssize_t>(taken);
    } catch (const TraceError& error) {  // an exception must not pass through C
      static_cast<ArchiveSource*>(self)->cause_ = error;
      archive_set_error(open, EIO, "%s", error.what());
      return -1;
    }
  }

  std::unique_ptr<InputBuffer> in_;
  std::string file_;
  std::unique_ptr<archive, Closer> archive_;
  std::optional<TraceError> cause_;  // the input's error, if it caused the archive's
  std::size_t taken_ = 0;            // bytes that the archive has taken of those shown last
  std::string name_;
  bool at_end_ = false;
};

}  // namespace

std::unique_ptr<InputBuffer> decompressed(std::unique_ptr<InputBuffer> in,
                                          const std::string& file) {
  if (!is_packed(in->peek(kMagicBytes))) return in;
  if (in->peek(kGzipMagic.size()) == kGzipMagic) {
    in = std::make_unique<InputBuffer>(std::make_unique<GzipSource>(std::move(in), file));
  }
  return std::make_unique<InputBuffer>(std::make_unique<ArchiveSource>(std::move(in), file));
}

}  // namespace headstack::traces
