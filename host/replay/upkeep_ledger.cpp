// SPDX-License-Identifier: Apache-2.0
#include "host/replay/upkeep_ledger.hpp"

#include <fmt/format.h>

#include "sim/initiator/operation_code.hpp"
#include "sim/initiator/queue_error.hpp"

namespace headstack::replay {
namespace {

using Bytes = std::vector<std::uint8_t>;

using initiator::operation_code::kModeSelect6;
using initiator::operation_code::kModeSense6;
using initiator::operation_code::kReadDefectData10;
using initiator::operation_code::kReassignBlocks;

// Bits of the CDBs of MODE SENSE, MODE SELECT and READ DEFECT DATA (SPC-2, SBC-2).
constexpr std::uint8_t kPageFormatAndSave = 0x11;
constexpr std::uint8_t kDisableBlockDescriptors = 0x08;
constexpr std::uint8_t kSavedValues = 0xC0;
constexpr std::uint8_t kGrownByBlock = 0x08;

// Page 01h (SBC-2 6.3.4), which follows a header of four bytes.
constexpr std::uint8_t kRecoveryPage = 0x01;
constexpr std::uint8_t kReallocates = 0xC0;  // bits AWRE and ARRE
constexpr std::size_t kPageAt = 4;
constexpr std::size_t kReadRetriesAt = kPageAt + 3;
constexpr std::size_t kPageEnd = kPageAt + 12;
constexpr std::uint8_t kSaveable = 0x80;
constexpr unsigned kDefaultRetries = 8;

// Each save has another retry count, from kFirstCount upwards. None is the default. A count is used
// again only after its first save is settled.
constexpr unsigned kFirstCount = 9;
constexpr unsigned kCounts = 240;

constexpr std::uint8_t kRecoveredError = 0x1;
constexpr std::uint8_t kIllegalRequest = 0x5;
constexpr std::uint8_t kSavingNotSupported = 0x39;
constexpr std::size_t kDefectHeaderBytes = 4;
constexpr std::size_t kDefectBytes = 4;
constexpr std::uint32_t kMostDefectBytes = 0xFFFF;

std::uint32_t get_be32(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 |
         at[3];
}

initiator::Command command_in(Bytes cdb, std::uint32_t length) {
  initiator::Command command;
  command.cdb = std::move(cdb);
  command.direction = initiator::Direction::kIn;
  command.length = length;
  return command;
}

initiator::Command command_out(Bytes cdb, Bytes data) {
  initiator::Command command;
  command.cdb = std::move(cdb);
  command.direction = initiator::Direction::kOut;
  command.data = std::move(data);
  return command;
}

std::string join(const std::set<unsigned>& counts) {
  std::string text;
  for (const unsigned count : counts) text += (text.empty() ? "" : " or ") + std::to_string(count);
  return text;
}

}  // namespace

std::optional<initiator::Command> UpkeepLedger::save() {
  if (save_is_out_) return std::nullopt;
  save_is_out_ = true;
  const auto count = static_cast<std::uint8_t>(kFirstCount + next_save_++ % kCounts);
  may_be_saved_.insert(count);
  const Bytes list = {
      0, 0, 0, 0, kRecoveryPage, 0x0A, kReallocates, count, 0, 0, 0, 0, kDefaultRetries, 0, 0, 0};
  return command_out(
      {kModeSelect6, kPageFormatAndSave, 0, 0, static_cast<std::uint8_t>(list.size()), 0}, list);
}

void UpkeepLedger::save_ended(bool good) {
  save_is_out_ = false;
  if (!good) return;
  const auto count = static_cast<unsigned>(kFirstCount + (next_save_ - 1) % kCounts);
  may_be_saved_ = {count};
  default_is_gone_ = true;
}

std::optional<initiator::Command> UpkeepLedger::reassign(std::uint64_t lba, std::uint32_t blocks) {
  if (move_out_) return std::nullopt;
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const auto block = static_cast<std::uint32_t>(lba + i);
    if (!named_.insert(block).second) continue;
    move_out_ = block;
    const Bytes list = {0,
                        0,
                        0,
                        4,
                        static_cast<std::uint8_t>(block >> 24),
                        static_cast<std::uint8_t>(block >> 16),
                        static_cast<std::uint8_t>(block >> 8),
                        static_cast<std::uint8_t>(block)};
    return command_out({kReassignBlocks, 0, 0, 0, 0, 0}, list);
  }
  return std::nullopt;
}

void UpkeepLedger::reassign_ended(bool good) {
  if (good && move_out_) moved_.insert(*move_out_);
  move_out_.reset();
}

void UpkeepLedger::power_lost() {
  save_is_out_ = false;
  move_out_.reset();
}

// ------------------------------------------------------------------------ after the power's return

void UpkeepLedger::settle(unsigned count) {
  default_is_gone_ = count != kDefaultRetries;
  may_be_saved_.clear();
  if (default_is_gone_) may_be_saved_.insert(count);
}

initiator::Command UpkeepLedger::sense_saved() {
  return command_in(
      {kModeSense6, kDisableBlockDescriptors, kSavedValues | kRecoveryPage, 0, 0xFF, 0}, 0xFF);
}

std::string UpkeepLedger::judge_saved(const initiator::Completion& answer) {
  // A drive without a store reports that it does not support saving parameters (SCSI-2 8.2.10.3).
  const auto codes = initiator::sense_codes(answer.sense);
  keeps_ = !codes || codes->key != kIllegalRequest || codes->asc != kSavingNotSupported;
  if (!keeps_) return "";
  if (!answer.is_good() || answer.data.size() != kPageEnd) return "page 01h has no saved values";
  if ((answer.data[kPageAt] & kSaveable) == 0) return "page 01h has saved values without PS";
  const unsigned found = answer.data[kReadRetriesAt];
  std::set<unsigned> wanted = may_be_saved_;
  if (!default_is_gone_) wanted.insert(kDefaultRetries);
  if (wanted.count(found) != 0) {
    settle(found);
    return "";
  }
  return fmt::format("page 01h has {} saved read retries, for {}", found, join(wanted));
}

initiator::Command UpkeepLedger::read_grown() {
  return command_in({kReadDefectData10, 0, kGrownByBlock, 0, 0, 0, 0, kMostDefectBytes >> 8,
                     kMostDefectBytes & 0xFF, 0},
                    kMostDefectBytes);
}

std::string UpkeepLedger::judge_grown(const initiator::Completion& answer, bool may_grow) const {
  // If a block has moved by itself and is moved again, its bad spare has no block address (SCSI-2
  // 9.2.8). The drive then returns the list in another format.
  const auto codes = initiator::sense_codes(answer.sense);
  if (may_grow && codes && codes->key == kRecoveredError) return "";
  if (!answer.is_good() || answer.data.size() < kDefectHeaderBytes) return "no grown defect list";
  if (!keeps_) return "";
  std::set<std::uint32_t> found;
  for (std::size_t at = kDefectHeaderBytes; at + kDefectBytes <= answer.data.size();
       at += kDefectBytes) {
    found.insert(get_be32(&answer.data[at]));
  }
  for (const std::uint32_t block : moved_) {
    if (found.count(block) == 0) {
      return fmt::format("block {} was reassigned, and is not in the grown defect list", block);
    }
  }
  for (const std::uint32_t block : found) {
    if (named_.count(block) == 0 && !may_grow) {
      return fmt::format("block {} is in the grown defect list, and nobody has named it", block);
    }
  }
  return "";
}

}  // namespace headstack::replay
