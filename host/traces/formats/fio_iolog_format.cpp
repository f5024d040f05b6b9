// SPDX-License-Identifier: Apache-2.0
// Logs of fio's I/O (fio's manual, "Trace file format v2" and "v3"):
//
//     fio version 2 iolog          fio version 3 iolog
//     /dev/sda add                 0 /dev/sda add
//     /dev/sda open                0 /dev/sda open
//     /dev/sda read 8192 4096      1840 /dev/sda read 8192 4096
//     /dev/sda wait 500 0
//
// Offsets and lengths are in bytes. Version 3 puts microseconds in front. Version 2 has times only
// in waits: microseconds since the previous wait. fio itself writes no waits, so a log without one
// at its beginning is a closed loop. A later wait is then an error.
#include <fmt/format.h>

#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

constexpr std::string_view kVersion2 = "fio version 2 iolog";
constexpr std::string_view kVersion3 = "fio version 3 iolog";

class FioIologReader : public LineReader {
 public:
  FioIologReader(InputBuffer& in, const std::string& file) : LineReader(in, file) {
    const bool waits =
        in.peek(InputBuffer::kMostPeekBytes).find(" wait ") != std::string_view::npos;
    std::string_view text;
    if (!lines_.next(text) || (text != kVersion2 && text != kVersion3)) {
      fail("version", "not one that is known", fmt::format("start with '{}'", kVersion3));
    }
    version_3_ = text == kVersion3;
    header_.source = text;
    if (!version_3_ && !waits) header_.loop = Loop::kClosed;
  }

  RawItem next(RawRequest& raw) override {
    std::string_view text;
    while (lines_.next(text)) {
      const Fields fields = split_blanks(text);
      if (!fields.empty() && take(fields, raw)) return RawItem::kRequest;
    }
    return RawItem::kEnd;
  }

 private:
  bool take(const Fields& fields, RawRequest& raw) {
    const std::size_t file = version_3_ ? 1 : 0;
    if (fields.size() != file + 2 && fields.size() != file + 4) {
      fail("fields", fmt::format("{} of {}", fields.size(), file + 4),
           version_3_ ? "a line is: microseconds file action [offset length]"
                      : "a line is: file action [offset length]");
    }
    const std::string_view action = fields[file + 1];
    const bool extent = fields.size() == file + 4;
    raw = RawRequest{};
    if (version_3_) {
      now_ = parse_clock(lines_, "timestamp", fields[0], kPicosecondsPerMicrosecond);
    }
    raw.time = now_;
    device_.assign(fields[file]);
    raw.device = device_;
    if (action == "add" || action == "open" || action == "close") return false;
    if (action == "sync" || action == "datasync") {
      raw.request.operation = Operation::kFlush;
      return true;
    }
    if (action == "wait" && extent && !version_3_) return wait(fields[file + 2]);
    const auto operation = operation_of_word(action);
    if (!operation) {
      skip(printable(action, 20));
      return false;
    }
    if (!extent) fail("offset", "missing", "a read or write has offset and length");
    raw.request.operation = *operation;
    return set_bytes(raw, parse_integer(lines_, "offset", fields[file + 2], INT64_MAX),
                     parse_integer(lines_, "length", fields[file + 3], INT64_MAX));
  }

  /// Handles a wait. It is no request, so the result is always false.
  bool wait(std::string_view microseconds) {
    if (header_.loop == Loop::kClosed) {
      fail("wait", fmt::format("the first comes after {} bytes", InputBuffer::kMostPeekBytes),
           "put a line 'FILE wait 0 0' at the beginning");
    }
    now_ += parse_time(lines_, "wait", microseconds, kPicosecondsPerMicrosecond);
    return false;
  }

  bool version_3_ = false;
  Int128 now_ = 0;
  std::string device_;
};

bool detect(const TraceSample& sample) {
  const std::string_view start = sample.bytes().substr(0, kVersion2.size());
  return start == kVersion2 || start == kVersion3;
}

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<FioIologReader>(in, file);
}

}  // namespace

const TraceFormat kFioIologFormat = {
    "fio", "fio iolog, versions 2 and 3", "file", "", TimeBase::kAsWritten, 0, detect, open};

}  // namespace headstack::traces
