#include "sim/media/flaw_table.hpp"

namespace headstack::media {
namespace {

// Any non-zero bytes would do: 24 bits are within the 32 that CRC-32 always catches as one burst.
constexpr std::uint8_t kBurst[] = {0xA5, 0x3C, 0x96};

// Spreads bursts over the sector: SplitMix64's finalizer (Steele, Lea, Flood, OOPSLA 2014).
std::uint64_t scatter(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15ULL;
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9ULL;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EBULL;
  return number ^ (number >> 31);
}

}  // namespace

void FlawTable::add(const Flaw& flaw) { active_.insert_or_assign(flaw.index, Active{flaw}); }

std::vector<Flaw> FlawTable::list() const {
  std::vector<Flaw> flaws;
  flaws.reserve(active_.size());
  for (const auto& entry : active_) flaws.push_back(entry.second.flaw);
  return flaws;
}

bool FlawTable::attempt_read(SectorIndex index) {
  const auto found = active_.find(index);
  if (found == active_.end()) return false;
  Active& active = found->second;
  if (active.flaw.kind == FlawKind::kUnreadable) return true;
  if (active.flaw.kind == FlawKind::kMisplacedWrite) return false;
  if (active.failed_attempts < active.flaw.retries) {
    ++active.failed_attempts;
    return true;
  }
  active.failed_attempts = 0;
  return false;
}

SectorIndex FlawTable::landing_of_write(SectorIndex index) const {
  const auto found = active_.find(index);
  if (found == active_.end()) return index;
  return found->second.flaw.lands_on.value_or(index);
}

void FlawTable::note_write(SectorIndex addressed, SectorIndex landed) {
  if (addressed != landed) active_.erase(addressed);
  const auto found = active_.find(landed);
  if (found != active_.end()) found->second.failed_attempts = 0;
}

void damage_sector(const SectorFormat& format, SectorIndex index, std::uint8_t* data,
                   std::uint8_t* check) {
  const std::uint64_t data_bytes = format.geometry().sector_bytes;
  const std::uint64_t burst_bytes = data_bytes < sizeof kBurst ? data_bytes : sizeof kBurst;
  const std::uint64_t start = scatter(index) % (data_bytes - burst_bytes + 1);
  for (std::uint64_t i = 0; i < burst_bytes; ++i) data[start + i] ^= kBurst[i];
  // Also for stored bytes that mismatched before and that the burst happened to mend.
  if (format.geometry().check_bytes != 0 && format.check_matches(data, check)) check[0] ^= 1;
}

}  // namespace headstack::media
