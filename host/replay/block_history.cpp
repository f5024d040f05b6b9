// SPDX-License-Identifier: Apache-2.0
#include "host/replay/block_history.hpp"

#include <algorithm>

#include "sim/assert.hpp"

namespace headstack::replay {

using traces::Tagging;

namespace {

bool is_simple(Tagging tagging) {
  return tagging == Tagging::kSimple || tagging == Tagging::kUntagged;
}

}  // namespace

// --------------------------------------------------------------------------------------- the order

bool BlockHistory::precedes(const Span& a, const Span& b) const {
  if (a.arrival >= b.arrival) return false;
  if (a.end != 0 && a.end < b.arrival) return true;
  if (b.tagging == Tagging::kHeadOfQueue) return false;
  return restricted_ || !is_simple(a.tagging) || !is_simple(b.tagging);
}

bool BlockHistory::precedes(const Log& log, const Entry& a, const Entry& b) const {
  if (precedes(span_of(a), span_of(b))) return true;
  return std::find(log.before.begin(), log.before.end(), std::pair(a.version, b.version)) !=
         log.before.end();
}

/// The span of the write on this block. It ends with the first read that returned the write's data,
/// since the write had taken effect by then.
BlockHistory::Span BlockHistory::span_of(const Entry& entry) {
  Moment end = entry.write->end;
  if (entry.seen != 0 && (end == 0 || entry.seen < end)) end = entry.seen;
  return {entry.write->arrival, end, entry.write->tagging};
}

bool BlockHistory::took_effect(const Entry& entry) {
  return entry.seen != 0 || entry.write->fate == Fate::kDone;
}

// ------------------------------------------------------------------------------------------ writes

void BlockHistory::write_arrived(Version version, std::uint64_t lba, std::uint32_t blocks,
                                 Tagging tagging) {
  const auto [place, fresh] =
      writes_.emplace(version, Write{++now_, 0, tagging, Fate::kOut, lba, blocks, blocks});
  HEADSTACK_ASSERT(fresh && version != 0, "each attempt at a write has a version of its own");
  for (std::uint64_t block = lba; block < lba + blocks; ++block) {
    logs_[block].entries.push_back({version, &place->second, 0});
  }
}

void BlockHistory::write_ended(Version version, Fate fate) {
  const auto found = writes_.find(version);
  HEADSTACK_ASSERT(found != writes_.end() && found->second.fate == Fate::kOut,
                   "a write that arrived ends once");
  Write& write = found->second;
  write.end = ++now_;
  write.fate = fate;
  due_.push_back({now_, write.lba, write.blocks});
  if (fate == Fate::kNoEffect) forget(version, write.lba, write.blocks);
  prune_due();
}

void BlockHistory::forget(Version version, std::uint64_t lba, std::uint32_t blocks) {
  for (std::uint64_t block = lba; block < lba + blocks; ++block) {
    drop(logs_.at(block), version);
  }
}

/// Removes a version of the block that no later read can return.
void BlockHistory::drop(Log& log, Version version) {
  const auto is_it = [version](const Entry& entry) { return entry.version == version; };
  const auto found = std::find_if(log.entries.begin(), log.entries.end(), is_it);
  if (found == log.entries.end()) return;
  if (took_effect(*found)) join_around(log, *found);
  log.entries.erase(found);
  const auto names_it = [version](const auto& pair) {
    return pair.first == version || pair.second == version;
  };
  log.before.erase(std::remove_if(log.before.begin(), log.before.end(), names_it),
                   log.before.end());
  release(version);
}

/// Keeps the orders that `middle` implied: a write before it precedes each write after it.
void BlockHistory::join_around(Log& log, const Entry& middle) {
  for (const Entry& a : log.entries) {
    for (const Entry& b : log.entries) {
      if (&a == &b || !precedes(log, a, middle) || !precedes(log, middle, b)) continue;
      put_before(log, a, b);
    }
  }
}

void BlockHistory::release(Version version) {
  const auto found = writes_.find(version);
  if (--found->second.logs == 0 && found->second.end != 0) writes_.erase(found);
}

// ------------------------------------------------------------------------------------------- reads

BlockHistory::Read BlockHistory::read_arrived(std::uint64_t lba, std::uint32_t blocks,
                                              Tagging tagging) {
  reads_out_.insert(++now_);
  return {now_, 0, tagging, lba, blocks};
}

void BlockHistory::read_ended(const Read& read) {
  reads_out_.erase(reads_out_.find(read.arrival));
  prune_due();
}

/// The writes that certainly come after the entries that satisfy `begins`. They may also follow by
/// way of other writes that took effect. With `strict`, outstanding writes count as if they took
/// effect.
std::vector<const BlockHistory::Entry*> BlockHistory::behind(
    const Log& log, const std::function<bool(const Entry&)>& begins, bool strict) const {
  std::vector<const Entry*> found;
  const auto take = [&](const auto& is_next) {
    for (const Entry& entry : log.entries) {
      const bool counts = took_effect(entry) || (strict && entry.write->fate == Fate::kOut);
      const bool known = std::find(found.begin(), found.end(), &entry) != found.end();
      if (counts && !known && is_next(entry)) found.push_back(&entry);
    }
  };
  take(begins);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Entry& from = *found[i];
    take([&](const Entry& entry) { return precedes(log, from, entry); });
  }
  return found;
}

