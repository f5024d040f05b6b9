// SPDX-License-Identifier: Apache-2.0
// The trace formats: one row per format, used by detection, options, help, documents and tests.
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

// SBC addresses blocks by at most 64 bits and counts them by at most 32; a trace needs far less.
constexpr std::uint64_t kLargestLba = (std::uint64_t{1} << 48) - 1;
constexpr std::uint64_t kMostBlocks = (std::uint64_t{1} << 24) - 1;
// An arrival and a time after it are together below the 106 days that Picoseconds hold.
constexpr Picoseconds kLongestTrace = 75 * 86'400 * kPicosecondsPerSecond;
constexpr Picoseconds kLongestTime = 30 * 86'400 * kPicosecondsPerSecond;

std::string_view operation_letter(Operation operation);  // R, W, F, V

/// The beginning of a trace, for detection.
class TraceSample {
 public:
  static constexpr std::size_t kBytes = 1 << 14;
  explicit TraceSample(std::string_view head);

  std::string_view bytes() const { return bytes_; }
  /// Whole lines with content, without names of columns.
  const std::vector<std::string_view>& lines() const { return lines_; }
  /// The parts of the first such line.
  const Fields& words() const { return words_; }
  const Fields& columns() const { return columns_; }

 private:
  std::string_view bytes_;
  std::vector<std::string_view> lines_;
  Fields words_, columns_;
};

bool is_number(std::string_view text);   // digits
bool is_decimal(std::string_view text);  // digits, or digits with a point among them

/// The place of time 0 on a file's clock.
enum class TimeBase { kAsWritten, kFirstRequest };

struct TraceFormat {
  const char* name;
  const char* text;     // for a table
  const char* device;   // meaning of --device; "": the format has no devices
  const char* service;  // meaning of the service time; "": the format has none
  TimeBase base;
  std::uint32_t sort_window;  // requests held back, to sort them and to match their completions
  bool (*detect)(const TraceSample& sample);
  std::unique_ptr<FormatReader> (*open)(InputBuffer& in, const std::string& file);
  bool is_text = true;  // a byte order mark may precede it
};

extern const TraceFormat kHeadstackFormat, kHpSrtFormat, kFioIologFormat, kBlktraceFormat,
    kDiskSimValidateFormat, kNbdkitFormat, kBlkparseFormat, kSpcFormat, kMsrFormat, kSystorFormat,
    kAlibabaFormat, kTencentFormat, kK5cloudFormat, kFiuFormat, kSsdsimFormat, kDiskSimFormat,
    kVscsiFormat;

/// The formats, in the order of detection.
const std::vector<const TraceFormat*>& trace_formats();

/// The format of this name; null for an unknown name.
const TraceFormat* find_format(std::string_view name);

/// "headstack, disksim, ...".
std::string format_names();

}  // namespace headstack::traces
