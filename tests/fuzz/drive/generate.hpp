// SPDX-License-Identifier: Apache-2.0
/// @file
/// Makes storylines from bytes. Every sequence of bytes gives one.
///
/// The first kSetupBytes choose drive, hosts and the kinds of action in this storyline. This is
/// swarm testing (Groce et al., ISSTA 2012): some bugs show only with many actions of one kind, not
/// in a mixture of all. Each further kActionBytes are one action, so that a change by libFuzzer has
/// a local effect.
#pragma once

#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

constexpr std::size_t kSetupBytes = 32;
constexpr std::size_t kActionBytes = 32;
constexpr std::size_t kActionsMax = 160;

enum class Theme : std::uint8_t {
  kAnything,
  /// Polite hosts with up to 64 outstanding commands, most with duration limits that abort them
  /// (SPC-5). Reads and writes overlap; every policy, with and without caches; a few failing
  /// blocks. There are no resets and no aborts, so the reports to a host are certain.
  kLimits,
  /// Polite hosts and the rings of the cache. Few small segments wrap all the time. There are
  /// streams, and reads over the ends of what was read or written. The media read ahead over what
  /// was asked for. Modes, resets, aborts, moving blocks and formats come in between.
  kCache,
  /// A drive that moves its blocks while hosts use them: by maps (mode page 23h), REASSIGN BLOCKS,
  /// AWRE and ARRE. Many storylines have blocks that fail. Modes, resets, aborts and formats come
  /// in between.
  kMoves,
  /// One to seven hosts that keep the bus, with 8 to 400 outstanding commands and a small buffer.
  /// Page 02h has DTDC and other limits. Some hosts do not allow disconnection, reject DISCONNECT
  /// in many ways, or owe a REQUEST SENSE. Writes are cached or not, and wait for each other by
  /// order and by overlap.
  kBus,
};
/// Outstanding commands of kLimits, all hosts together.
constexpr std::uint32_t kLimitsDepth = 64;

Storyline generate(const std::uint8_t* bytes, std::size_t count, Theme theme = Theme::kAnything);
/// generate() of Theme::kCache.
Storyline generate_about_cache(const std::uint8_t* bytes, std::size_t count);
/// generate() of Theme::kMoves.
Storyline generate_about_moves(const std::uint8_t* bytes, std::size_t count);
/// generate() of Theme::kBus.
Storyline generate_about_bus(const std::uint8_t* bytes, std::size_t count);

/// The bytes of a seed's case: a setup, and the number of actions that it names.
Bytes random_bytes(std::uint64_t seed, std::uint64_t number, Theme theme = Theme::kAnything);
Storyline random_storyline(std::uint64_t seed, std::uint64_t number, Theme theme);

}  // namespace headstack::fuzz
