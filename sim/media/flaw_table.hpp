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

/// What the head makes of a sector's header.
enum class HeaderRead {
  kGood,
  kDamaged,  ///< Its check bytes do not match.
  kNoSync,   ///< No sync mark.
};

class FlawTable {
 public:
  /// Adds a resolved flaw; one already on that sector is replaced.
  ///
  /// @param seed  Draws its attempts, where they are drawn.
  void add(const Flaw& flaw, std::uint64_t seed = 0);
  void clear() { *this = FlawTable(); }

  /// Active flaws in index order; a misplaced write that has happened is not among them.
  [[nodiscard]] std::vector<Flaw> list() const;

  /// Notes a read attempt. True: it gives damaged bytes.
  [[nodiscard]] bool attempt_read(SectorIndex index);

  /// Whether the next write addressed to `index` would leave everything as it is.
  [[nodiscard]] bool refuses_write(SectorIndex index) const;

  /// Notes a write attempt that came to nothing.
  void note_refused_write(SectorIndex index);

  /// Where a write addressed to `index` would land: elsewhere for an armed misplaced write.
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
    std::uint32_t failed_attempts = 0;    // of those that `retries` counts
    std::uint64_t attempts = 0;           // reads, ever
    std::uint64_t reads_since_write = 0;  // decaying
    bool is_spoiled = false;              // weak_write: what lies there was written badly
  };
  static bool fails_once_more(Active& active);

  std::map<SectorIndex, Active> active_;
  std::uint64_t flawed_header_count_ = 0;  // of active_: most drives have none
};

/// Turns a stored sector into what a head reads off a flawed spot: a burst of three bytes with some
/// bits inverted, at a position that depends on the sector's index only, so every attempt reads the
/// same. Guaranteed not to match its check bytes (if there are any): CRC-32 catches every burst
/// of up to 32 bits, and should a custom code miss it, a check bit is flipped as well.
void damage_sector(const SectorFormat& format, SectorIndex index, std::uint8_t* data,
                   std::uint8_t* check);

}  // namespace headstack::media
