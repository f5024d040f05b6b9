// SPDX-License-Identifier: Apache-2.0
// A drive that rearranges its blocks, from a host's side, and the expected content of its blocks.
// The host has mode page 23h (firmware/unit/mode_page.h), WRITE BUFFER, READ BUFFER and log page
// 33h (transfer/remap.h).
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "host/session/second_life.hpp"
#include "host/session/session.hpp"
#include "sim/draw.hpp"
#include "sim/drive/load.hpp"
#include "sim/initiator/cdb.hpp"
#include "tests/support.hpp"

namespace headstack::test {

using Bytes = std::vector<std::uint8_t>;
using Map = std::vector<std::uint32_t>;  // the slot of each unit

constexpr std::uint32_t kBlockBytes = 512;

struct RemapMode {
  std::uint8_t flags = 2;  // moves
  std::uint8_t map = 0;
  std::uint8_t share = 0;
  std::uint16_t idle_ms = 5;
  std::uint32_t first_block = 0;
  std::uint16_t unit_blocks = 16;
  std::uint16_t group_blocks = 0;
  std::uint8_t makes = 0;  // number of the map that the drive makes, with the method << 4
  std::uint16_t trials_thousands = 0;
  std::uint16_t hottest = 0;
};

/// Parameters of log page 33h, by their codes.
enum Tally : std::uint8_t {
  kUnits,
  kAway,
  kLeft,
  kMap,
  kMoves,
  kCopiedAgain,
  kRecords,
  kBases,
  kRequests,
  kMediaMs,
  kWaits,
  kLongestWaitUs,
  kDepth16th,
  kSteady256th,
  kChoices,
  kSkipped,
  kFailedLba,
  kTallies
};

inline void put(Bytes& bytes, std::size_t at, std::uint32_t value, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    bytes[at + i] = static_cast<std::uint8_t>(value >> 8 * (count - 1 - i));
}
inline std::uint32_t get(const Bytes& bytes, std::size_t at, unsigned count) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < count; ++i) value = value << 8 | bytes.at(at + i);
  return value;
}

inline initiator::Command select_remap(const RemapMode& mode) {
  Bytes list(4 + 20);
  list[4] = 0x23;
  list[5] = 18;
  list[4 + 2] = mode.flags;
  list[4 + 3] = mode.map;
  list[4 + 4] = mode.share;
  put(list, 4 + 6, mode.idle_ms, 2);
  put(list, 4 + 8, mode.first_block, 4);
  put(list, 4 + 12, mode.unit_blocks, 2);
  put(list, 4 + 14, mode.group_blocks, 2);
  list[4 + 5] = mode.makes;
  put(list, 4 + 16, mode.trials_thousands, 2);
  put(list, 4 + 18, mode.hottest, 2);
  initiator::Command command;
  command.direction = initiator::Direction::kOut;
  command.cdb = {0x15, 0x10, 0, 0, static_cast<std::uint8_t>(list.size()), 0};
  command.data = std::move(list);
  return command;
}

inline initiator::Command buffer_command(std::uint8_t operation, std::uint8_t id,
                                         std::uint32_t offset, std::uint32_t length) {
  initiator::Command command;
  command.cdb = {operation, 2, id, 0, 0, 0, 0, 0, 0, 0};
  put(command.cdb, 3, offset, 3);
  put(command.cdb, 6, length, 3);
  command.direction = operation == 0x3C ? initiator::Direction::kIn : initiator::Direction::kOut;
  if (operation == 0x3C) command.length = length;
  return command;
}

/// A host's commands; each must end well.
class RemapHost {
 public:
  explicit RemapHost(session::Session& session) : session_(session) {}

