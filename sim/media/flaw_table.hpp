// SPDX-License-Identifier: Apache-2.0
/// @file
/// The active flaws with their state: attempts made, writes still to be misplaced.
///
/// The table is a value. Snapshots copy it, so a restored drive fails the same attempts again.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "sim/media/flaw_spec.hpp"
#include "sim/media/media_geometry.hpp"

namespace headstack::media {

/// What the head reads of a sector's header.
enum class HeaderRead {
  kGood,
  kDamaged,  ///< The header's check bytes do not match.
  kNoSync,   ///< The header has no sync mark.
};

class FlawTable {
 public:
  /// Adds a resolved flaw. It replaces the one on the same sector, if any.
  ///
  /// @param seed  seed of its draws, if it has any
  void add(const Flaw& flaw, std::uint64_t seed = 0);
  void clear() { *this = FlawTable(); }

  /// Active flaws in index order. A misplaced write that has happened is not among them.
  [[nodiscard]] std::vector<Flaw> list() const;

  /// Notes a read attempt. @return whether it gives damaged bytes.
  [[nodiscard]] bool attempt_read(SectorIndex index);

  /// Whether the next write addressed to `index` would leave everything as it is.
  [[nodiscard]] bool refuses_write(SectorIndex index) const;

  /// Notes a write attempt that changed nothing.
  void note_refused_write(SectorIndex index);

  /// The sector on which a write addressed to `index` would land, which differs if a misplaced
  /// write is pending.
  [[nodiscard]] SectorIndex landing_of_write(SectorIndex index) const;

  /// Notes that a write addressed to `addressed` has landed on `landed`.
  void note_write(SectorIndex addressed, SectorIndex landed);

  /// How the header of a sector reads in a turn of the spindle. No attempt is counted.
  [[nodiscard]] HeaderRead read_header(SectorIndex index, std::uint64_t turn) const;

  /// Sectors in [first, first + count) whose headers may read badly, ascending.
  [[nodiscard]] std::vector<SectorIndex> flawed_headers(SectorIndex first,
                                                        std::uint64_t count) const;

 private:
  struct Active {
    Flaw flaw;
    std::uint64_t seed = 0;
    std::uint32_t failed_attempts = 0;    // attempts that `retries` counts
    std::uint64_t attempts = 0;           // reads in all
    std::uint64_t reads_since_write = 0;  // attempts since the last write, for decaying
    bool is_spoiled = false;              // weak_write: the sector's content was written badly
  };
  static bool fails_once_more(Active& active);

  std::map<SectorIndex, Active> active_;
  std::uint64_t flawed_header_count_ = 0;  // header flaws in active_
};

/// Turns a stored sector into what a head reads off a flawed spot: a burst of three bytes with some
/// bits inverted. The position depends on the sector's index only, so every attempt reads the same.
/// The result never matches its check bytes (if there are any). CRC-32 detects every burst of up to
/// 32 bits. If a custom code misses it, a check bit is inverted as well.
void damage_sector(const SectorFormat& format, SectorIndex index, std::uint8_t* data,
                   std::uint8_t* check);

}  // namespace headstack::media
