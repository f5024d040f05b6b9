// SPDX-License-Identifier: Apache-2.0
#include "host/traces/trace.hpp"

#include <fmt/format.h>

#include "host/traces/decompress.hpp"
#include "host/traces/trace_formats.hpp"
#include "host/traces/trace_intake.hpp"

namespace headstack::traces {
namespace {

/// The byte order mark of UTF-8, which editors and tools of Windows put before text.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool has_byte_order_mark(std::string_view beginning) {
  return beginning.substr(0, kByteOrderMark.size()) == kByteOrderMark;
}

const TraceFormat& detect(InputBuffer& in, const std::string& file, const ReadingNames& names) {
  const auto beginning = in.peek(TraceSample::kBytes);
  if (beginning.empty()) {
    throw TraceError(fmt::format("{}:1: format: the file is empty; give one with requests", file));
  }
  const TraceSample bytes(beginning);
  const TraceSample text(
      beginning.substr(has_byte_order_mark(beginning) ? kByteOrderMark.size() : 0));
  for (const TraceFormat* format : trace_formats()) {
    if (format->detect(format->is_text ? text : bytes)) return *format;
  }
  throw TraceError(
      fmt::format("{}:1: format: not recognised by its beginning; if it is one of these, name it "
                  "({}): {}",
                  file, names.format, format_names()));
}

const TraceFormat& chosen_format(InputBuffer& in, const std::string& file,
                                 const ReadOptions& options) {
  const std::string& name = options.format;
  if (name.empty()) return detect(in, file, options.names);
  if (const TraceFormat* format = find_format(name)) return *format;
  throw TraceError(
      fmt::format("{}: format: '{}' is not known; known are {}", file, name, format_names()));
}

std::unique_ptr<TraceReader> read_bytes(std::unique_ptr<ByteSource> source, const std::string& file,
                                        const ReadOptions& options) {
  auto in = decompressed(std::make_unique<InputBuffer>(std::move(source)), file);
  const TraceFormat& format = chosen_format(*in, file, options);
  if (format.is_text && has_byte_order_mark(in->peek(kByteOrderMark.size()))) {
    in->take(kByteOrderMark.size());
  }
  return std::make_unique<TraceIntake>(std::move(in), file, format, options);
}

}  // namespace

const char* to_string(Operation operation) {
  switch (operation) {
    case Operation::kRead: return "read";
    case Operation::kWrite: return "write";
    case Operation::kFlush: return "flush";
    case Operation::kVerify: return "verify";
  }
  return "?";
}

const char* to_string(Loop loop) {
  switch (loop) {
    case Loop::kOpen: return "open";
    case Loop::kClosed: return "closed";
    case Loop::kThink: return "think";
  }
  return "?";
}

const char* to_string(ServiceClass service_class) {
  return service_class == ServiceClass::kRealTime ? "real-time" : "best-effort";
}

std::map<std::string, std::uint64_t> TraceReader::skipped() const {
  const TraceCounts now = counts();
  return {now.skipped.begin(), now.skipped.end()};
}

std::unique_ptr<TraceReader> read_trace(std::istream& in, const std::string& file,
                                        const ReadOptions& options) {
  return read_bytes(from_stream(in), file, options);
}

std::unique_ptr<TraceReader> open_trace_text(std::string text, const std::string& name,
                                             const ReadOptions& options) {
  return read_bytes(from_text(std::move(text)), name, options);
}

std::unique_ptr<TraceReader> open_trace(const std::string& file, const ReadOptions& options) {
  return read_bytes(open_file(file), file == "-" ? "standard input" : file, options);
}

}  // namespace headstack::traces
