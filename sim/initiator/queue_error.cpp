// SPDX-License-Identifier: Apache-2.0
#include "sim/initiator/queue_error.hpp"

#include <algorithm>

#include "sim/initiator/operation_code.hpp"

namespace headstack::initiator {
namespace {

using Bytes = std::vector<std::uint8_t>;

using operation_code::kModeSelect10;
using operation_code::kModeSelect6;
using operation_code::kModeSense10;
using operation_code::kModeSense6;

// CDB bytes of MODE SENSE (SPC-2 7.8).
constexpr std::uint8_t kDisableBlockDescriptors = 0x08;
constexpr std::uint8_t kPageControl = 0xC0;  // 0: current values
constexpr std::uint8_t kSenseBytes = 255;

// The parameter list (SPC-2 8.3.3): header, block descriptors, pages.
constexpr std::size_t kHeader6Bytes = 4;
constexpr std::size_t kHeader10Bytes = 8;
constexpr std::size_t kPageHeaderBytes = 2;
constexpr std::size_t kSubpageHeaderBytes = 4;
constexpr std::uint8_t kPageCode = 0x3F;
constexpr std::uint8_t kSubpageFormat = 0x40;

constexpr std::uint8_t kControlPage = 0x0A;
constexpr std::size_t kQueueErrorAt = 3;        // place of QERR's byte in the page
constexpr std::uint8_t kQueueErrorBits = 0x06;  // QERR; SCSI-2 has the lower bit only

std::size_t big_endian_16(const Bytes& bytes, std::size_t at) {
  return static_cast<std::size_t>(bytes[at]) << 8U | bytes[at + 1];
}

bool is_mode_select(std::uint8_t operation) {
  return operation == kModeSelect6 || operation == kModeSelect10;
}

bool has_long_header(std::uint8_t operation) {
  return operation == kModeSelect10 || operation == kModeSense10;
}

/// The place of the pages in a mode parameter list; past its end for a list that is cut off.
std::size_t first_page(const Bytes& list, bool long_header) {
  const std::size_t header = long_header ? kHeader10Bytes : kHeader6Bytes;
  if (list.size() < header) return list.size();
  return header + (long_header ? big_endian_16(list, 6) : list[3]);
}

std::optional<QueueError> queue_error_in(const Bytes& list, bool long_header) {
  for (std::size_t at = first_page(list, long_header); at + kSubpageHeaderBytes <= list.size();) {
    const bool is_subpage = (list[at] & kSubpageFormat) != 0;
    if (!is_subpage && (list[at] & kPageCode) == kControlPage) {
      return (list[at + kQueueErrorAt] & kQueueErrorBits) != 0 ? QueueError::kAbort
                                                               : QueueError::kContinue;
    }
    at += is_subpage ? kSubpageHeaderBytes + big_endian_16(list, at + 2)
                     : kPageHeaderBytes + list[at + 1];
  }
  return std::nullopt;
}

}  // namespace

QueueError QueueErrorRules::of(std::uint8_t target, std::uint8_t lun) const {
  const auto found = rules_.find({target, lun});
  return found == rules_.end() ? QueueError::kUnknown : found->second;
}

void QueueErrorRules::learn_from(const Command& command, const Completion& completion) {
  const std::uint8_t operation = command.cdb[0];
  const bool selects = is_mode_select(operation);
  const bool senses = (operation == kModeSense6 || operation == kModeSense10) &&
                      (command.cdb[2] & kPageControl) == 0;
  if (!selects && !senses) return;
  if (!completion.is_good()) {
    // It is unknown how much of a failed MODE SELECT took effect.
    if (selects) forget(command.target, command.lun);
    return;
  }
  const Bytes& list = selects ? command.data : completion.data;
  if (const auto rule = queue_error_in(list, has_long_header(operation))) {
    rules_[{command.target, command.lun}] = *rule;
  }
}

void QueueErrorRules::forget(std::uint8_t target) {
  const auto first = rules_.lower_bound({target, std::uint8_t{0}});
  rules_.erase(first, rules_.upper_bound({target, UINT8_MAX}));
}

bool selects_queue_error(const Command& command) {
  const std::uint8_t operation = command.cdb[0];
  return is_mode_select(operation) &&
         queue_error_in(command.data, has_long_header(operation)).has_value();
}

Command sense_control_page(std::uint8_t target, std::uint8_t lun) {
  Command command;
  command.target = target;
  command.lun = lun;
  command.cdb = {kModeSense6, kDisableBlockDescriptors, kControlPage, 0, kSenseBytes, 0};
  command.direction = Direction::kIn;
  command.length = kSenseBytes;
  return command;
}

std::optional<SenseCodes> sense_codes(const Bytes& sense) {
  if (sense.empty()) return std::nullopt;
  const std::uint8_t format = sense[0] & 0x7F;
  const bool has_descriptors = (format & 0x7E) == 0x72;
  const std::size_t key_at = has_descriptors ? 1 : 2;
  const std::size_t asc_at = has_descriptors ? 2 : 12;
  if (sense.size() <= asc_at) return std::nullopt;
  SenseCodes codes;
  codes.key = sense[key_at] & 0x0F;
  codes.asc = sense[asc_at];
  codes.ascq = sense.size() > asc_at + 1 ? sense[asc_at + 1] : 0;
  codes.is_deferred = format == 0x71 || format == 0x73;
  if (!has_descriptors && (sense[0] & 0x80) != 0) {
    codes.information = std::uint32_t{sense[3]} << 24U | std::uint32_t{sense[4]} << 16U |
                        std::uint32_t{sense[5]} << 8U | sense[6];
  }
  return codes;
}

}  // namespace headstack::initiator
