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
Command verify_10(std::uint32_t lba, std::uint32_t blocks) {
  return plain(cdb_10(0x2F, lba, blocks));
}
Command synchronize_cache(std::uint32_t lba, std::uint32_t blocks) {
  return plain(cdb_10(0x35, lba, blocks));
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

std::uint32_t big_endian(const Bytes& bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = at; i < at + count; ++i) value = value << 8U | bytes.at(i);
  return value;
}

}  // namespace headstack::scenario
