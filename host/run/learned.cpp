// SPDX-License-Identifier: Apache-2.0
#include "host/run/learned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "firmware/device/buffers.h"
#include "firmware/remap/learn.h"
#include "host/replay/big_endian.hpp"
#include "host/replay/map_transfer.hpp"
#include "host/run/drive_data.hpp"
#include "sim/initiator/operation_code.hpp"

namespace headstack::run {
namespace {

using initiator::operation_code::kReadBuffer;
using replay::big_endian;

constexpr std::uint8_t kDataMode = 2;
constexpr std::uint8_t kDescriptorMode = 3;
constexpr std::uint32_t kPartBytes = 1024;
constexpr std::uint32_t kListHeaderBytes = 4;
constexpr std::size_t kPairBytes = 6;
using Bytes = std::vector<std::uint8_t>;
using Json = nlohmann::ordered_json;

initiator::Command read_buffer(std::uint8_t mode, std::uint8_t id, std::uint32_t offset,
                               std::uint32_t bytes) {
  initiator::Command command;
  command.direction = initiator::Direction::kIn;
  command.length = bytes;
  command.cdb = {kReadBuffer,
                 mode,
                 id,
                 static_cast<std::uint8_t>(offset >> 16U),
                 static_cast<std::uint8_t>(offset >> 8U),
                 static_cast<std::uint8_t>(offset),
                 static_cast<std::uint8_t>(bytes >> 16U),
                 static_cast<std::uint8_t>(bytes >> 8U),
                 static_cast<std::uint8_t>(bytes),
                 0};
  return command;
}

Bytes read_all(session::Session& session, std::uint8_t id) {
  const Bytes descriptor = data_of(session, read_buffer(kDescriptorMode, id, 0, 4));
  if (descriptor.size() < 4) return {};
  const std::uint32_t bytes = big_endian(descriptor, 1, 3);
  Bytes all;
  while (all.size() < bytes) {
    const auto offset = static_cast<std::uint32_t>(all.size());
    const Bytes part =
        data_of(session, read_buffer(kDataMode, id, offset, std::min(kPartBytes, bytes - offset)));
    if (part.empty()) return {};
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

/// The host's gaps: row 2 of page 34h. A command that arrived while others were outstanding had
/// none.
Json gaps_of(session::Session& session) {
  const Bytes page = log_page_of(session, LOG_PAGE_REMAP_TIMES, 512);
  constexpr std::size_t kAt = 2 * kListHeaderBytes;  // skips the headers of page and parameter
  Json gaps = Json::array();
  if (page.size() < kAt + 4 * LEARN_GAP_BINS) return gaps;
  std::uint32_t from_us = 0;
  std::uint32_t count = big_endian(page, kAt, 4);
  for (std::uint32_t bin = 1; bin < LEARN_GAP_BINS; ++bin) {
    count += big_endian(page, kAt + 4 * std::size_t{bin}, 4);
    if (count > 0) gaps.push_back({from_us, count});
    count = 0;
    from_us = learn_gap_end_us(bin);
  }
  return gaps;
}

Json visits_of(const Bytes& bytes) {
  Json visits = Json::array();
  for (std::size_t i = 0; 2 * i < bytes.size(); ++i) {
    const std::uint32_t count = big_endian(bytes, 2 * i, 2);
    if (count > 0) visits.push_back({i, count});
  }
  return visits;
}

/// The pairs in the order of groups. The drive orders them by a hash.
Json pairs_of(const Bytes& bytes) {
  std::vector<std::array<std::uint32_t, 3>> pairs;
  for (std::size_t at = 0; at + kPairBytes <= bytes.size(); at += kPairBytes) {
    const std::uint32_t count = big_endian(bytes, at + 4, 2);
    if (count > 0) pairs.push_back({big_endian(bytes, at, 2), big_endian(bytes, at + 2, 2), count});
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

MoveCounters read_move_counters(session::Session& session) {
  try {
    return replay::move_counters(data_of(session, replay::sense_moves()));
  } catch (const session::SessionError&) {
    return {};  // no answer: the run has reported what is wrong with the drive
  }
}

std::string moves_text(const MoveCounters& counters) {
  if (counters.empty()) return "";
  std::vector<std::string> words;
  for (const auto& [name, value] : counters) words.push_back(fmt::format("{} {}", name, value));
  return fmt::format("  moves of blocks: {}\n", fmt::join(words, ", "));
}

Json read_learned(session::Session& session, std::uint32_t first_block,
                  std::uint32_t group_blocks) {
  try {
    const Bytes visits = read_all(session, BUFFER_VISITS);
    const Bytes pairs = read_all(session, BUFFER_PAIRS);
    if (visits.empty() || pairs.empty()) return nullptr;
    Json json;
    json["format"] = "headstack-counts-1";
    json["first_block"] = first_block;
    json["group_blocks"] = group_blocks;
    json["groups"] = visits.size() / 2;
    json["visits"] = visits_of(visits);
    json["pairs"] = pairs_of(pairs);
    json["gaps"] = gaps_of(session);
    return json;
  } catch (const session::SessionError&) {
    return nullptr;
  }
}

}  // namespace headstack::run
