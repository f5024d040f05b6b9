// SPDX-License-Identifier: Apache-2.0
#include "host/replay/map_transfer.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "firmware/device/log_page.h"
#include "host/replay/big_endian.hpp"
#include "sim/initiator/operation_code.hpp"

namespace headstack::replay {
namespace {

using initiator::operation_code::kLogSense;
using initiator::operation_code::kWriteBuffer;

// Bits of byte 1 or 2 of WRITE BUFFER and LOG SENSE (SPC).
constexpr std::uint8_t kDataMode = 2;
constexpr std::uint8_t kCumulative = LOG_CUMULATIVE << 6;
constexpr std::size_t kPartSlots = 512;  // 1,024 bytes, the most that the drive accepts at once
constexpr std::size_t kHeaderBytes = 4;
constexpr std::size_t kParameterBytes = 8;

constexpr std::array kNames = {
#define REMAP_TALLY(name) std::string_view(#name),
#include "firmware/transfer/remap_tallies.def"
#undef REMAP_TALLY
};

/// A counter's number by its name, or a number that no counter has.
constexpr std::uint32_t number_of(std::string_view name) {
  std::uint32_t number = 0;
  while (number < kNames.size() && kNames[number] != name) ++number;
  return number;
}
constexpr std::uint32_t kLeft = number_of("left");
constexpr std::uint32_t kMap = number_of("map");
constexpr std::uint32_t kFailedLba = number_of("failed_lba");
static_assert(kLeft < kNames.size() && kMap < kNames.size() && kFailedLba < kNames.size());

void put(std::vector<std::uint8_t>& cdb, std::size_t at, std::size_t value) {
  cdb[at] = static_cast<std::uint8_t>(value >> 16U);
  cdb[at + 1] = static_cast<std::uint8_t>(value >> 8U);
  cdb[at + 2] = static_cast<std::uint8_t>(value);
}

}  // namespace

std::vector<initiator::Command> map_commands(const remap::Map& map, std::uint8_t number) {
  std::vector<initiator::Command> commands;
  for (std::size_t first = 0; first < map.slots.size(); first += kPartSlots) {
    const std::size_t count = std::min(kPartSlots, map.slots.size() - first);
    initiator::Command command;
    command.direction = initiator::Direction::kOut;
    for (std::size_t i = first; i < first + count; ++i) {
      command.data.push_back(static_cast<std::uint8_t>(map.slots[i] >> 8U));
      command.data.push_back(static_cast<std::uint8_t>(map.slots[i]));
    }
    command.cdb = {kWriteBuffer, kDataMode, number, 0, 0, 0, 0, 0, 0, 0};
    put(command.cdb, 3, 2 * first);
    put(command.cdb, 6, 2 * count);
    commands.push_back(std::move(command));
  }
  return commands;
}

initiator::Command sense_moves() {
  initiator::Command command;
  command.direction = initiator::Direction::kIn;
  command.length = kHeaderBytes + kNames.size() * kParameterBytes;
  command.cdb = {kLogSense, 0, kCumulative | LOG_PAGE_REMAP_COUNTS,       0, 0, 0,
                 0,         0, static_cast<std::uint8_t>(command.length), 0};
  return command;
}

std::optional<std::uint32_t> find_moves_counter(const std::vector<std::uint8_t>& page,
                                                std::uint32_t number) {
  for (std::size_t at = kHeaderBytes; at + kParameterBytes <= page.size(); at += kParameterBytes) {
    if (big_endian(page, at, 2) == number) return big_endian(page, at + 4, 4);
  }
  return std::nullopt;
}

std::optional<MoveState> move_state(const std::vector<std::uint8_t>& page) {
  const auto left = find_moves_counter(page, kLeft);
  const auto map = find_moves_counter(page, kMap);
  const auto failed = find_moves_counter(page, kFailedLba);
  if (!left || !map || !failed) return std::nullopt;
  return MoveState{*left, *map, *failed};
}

std::vector<std::pair<std::string, std::uint32_t>> move_counters(
    const std::vector<std::uint8_t>& page) {
  std::vector<std::pair<std::string, std::uint32_t>> counters;
  for (std::uint32_t i = 0; i < kNames.size(); ++i) {
    if (const auto value = find_moves_counter(page, i)) counters.emplace_back(kNames[i], *value);
  }
  return counters;
}

}  // namespace headstack::replay
