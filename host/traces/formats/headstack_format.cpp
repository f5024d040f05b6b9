// SPDX-License-Identifier: Apache-2.0
// headstack's own trace format, versions 1 to 4: see traces/README.md.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

struct TimeUnit {
  std::string_view name;
  Picoseconds unit;
};
constexpr std::array<TimeUnit, 5> kTimeUnits = {{{"ps", 1},
                                                 {"ns", 1'000},
                                                 {"us", kPicosecondsPerMicrosecond},
                                                 {"ms", kPicosecondsPerMillisecond},
                                                 {"s", kPicosecondsPerSecond}}};
constexpr std::string_view kNone = "-";
constexpr std::string_view kOptionsColumn = "options";
constexpr char kOptionJoint = '+';
constexpr const char* kVersion1Columns = "time operation lba blocks deadline";
constexpr std::uint64_t kMostInitiators = 1U << 20;
constexpr int kAnnouncesDeadlines = 4;  // first version in which a column means that some requests
                                        // have deadlines

class HeadstackReader : public LineReader {
 public:
  HeadstackReader(InputBuffer& in, const std::string& file)
      : LineReader(in, file, LastLine::kMustEnd) {
    read_header();
  }

  RawItem next(RawRequest& raw) override {
    std::string_view text;
    while (lines_.next(text)) {
      const Fields fields = split_blanks(text);
      if (fields.empty() || fields[0][0] == '#') continue;
      take(fields, raw);
      return RawItem::kRequest;
    }
    return RawItem::kEnd;
  }

 private:
  using Parse = void (HeadstackReader::*)(std::string_view text, RawRequest& raw) const;
  struct Column {
    std::string_view name;
    int since;  // first version that has the column
    Parse parse;
  };
  static constexpr std::size_t kColumns = 12;
  static const std::array<Column, kColumns> kColumnTable;

  void read_header() {
    std::string_view text;
    if (!lines_.next(text) || text.rfind(kHeadstackMagic, 0) != 0) {
      fail("version", "not a headstack trace", fmt::format("start with '{} 1'", kHeadstackMagic));
    }
    read_version(text);
    set_columns(split_blanks(kVersion1Columns));
    while (lines_.next(text)) {
      const Fields fields = split_blanks(text);
      if (fields.empty() || fields[0][0] == '#') continue;
      if (fields[0] == "requests") return end_header(fields);
      require_first(fields[0]);
      header_line(fields, text);
    }
    fail("requests", "the header does not end", "write 'requests' before the first request");
  }

  void read_version(std::string_view text) {
    const std::string_view version = text.substr(kHeadstackMagic.size());
    if (version.size() != 2 || version[0] != ' ' || version[1] < '1' || version[1] > '4') {
      fail("version", fmt::format("'{}' is not known", printable(text, 40)),
           "this program reads versions 1 to 4");
    }
    version_ = version[1] - '0';
  }

  /// Throws for a key that is given twice, since either value would be a guess.
  void require_first(std::string_view key) {
    if (keys_.insert(std::string(key)).second) return;
    fail(printable(key, 40), "stands twice in the header", "drop one");
  }

  void end_header(const Fields& fields) const {
    if (fields.size() > 1) {
      fail("requests", fmt::format("'{}' after it", printable(fields[1], 40)),
           "write 'requests' alone, and each request on a line of its own");
    }
    if (unit_ == 0) fail("time-unit", "missing", "add a line 'time-unit us' to the header");
    for (const char* name : {"operation", "lba", "blocks"}) require_column(name);
    if (header_.loop == Loop::kOpen) require_column("time");
  }

  void require_column(std::string_view name) const {
    for (std::size_t i = 0; i < column_count_; ++i) {
      if (columns_[i]->name == name) return;
    }
    fail("columns", fmt::format("'{}' is missing", name), "name it");
  }

  void header_line(const Fields& fields, std::string_view text) {
    if (fields[0] == "source") {
      text.remove_prefix(static_cast<std::size_t>(fields[0].data() - text.data()) + 6);
      const std::size_t start = text.find_first_not_of(" \t");
      header_.source = start == std::string_view::npos ? "" : text.substr(start);
      return;
    }
    if (version_ >= 2 && fields[0] == "columns") return set_columns(fields, 1);
    if (fields.size() != 2) fail(printable(fields[0], 40), "needs one value", "write 'key value'");
    if (fields[0] == "block-bytes") {
      header_.block_bytes =
          static_cast<std::uint32_t>(parse_integer(lines_, fields[0], fields[1], 65'536));
      if (header_.block_bytes == 0) fail(fields[0], "0 bytes", "give 1 or more");
    } else if (fields[0] == "time-unit") {
      unit_ = unit_named(fields[1]);
    } else if (fields[0] == "loop") {
      header_.loop = loop_named(fields[1]);
    } else {
      fail(printable(fields[0], 40), "unknown key",
           version_ >= 2 ? "use block-bytes, time-unit, loop, source, columns or requests"
                         : "use block-bytes, time-unit, loop, source or requests");
    }
  }

  Picoseconds unit_named(std::string_view name) const {
    for (const TimeUnit& unit : kTimeUnits) {
      if (unit.name == name) return unit.unit;
    }
    fail("time-unit", fmt::format("'{}' is not known", printable(name, 40)),
         "use ps, ns, us, ms or s");
  }

  Loop loop_named(std::string_view name) const {
    for (const Loop loop : {Loop::kOpen, Loop::kClosed, Loop::kThink}) {
      if (name == to_string(loop) && (version_ >= 2 || loop != Loop::kThink)) return loop;
    }
    fail("loop", fmt::format("'{}' is not known", printable(name, 40)),
         version_ >= 2 ? "use open, closed or think" : "use open or closed");
  }

  void set_columns(const Fields& names, std::size_t first = 0) {
    column_count_ = 0;
    for (std::size_t i = first; i < std::min(names.size(), Fields::kMost); ++i) {
      add_column(names[i]);
    }
    header_.has_initiators = has_column("initiator");
    header_.has_think = has_column("think");
    header_.has_service = has_column("service");
    header_.has_options = version_ == 3 || has_column(kOptionsColumn);
    header_.has_deadlines = version_ >= kAnnouncesDeadlines && has_column("deadline");
    header_.has_classes = has_column("class");
    header_.has_streams = has_column("stream");
    header_.has_priorities = has_column("priority");
  }

  void add_column(std::string_view name) {
    for (const Column& column : kColumnTable) {
      if (column.name != name) continue;
      if (has_column(name)) fail("columns", fmt::format("'{}' twice", name), "name it once");
      if (column.since > version_) {
        fail("columns", fmt::format("'{}' is of version {}", name, column.since),
             fmt::format("begin the trace with '{} {}'", kHeadstackMagic, column.since));
      }
      columns_[column_count_++] = &column;
      return;
    }
    fail("columns", fmt::format("'{}' is not known", printable(name, 40)),
         "use time, operation, lba, blocks, deadline, initiator, think, service, options, class, "
         "stream or priority");
  }

  bool has_column(std::string_view name) const {
    for (std::size_t i = 0; i < column_count_; ++i) {
      if (columns_[i]->name == name) return true;
    }
    return false;
  }

  void take(const Fields& fields, RawRequest& raw) const {
    if (fields.size() != column_count_) {
      std::string names;
      for (std::size_t i = 0; i < column_count_; ++i) {
        names += " " + std::string(columns_[i]->name);
      }
      fail("fields", fmt::format("{} of {}", fields.size(), column_count_), "write:" + names);
    }
    raw = RawRequest{};
    for (std::size_t i = 0; i < column_count_; ++i) (this->*columns_[i]->parse)(fields[i], raw);
    const TraceRequest& request = raw.request;
    const bool flush = request.operation == Operation::kFlush;
    if (flush && (request.blocks != 0 || request.lba != 0)) {
      fail("lba", "a flush has no extent", "write 0 0 for lba and blocks");
    }
    if (!flush && request.blocks == 0) fail("blocks", "0", "a read or write has 1 or more");
    fail_for(find_contradiction(request.operation, request.options));
    if (request.service_class() == ServiceClass::kRealTime && !request.deadline) {
      fail("class", "real-time without a deadline",
           "give it a deadline, or write best-effort or -");
    }
  }

  void parse_arrival(std::string_view text, RawRequest& raw) const {
    if (header_.loop == Loop::kOpen) {
      raw.time = parse_clock(lines_, "time", text, unit_);
    } else if (text != kNone) {
      fail("time", fmt::format("a {} loop has no times", to_string(header_.loop)),
           "write - or make the loop open");
    }
  }
  void parse_operation(std::string_view text, RawRequest& raw) const {
    for (const Operation operation :
         {Operation::kRead, Operation::kWrite, Operation::kFlush, Operation::kVerify}) {
      if (text != operation_letter(operation)) continue;
      if (operation == Operation::kVerify && version_ < 3) break;
      raw.request.operation = operation;
      return;
    }
    fail("operation", fmt::format("'{}' is not known", printable(text, 40)),
         version_ >= 3 ? "use R, W, F or V" : "use R, W or F");
  }
  void parse_lba(std::string_view text, RawRequest& raw) const {
    raw.request.lba = parse_integer(lines_, "lba", text, kLargestLba);
  }
  void parse_blocks(std::string_view text, RawRequest& raw) const {
    raw.request.blocks =
        static_cast<std::uint32_t>(parse_integer(lines_, "blocks", text, kMostBlocks));
  }
  void parse_initiator(std::string_view text, RawRequest& raw) const {
    raw.request.initiator =
        static_cast<std::uint32_t>(parse_integer(lines_, "initiator", text, kMostInitiators - 1));
  }
  void parse_deadline(std::string_view text, RawRequest& raw) const {
    if (text != kNone) raw.request.deadline = parse_time(lines_, "deadline", text, unit_);
  }
  void parse_think(std::string_view text, RawRequest& raw) const {
    if (text != kNone) raw.request.think = parse_time(lines_, "think", text, unit_);
  }
  void parse_service(std::string_view text, RawRequest& raw) const {
    if (text != kNone) raw.request.service = parse_time(lines_, "service", text, unit_);
  }

  void parse_class(std::string_view text, RawRequest& raw) const {
    if (text == kNone) return;
    for (const ServiceClass one : {ServiceClass::kBestEffort, ServiceClass::kRealTime}) {
      if (text != to_string(one)) continue;
      raw.request.urgency.service_class = one;
      return;
    }
    fail("class", fmt::format("'{}' is not known", printable(text, 40)),
         "use real-time, best-effort, or - for what its deadline says");
  }
  void parse_stream(std::string_view text, RawRequest& raw) const {
    if (text == kNone) return;
    raw.request.urgency.stream =
        static_cast<std::uint8_t>(parse_integer(lines_, "stream", text, UINT8_MAX));
  }
  void parse_priority(std::string_view text, RawRequest& raw) const {
    raw.request.urgency.priority = static_cast<std::uint8_t>(
        parse_integer(lines_, "priority", text, Urgency::kLargestPriority));
  }

  void parse_options(std::string_view text, RawRequest& raw) const {
    if (text == kNone) return;
    for (bool more = true; more;) {
      const std::size_t end = std::min(text.find(kOptionJoint), text.size());
      parse_option(text.substr(0, end), raw.request.options);
      more = end < text.size();
      text.remove_prefix(more ? end + 1 : end);
    }
  }
  void parse_option(std::string_view word, RequestOptions& options) const {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, equals);
    std::optional<Picoseconds> delay;
    if (takes_time(name) && equals < word.size()) {
      delay = parse_time(lines_, kOptionsColumn, word.substr(equals + 1), unit_);
    }
    fail_for(add_option_word(takes_time(name) ? name : word, delay, options));
  }
  void fail_for(const std::optional<OptionProblem>& problem) const {
    if (!problem) return;
    fail(kOptionsColumn, printable(problem->problem), problem->remedy);
  }

  int version_ = 1;
  Picoseconds unit_ = 0;
  std::set<std::string> keys_;  // keys of the header
  std::array<const Column*, kColumns> columns_ = {};
  std::size_t column_count_ = 0;
};

const std::array<HeadstackReader::Column, HeadstackReader::kColumns> HeadstackReader::kColumnTable =
    {{{"time", 1, &HeadstackReader::parse_arrival},
      {"operation", 1, &HeadstackReader::parse_operation},
      {"lba", 1, &HeadstackReader::parse_lba},
      {"blocks", 1, &HeadstackReader::parse_blocks},
      {"deadline", 1, &HeadstackReader::parse_deadline},
      {"initiator", 2, &HeadstackReader::parse_initiator},
      {"think", 2, &HeadstackReader::parse_think},
      {"service", 2, &HeadstackReader::parse_service},
      {kOptionsColumn, 3, &HeadstackReader::parse_options},
      {"class", 4, &HeadstackReader::parse_class},
      {"stream", 4, &HeadstackReader::parse_stream},
      {"priority", 4, &HeadstackReader::parse_priority}}};

bool detect(const TraceSample& sample) {
  return sample.bytes().substr(0, kHeadstackMagic.size()) == kHeadstackMagic;
}

std::unique_ptr<FormatReader> open(InputBuffer& in, const std::string& file) {
  return std::make_unique<HeadstackReader>(in, file);
}

}  // namespace

const TraceFormat kHeadstackFormat = {"headstack",
                                      "headstack's own text format, versions 1 to 4",
                                      "",
                                      "from the column service",
                                      TimeBase::kAsWritten,
                                      0,
                                      detect,
                                      open};

}  // namespace headstack::traces
