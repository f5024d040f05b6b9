// SPDX-License-Identifier: Apache-2.0
#include "host/traces/trace_writer.hpp"

#include <fmt/compile.h>

#include <iterator>

#include "host/traces/trace_formats.hpp"

namespace headstack::traces {
namespace {

constexpr std::size_t kPieceBytes = 1 << 16;

/// Writes picoseconds as decimal microseconds, exactly, and without superfluous zeros.
void append_microseconds(fmt::memory_buffer& text, Picoseconds time) {
  fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), time / kPicosecondsPerMicrosecond);
  auto fraction = static_cast<unsigned>(time % kPicosecondsPerMicrosecond);
  if (fraction == 0) return;
  char digits[7] = {'.', '0', '0', '0', '0', '0', '0'};
  for (int at = 6; at > 0; --at, fraction /= 10)
    digits[at] = static_cast<char>('0' + fraction % 10);
  std::size_t length = sizeof digits;
  while (digits[length - 1] == '0') --length;
  text.append(digits, digits + length);
}

/// The first version in which the column deadline means that some requests have deadlines.
constexpr int kAnnouncesDeadlines = 4;
constexpr int kFirstWithVerify = 3;

/// The lowest version that has what this header announces.
int version_for(const TraceHeader& header) {
  if (header.has_deadlines || header.has_classes || header.has_streams || header.has_priorities) {
    return kAnnouncesDeadlines;
  }
  if (header.has_options) return 3;
  const bool has_columns = header.has_initiators || header.has_think || header.has_service;
  return has_columns || header.loop == Loop::kThink ? 2 : 1;
}

}  // namespace

TraceWriter::TraceWriter(std::ostream& out, const TraceHeader& header)
    : out_(out), header_(header), version_(version_for(header)) {
  auto to = std::back_inserter(text_);
  fmt::format_to(to, "{} {}\nblock-bytes {}\ntime-unit us\nloop {}\n", kHeadstackMagic, version_,
                 header_.block_bytes, to_string(header_.loop));
  if (!header_.source.empty()) fmt::format_to(to, "source {}\n", header_.source);
  if (version_ >= 2) {
    fmt::format_to(to, "columns {}operation lba blocks{}{}{}{}{}{}{}{}\n",
                   header_.loop == Loop::kOpen ? "time " : "",
                   has_deadline_column() ? " deadline" : "",
                   header_.has_initiators ? " initiator" : "", header_.has_think ? " think" : "",
                   header_.has_service ? " service" : "", header_.has_options ? " options" : "",
                   header_.has_classes ? " class" : "", header_.has_streams ? " stream" : "",
                   header_.has_priorities ? " priority" : "");
  }
  fmt::format_to(to, "requests\n");
}

void TraceWriter::write(const TraceRequest& request) {
  require_announced(request);
  if (header_.loop == Loop::kOpen) {
    append_microseconds(text_, request.arrival);
    text_.push_back(' ');
  } else if (version_ == 1) {
    text_.append(std::string_view("- "));
  }
  fmt::format_to(std::back_inserter(text_), FMT_COMPILE("{} {} {}"),
                 operation_letter(request.operation), request.lba, request.blocks);
  if (has_deadline_column()) write_optional(request.deadline);
  if (header_.has_initiators) {
    fmt::format_to(std::back_inserter(text_), FMT_COMPILE(" {}"), request.initiator);
  }
  if (header_.has_think) write_optional(request.think);
  if (header_.has_service) write_optional(request.service);
  if (header_.has_options) write_options(request.options);
  write_urgency(request.urgency);
  text_.push_back('\n');
  if (text_.size() >= kPieceBytes) finish();
}

bool TraceWriter::has_deadline_column() const {
  return version_ < kAnnouncesDeadlines || header_.has_deadlines;
}

void TraceWriter::write_optional(const std::optional<Picoseconds>& time) {
  text_.push_back(' ');
  if (time) {
    append_microseconds(text_, *time);
  } else {
    text_.push_back('-');
  }
}

void TraceWriter::write_options(const RequestOptions& options) {
  text_.push_back(' ');
  if (options == RequestOptions{}) {
    text_.push_back('-');
  } else {
    const std::string words = options_text(options, [](Picoseconds time) {
      fmt::memory_buffer text;
      append_microseconds(text, time);
      return fmt::to_string(text);
    });
    text_.append(words.data(), words.data() + words.size());
  }
}

void TraceWriter::write_urgency(const Urgency& urgency) {
  auto to = std::back_inserter(text_);
  if (header_.has_classes) {
    fmt::format_to(to, FMT_COMPILE(" {}"),
                   urgency.service_class ? to_string(*urgency.service_class) : "-");
  }
  if (header_.has_streams) {
    if (urgency.stream) {
      fmt::format_to(to, FMT_COMPILE(" {}"), *urgency.stream);
    } else {
      text_.append(std::string_view(" -"));
    }
  }
  if (header_.has_priorities) fmt::format_to(to, FMT_COMPILE(" {}"), urgency.priority);
}

void TraceWriter::require_announced(const TraceRequest& request) const {
  if ((request.initiator != 0 && !header_.has_initiators) ||
      (request.think && !header_.has_think) || (request.service && !header_.has_service)) {
    throw std::logic_error("a trace's header must announce initiators, think and service times");
  }
  const Urgency& urgency = request.urgency;
  if ((request.deadline && !has_deadline_column()) ||
      (urgency.service_class && !header_.has_classes) || (urgency.stream && !header_.has_streams) ||
      (urgency.priority != 0 && !header_.has_priorities)) {
    throw std::logic_error(
        "a trace's header must announce deadlines, classes, streams and priorities");
  }
  if (header_.has_options) return;
  const bool verifies = request.operation == Operation::kVerify && version_ < kFirstWithVerify;
  if (verifies || request.options != RequestOptions{}) {
    throw std::logic_error("a trace's header must announce options and verifies");
  }
}

void TraceWriter::finish() {
  out_.write(text_.data(), static_cast<std::streamsize>(text_.size()));
  text_.clear();
}

}  // namespace headstack::traces
