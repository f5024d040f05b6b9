// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/cdb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace headstack::fuzz {
namespace {

constexpr std::uint8_t kDisablePageOut = 0x10;
constexpr std::uint8_t kForceUnitAccess = 0x08;
constexpr std::uint8_t kWriteAndVerify = 0x2E;  // its data are on the media before its status

struct Row {
  std::uint8_t opcode;
  const char* name;
  Operation operation;
  Moves moves;
  /// Bits of bytes 1 .. 9 that a plain command of this kind may have set; the control byte is 0.
  std::array<std::uint8_t, 15> plain;
};

constexpr std::array<std::uint8_t, 15> kNone{};

// Optional commands have `plain` all 0 and Operation::kOther: request_of() is unsure of them.
const Row kRows[] = {
    {0x00, "TEST UNIT READY", Operation::kTestUnitReady, Moves::kNothing, kNone},
    {0x01, "REZERO UNIT", Operation::kSeek, Moves::kNothing, kNone},
    {0x03, "REQUEST SENSE", Operation::kRequestSense, Moves::kIn, {0, 0, 0, 0xFF}},
    {0x04, "FORMAT UNIT", Operation::kFormat, Moves::kOut, kNone},
    {0x07, "REASSIGN BLOCKS", Operation::kReassign, Moves::kOut, kNone},
    {0x08, "READ(6)", Operation::kRead, Moves::kIn, {0x1F, 0xFF, 0xFF, 0xFF}},
    {0x0A, "WRITE(6)", Operation::kWrite, Moves::kOut, {0x1F, 0xFF, 0xFF, 0xFF}},
    {0x0B, "SEEK(6)", Operation::kSeek, Moves::kNothing, {0x1F, 0xFF, 0xFF}},
    {0x12, "INQUIRY", Operation::kInquiry, Moves::kIn, {0, 0, 0, 0xFF}},
    {0x15, "MODE SELECT(6)", Operation::kModeSelect, Moves::kOut, {0x11, 0, 0, 0xFF}},
    {0x16, "RESERVE(6)", Operation::kReserve, Moves::kNothing, kNone},
    {0x17, "RELEASE(6)", Operation::kRelease, Moves::kNothing, kNone},
    {0x1A, "MODE SENSE(6)", Operation::kModeSense, Moves::kIn, {0x08, 0xFF, 0, 0xFF}},
    {0x1B, "START STOP UNIT", Operation::kStop, Moves::kNothing, {0x01, 0, 0, 0x01}},
    {0x1D, "SEND DIAGNOSTIC", Operation::kDiagnose, Moves::kOut, kNone},
    {0x1E, "PREVENT ALLOW MEDIUM REMOVAL", Operation::kPrevent, Moves::kNothing, {0, 0, 0, 0x01}},
    {0x25, "READ CAPACITY(10)", Operation::kOther, Moves::kIn, kNone},
    {0x28, "READ(10)", Operation::kRead, Moves::kIn, {0x18, 255, 255, 255, 255, 0, 255, 255}},
    {0x2A, "WRITE(10)", Operation::kWrite, Moves::kOut, {0x18, 255, 255, 255, 255, 0, 255, 255}},
    {0x2B, "SEEK(10)", Operation::kSeek, Moves::kNothing, {0, 255, 255, 255, 255}},
    {0x2E,
     "WRITE AND VERIFY(10)",
     Operation::kWrite,
     Moves::kOut,
     {0x10, 255, 255, 255, 255, 0, 255, 255}},
    {0x2F,
     "VERIFY(10)",
     Operation::kVerify,
     Moves::kNothing,
     {0x10, 255, 255, 255, 255, 0, 255, 255}},
    {0x35,
     "SYNCHRONIZE CACHE(10)",
     Operation::kSynchronize,
     Moves::kNothing,
     {0x02, 255, 255, 255, 255, 0, 255, 255}},
    {0x37, "READ DEFECT DATA(10)", Operation::kOther, Moves::kIn, kNone},
    {0x3B, "WRITE BUFFER", Operation::kOther, Moves::kOut, kNone},
    {0x3C, "READ BUFFER", Operation::kOther, Moves::kIn, kNone},
    {0x4C, "LOG SELECT", Operation::kLogSelect, Moves::kOut, kNone},
    {0x4D, "LOG SENSE", Operation::kOther, Moves::kIn, kNone},
    {0x55, "MODE SELECT(10)", Operation::kModeSelect, Moves::kOut, {0x11, 0, 0, 0, 0, 0, 255, 255}},
    {0x56, "RESERVE(10)", Operation::kReserve, Moves::kNothing, kNone},
    {0x57, "RELEASE(10)", Operation::kRelease, Moves::kNothing, kNone},
    {0x5A, "MODE SENSE(10)", Operation::kModeSense, Moves::kIn, {0x08, 255, 0, 0, 0, 0, 255, 255}},
    {0x88,
     "READ(16)",
     Operation::kRead,
     Moves::kIn,
     {0x19, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0xC0}},
    {0x8A,
     "WRITE(16)",
     Operation::kWrite,
     Moves::kOut,
     {0x19, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0xC0}},
    {0x9E, "SERVICE ACTION IN(16)", Operation::kOther, Moves::kIn, kNone},
    {0xA0, "REPORT LUNS", Operation::kReportLuns, Moves::kIn, {0, 0, 0, 0, 0, 255, 255, 255, 255}},
    {0xA3, "MAINTENANCE IN", Operation::kOther, Moves::kIn, kNone},
    {0xA8,
     "READ(12)",
     Operation::kRead,
     Moves::kIn,
     {0x18, 255, 255, 255, 255, 255, 255, 255, 255}},
    {0xAA,
     "WRITE(12)",
     Operation::kWrite,
     Moves::kOut,
     {0x18, 255, 255, 255, 255, 255, 255, 255, 255}},
    {0xB7, "READ DEFECT DATA(12)", Operation::kOther, Moves::kIn, kNone},
};

const Row* find_row(std::uint8_t opcode) {
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [opcode](const Row& one) { return one.opcode == opcode; });
  return row == std::end(kRows) ? nullptr : row;
}

