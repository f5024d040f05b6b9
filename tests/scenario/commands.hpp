// SPDX-License-Identifier: Apache-2.0
/// @file
/// Commands of a host, one function per CDB, and their results as text.
///
/// CDBs: SPC-2 clause 7 and SBC-2 clause 5. Blocks have kBlockBytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/initiator/command.hpp"

namespace headstack::scenario {

using Bytes = std::vector<std::uint8_t>;
using initiator::Command;
using initiator::Completion;
using initiator::TagType;

constexpr std::uint32_t kBlockBytes = 512;

/// A command from a CDB without data.
Command plain(Bytes cdb);
/// A command from a CDB that reads at most `length` bytes.
Command reads(Bytes cdb, std::uint32_t length);
/// A command from a CDB that sends data.
Command writes(Bytes cdb, Bytes data);

Command test_unit_ready();
Command request_sense(std::uint8_t allocation = 18);
Command inquiry(std::uint8_t allocation = 255);
Command inquiry_page(std::uint8_t page, std::uint8_t allocation = 255);
Command report_luns(std::uint32_t allocation = 256);
Command read_capacity_10();
/// READ CAPACITY with PMI: the last block before a substantial delay (SCSI-2 9.2.7).
Command read_capacity_from(std::uint32_t lba);
Command read_capacity_16(std::uint32_t allocation = 12);
/// START STOP UNIT. `immediate`: status before the spindle has reached the state.
Command start_stop(bool start, bool immediate = false);

/// Page control of MODE SENSE (SPC-2 table 64).
enum class Values : std::uint8_t { kCurrent = 0, kChangeable = 1, kDefault = 2, kSaved = 3 };
/// MODE SENSE without block descriptors.
Command mode_sense_6(std::uint8_t page, Values values = Values::kCurrent);
Command mode_sense_10(std::uint8_t page, Values values = Values::kCurrent);
/// MODE SELECT: `pages` after the header of the 6- or 10-byte form, without block descriptors.
Command mode_select_6(const Bytes& pages, bool save = false);
Command mode_select_10(const Bytes& pages, bool save = false);

/// The vendor page 20h (firmware/unit/mode_page.h), to send: a policy's number, and no parameters.
Bytes scheduler_page(std::uint8_t policy, std::uint16_t margin_us = 40);
/// Page 08h, caching (SBC-2 6.3.3), to send.
constexpr std::uint8_t kWriteCache = 0x04;
constexpr std::uint8_t kReadCacheDisabled = 0x01;
constexpr std::uint8_t kNoReadAhead = 0x20;
struct CachePage {
  std::uint8_t flags = 0;  // flags of byte 2
  std::uint8_t ahead_flags = 0;
  std::uint8_t segments = 3;
  std::uint16_t segment_blocks = 64;
  std::uint16_t most_ahead = 0xFFFF;
};
Bytes caching_page(const CachePage& page);
/// Page 0Ah, control (SPC-2 8.3.6), to send: byte 3 has the queue algorithm modifier and QERR.
constexpr std::uint8_t kUnrestrictedReordering = 0x10;
Bytes control_page(std::uint8_t byte_3);
constexpr std::uint8_t kFcfs = 0;
constexpr std::uint8_t kSstf = 1;
constexpr std::uint8_t kStf = 2;

/// READ(6). Its length byte 0 means 256 blocks.
Command read_6(std::uint32_t lba, std::uint32_t blocks);
Command read_10(std::uint32_t lba, std::uint32_t blocks);
Command read_16(std::uint64_t lba, std::uint32_t blocks);
Command write_6(std::uint32_t lba, Bytes data);
Command write_10(std::uint32_t lba, Bytes data);
Command write_16(std::uint64_t lba, Bytes data);
Command read_12(std::uint32_t lba, std::uint32_t blocks);
Command write_12(std::uint32_t lba, Bytes data);
/// WRITE AND VERIFY(10); `byte_check` is BytChk.
Command write_and_verify(std::uint32_t lba, Bytes data, bool byte_check = false);
Command verify_10(std::uint32_t lba, std::uint32_t blocks);
Command seek_6(std::uint32_t lba);
Command seek_10(std::uint32_t lba);
Command rezero_unit();
Command reserve_6();
Command release_6();
Command reserve_10();
Command release_10();
Command prevent_removal(bool prevent);
Command synchronize_cache(std::uint32_t lba = 0, std::uint32_t blocks = 0);

/// FORMAT UNIT (SCSI-2 9.2.1) without a parameter list, and with one. `options` are byte 1 of the
/// list's header, `descriptors` have the format `list_format`. `pattern` is an initialization
/// pattern descriptor with its pattern, or empty.
Command format_unit();
Command format_unit(bool complete, std::uint8_t list_format, std::uint8_t options,
                    const Bytes& descriptors = {}, const Bytes& pattern = {});
constexpr std::uint8_t kBlockFormat = 0;
constexpr std::uint8_t kBytesFromIndex = 4;
constexpr std::uint8_t kPhysicalSector = 5;
/// Byte 1 of the defect list header.
constexpr std::uint8_t kFov = 0x80, kDpry = 0x40, kDcrt = 0x20, kStpf = 0x10, kIp = 0x08,
                       kDsp = 0x04, kImmed = 0x02;
/// "FF 12": a repeated pattern (table 114, type 01h).
Bytes repeat_pattern(const Bytes& pattern);
/// Descriptors (SCSI-2 9.2.1.1): a block; cylinder, head and sector or bytes from the index.
Bytes block_descriptor(std::uint32_t lba);
Bytes place_descriptor(std::uint32_t cylinder, std::uint32_t head, std::uint32_t sector_or_bytes);
Bytes joined(const std::vector<Bytes>& parts);

Command reassign_blocks(const std::vector<std::uint32_t>& blocks);
Command read_defect_data_10(bool primary, bool grown, std::uint8_t list_format,
                            std::uint16_t allocation = 0xFFFF);
Command read_defect_data_12(bool primary, bool grown, std::uint8_t list_format,
                            std::uint32_t allocation = 0xFFFF);
Command send_diagnostic(bool self_test);
/// Page control 1 selects the values counted so far.
Command log_sense(std::uint8_t page, std::uint8_t control = 1, std::uint16_t pointer = 0,
                  std::uint16_t allocation = 255);
Command log_select_reset();
/// A parameter's value in LOG SENSE data; nothing if the page has no such parameter.
std::optional<std::uint64_t> log_parameter(const Bytes& page, std::uint16_t parameter);

Command tagged(Command command, std::uint16_t tag, TagType type = TagType::kSimple);

/// "GOOD", "BUSY", "QUEUE FULL", "5/24/00" (key/ASC/ASCQ of a CHECK CONDITION), or how else the
/// command ended: "bus reset".
std::string outcome(const Completion& completion);
/// "5/24/00" of fixed-format sense data (SPC-2 7.20.2).
std::string sense_text(const Bytes& sense);
/// INFORMATION, if VALID is set.
std::optional<std::uint32_t> information(const Bytes& sense);

/// "C0 00 03": bytes 15 to 17, the sense-key specific ones.
std::string specific(const Bytes& sense);

std::uint32_t big_endian(const Bytes& bytes, std::size_t at, std::size_t count);

}  // namespace headstack::scenario
