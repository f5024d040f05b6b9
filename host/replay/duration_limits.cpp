// SPDX-License-Identifier: Apache-2.0
#include "host/replay/duration_limits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "firmware/kernel/bytes.h"
#include "firmware/unit/mode_fields.h"
#include "host/replay/request_source.hpp"
#include "sim/assert.hpp"
#include "sim/initiator/operation_code.hpp"

namespace headstack::replay {
namespace {

using initiator::operation_code::kModeSelect10;
using traces::Operation;

constexpr std::size_t kDescriptors = MODE_LIMITS_T2A_COUNT;
constexpr std::uint32_t kMostUnits = UINT16_MAX;

/// A value of T2 command duration limit units (SPC-5 table of page T2A). The finest comes first.
struct Unit {
  std::uint8_t code;
  Picoseconds time;
};
constexpr Unit kUnits[] = {{0x6, kPicosecondsPerMicrosecond / 2},
                           {0x8, kPicosecondsPerMicrosecond},
                           {0xA, 10 * kPicosecondsPerMillisecond},
                           {0xE, 500 * kPicosecondsPerMillisecond}};
constexpr std::size_t kUnitCount = std::size(kUnits);

// MODE SELECT(10) (SPC-3 6.8, 7.4): the bit PF, and a header of eight bytes, which are 0 without
// block descriptors.
constexpr std::uint8_t kPageFormat = 0x10;
constexpr std::size_t kHeaderBytes = 8;

const Unit& unit_of(std::uint8_t code) {
  for (const Unit& unit : kUnits) {
    if (unit.code == code) return unit;
  }
  HEADSTACK_ASSERT(false, "a duration has a unit of the table");
}

std::size_t index_of(const Duration& duration) {
  return static_cast<std::size_t>(&unit_of(duration.unit_code) - kUnits) * (kMostUnits + 1) +
         duration.value;
}

bool has_duration(const traces::TraceRequest& request) {
  const bool moves =
      request.operation == Operation::kRead || request.operation == Operation::kWrite;
  return moves && request.deadline && request.service_class() == traces::ServiceClass::kRealTime;
}

void append_page(std::vector<std::uint8_t>& list, std::uint8_t subpage,
                 const std::vector<Duration>& durations, DurationPolicy policy) {
  std::vector<std::uint8_t> page(MODE_LIMITS_T2A_BYTES);
  page[0] = MODE_SUBPAGE_FORMAT | MODE_PAGE_CONTROL;
  page[1] = subpage;
  bytes_put_be16(&page[2], MODE_LIMITS_T2A_BYTES - MODE_SUBPAGE_HEADER_BYTES);
  for (std::size_t i = 0; i < durations.size(); ++i) {
    std::uint8_t* descriptor = &page[MODE_LIMITS_T2A_AT + i * MODE_LIMITS_BYTES];
    MODE_PUT(descriptor, LIMITS, UNIT, durations[i].unit_code);
    MODE_PUT(descriptor, LIMITS, TOTAL, durations[i].value);
    MODE_PUT(descriptor, LIMITS, TOTAL_POLICY, static_cast<std::uint8_t>(policy));
  }
  list.insert(list.end(), page.begin(), page.end());
}

}  // namespace

Picoseconds Duration::time() const { return unit_of(unit_code).time * value; }

std::optional<Duration> round_up(Picoseconds time) {
  time = std::max<Picoseconds>(time, 1);
  for (const Unit& unit : kUnits) {
    const Picoseconds units = (time - 1) / unit.time + 1;
    if (units <= kMostUnits) return Duration{unit.code, static_cast<std::uint16_t>(units)};
  }
  return std::nullopt;
}

void DurationCounts::add(Picoseconds deadline) {
  const std::optional<Duration> duration = round_up(deadline);
  if (!duration) return;
  counts_.resize(kUnitCount * (kMostUnits + 1));
  ++counts_[index_of(*duration)];
  ++total_;
}

/// The places in `counts_` ascend by duration. A duration that needs a coarser unit is longer than
/// all of the finer unit.
std::vector<Duration> DurationCounts::descriptors() const {
  std::vector<Duration> found;
  const auto different = static_cast<std::size_t>(std::count_if(
      counts_.begin(), counts_.end(), [](std::uint64_t count) { return count != 0; }));
  std::uint64_t passed = 0;
  std::size_t part = 1;
  for (std::size_t at = 0; at < counts_.size() && found.size() < kDescriptors; ++at) {
    if (counts_[at] == 0) continue;
    passed += counts_[at];
    bool is_quantile = different <= kDescriptors;
    while (part <= kDescriptors && (total_ * part + kDescriptors - 1) / kDescriptors <= passed) {
      is_quantile = true;
      ++part;
    }
    if (!is_quantile) continue;
    found.push_back(
        {kUnits[at / (kMostUnits + 1)].code, static_cast<std::uint16_t>(at % (kMostUnits + 1))});
  }
  return found;
}

unsigned DurationLimits::number_for(const traces::TraceRequest& request, Picoseconds left) const {
  if (!has_duration(request)) return 0;
  const std::vector<Duration>& durations = of(request.operation);
  const auto found = std::find_if(durations.begin(), durations.end(),
                                  [left](const Duration& d) { return d.time() >= left; });
  return found == durations.end() ? 0 : static_cast<unsigned>(found - durations.begin()) + 1;
}

DurationLimits find_duration_limits(const ReplayOptions& options) {
  require_read_twice(options.trace, "settings.deadlines=cdl needs its deadlines up front",
                     "give a file, or settings.deadlines=message");
  const auto reader = open_trace_of(options);
  DurationCounts reads, writes;
  std::uint64_t count = 0;
  while (const auto request = reader->next()) {
    if (options.limit != 0 && count++ >= options.limit) break;
    if (!has_duration(*request)) continue;
    (request->operation == Operation::kWrite ? writes : reads).add(*request->deadline);
  }
  DurationLimits limits{reads.descriptors(), writes.descriptors()};
  if (limits.reads.empty() && limits.writes.empty()) {
    throw traces::TraceError(fmt::format(
        "{}: no read or write has a deadline of at most 9 hours; settings.deadlines=cdl needs "
        "one: headstack trace deadlines",
        options.trace));
  }
  return limits;
}

initiator::Command select_limits(const DurationLimits& limits, DurationPolicy policy) {
  std::vector<std::uint8_t> list(kHeaderBytes);
  append_page(list, MODE_SUBPAGE_LIMITS_T2A, limits.reads, policy);
  append_page(list, MODE_SUBPAGE_LIMITS_T2B, limits.writes, policy);
  initiator::Command command;
  command.direction = initiator::Direction::kOut;
  command.cdb = {kModeSelect10, kPageFormat, 0, 0, 0, 0, 0, 0, 0, 0};
  bytes_put_be16(&command.cdb[7], static_cast<std::uint32_t>(list.size()));
  command.data = std::move(list);
  return command;
}

void DurationRounding::add(Picoseconds left, const Duration& duration) {
  ++told;
  const Picoseconds by = duration.time() - left;
  longer += by;
  most = std::max(most, by);
}

Picoseconds DurationRounding::mean() const {
  return told == 0 ? 0 : static_cast<Picoseconds>(longer / static_cast<Int128>(told));
}

}  // namespace headstack::replay
