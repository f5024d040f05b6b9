// SPDX-License-Identifier: Apache-2.0
// Validation traces of DiskSim: `R|W Hit|Miss|Doub|Trip block blocks service_us think_us`. The
// service time was measured on the real drive. The next request follows think_us after the end of
// this one. The second word, what the real drive's cache did, is checked and not kept.
#include <fmt/format.h>

#include <algorithm>

#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

constexpr std::string_view kCacheWords[] = {"Hit", "Miss", "Doub", "Trip"};

bool is_cache_word(std::string_view word) {
  return std::find(std::begin(kCacheWords), std::end(kCacheWords), word) != std::end(kCacheWords);
}

class DiskSimValidateReader : public TextReader {
 public:
  DiskSimValidateReader(InputBuffer& in, const std::string& file)
      : TextReader(in, file,
                   {' ', 6, 6, "R|W Hit|Miss|Doub|Trip block blocks service_us think_us"}) {
    header_.source = "DiskSim validation trace";
    header_.loop = Loop::kThink;
    header_.has_think = true;
    header_.has_service = true;
  }

 private:
  bool take(const Fields& fields, RawRequest& raw) override {
    if (fields[0] != "R" && fields[0] != "W")
      fail("operation", "neither R nor W", "correct the line");
    if (!is_cache_word(fields[1])) {
      fail("cache", fmt::format("'{}' is not known", printable(fields[1], 40)),
           "use Hit, Miss, Doub or Trip");
    }
    raw.request.operation = fields[0] == "R" ? Operation::kRead : Operation::kWrite;
    raw.request.service = parse_time(at(), "service_us", fields[4], kPicosecondsPerMicrosecond);
    raw.request.think = parse_time(at(), "think_us", fields[5], kPicosecondsPerMicrosecond);
    return set_blocks(raw, parse_integer(at(), "block", fields[2], kLargestLba),
                      parse_integer(at(), "blocks", fields[3], kMostBlocks));
  }
};

bool detect(const TraceSample& sample) {
  const Fields& words = sample.words();
  return words.size() == 6 && (words[0] == "R" || words[0] == "W") && is_cache_word(words[1]);
}

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<DiskSimValidateReader>(in, file);
}

}  // namespace

const TraceFormat kDiskSimValidateFormat = {
    "disksim-validate",
    "DiskSim validation: R|W Hit|Miss|Doub|Trip block blocks service_us think_us",
    "",
    "measured on the real drive",
    TimeBase::kAsWritten,
    0,
    detect,
    open};

}  // namespace headstack::traces
