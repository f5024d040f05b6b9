// SPDX-License-Identifier: Apache-2.0
#include "host/scenario/words.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "host/options/bus_option.hpp"
#include "host/options/cache_option.hpp"
#include "host/options/failure_limit.hpp"
#include "host/options/policy_option.hpp"
#include "host/options/power_cut.hpp"
#include "host/options/time_range.hpp"
#include "host/options/wave_window.hpp"
#include "host/options/write_threshold_option.hpp"
#include "host/traces/trace_formats.hpp"
#include "sim/drive/text.hpp"

namespace headstack::scenario {
namespace {

template <auto kParse>
void parsed_by(const std::string& text) {
  (void)kParse(text);
}

void check_wave_file(const std::string& text) {
  const std::string ending = ".fst";
  const bool ends_so = text.size() > ending.size() &&
                       text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
  if (!ends_so)
    throw std::runtime_error(fmt::format("'{}' does not end in {}; add it", text, ending));
}

void check_trace_format(const std::string& text) {
  if (traces::find_format(text) != nullptr) return;
  std::vector<std::string> names;
  for (const traces::TraceFormat* format : traces::trace_formats())
    names.emplace_back(format->name);
  throw std::runtime_error(
      fmt::format("there is no format '{}'; {}", text, drive::suggest(text, names)));
}

void check_abort(const std::string& text) { (void)options::parse_repeat(text, false); }
void check_clear(const std::string& text) { (void)options::parse_repeat(text, true); }
void check_bus_reset(const std::string& text) { (void)options::parse_bus_reset(text); }
void check_device_reset(const std::string& text) { (void)options::parse_repeat(text, true); }

constexpr const char* kNameAndMore = "^[a-z][a-z0-9-]*(:.+)?$";
constexpr const char* kRepeatPattern = "^([0-9]+(:.+)?|[0-9.]+(ps|ns|us|ms|s))$";

}  // namespace

const Word kPolicyWord = {parsed_by<options::parse_policy>, kNameAndMore, "gstf:group=210,frozen"};
const Word kCacheWord = {parsed_by<options::parse_cache>, "^(off|read|read-write)(:.+)?$",
                         "read-write:segments=4"};
const Word kBusWord = {parsed_by<options::parse_bus>, "^(async|fast|fast-wide|sync:.+)$",
                       "sync:200:8:wide"};
const Word kWriteThresholdWord = {parsed_by<options::parse_write_threshold>,
                                  "^(none|space:.+|time(:.+)?|free:.+)$", "time:10:0.5"};
const Word kPowerCutWord = {parsed_by<options::parse_power_cut>, "^(time|event|cmd|byte):.+$",
                            "time:2.5ms"};
const Word kFailureWord = {parsed_by<options::parse_failure_limit>,
                           "^[a-z-]+(=([0-9]+|[0-9.]+%))?$", "missed-revolution=1%"};
const Word kWindowWord = {parsed_by<options::parse_window>, "^(time|cmd|event):.+$",
                          "time:1ms..2.5ms"};
const Word kTriggerWord = {parsed_by<options::parse_trigger>, "^[a-z-]+$", "missed-revolution"};
const Word kWaveFileWord = {check_wave_file, "\\.fst$", "run.fst"};
const Word kTraceFormatWord = {check_trace_format, "^[a-z0-9-]+$", "blktrace"};
const Word kTimeRangeWord = {parsed_by<options::parse_time_range>,
                             "^[0-9.]+(ps|ns|us|ms|s)(\\.\\.[0-9.]+(ps|ns|us|ms|s))?$",
                             "10ms..100ms"};
const Word kAbortWord = {check_abort, "^[0-9]+(:.+)?$", "40:0ms..20ms"};
const Word kClearWord = {check_clear, kRepeatPattern, "40:5ms"};
const Word kBusResetWord = {check_bus_reset, kRepeatPattern, "500ms"};
const Word kDeviceResetWord = {check_device_reset, kRepeatPattern, "40:5ms"};
const Word kChangeWord = {parsed_by<options::parse_change>, "^([0-9]+|[0-9.]+(ps|ns|us|ms|s))$",
                          "100ms"};

}  // namespace headstack::scenario
