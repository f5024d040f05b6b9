// SPDX-License-Identifier: Apache-2.0
/// @file
/// The meaning of a CDB, by the standards alone: SPC-2 clause 7, SBC-2 clause 5. It does not use
/// the firmware's own table.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headstack::fuzz {

using Bytes = std::vector<std::uint8_t>;

enum class Operation : std::uint8_t {
  kOther,
  kRead,
  kWrite,
  kVerify,
  kSeek,  // includes REZERO UNIT, a seek to block 0
  kSynchronize,
  kStart,
  kStop,
  kTestUnitReady,
  kRequestSense,
  kInquiry,
  kReportLuns,
  kModeSense,
  kModeSelect,
  kReserve,
  kRelease,
  kPrevent,   // PREVENT ALLOW MEDIUM REMOVAL: without effect on a fixed disk
  kFormat,    // FORMAT UNIT: the blocks' content afterwards is undefined
  kReassign,  // REASSIGN BLOCKS
  kDiagnose,  // SEND DIAGNOSTIC
  kLogSelect,
};

enum class Moves : std::uint8_t { kNothing, kIn, kOut };

enum class Validity : std::uint8_t {
  kValid,       // this disk must accept every bit
  kOutOfRange,  // like kValid, except for blocks past the end
  kUnsure,      // reserved bits, optional commands, parameter lists
};

struct Capacity {
  std::uint32_t blocks = 0;
  std::uint32_t block_bytes = 512;
};

/// `blocks` are those of the operation: SYNCHRONIZE CACHE of 0 blocks has all up to the end.
struct Request {
  Operation operation = Operation::kOther;
  Moves moves = Moves::kNothing;
  Validity validity = Validity::kUnsure;
  std::uint64_t lba = 0;
  std::uint32_t blocks = 0;
  std::uint64_t data_bytes = 0;  // the most that may move
  bool immediate = false;
  bool force_unit_access = false;
  std::uint8_t limit = 0;  // descriptor of duration limits (SBC-4: DLD); 0: none
};

/// Bytes of a CDB with this first byte (SPC-2 4.3.2); 6 for reserved and vendor groups.
std::uint32_t cdb_bytes(std::uint8_t opcode);

/// @param cdb  Whole, at least cdb_bytes() long.
Request request_of(const Bytes& cdb, const Capacity& capacity);

/// "WRITE(10) 120 +4 FUA", "CDB 04..": for messages.
std::string describe_cdb(const Bytes& cdb);

/// These report no unit attention and obey no reservation (SPC-2 7.3, 7.19, 7.20).
bool keeps_attention(Operation operation);

}  // namespace headstack::fuzz
