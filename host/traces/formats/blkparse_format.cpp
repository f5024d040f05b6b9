// SPDX-License-Identifier: Apache-2.0
// What blkparse prints by default, one event a line:
//
//     8,0  3  7  0.000142233  697  D  W 223490 + 8 [kjournald]
//
// device, cpu, sequence, seconds, process, action, kind, sector + sectors. A request is what the
// driver gets (D) or, as an option, what a program queues (Q). Its completion (C) gives the service
// time, and a requeue (R) withdraws an issue until the next one. A write with an F after its W has
// forced unit access. Lines that do not begin with a device are blkparse's summary, and counted as
// skipped.
#include <fmt/format.h>

#include "host/traces/block_events.hpp"
#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

/// What the letters of a kind (RWBS) mean.
struct Kind {
  std::optional<Operation> operation;  // nothing: no counterpart here
  bool forced = false;                 // forced unit access
};

Kind parse_kind(std::string_view letters) {
  Kind kind;
  std::size_t at = 0;
  const bool flush_before = !letters.empty() && letters[0] == 'F';
  if (flush_before) ++at;
  const char letter = at < letters.size() ? letters[at] : 'N';
  if (letter == 'R') kind.operation = Operation::kRead;
  if (letter == 'W') kind.operation = Operation::kWrite;
  // FN, FF, F and FS are only a flush. A write or discard after the F has a flush before it.
  if (flush_before && !kind.operation && letter != 'D') kind.operation = Operation::kFlush;
  if (kind.operation == Operation::kWrite) {
    kind.forced = letters.find('F', at + 1) != std::string_view::npos;
  }
  return kind;
}

bool is_device(std::string_view word) {
  const std::size_t comma = word.find(',');
  return comma != std::string_view::npos && is_number(word.substr(0, comma)) &&
         is_number(word.substr(comma + 1));
}

class BlkparseReader : public LineReader {
 public:
  BlkparseReader(InputBuffer& in, const std::string& file) : LineReader(in, file) {
    header_.source = "blkparse";
    header_.has_service = true;
  }

  RawItem next(RawRequest& raw) override {
    std::string_view text;
    while (lines_.next(text)) {
      const Fields fields = split_blanks(text);
      if (fields.empty()) continue;
      if (!is_device(fields[0])) {
        skip("line without an event");
        continue;
      }
      RawItem item = RawItem::kEnd;
      if (take(fields, raw, item)) return item;
    }
    return RawItem::kEnd;
  }

  bool choose_events(BlockEvent event) override {
    events_.choose(event);
    return true;
  }
  std::vector<EventCount> events() const override { return events_.counts(); }

 private:
  bool take(const Fields& fields, RawRequest& raw, RawItem& item) {
    if (fields.size() < 6) {
      fail("fields", fmt::format("{} of 6 or more", fields.size()),
           "a line is: major,minor cpu sequence seconds process action kind sector + sectors");
    }
    const char action = fields[5].size() == 1 ? fields[5].front() : '\0';
    events_.count(action);
    const bool begins = events_.begins(action);
    if (!begins && !events_.ends(action) && !events_.withdraws(action)) return false;
    if (fields.size() < 7) fail("kind", "missing", "correct the line");
    const Kind kind = parse_kind(fields[6]);
    const bool extent = fields.size() >= 10 && fields[8] == "+";
    if (!kind.operation || (*kind.operation != Operation::kFlush && !extent)) {
      if (begins)
        skip(kind.operation ? "passed-through command"
                            : fmt::format("kind {}", printable(fields[6], 8)));
      return false;
    }
    raw = RawRequest{};
    raw.time = parse_clock(lines_, "seconds", fields[3], kPicosecondsPerSecond);
    device_.assign(fields[0]);
    raw.device = device_;
    raw.request.operation = *kind.operation;
    const std::uint64_t sector =
        extent ? parse_integer(lines_, "sector", fields[7], kLargestLba) : 0;
    raw.tag = block_event_tag(sector, *kind.operation);
    item = begins                 ? RawItem::kRequest
           : events_.ends(action) ? RawItem::kCompletion
                                  : RawItem::kWithdrawal;
    if (!begins || *kind.operation == Operation::kFlush) return true;
    if (!set_blocks(raw, sector, parse_integer(lines_, "sectors", fields[9], kMostBlocks))) {
      return false;
    }
    raw.forced = kind.forced;
    return true;
  }

  std::string device_;
  BlockEvents events_;
};

bool detect(const TraceSample& sample) {
  const Fields& words = sample.words();
  return words.size() >= 6 && is_device(words[0]) && is_number(words[1]) && is_number(words[2]) &&
         is_decimal(words[3]) && is_number(words[4]);
}

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<BlkparseReader>(in, file);
}

}  // namespace

const TraceFormat kBlkparseFormat = {
    "blkparse",
    "output of blkparse: lines with action D, or Q with --events queue",
    "major,minor",
    "from issue (D), or queueing (Q), to completion (C)",
    TimeBase::kFirstRequest,
    4096,
    detect,
    open};

}  // namespace headstack::traces