std::uint64_t big_endian(const Bytes& cdb, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = at; i < at + count; ++i) value = value << 8U | cdb[i];
  return value;
}

void take_range(const Bytes& cdb, Request* request) {
  switch (cdb_bytes(cdb[0])) {
    case 6:
      request->lba = big_endian(cdb, 1, 3) & 0x1FFFFF;
      request->blocks = cdb[4] == 0 ? 256 : cdb[4];
      break;
    case 10:
      request->lba = big_endian(cdb, 2, 4);
      request->blocks = static_cast<std::uint32_t>(big_endian(cdb, 7, 2));
      break;
    case 12:
      request->lba = big_endian(cdb, 2, 4);
      request->blocks = static_cast<std::uint32_t>(big_endian(cdb, 6, 4));
      break;
    default:
      request->lba = big_endian(cdb, 2, 8);
      request->blocks = static_cast<std::uint32_t>(big_endian(cdb, 10, 4));
      request->limit = static_cast<std::uint8_t>((cdb[1] & 1U) << 2U | cdb[14] >> 6U);
  }
}

/// The allocation length of a data-in command.
std::uint64_t allocation_of(const Bytes& cdb) {
  switch (cdb_bytes(cdb[0])) {
    case 6: return cdb[4];
    case 10:
      if (cdb[0] == 0x3C) return big_endian(cdb, 6, 3);
      return cdb[0] == 0x25 ? 8 : big_endian(cdb, 7, 2);
    case 12: return big_endian(cdb, 6, 4);
    default: return big_endian(cdb, 10, 4);
  }
}

bool is_plain(const Row& row, const Bytes& cdb) {
  const std::uint32_t count = cdb_bytes(cdb[0]);
  for (std::uint32_t i = 1; i < count; ++i) {
    if ((cdb[i] & ~unsigned{row.plain[i - 1]}) != 0) return false;
  }
  return true;
}

