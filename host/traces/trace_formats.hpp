// SPDX-License-Identifier: Apache-2.0
// The trace formats, one row each, for detection, options, help, documents and tests.
// formats/NAME_format.cpp has a format's reader and row.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/traces/format_reader.hpp"
#include "host/traces/input_buffer.hpp"
#include "host/traces/text_input.hpp"
#include "host/traces/trace.hpp"

namespace headstack::traces {

constexpr std::string_view kHeadstackMagic = "headstack-trace";

// SBC addresses blocks by at most 64 bits and counts them by at most 32. A trace needs far less.
constexpr std::uint64_t kLargestLba = (std::uint64_t{1} << 48) - 1;
constexpr std::uint64_t kMostBlocks = (std::uint64_t{1} << 24) - 1;
// The sum of an arrival and a time after it is below the 106 days that Picoseconds hold.
constexpr Picoseconds kLongestTrace = 75 * 86'400 * kPicosecondsPerSecond;
constexpr Picoseconds kLongestTime = 30 * 86'400 * kPicosecondsPerSecond;

std::string_view operation_letter(Operation operation);  // one of R, W, F, V

/// The beginning of a trace, from which its format is detected.
class TraceSample {
 public:
  static constexpr std::size_t kBytes = 1 << 14;
  explicit TraceSample(std::string_view head);

  std::string_view bytes() const { return bytes_; }
  /// Whole lines with content, except names of columns.
  const std::vector<std::string_view>& lines() const { return lines_; }
  /// The parts of the first line of lines(), split at blanks or at commas.
  const Fields& words() const { return words_; }
  const Fields& columns() const { return columns_; }

 private:
  std::string_view bytes_;
  std::vector<std::string_view> lines_;
  Fields words_, columns_;
};

bool is_number(std::string_view text);   // consists of digits
bool is_decimal(std::string_view text);  // consists of digits, perhaps with a point among them

/// Where time 0 is on a file's clock.
enum class TimeBase { kAsWritten, kFirstRequest };

struct TraceFormat {
  const char* name;
  const char* text;     // one-line description, for a table
  const char* device;   // meaning of --device; "": the format has no devices
  const char* service;  // meaning of the service time; "": the format has none
  TimeBase base;
  std::uint32_t sort_window;  // most requests held back for sorting and for completions
  bool (*detect)(const TraceSample& sample);
  std::unique_ptr<FormatReader> (*open)(InputBuffer& in, const std::string& file);
  bool is_text = true;  // a byte order mark may precede the text
};

extern const TraceFormat kHeadstackFormat, kHpSrtFormat, kFioIologFormat, kBlktraceFormat,
    kDiskSimValidateFormat, kNbdkitFormat, kBlkparseFormat, kSpcFormat, kMsrFormat, kSystorFormat,
    kAlibabaFormat, kTencentFormat, kK5cloudFormat, kFiuFormat, kSsdsimFormat, kDiskSimFormat,
    kVscsiFormat;

/// The formats, in the order of detection.
const std::vector<const TraceFormat*>& trace_formats();

/// The format of this name; null for an unknown name.
const TraceFormat* find_format(std::string_view name);

/// The names as a list: "headstack, disksim, ...".
std::string format_names();

}  // namespace headstack::traces