/// Whether a write that took effect certainly lies between the candidate and the read. A null
/// candidate is the settled version.
bool BlockHistory::is_hidden(const Log& log, const Entry* candidate, const Read& read,
                             bool strict) const {
  const std::vector<const Entry*> later = behind(
      log,
      [&](const Entry& entry) {
        return candidate == nullptr || (&entry != candidate && precedes(log, *candidate, entry));
      },
      strict);
  return std::any_of(later.begin(), later.end(),
                     [&](const Entry* entry) { return precedes(span_of(*entry), span_of(read)); });
}

/// Whether the candidate certainly comes after the read.
bool BlockHistory::is_later(const Log& log, const Entry& candidate, const Read& read,
                            bool strict) const {
  if (precedes(span_of(read), span_of(candidate))) return true;
  const std::vector<const Entry*> later = behind(
      log, [&](const Entry& entry) { return precedes(span_of(read), span_of(entry)); }, strict);
  return std::any_of(later.begin(), later.end(),
                     [&](const Entry* entry) { return precedes(log, *entry, candidate); });
}

bool BlockHistory::may_bring(const Log& log, const Read& read, Version version, bool strict) const {
  for (const Entry& entry : log.entries) {
    if (entry.version != version) continue;
    return !is_later(log, entry, read, strict) && !is_hidden(log, &entry, read, strict);
  }
  return false;
}

BlockHistory::Verdict BlockHistory::check_block(const Read& read, std::uint64_t lba,
                                                Version version) const {
  const Version base = settled_.get(lba);
  const auto found = logs_.find(lba);
  if (found == logs_.end()) return version == base ? Verdict::kRight : Verdict::kWrong;
  const Log& log = found->second;
  const auto may = [&](bool strict) {
    if (may_bring(log, read, version, strict)) return true;
    return version == base && !log.base_gone && !is_hidden(log, nullptr, read, strict);
  };
  if (!may(false)) return Verdict::kWrong;
  return may(true) ? Verdict::kRight : Verdict::kOpen;
}

BlockHistory::Verdict BlockHistory::check(Read& read, const std::vector<Version>& brought) {
  HEADSTACK_ASSERT(brought.size() == read.blocks, "each block of a read has a version");
  if (read.end == 0) read.end = ++now_;
  Verdict verdict = Verdict::kRight;
  for (std::uint32_t i = 0; i < read.blocks; ++i) {
    const Verdict of_block = check_block(read, read.lba + i, brought[i]);
    if (of_block == Verdict::kWrong) return Verdict::kWrong;
    if (of_block == Verdict::kOpen) verdict = Verdict::kOpen;
  }
  if (verdict == Verdict::kOpen) return verdict;
  ++now_;
  for (std::uint32_t i = 0; i < read.blocks; ++i) settle(read, read.lba + i, brought[i]);
  return verdict;
}

