/// @file
/// Flaws of one specimen of a drive: what they are, and how a seed becomes a list of them.
///
/// A drive description's `[specimen]` table fills a FlawSpec; plan_flaws() turns it into the list.
/// The list is a pure function of the spec and the sector count, the same on every host: the
/// generator is std::mt19937_64, whose output the C++ standard fixes, and the reduction to a range
/// is our own (std::uniform_int_distribution differs between libraries).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/media/media_geometry.hpp"

namespace headstack::media {

enum class FlawKind {
  /// A hard defect: every read gives damaged bytes, and writing does not cure it. What was written
  /// is gone for the drive; it must reassign the sector.
  kUnreadable,

  /// A marginal sector: `retries` read attempts give damaged bytes, the next one good bytes, and
  /// then it starts over. Attempts are counted per sector: reads of other sectors in between do not
  /// disturb the count, a write to the sector starts it over.
  kCorrectable,

  /// A lost write: the next write addressed to this sector lands on sector `lands_on`, and this one
  /// keeps what it had. Once; then the flaw is gone.
  kMisplacedWrite,
};

/// The name as drive descriptions and reports spell it.
[[nodiscard]] const char* flaw_kind_name(FlawKind kind);

struct Flaw {
  SectorIndex index;
  FlawKind kind;
  std::uint32_t retries = 0;  ///< correctable: failing attempts before a good one, >= 1. Else 0.

  /// misplaced_write: where the write lands. Left empty it is the neighbour, index + 1 (index - 1
  /// for the last sector). Empty for the other kinds.
  std::optional<SectorIndex> lands_on = std::nullopt;
};

[[nodiscard]] bool operator==(const Flaw& a, const Flaw& b);

struct FlawSpec {
  std::uint64_t seed = 0;                   ///< Chooses sectors and retries.
  std::uint64_t unreadable_count = 0;       ///< Sectors that can never be read.
  std::uint64_t correctable_count = 0;      ///< Sectors that need retries.
  std::uint32_t retries_min = 1;            ///< Fewest failing attempts of chosen correctables.
  std::uint32_t retries_max = 3;            ///< Most failing attempts, inclusive.
  std::uint64_t misplaced_write_count = 0;  ///< Sectors whose next write goes astray.
  std::vector<Flaw> listed;                 ///< Flaws at given places, besides the chosen ones.
};

/// What is wrong with `spec` on a drive of `sector_count` sectors, in words for the reader of a
/// drive description; empty when nothing is.
[[nodiscard]] std::string find_flaw_spec_error(const FlawSpec& spec, std::uint64_t sector_count);

/// What is wrong with one flaw; empty when nothing is.
[[nodiscard]] std::string find_flaw_error(const Flaw& flaw, std::uint64_t sector_count);

/// All flaws of `spec` in index order: at most one per sector, `lands_on` filled in. Asserts that
/// find_flaw_spec_error() finds nothing.
[[nodiscard]] std::vector<Flaw> plan_flaws(const FlawSpec& spec, std::uint64_t sector_count);

/// `flaw` with an empty `lands_on` of a misplaced write filled in.
[[nodiscard]] Flaw resolve_landing(Flaw flaw, std::uint64_t sector_count);

}  // namespace headstack::media
