// SPDX-License-Identifier: Apache-2.0
#include "host/replay/trace_command.hpp"

#include <utility>

#include "sim/initiator/cdb.hpp"
#include "sim/initiator/operation_code.hpp"

namespace headstack::replay {
namespace {

using initiator::cdb10;
using initiator::Command;
using initiator::Direction;
using initiator::operation_code::kRead10;
using initiator::operation_code::kRead16;
using initiator::operation_code::kRead6;
using initiator::operation_code::kSynchronizeCache10;
using initiator::operation_code::kVerify10;
using traces::Operation;

constexpr std::uint16_t kLargestShortTag = 0xFF;

// Limits of READ(6) and WRITE(6) (SCSI-2 9.2.5): 21 bits of address, 256 blocks.
constexpr std::uint64_t kLastLba6 = (1U << 21) - 1;
constexpr std::uint32_t kMostBlocks6 = 256;

// Bits of byte 1 of longer CDBs (SBC-2 5.6).
constexpr std::uint8_t kDisablePageOut = 0x10;
constexpr std::uint8_t kForceUnitAccess = 0x08;

constexpr std::uint8_t kWriteBit = 0x02;  // distinguishes WRITE from READ in all three lengths

std::vector<std::uint8_t> cdb6(std::uint8_t operation, std::uint64_t lba, std::uint32_t blocks) {
  return {operation,
          static_cast<std::uint8_t>(lba >> 16),
          static_cast<std::uint8_t>(lba >> 8),
          static_cast<std::uint8_t>(lba),
          static_cast<std::uint8_t>(blocks),  // 0 means 256
          0};
}

/// A 16-byte CDB (SBC-4): DLD2 is bit 0 of byte 1, DLD1 and DLD0 are bits 7 and 6 of byte 14.
std::vector<std::uint8_t> cdb16(std::uint8_t operation, std::uint8_t flags, std::uint64_t lba,
                                std::uint32_t blocks, unsigned duration) {
  std::vector<std::uint8_t> cdb = {operation, static_cast<std::uint8_t>(flags | duration >> 2)};
  for (int shift = 56; shift >= 0; shift -= 8)
    cdb.push_back(static_cast<std::uint8_t>(lba >> shift));
  for (int shift = 24; shift >= 0; shift -= 8) {
    cdb.push_back(static_cast<std::uint8_t>(blocks >> shift));
  }
  cdb.insert(cdb.end(), {static_cast<std::uint8_t>((duration & 3U) << 6), 0});
  return cdb;
}

std::uint8_t flags_of(const traces::RequestOptions& options) {
  return static_cast<std::uint8_t>((options.disable_page_out ? kDisablePageOut : 0) |
                                   (options.force_unit_access ? kForceUnitAccess : 0));
}

/// READ or WRITE with the CDB length that the options demand. A request that does not fit 6 bytes
/// gets 10, and one with a duration limit 16.
std::vector<std::uint8_t> read_or_write(const traces::TraceRequest& request, unsigned duration) {
  const bool writes = request.operation == Operation::kWrite;
  const auto operation = [writes](std::uint8_t read) {
    return static_cast<std::uint8_t>(writes ? read | kWriteBit : read);
  };
  const std::uint8_t flags = flags_of(request.options);
  const bool fits_6 =
      duration == 0 && flags == 0 && request.lba <= kLastLba6 && request.blocks <= kMostBlocks6;
  if (request.options.cdb_bytes == 6 && fits_6) {
    return cdb6(operation(kRead6), request.lba, request.blocks);
  }
  if (request.options.cdb_bytes == 16 || duration != 0) {
    return cdb16(operation(kRead16), flags, request.lba, request.blocks, duration);
  }
  return cdb10(operation(kRead10), flags, request.lba, request.blocks);
}

initiator::TagType tag_type_of(traces::Tagging tagging) {
  switch (tagging) {
    case traces::Tagging::kSimple: return initiator::TagType::kSimple;
    case traces::Tagging::kOrdered: return initiator::TagType::kOrdered;
    case traces::Tagging::kHeadOfQueue: return initiator::TagType::kHeadOfQueue;
    case traces::Tagging::kUntagged: return initiator::TagType::kUntagged;
  }
  return initiator::TagType::kSimple;
}

}  // namespace

Command trace_command(const traces::TraceRequest& request, std::vector<std::uint8_t> data,
                      std::uint8_t target_id, std::uint16_t tag, std::uint32_t block_bytes,
                      unsigned duration) {
  Command command;
  command.target = target_id;
  command.tag_type = tag_type_of(request.options.tagging);
  command.may_disconnect = !request.options.keeps_bus;
  command.tag = tag;
  command.extended_tag = tag > kLargestShortTag;
  switch (request.operation) {
    case Operation::kRead:
      command.cdb = read_or_write(request, duration);
      command.direction = Direction::kIn;
      command.length = request.blocks * block_bytes;
      break;
    case Operation::kWrite:
      command.cdb = read_or_write(request, duration);
      command.direction = Direction::kOut;
      command.data = std::move(data);
      break;
    case Operation::kFlush: command.cdb = cdb10(kSynchronizeCache10, 0, 0, 0); break;
    case Operation::kVerify:
      command.cdb = cdb10(kVerify10, flags_of(request.options), request.lba, request.blocks);
      break;
  }
  return command;
}

}  // namespace headstack::replay
