// SPDX-License-Identifier: Apache-2.0
// The log of nbdkit's log filter: one line when a request arrives, and one when it completes.
//
//     2026-11-20 23:33:28.424242 connection=1 Write id=7 offset=0x1000 count=0x2000 fua=0 ...
//     2026-11-20 23:33:28.425000 connection=1 ...Write id=7 return=0
//
// Reads, writes and flushes become requests at their arrival; completions give their service times.
// A write with fua=1 has forced unit access. Trim, zero and other requests transfer no data and
// have no counterpart here: they are counted as skipped. Lines that are no requests are ignored.
#include <fmt/format.h>

#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

constexpr Picoseconds kDay = 86'400 * kPicosecondsPerSecond;

bool looks_like_date(std::string_view text) {
  return text.size() == 10 && text[4] == '-' && text[7] == '-' && is_number(text.substr(0, 4));
}

class NbdkitReader : public LineReader {
 public:
  NbdkitReader(InputBuffer& in, const std::string& file) : LineReader(in, file) {
    header_.source = "nbdkit log filter";
    header_.has_service = true;
  }

  RawItem next(RawRequest& raw) override {
    std::string_view text;
    while (lines_.next(text)) {
      RawItem item = RawItem::kEnd;
      if (take(split_blanks(text), raw, item)) return item;
    }
    return RawItem::kEnd;
  }

 private:
  /// Takes a line "date time connection=N Operation key=value ...".
  bool take(const Fields& fields, RawRequest& raw, RawItem& item) {
    if (fields.size() < 4 || fields[2].rfind("connection=", 0) != 0) return false;
    const bool complete = fields[3].rfind("...", 0) == 0;
    const std::string_view word = complete ? fields[3].substr(3) : fields[3];
    const auto operation = word == "Flush" ? Operation::kFlush : operation_of_word(word);
    if (!operation) {
      if (!complete && !value_of(fields, "id").empty()) skip(printable(word, 20));
      return false;
    }
    raw = RawRequest{};
    raw.time = time_of(fields[0], fields[1]);
    raw.tag = tag_of(fields);
    if (complete) {
      item = RawItem::kCompletion;
      return true;
    }
    item = RawItem::kRequest;
    raw.request.operation = *operation;
    if (*operation == Operation::kFlush) return true;
    if (!set_bytes(raw, bytes_of(fields, "offset"), bytes_of(fields, "count"))) return false;
    raw.forced = *operation == Operation::kWrite && value_of(fields, "fua") == "1";
    return true;
  }

  std::uint64_t bytes_of(const Fields& fields, std::string_view key) const {
    const std::string_view text = value_of(fields, key);
    if (text.rfind("0x", 0) != 0) fail(key, "missing", "correct the line");
    return parse_integer(lines_, key, text.substr(2), INT64_MAX, 16);
  }

  /// The tag of a request, never 0. Requests are numbered within their connection.
  std::uint64_t tag_of(const Fields& fields) const {
    const std::string_view connection = fields[2].substr(std::string_view("connection=").size());
    return (parse_integer(lines_, "connection", connection, UINT32_MAX) << 32 |
            parse_integer(lines_, "id", value_of(fields, "id"), UINT32_MAX)) +
           1;
  }

  static std::string_view value_of(const Fields& fields, std::string_view key) {
    for (std::size_t i = 0; i < std::min(fields.size(), Fields::kMost); ++i) {
      const std::string_view field = fields[i];
      if (field.size() > key.size() && field.rfind(key, 0) == 0 && field[key.size()] == '=') {
        return field.substr(key.size() + 1);
      }
    }
    return "";
  }

  /// The time of a line. Times of day continue over midnight: a later date is the next day.
  Int128 time_of(std::string_view date, std::string_view time) {
    if (!looks_like_date(date) || time.size() < 9 || time[2] != ':' || time[5] != ':') {
      fail("time", fmt::format("'{}' is not a time of day", printable(time, 40)),
           "correct the line");
    }
    const auto part = [&](std::size_t at, std::uint64_t most) {
      return static_cast<Picoseconds>(parse_integer(lines_, "time", time.substr(at, 2), most));
    };
    const Picoseconds minutes = part(0, 23) * 60 + part(3, 59);
    const Picoseconds seconds = parse_time(lines_, "time", time.substr(6), kPicosecondsPerSecond);
    if (!date_.empty() && date > date_) days_ += 1;
    const bool before_midnight = date < date_;  // a line that was written late
    if (date > date_) date_ = std::string(date);
    return Int128{days_ - (before_midnight ? 1 : 0)} * kDay +
           Int128{minutes} * 60 * kPicosecondsPerSecond + seconds;
  }

  std::string date_;
  Picoseconds days_ = 0;
};

bool detect(const TraceSample& sample) {
  const Fields& words = sample.words();
  return words.size() >= 3 && looks_like_date(words[0]) && words[1].size() >= 8 &&
         words[1][2] == ':';
}

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<NbdkitReader>(in, file);
}

}  // namespace

const TraceFormat kNbdkitFormat = {"nbdkit",
                                   "log of nbdkit's log filter",
                                   "",
                                   "from the request's line to its completion's",
                                   TimeBase::kFirstRequest,
                                   1024,
                                   detect,
                                   open};

}  // namespace headstack::traces
