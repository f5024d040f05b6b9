// SPDX-License-Identifier: Apache-2.0
#include "host/session/second_life.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/initiator/cdb.hpp"
#include "sim/initiator/operation_code.hpp"
#include "sim/initiator/queue_error.hpp"

namespace headstack::session {
namespace {

using initiator::operation_code::kRead10;
using initiator::operation_code::kTestUnitReady;

constexpr Picoseconds kPollInterval = kPicosecondsPerMillisecond;
constexpr std::uint32_t kMostBlocks = 256;  // most blocks that one command reads

Options options_for(const Options& options, const media::MediaSnapshot& media) {
  Options again = options;
  if (again.platform == PlatformKind::kRtl) again.platform = PlatformKind::kVp;
  again.hosts = 1;
  again.look = Look::kNothing;
  again.media = media;
  again.media_file.clear();
  again.at_rest = true;
  return again;
}

std::string describe(const initiator::Completion& completion) {
  if (completion.outcome != initiator::Outcome::kComplete) {
    return initiator::outcome_name(completion.outcome);
  }
  if (const auto sense = initiator::sense_codes(completion.sense)) {
    return fmt::format("{:X}/{:02X}/{:02X}", sense->key, sense->asc, sense->ascq);
  }
  return fmt::format("status {:02x}h", completion.status);
}

}  // namespace

SecondLife::SecondLife(const drive::DriveDescription& description, const Options& options,
                       const media::MediaSnapshot& media, std::optional<std::uint64_t> cut_at_byte)
    : session_(description, options_for(options, media)) {
  if (cut_at_byte) session_.lose_power_at_byte(*cut_at_byte);
  // No command is sent while the drive cannot be ready.
  session_.run_until(from_ms(description.design.spin_up_ms));
  try {
    become_ready();
  } catch (const SessionError&) {
    if (session_.has_power()) throw;
  }
}

void SecondLife::become_ready() {
  const Picoseconds last = session_.now() + Session::kPatience;
  initiator::Command command;
  command.cdb.assign(6, kTestUnitReady);
  while (true) {
    const Picoseconds left = std::max<Picoseconds>(0, last - session_.now());
    const initiator::Completion& completion = session_.execute(command, 0, left);
    if (completion.is_good() || describe(completion) == kFormatCorrupted) return;
    session_.run_until(session_.now() + kPollInterval);
  }
}

void SecondLife::read(std::uint64_t lba, std::uint64_t end, const TakeBlock& take) {
  while (lba < end) {
    const auto blocks = static_cast<std::uint32_t>(std::min<std::uint64_t>(kMostBlocks, end - lba));
    read_some(static_cast<std::uint32_t>(lba), blocks, take);
    lba += blocks;
  }
}

void SecondLife::read_some(std::uint32_t lba, std::uint32_t blocks, const TakeBlock& take) {
  const std::uint32_t block_bytes = session_.description().design.sector_bytes;
  initiator::Command command;
  command.cdb = initiator::cdb10(kRead10, 0, lba, blocks);
  command.direction = initiator::Direction::kIn;
  command.length = blocks * block_bytes;
  const initiator::Completion& completion = session_.execute(std::move(command));
  const bool is_good = completion.is_good() && completion.data.size() == blocks * block_bytes;
  if (is_good) {
    for (std::uint32_t i = 0; i < blocks; ++i) {
      take(lba + i, completion.data.data() + std::size_t{i} * block_bytes, "");
    }
    return;
  }
  if (blocks == 1) return take(lba, nullptr, describe(completion));
  for (std::uint32_t i = 0; i < blocks; ++i) read_some(lba + i, 1, take);
}

}  // namespace headstack::session
