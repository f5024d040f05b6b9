/// @file
/// The flaws that are active now, with their state: attempts made, writes still to go astray.
///
/// A value: snapshots copy it, so a restored drive fails the same attempts again.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/media/flaw_spec.hpp"
#include "sim/media/media_geometry.hpp"

namespace headstack::media {

class FlawTable {
 public:
  /// Adds a resolved flaw; one already on that sector is replaced.
  void add(const Flaw& flaw);
  void clear() { active_.clear(); }

  /// Active flaws in index order; a misplaced write that has happened is not among them.
  [[nodiscard]] std::vector<Flaw> list() const;

  /// Notes a read attempt. True: it gives damaged bytes.
  [[nodiscard]] bool attempt_read(SectorIndex index);

  /// Where a write addressed to `index` would land: elsewhere for an armed misplaced write.
  [[nodiscard]] SectorIndex landing_of_write(SectorIndex index) const;

  /// Notes that a write addressed to `addressed` has landed on `landed`.
  void note_write(SectorIndex addressed, SectorIndex landed);

 private:
  struct Active {
    Flaw flaw;
    std::uint32_t failed_attempts = 0;  // correctable: since the last good read or write
  };
  std::map<SectorIndex, Active> active_;
};

/// Turns a stored sector into what a head reads off a flawed spot: a burst of three bytes with some
/// bits inverted, at a position that depends on the sector's index only, so every attempt reads the
/// same. Guaranteed not to match its check bytes (if there are any): CRC-32 catches every burst
/// of up to 32 bits, and should a custom code miss it, a check bit is flipped as well.
void damage_sector(const SectorFormat& format, SectorIndex index, std::uint8_t* data,
                   std::uint8_t* check);

}  // namespace headstack::media
