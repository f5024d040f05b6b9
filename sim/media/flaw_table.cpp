// SPDX-License-Identifier: Apache-2.0
#include "sim/media/flaw_table.hpp"

#include "sim/assert.hpp"
#include "sim/draw.hpp"
#include "sim/units.hpp"

namespace headstack::media {
namespace {

// Any non-zero bytes would do: CRC-32 always detects a burst of at most 32 bits, and these are 24.
constexpr std::uint8_t kBurst[] = {0xA5, 0x3C, 0x96};

/// True with a probability of k / (k + half), exactly: for 2^64 k / (k + half) of all numbers.
bool decays(std::uint64_t number, std::uint64_t k, std::uint64_t half) {
  return static_cast<Uint128>(number) * (k + half) < static_cast<Uint128>(k) << 64;
}

}  // namespace

void FlawTable::add(const Flaw& flaw, std::uint64_t seed) {
  const auto found = active_.find(flaw.index);
  if (found != active_.end() && is_of_header(found->second.flaw.kind)) --flawed_header_count_;
  active_.insert_or_assign(flaw.index, Active{flaw, seed});
  if (is_of_header(flaw.kind)) ++flawed_header_count_;
}

std::vector<Flaw> FlawTable::list() const {
  std::vector<Flaw> flaws;
  flaws.reserve(active_.size());
  for (const auto& entry : active_) flaws.push_back(entry.second.flaw);
  return flaws;
}

/// Counts an attempt for kinds with `retries`: so many attempts fail, one succeeds, and the count
/// starts over.
bool FlawTable::fails_once_more(Active& active) {
  if (active.failed_attempts < active.flaw.retries) {
    ++active.failed_attempts;
    return true;
  }
  active.failed_attempts = 0;
  return false;
}

bool FlawTable::attempt_read(SectorIndex index) {
  const auto found = active_.find(index);
  if (found == active_.end()) return false;
  Active& active = found->second;
  ++active.attempts;
  ++active.reads_since_write;
  const std::uint64_t drawn = draw(active.seed, Stream::kReadAttempt, index, active.attempts);
  switch (active.flaw.kind) {
    case FlawKind::kUnreadable: return true;
    case FlawKind::kCorrectable: return fails_once_more(active);
    case FlawKind::kIntermittent: return falls_below(drawn, active.flaw.probability.value_or(0));
    case FlawKind::kDecaying:
      return decays(drawn, active.reads_since_write, active.flaw.half_reads);
    case FlawKind::kWeakWrite: return active.is_spoiled;
    case FlawKind::kMisplacedWrite:
    case FlawKind::kWriteFault:
    case FlawKind::kBadHeader:
    case FlawKind::kNoSync: return false;
  }
  HEADSTACK_ASSERT(false, "a FlawKind is one of its values");
}

bool FlawTable::refuses_write(SectorIndex index) const {
  const auto found = active_.find(index);
  if (found == active_.end() || found->second.flaw.kind != FlawKind::kWriteFault) return false;
  const Active& active = found->second;
  return active.flaw.retries == 0 || active.failed_attempts < active.flaw.retries;
}

void FlawTable::note_refused_write(SectorIndex index) {
  Active& active = active_.at(index);
  if (active.flaw.retries != 0) ++active.failed_attempts;
}

SectorIndex FlawTable::landing_of_write(SectorIndex index) const {
  const auto found = active_.find(index);
  if (found == active_.end()) return index;
  return found->second.flaw.lands_on.value_or(index);
}

void FlawTable::note_write(SectorIndex addressed, SectorIndex landed) {
  if (addressed != landed) active_.erase(addressed);
  const auto found = active_.find(landed);
  if (found == active_.end()) return;
  Active& active = found->second;
  active.reads_since_write = 0;
  if (active.flaw.kind == FlawKind::kWeakWrite) {
    active.is_spoiled = active.flaw.retries == 0 || fails_once_more(active);
  } else {
    active.failed_attempts = 0;
  }
}

HeaderRead FlawTable::read_header(SectorIndex index, std::uint64_t turn) const {
  if (flawed_header_count_ == 0) return HeaderRead::kGood;
  const auto found = active_.find(index);
  if (found == active_.end() || !is_of_header(found->second.flaw.kind)) return HeaderRead::kGood;
  const Active& active = found->second;
  const std::uint64_t drawn = draw(active.seed, Stream::kHeader, index, turn);
  if (!falls_below(drawn, active.flaw.probability.value_or(1))) return HeaderRead::kGood;
  return active.flaw.kind == FlawKind::kNoSync ? HeaderRead::kNoSync : HeaderRead::kDamaged;
}

std::vector<SectorIndex> FlawTable::flawed_headers(SectorIndex first, std::uint64_t count) const {
  std::vector<SectorIndex> sectors;
  if (flawed_header_count_ == 0) return sectors;
  for (auto entry = active_.lower_bound(first);
       entry != active_.end() && entry->first < first + count; ++entry) {
    if (is_of_header(entry->second.flaw.kind)) sectors.push_back(entry->first);
  }
  return sectors;
}

void damage_sector(const SectorFormat& format, SectorIndex index, std::uint8_t* data,
                   std::uint8_t* check) {
  const std::uint64_t data_bytes = format.geometry().sector_bytes;
  const std::uint64_t burst_bytes = data_bytes < sizeof kBurst ? data_bytes : sizeof kBurst;
  const std::uint64_t start = scatter(index) % (data_bytes - burst_bytes + 1);
  for (std::uint64_t i = 0; i < burst_bytes; ++i) data[start + i] ^= kBurst[i];
  // The burst may have repaired bytes that mismatched before. Then a check bit is inverted, too.
  if (format.geometry().check_bytes != 0 && format.check_matches(data, check)) check[0] ^= 1;
}

}  // namespace headstack::media
