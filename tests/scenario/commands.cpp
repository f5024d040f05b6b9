// SPDX-License-Identifier: Apache-2.0
#include "tests/scenario/commands.hpp"

#include <fmt/format.h>

namespace headstack::scenario {
namespace {

using initiator::Direction;

void put(Bytes& cdb, std::size_t at, std::size_t count, std::uint64_t value) {
  for (std::size_t i = 0; i < count; ++i) {
    cdb[at + i] = static_cast<std::uint8_t>(value >> (8 * (count - 1 - i)));
  }
}

std::uint32_t block_count(const Bytes& data) {
  return static_cast<std::uint32_t>(data.size() / kBlockBytes);
}

/// The group of 6-byte commands has 21 bits of address.
Bytes cdb_6(std::uint8_t code, std::uint32_t lba, std::uint32_t blocks) {
  Bytes cdb(6);
  cdb[0] = code;
  put(cdb, 1, 3, lba);
  put(cdb, 4, 1, blocks);
  return cdb;
}

Bytes cdb_10(std::uint8_t code, std::uint32_t lba, std::uint32_t blocks) {
  Bytes cdb(10);
  cdb[0] = code;
  put(cdb, 2, 4, lba);
  put(cdb, 7, 2, blocks);
  return cdb;
}

Bytes cdb_12(std::uint8_t code, std::uint32_t lba, std::uint32_t blocks) {
  Bytes cdb(12);
  cdb[0] = code;
  put(cdb, 2, 4, lba);
  put(cdb, 6, 4, blocks);
  return cdb;
}

Bytes cdb_16(std::uint8_t code, std::uint64_t lba, std::uint32_t blocks) {
  Bytes cdb(16);
  cdb[0] = code;
  put(cdb, 2, 8, lba);
  put(cdb, 10, 4, blocks);
  return cdb;
}

constexpr std::uint8_t kNoBlockDescriptors = 0x08;
constexpr std::uint8_t kPageFormat = 0x10;

std::uint8_t page_byte(std::uint8_t page, Values values) {
  return static_cast<std::uint8_t>(static_cast<unsigned>(values) << 6U | page);
}

std::uint8_t select_byte(bool save) {
  return static_cast<std::uint8_t>(kPageFormat | (save ? 1U : 0U));
}

}  // namespace

Command plain(Bytes cdb) {
  Command command;
  command.cdb = std::move(cdb);
  return command;
}

Command reads(Bytes cdb, std::uint32_t length) {
  Command command = plain(std::move(cdb));
  command.direction = Direction::kIn;
  command.length = length;
  return command;
}

Command writes(Bytes cdb, Bytes data) {
  Command command = plain(std::move(cdb));
  command.direction = Direction::kOut;
  command.data = std::move(data);
  return command;
}

Command test_unit_ready() { return plain({0x00, 0, 0, 0, 0, 0}); }

Command request_sense(std::uint8_t allocation) {
  return reads({0x03, 0, 0, 0, allocation, 0}, allocation);
}

Command inquiry(std::uint8_t allocation) {
  return reads({0x12, 0, 0, 0, allocation, 0}, allocation);
}

Command inquiry_page(std::uint8_t page, std::uint8_t allocation) {
  return reads({0x12, 1, page, 0, allocation, 0}, allocation);
}

Command report_luns(std::uint32_t allocation) {
  Bytes cdb(12);
  cdb[0] = 0xA0;
  put(cdb, 6, 4, allocation);
  return reads(cdb, allocation);
}

Command read_capacity_10() { return reads(cdb_10(0x25, 0, 0), 8); }

Command read_capacity_from(std::uint32_t lba) {
  Bytes cdb = cdb_10(0x25, lba, 0);
  cdb[8] = 0x01;
  return reads(cdb, 8);
}

Command read_capacity_16(std::uint32_t allocation) {
  Bytes cdb = cdb_16(0x9E, 0, allocation);
  cdb[1] = 0x10;
  return reads(cdb, allocation);
}

Command start_stop(bool start, bool immediate) {
  const auto byte = [](bool bit) { return static_cast<std::uint8_t>(bit ? 1 : 0); };
  return plain({0x1B, byte(immediate), 0, 0, byte(start), 0});
}

Command mode_sense_6(std::uint8_t page, Values values) {
  return reads({0x1A, kNoBlockDescriptors, page_byte(page, values), 0, 255, 0}, 255);
}

Command mode_sense_10(std::uint8_t page, Values values) {
  Bytes cdb = cdb_10(0x5A, 0, 1024);
  cdb[1] = kNoBlockDescriptors;
  cdb[2] = page_byte(page, values);
  return reads(cdb, 1024);
}

Command mode_select_6(const Bytes& pages, bool save) {
  Bytes list(4);
  list.insert(list.end(), pages.begin(), pages.end());
  const auto length = static_cast<std::uint8_t>(list.size());
  return writes({0x15, select_byte(save), 0, 0, length, 0}, list);
}

Command mode_select_10(const Bytes& pages, bool save) {
  Bytes list(8);
  list.insert(list.end(), pages.begin(), pages.end());
  Bytes cdb = cdb_10(0x55, 0, static_cast<std::uint32_t>(list.size()));
  cdb[1] = select_byte(save);
  return writes(cdb, list);
}

Bytes caching_page(const CachePage& page) {
  const auto high = [](std::uint16_t value) { return static_cast<std::uint8_t>(value >> 8); };
  const auto low = [](std::uint16_t value) { return static_cast<std::uint8_t>(value & 0xFF); };
  return {0x08,
          0x12,
          page.flags,
          0,
          0xFF,
          0xFF,
          0,
          0,
          high(page.most_ahead),
          low(page.most_ahead),
          0xFF,
          0xFF,
          page.ahead_flags,
          page.segments,
          high(page.segment_blocks),
          low(page.segment_blocks),
          0,
          0,
          0,
          0};
}

Bytes control_page(std::uint8_t byte_3) { return {0x0A, 0x0A, 0, byte_3, 0, 0, 0, 0, 0, 0, 0, 0}; }

Bytes scheduler_page(std::uint8_t policy, std::uint16_t margin_us) {
  Bytes page(24);
  page[0] = 0x20;
  page[1] = 22;
  page[2] = policy;
  put(page, 4, 2, margin_us);
  return page;
}

Command read_6(std::uint32_t lba, std::uint32_t blocks) {
  return reads(cdb_6(0x08, lba, blocks), blocks * kBlockBytes);
}
Command read_10(std::uint32_t lba, std::uint32_t blocks) {
  return reads(cdb_10(0x28, lba, blocks), blocks * kBlockBytes);
}
Command read_16(std::uint64_t lba, std::uint32_t blocks) {
  return reads(cdb_16(0x88, lba, blocks), blocks * kBlockBytes);
}
Command write_6(std::uint32_t lba, Bytes data) {
  const std::uint32_t blocks = block_count(data);
  return writes(cdb_6(0x0A, lba, blocks), std::move(data));
}
Command write_10(std::uint32_t lba, Bytes data) {
  const std::uint32_t blocks = block_count(data);
  return writes(cdb_10(0x2A, lba, blocks), std::move(data));
}
Command write_16(std::uint64_t lba, Bytes data) {
  const std::uint32_t blocks = block_count(data);
  return writes(cdb_16(0x8A, lba, blocks), std::move(data));
}
Command read_12(std::uint32_t lba, std::uint32_t blocks) {
  return reads(cdb_12(0xA8, lba, blocks), blocks * kBlockBytes);
}
Command write_12(std::uint32_t lba, Bytes data) {
  const std::uint32_t blocks = block_count(data);
  return writes(cdb_12(0xAA, lba, blocks), std::move(data));
}
Command write_and_verify(std::uint32_t lba, Bytes data, bool byte_check) {
  const std::uint32_t blocks = block_count(data);
  Bytes cdb = cdb_10(0x2E, lba, blocks);
  if (byte_check) cdb[1] = 0x02;
  return writes(cdb, std::move(data));
}
Command seek_6(std::uint32_t lba) { return plain(cdb_6(0x0B, lba, 0)); }
Command seek_10(std::uint32_t lba) { return plain(cdb_10(0x2B, lba, 0)); }
Command rezero_unit() { return plain({0x01, 0, 0, 0, 0, 0}); }
Command reserve_6() { return plain({0x16, 0, 0, 0, 0, 0}); }
Command release_6() { return plain({0x17, 0, 0, 0, 0, 0}); }
Command reserve_10() { return plain(cdb_10(0x56, 0, 0)); }
Command release_10() { return plain(cdb_10(0x57, 0, 0)); }
Command prevent_removal(bool prevent) {
  return plain({0x1E, 0, 0, 0, static_cast<std::uint8_t>(prevent ? 1 : 0), 0});
}
Command verify_10(std::uint32_t lba, std::uint32_t blocks) {
  return plain(cdb_10(0x2F, lba, blocks));
}
Command synchronize_cache(std::uint32_t lba, std::uint32_t blocks) {
  return plain(cdb_10(0x35, lba, blocks));
}

Command format_unit() { return plain({0x04, 0, 0, 0, 0, 0}); }

Command format_unit(bool complete, std::uint8_t list_format, std::uint8_t options,
                    const Bytes& descriptors, const Bytes& pattern) {
  Bytes list(4);
  list[1] = options;
  put(list, 2, 2, descriptors.size());
  list = joined({list, pattern, descriptors});
  const auto byte = static_cast<std::uint8_t>(0x10 | (complete ? 0x08 : 0) | list_format);
  return writes({0x04, byte, 0, 0, 0, 0}, list);
}

Bytes repeat_pattern(const Bytes& pattern) {
  Bytes descriptor = {0, 1, 0, 0};
  put(descriptor, 2, 2, pattern.size());
  return joined({descriptor, pattern});
}

Bytes block_descriptor(std::uint32_t lba) {
  Bytes bytes(4);
  put(bytes, 0, 4, lba);
  return bytes;
}

Bytes place_descriptor(std::uint32_t cylinder, std::uint32_t head, std::uint32_t sector_or_bytes) {
  Bytes bytes(8);
  put(bytes, 0, 3, cylinder);
  put(bytes, 3, 1, head);
  put(bytes, 4, 4, sector_or_bytes);
  return bytes;
}

Bytes joined(const std::vector<Bytes>& parts) {
  Bytes all;
  for (const Bytes& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Command reassign_blocks(const std::vector<std::uint32_t>& blocks) {
  Bytes list(4);
  put(list, 2, 2, 4 * blocks.size());
  for (const std::uint32_t lba : blocks) list = joined({list, block_descriptor(lba)});
  return writes({0x07, 0, 0, 0, 0, 0}, list);
}

namespace {

std::uint8_t lists_byte(bool primary, bool grown, std::uint8_t list_format) {
  return static_cast<std::uint8_t>((primary ? 0x10 : 0) | (grown ? 0x08 : 0) | list_format);
}

}  // namespace

Command read_defect_data_10(bool primary, bool grown, std::uint8_t list_format,
                            std::uint16_t allocation) {
  Bytes cdb = cdb_10(0x37, 0, allocation);
  cdb[2] = lists_byte(primary, grown, list_format);
  return reads(cdb, allocation);
}

Command read_defect_data_12(bool primary, bool grown, std::uint8_t list_format,
                            std::uint32_t allocation) {
  Bytes cdb(12);
  cdb[0] = 0xB7;
  cdb[1] = lists_byte(primary, grown, list_format);
  put(cdb, 6, 4, allocation);
  return reads(cdb, allocation);
}

Command send_diagnostic(bool self_test) {
  return plain({0x1D, static_cast<std::uint8_t>(self_test ? 0x04 : 0), 0, 0, 0, 0});
}

Command log_sense(std::uint8_t page, std::uint8_t control, std::uint16_t pointer,
                  std::uint16_t allocation) {
  Bytes cdb = cdb_10(0x4D, 0, allocation);
  cdb[2] = static_cast<std::uint8_t>(control << 6 | page);
  put(cdb, 5, 2, pointer);
  return reads(cdb, allocation);
}

Command log_select_reset() { return plain({0x4C, 0x02, 0x40, 0, 0, 0, 0, 0, 0, 0}); }

std::optional<std::uint64_t> log_parameter(const Bytes& page, std::uint16_t parameter) {
  for (std::size_t at = 4; at + 4 <= page.size(); at += 4 + page[at + 3]) {
    if (big_endian(page, at, 2) != parameter) continue;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < page[at + 3]; ++i) value = value << 8U | page.at(at + 4 + i);
    return value;
  }
  return std::nullopt;
}

Command tagged(Command command, std::uint16_t tag, TagType type) {
  command.tag_type = type;
  command.tag = tag;
  return command;
}

std::string outcome(const Completion& completion) {
  if (completion.outcome != initiator::Outcome::kComplete) {
    return initiator::outcome_name(completion.outcome);
  }
  switch (completion.status) {  // SAM-2 table 22
    case 0x00: return "GOOD";
    case 0x02: return sense_text(completion.sense);
    case 0x08: return "BUSY";
    case 0x18: return "RESERVATION CONFLICT";
    case 0x28: return "QUEUE FULL";
    default: return fmt::format("status {:02X}", completion.status);
  }
}

std::string sense_text(const Bytes& sense) {
  if (sense.size() < 14) return "no sense data";
  return fmt::format("{:X}/{:02X}/{:02X}", sense[2] & 0x0FU, sense[12], sense[13]);
}

std::optional<std::uint32_t> information(const Bytes& sense) {
  if (sense.size() < 7 || (sense[0] & 0x80U) == 0) return std::nullopt;
  return big_endian(sense, 3, 4);
}

std::string specific(const Bytes& sense) {
  if (sense.size() < 18) return "none";
  return fmt::format("{:02X} {:02X} {:02X}", sense[15], sense[16], sense[17]);
}

std::uint32_t big_endian(const Bytes& bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + count; ++i) value = value << 8U | bytes.at(i);
  return value;
}

}  // namespace headstack::scenario
