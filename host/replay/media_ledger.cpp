// SPDX-License-Identifier: Apache-2.0
#include "host/replay/media_ledger.hpp"

#include <algorithm>
#include <iterator>

namespace headstack::replay {

using Fate = BlockHistory::Fate;

void MediaLedger::touched(std::uint64_t lba, std::uint32_t blocks) {
  if (blocks == 0) return;
  std::uint64_t first = lba;
  std::uint64_t end = lba + blocks;
  auto next = ends_.upper_bound(first);
  if (next != ends_.begin() && std::prev(next)->second >= first) --next;
  while (next != ends_.end() && next->first <= end) {
    first = std::min(first, next->first);
    end = std::max(end, next->second);
    next = ends_.erase(next);
  }
  ends_.emplace(first, end);
}

void MediaLedger::write_arrived(Version version, std::uint64_t lba, std::uint32_t blocks,
                                traces::Tagging tagging) {
  touched(lba, blocks);
  history_.write_arrived(version, lba, blocks, tagging);
  pending_[version] = {lba, blocks, std::nullopt};
}

void MediaLedger::write_ended(Version version, Fate fate, bool is_early) {
  const auto found = pending_.find(version);
  if (found == pending_.end()) return;
  if (is_early) {
    found->second.reported = reported_count_++;
    return;
  }
  pending_.erase(found);
  history_.write_ended(version, fate);
}

void MediaLedger::flush_done(std::uint64_t sent) {
  for (auto one = pending_.begin(); one != pending_.end();) {
    const bool is_flushed = one->second.reported && *one->second.reported < sent;
    if (is_flushed) history_.write_ended(one->first, Fate::kDone);
    one = is_flushed ? pending_.erase(one) : std::next(one);
  }
}

std::vector<MediaLedger::Range> MediaLedger::deferred_error() {
  std::vector<Range> lost;
  for (auto one = pending_.begin(); one != pending_.end();) {
    const bool is_reported = one->second.reported.has_value();
    if (is_reported) {
      history_.write_ended(one->first, Fate::kPerhaps);
      lost.push_back({one->second.lba, one->second.lba + one->second.blocks});
    }
    one = is_reported ? pending_.erase(one) : std::next(one);
  }
  return lost;
}

void MediaLedger::formatted() {
  history_ = BlockHistory(restricted_);
  pending_.clear();
}

void MediaLedger::power_lost() {
  for (const auto& [version, write] : pending_) history_.write_ended(version, Fate::kPerhaps);
}

std::vector<MediaLedger::Range> MediaLedger::ranges() const {
  std::vector<Range> ranges;
  for (const auto& [lba, end] : ends_) ranges.push_back({lba, end});
  return ranges;
}

bool MediaLedger::is_uncertain(std::uint64_t lba) {
  if (allowed(lba).size() > 1) return true;
  return std::any_of(pending_.begin(), pending_.end(), [lba](const auto& one) {
    return lba >= one.second.lba && lba - one.second.lba < one.second.blocks;
  });
}

bool MediaLedger::may_hold(std::uint64_t lba, Version version) {
  BlockHistory::Read read = history_.read_arrived(lba, 1, traces::Tagging::kSimple);
  const bool right = history_.check(read, {version}) == BlockHistory::Verdict::kRight;
  history_.read_ended(read);
  return right;
}

std::vector<MediaLedger::Version> MediaLedger::allowed(std::uint64_t lba) {
  const BlockHistory::Read read = history_.read_arrived(lba, 1, traces::Tagging::kSimple);
  std::vector<Version> versions = history_.allowed(read, lba);
  history_.read_ended(read);
  return versions;
}

}  // namespace headstack::replay