std::vector<BlockHistory::Version> BlockHistory::allowed(const Read& read,
                                                         std::uint64_t lba) const {
  std::vector<Version> versions;
  const auto found = logs_.find(lba);
  const auto take = [&](Version version) {
    if (check_block(read, lba, version) != Verdict::kWrong) versions.push_back(version);
  };
  take(settled_.get(lba));
  if (found == logs_.end()) return versions;
  for (const Entry& entry : found->second.entries) take(entry.version);
  return versions;
}

/// Draws conclusions from a read that returned this version of the block.
void BlockHistory::settle(const Read& read, std::uint64_t lba, Version version) {
  const auto found = logs_.find(lba);
  if (found == logs_.end()) return;
  Log& log = found->second;
  const auto is_it = [version](const Entry& entry) { return entry.version == version; };
  const auto seen = std::find_if(log.entries.begin(), log.entries.end(), is_it);
  if (seen != log.entries.end()) {
    settle_entry(log, read, *seen);
  } else {
    // The block still has its settled version: writes before the read never took effect.
    std::vector<Version> never;
    for (const Entry& entry : log.entries) {
      if (precedes(span_of(entry), span_of(read))) never.push_back(entry.version);
    }
    for (const Version gone : never) drop(log, gone);
  }
  due_.push_back({now_, lba, 1});
}

void BlockHistory::settle_entry(Log& log, const Read& read, Entry& seen) {
  std::vector<Version> never;
  for (const Entry& other : log.entries) {
    if (other.version == seen.version) continue;
    const bool earlier = precedes(span_of(other), span_of(read));
    const bool later = precedes(span_of(read), span_of(other));
    // Two kinds of write never took effect: one between the seen write and the read, and one after
    // the read and before the seen write.
    if (earlier ? precedes(log, seen, other) : later && precedes(log, other, seen)) {
      never.push_back(other.version);
    } else if (earlier) {
      put_before(log, other, seen);
    } else if (later) {
      put_before(log, seen, other);
    }
  }
  if (seen.seen == 0) seen.seen = now_;
  for (const Version gone : never) drop(log, gone);
}

/// Notes an order that a read has shown.
void BlockHistory::put_before(Log& log, const Entry& a, const Entry& b) {
  if (!precedes(log, a, b)) log.before.emplace_back(a.version, b.version);
}

// -------------------------------------------------------------------------------------- forgetting

void BlockHistory::prune_due() {
  const Moment oldest = reads_out_.empty() ? now_ + 1 : *reads_out_.begin();
  while (!due_.empty() && due_.front().since < oldest) {
    const Due due = due_.front();
    due_.pop_front();
    for (std::uint32_t i = 0; i < due.blocks; ++i) prune(due.lba + i);
  }
}

/// Removes versions that no later read can return. A write that took effect before all outstanding
/// and future reads hides the writes before it.
void BlockHistory::prune(std::uint64_t lba) {
  const auto found = logs_.find(lba);
  if (found == logs_.end()) return;
  Log& log = found->second;
  const Moment oldest = reads_out_.empty() ? now_ + 1 : *reads_out_.begin();
  const auto hides = [&](const Entry& entry) {
    const Moment end = span_of(entry).end;
    return took_effect(entry) && end != 0 && end < oldest;
  };
  std::vector<Version> hidden;
  for (const Entry& last : log.entries) {
    if (!hides(last)) continue;
    log.base_gone = true;
    for (const Entry& entry : log.entries) {
      // An outstanding write may still show the order of other writes, when it ends.
      const bool is_out = entry.write->fate == Fate::kOut;
      if (!is_out && entry.version != last.version && precedes(log, entry, last)) {
        hidden.push_back(entry.version);
      }
    }
  }
  for (const Version version : hidden) drop(log, version);
  if (log.base_gone && log.entries.size() == 1 && hides(log.entries[0])) {
    const Version version = log.entries[0].version;
    settled_.at(lba) = version;
    logs_.erase(found);
    release(version);
  } else if (log.entries.empty() && !log.base_gone) {
    logs_.erase(found);
  }
}

}  // namespace headstack::replay