  const initiator::Completion& good(initiator::Command command) {
    constexpr std::uint8_t kBusy = 0x08;
    while (true) {
      const initiator::Completion& completion = session_.execute(command);
      if (completion.status != kBusy) return checked(completion);
      session_.run_until(session_.now() + 20 * kPicosecondsPerMillisecond);
    }
  }
  static const initiator::Completion& checked(const initiator::Completion& completion) {
    EXPECT_TRUE(completion.is_good()) << testing::PrintToString(completion.sense);
    return completion;
  }
  void select(const RemapMode& mode) { good(select_remap(mode)); }
  void send_map(std::uint8_t id, const Map& map) {
    constexpr std::size_t kPart = 500;
    for (std::size_t first = 0; first < map.size(); first += kPart) {
      const std::size_t count = std::min(kPart, map.size() - first);
      Bytes data(2 * count);
      for (std::size_t i = 0; i < count; ++i) put(data, 2 * i, map[first + i], 2);
      initiator::Command command = buffer_command(0x3B, id, static_cast<std::uint32_t>(2 * first),
                                                  static_cast<std::uint32_t>(data.size()));
      command.data = std::move(data);
      good(std::move(command));
    }
  }
  Bytes read_buffer(std::uint8_t id) {
    Bytes all;
    const initiator::Completion& descriptor = descriptor_of(id);
    const std::uint32_t bytes = get(descriptor.data, 1, 3);
    while (all.size() < bytes) {
      const std::uint32_t count =
          std::min<std::uint32_t>(1000, bytes - static_cast<std::uint32_t>(all.size()));
      const initiator::Completion& part =
          good(buffer_command(0x3C, id, static_cast<std::uint32_t>(all.size()), count));
      if (part.data.size() != count) break;
      all.insert(all.end(), part.data.begin(), part.data.end());
    }
    EXPECT_EQ(all.size(), bytes);
    return all;
  }
  Map locations() {
    const Bytes bytes = read_buffer(0x10);
    Map map(bytes.size() / 2);
    for (std::size_t i = 0; i < map.size(); ++i) map[i] = get(bytes, 2 * i, 2);
    return map;
  }
  /// All counters, for a failure's message.
  std::string tallies() {
    std::string text;
    for (unsigned i = 0; i < kTallies; ++i)
      text += std::to_string(tally(static_cast<Tally>(i))) + " ";
    return text;
  }
  std::uint32_t tally(Tally which) {
    initiator::Command command;
    command.direction = initiator::Direction::kIn;
    command.length = 4 + 8 * kTallies;
    command.cdb = {0x4D, 0, 0x40 | 0x33, 0, 0, 0, 0, 0, static_cast<std::uint8_t>(command.length),
                   0};
    const Bytes& data = good(std::move(command)).data;
    return get(data, 4 + std::size_t{8} * which + 4, 4);
  }
  /// The list of log page 34h that has the host's gaps.
  std::vector<std::uint32_t> gap_bins() {
    initiator::Command command;
    command.direction = initiator::Direction::kIn;
    command.length = 512;
    command.cdb = {0x4D, 0, 0x40 | 0x34, 0, 0, 0, 2, 2, 0, 0};
    const Bytes& data = good(std::move(command)).data;
    std::vector<std::uint32_t> bins;
    for (std::size_t at = 8; at + 4 <= data.size(); at += 4) bins.push_back(get(data, at, 4));
    return bins;
  }
  /// Waits until all units are where the map in force puts them. @return whether that was in time.
  bool settle(Picoseconds limit = 600'000 * kPicosecondsPerMillisecond) {
    const Picoseconds end = session_.now() + limit;
    while (session_.now() < end) {
      session_.run_until(session_.now() + 200 * kPicosecondsPerMillisecond);
      if (tally(kFailedLba) != 0) {
        ADD_FAILURE() << tallies();
        return false;
      }
      if (tally(kLeft) == 0 && tally(kMap) == wanted_) return true;
    }
    return false;
  }
  void go_to(RemapMode mode, std::uint8_t map) {
    mode.map = map;
    wanted_ = map;
    select(mode);
  }

 private:
  const initiator::Completion& descriptor_of(std::uint8_t id) {
    initiator::Command command = buffer_command(0x3C, id, 0, 4);
    command.cdb[1] = 3;
    return good(std::move(command));
  }

  session::Session& session_;
  std::uint32_t wanted_ = 0;
};

inline Map identity(std::uint32_t units) {
  Map map(units);
  std::iota(map.begin(), map.end(), 0U);
  return map;
}

/// A permutation drawn by seed.
inline Map shuffled(std::uint32_t units, std::uint64_t seed) {
  Map map = identity(units);
  for (std::uint32_t i = units; i > 1; --i) {
    std::swap(map[i - 1], map[below(scatter(seed + i), i)]);
  }
  return map;
}

/// Fills a block with content that is unique to its number and version.
inline void fill_block(std::uint8_t* data, std::uint32_t lba, std::uint32_t version) {
  std::uint64_t word = scatter((std::uint64_t{lba} << 32) + version);
  for (std::uint32_t i = 0; i < kBlockBytes; ++i) {
    if (i % 8 == 0) word = scatter(word + i);
    data[i] = static_cast<std::uint8_t>(word >> 8 * (i % 8));
  }
}

}  // namespace headstack::test
