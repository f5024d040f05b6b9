// SPDX-License-Identifier: Apache-2.0
/// @file
/// Flaws of one specimen of a drive, and how a seed becomes a list of them.
///
/// A drive description's `[specimen]` table fills a FlawSpec; plan_flaws() turns it into the list.
/// The list is a pure function of the spec and the sector count, the same on every host. The
/// generator is std::mt19937_64, whose output the C++ standard fixes. The reduction to a range is
/// our own, since std::uniform_int_distribution differs between libraries. Whether an attempt fails
/// is a function of the seed, the sector and the attempt alone (sim/draw.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/media/media_geometry.hpp"

namespace headstack::media {

/// Attempts and writes are counted per sector: accesses to other sectors do not affect the count.
enum class FlawKind {
  /// A hard defect: every read gives damaged bytes, and writing does not cure it. What was written
  /// is lost to the drive; it must reassign the sector.
  kUnreadable,

  /// A marginal sector: `retries` read attempts give damaged bytes, the next one good bytes, and
  /// then the count starts over. A write to the sector starts it over, too.
  kCorrectable,

  /// A lost write: the next write addressed to this sector lands on sector `lands_on`, and this one
  /// keeps its content. It happens once; then the flaw is gone. The drive cannot detect it.
  kMisplacedWrite,

  /// Intermittent errors: each read attempt gives damaged bytes with `probability`. The draw
  /// depends on the spec's seed, the sector and the number of the attempt, from 1.
  kIntermittent,

  /// A weak sector. The k-th read attempt since it was written (formatted) gives damaged bytes with
  /// a probability of k / (k + half_reads), drawn as for kIntermittent. A write refreshes it.
  kDecaying,

  /// The head's current fails over this sector. `retries` writes leave everything as it was, the
  /// next one succeeds, and then the count starts over. 0: no write ever succeeds. The preamplifier
  /// senses that no current flows, and reports it (channel_i.write_fault in hdl/README.md).
  kWriteFault,

  /// A weak write: current flows, but the sector does not match its check bytes, so every read is
  /// bad until the next write. `retries` writes fail in this way, the next one succeeds, and then
  /// the count starts over. 0: all fail. The preamplifier cannot sense it: only a read shows it.
  kWeakWrite,

  /// The header's check bytes do not match: the sector cannot be found, although its data are fine.
  /// It happens in each turn with `probability`. The draw depends on seed, sector and turn.
  kBadHeader,

  /// The header's sync mark is missing, drawn as for kBadHeader. The formatter does not recognise
  /// the sector.
  kNoSync,
};
constexpr std::size_t kFlawKindCount = 9;

/// Whether the kind is a flaw of the header.
[[nodiscard]] constexpr bool is_of_header(FlawKind kind) {
  return kind == FlawKind::kBadHeader || kind == FlawKind::kNoSync;
}

/// The name as drive descriptions and reports spell it.
[[nodiscard]] const char* flaw_kind_name(FlawKind kind);

struct Flaw {
  SectorIndex index;
  FlawKind kind;

  /// Attempts that fail before one succeeds. correctable: >= 1. write_fault, weak_write: 0 means
  /// that all fail. Other kinds: 0.
  std::uint32_t retries = 0;

  /// misplaced_write: the sector where the write lands. If empty it is the neighbour, index + 1
  /// (index - 1 for the last sector). Empty for the other kinds.
  std::optional<SectorIndex> lands_on = std::nullopt;

  /// Probability of a failure. intermittent: above 0; bad_header, no_sync: 1 if empty; others:
  /// empty.
  std::optional<double> probability = std::nullopt;

  std::uint32_t half_reads = 0;  ///< decaying: >= 1. 0 for the other kinds.
};

[[nodiscard]] bool operator==(const Flaw& a, const Flaw& b);

struct FlawSpec {
  std::uint64_t seed = 0;                   ///< Chooses sectors and retries, and draws attempts.
  std::uint64_t unreadable_count = 0;       ///< Sectors that can never be read.
  std::uint64_t correctable_count = 0;      ///< Sectors that need retries.
  std::uint32_t retries_min = 1;            ///< Fewest failing attempts of chosen flaws.
  std::uint32_t retries_max = 3;            ///< Most failing attempts, inclusive.
  std::uint64_t misplaced_write_count = 0;  ///< Sectors whose next write lands elsewhere.
  std::uint64_t intermittent_count = 0;
  double intermittent_probability = 0.5;
  std::uint64_t decaying_count = 0;
  std::uint32_t decaying_half_reads = 100;
  std::uint64_t write_fault_count = 0;
  std::uint64_t weak_write_count = 0;
  std::uint64_t bad_header_count = 0;
  std::uint64_t no_sync_count = 0;
  std::vector<Flaw> listed;  ///< Flaws at given places, besides the chosen ones.
};

/// An error of `spec` on a drive of `sector_count` sectors, in words for the reader of a drive
/// description; else empty. Numbers of a kind that is not chosen do not matter.
[[nodiscard]] std::string find_flaw_spec_error(const FlawSpec& spec, std::uint64_t sector_count);

/// An error of one flaw, in words; else empty.
[[nodiscard]] std::string find_flaw_error(const Flaw& flaw, std::uint64_t sector_count);

/// All flaws of `spec` in index order: at most one per sector, `lands_on` filled in. Asserts that
/// find_flaw_spec_error() finds nothing.
[[nodiscard]] std::vector<Flaw> plan_flaws(const FlawSpec& spec, std::uint64_t sector_count);

/// Returns `flaw`, with an empty `lands_on` of a misplaced write filled in.
[[nodiscard]] Flaw resolve_landing(Flaw flaw, std::uint64_t sector_count);

}  // namespace headstack::media