Validity judge(const Row& row, const Bytes& cdb, const Request& request, const Capacity& capacity) {
  if (!is_plain(row, cdb)) return Validity::kUnsure;
  switch (request.operation) {
    case Operation::kRead:
    case Operation::kWrite:
    case Operation::kVerify:
    case Operation::kSeek:
    case Operation::kSynchronize:
      return request.lba + request.blocks > capacity.blocks ? Validity::kOutOfRange
                                                            : Validity::kValid;
    case Operation::kTestUnitReady:
    case Operation::kRequestSense:
    case Operation::kInquiry:
    case Operation::kReserve:
    case Operation::kRelease:
    case Operation::kPrevent:
    case Operation::kStart:
    case Operation::kStop: return Validity::kValid;
    // SPC-2 7.19 lets the drive refuse an allocation of less than 16 bytes.
    case Operation::kReportLuns:
      return request.data_bytes >= 16 ? Validity::kValid : Validity::kUnsure;
    default: return cdb[0] == 0x25 ? Validity::kValid : Validity::kUnsure;
  }
}

}  // namespace

std::uint32_t cdb_bytes(std::uint8_t opcode) {
  static const std::uint32_t of_group[8] = {6, 10, 10, 6, 16, 12, 6, 6};
  return of_group[opcode >> 5U];
}

Request request_of(const Bytes& cdb, const Capacity& capacity) {
  Request request;
  const Row* row = find_row(cdb[0]);
  if (row == nullptr) return request;
  request.operation = row->operation;
  request.moves = row->moves;
  switch (row->operation) {
    case Operation::kRead:
    case Operation::kWrite:
      take_range(cdb, &request);
      request.data_bytes = std::uint64_t{request.blocks} * capacity.block_bytes;
      request.force_unit_access =
          cdb[0] == kWriteAndVerify || (cdb_bytes(cdb[0]) != 6 && (cdb[1] & kForceUnitAccess) != 0);
      break;
    case Operation::kVerify: take_range(cdb, &request); break;
    case Operation::kSeek:
      take_range(cdb, &request);
      request.blocks = 1;
      break;
    case Operation::kSynchronize:
      take_range(cdb, &request);
      request.immediate = (cdb[1] & 0x02U) != 0;
      if (request.blocks == 0 && request.lba < capacity.blocks) {
        request.blocks = capacity.blocks - static_cast<std::uint32_t>(request.lba);
      }
      break;
    case Operation::kStop:
      request.immediate = (cdb[1] & 0x01U) != 0;
      if ((cdb[4] & 0x01U) != 0) request.operation = Operation::kStart;
      break;
    case Operation::kModeSelect:
      request.data_bytes = cdb_bytes(cdb[0]) == 6 ? cdb[4] : big_endian(cdb, 7, 2);
      break;
    default:
      if (request.moves == Moves::kIn) request.data_bytes = allocation_of(cdb);
  }
  request.validity = judge(*row, cdb, request, capacity);
  return request;
}

std::string describe_cdb(const Bytes& cdb) {
  const Row* row = cdb.empty() ? nullptr : find_row(cdb[0]);
  if (row == nullptr || cdb.size() < cdb_bytes(cdb[0])) {
    return fmt::format("operation code {:02X}h", cdb.empty() ? 0 : cdb[0]);
  }
  const Request request = request_of(cdb, {0xFFFFFFFF, 512});
  std::string text = row->name;
  const bool has_range =
      request.operation == Operation::kRead || request.operation == Operation::kWrite ||
      request.operation == Operation::kVerify || request.operation == Operation::kSeek ||
      request.operation == Operation::kSynchronize;
  if (request.operation == Operation::kStart) text += " start";
  if (request.operation == Operation::kStop) text += " stop";
  if (has_range && request.blocks < 0x10000000) {
    text += fmt::format(" {} +{}", request.lba, request.blocks);
  } else if (has_range) {
    text += fmt::format(" {} to the end", request.lba);
  }
  if (request.force_unit_access) text += " FUA";
  const bool may_page_out =
      request.operation == Operation::kRead || request.operation == Operation::kWrite;
  if (may_page_out && cdb_bytes(cdb[0]) != 6 && (cdb[1] & kDisablePageOut) != 0) text += " DPO";
  if (request.immediate) text += " IMMED";
  if (request.limit != 0) text += fmt::format(" DLD {}", request.limit);
  return text;
}

bool keeps_attention(Operation operation) {
  return operation == Operation::kRequestSense || operation == Operation::kInquiry ||
         operation == Operation::kReportLuns;
}

}  // namespace headstack::fuzz
