// SPDX-License-Identifier: Apache-2.0
// FIU (SNIA IOTTA 390, I/O deduplication): `time_ns pid process lba sectors R|W major minor md5`,
// sectors of 512 bytes. A process's name may have blanks, so fields count from the line's end.
#include <fmt/format.h>

#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

constexpr Picoseconds kNanosecond = 1000;

class FiuReader : public TextReader {
 public:
  FiuReader(InputBuffer& in, const std::string& file)
      : TextReader(in, file,
                   {' ', 9, Fields::kMost, "time_ns pid process lba sectors R|W major minor md5"}) {
    header_.source = "FIU trace";
  }

 private:
  bool take(const Fields& fields, RawRequest& raw) override {
    const std::size_t end = fields.size();
    raw.time = Int128{parse_integer(at(), "time_ns", fields[0], INT64_MAX)} * kNanosecond;
    const auto operation = operation_of_word(fields[end - 4]);
    if (!operation) {
      fail("type", fmt::format("'{}' is not known", printable(fields[end - 4], 40)), "use R or W");
    }
    raw.request.operation = *operation;
    parse_integer(at(), "major", fields[end - 3], UINT32_MAX);
    parse_integer(at(), "minor", fields[end - 2], UINT32_MAX);
    device_.assign(fields[end - 3]).append(",").append(fields[end - 2]);
    raw.device = device_;
    return set_blocks(raw, parse_integer(at(), "lba", fields[end - 6], kLargestLba),
                      parse_integer(at(), "sectors", fields[end - 5], kMostBlocks));
  }

  std::string device_;
};

bool detect(const TraceSample& sample) {
  const Fields& words = sample.words();
  const std::size_t end = words.size();
  return end >= 9 && end <= Fields::kMost && is_number(words[0]) && is_number(words[1]) &&
         is_number(words[end - 6]) && is_number(words[end - 5]) &&
         operation_of_word(words[end - 4]).has_value() && is_number(words[end - 3]) &&
         is_number(words[end - 2]);
}

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<FiuReader>(in, file);
}

}  // namespace

const TraceFormat kFiuFormat = {"fiu",
                                "FIU: time_ns pid process lba sectors R|W major minor md5",
                                "major,minor",
                                "",
                                TimeBase::kFirstRequest,
                                1024,
                                detect,
                                open};

}  // namespace headstack::traces
