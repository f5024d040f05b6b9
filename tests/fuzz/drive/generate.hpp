/// @file
/// Storylines out of bytes. Every sequence of bytes is one.
///
/// The first kSetupBytes choose drive, hosts and what kinds of action this storyline has at all:
/// swarm testing (Groce et al., ISSTA 2012), because a storyline of everything hides what only much
/// of one thing shows. Then each kActionBytes are one action, so that libFuzzer's changes stay
/// where it makes them.
#pragma once

#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

constexpr std::size_t kSetupBytes = 32;
constexpr std::size_t kActionBytes = 32;
constexpr std::size_t kActionsMax = 160;

enum class Theme : std::uint8_t {
  kAnything,
  /// Polite hosts with up to 64 commands out, most of which have limits of their duration that
  /// abort them (SPC-5); reads and writes that overlap, every policy, with and without caches, a
  /// few failing blocks. No resets, no aborts: what a host hears is certain.
  kLimits,
};
/// Of kLimits, all hosts together.
constexpr std::uint32_t kLimitsDepth = 64;

Storyline generate(const std::uint8_t* bytes, std::size_t count, Theme theme = Theme::kAnything);

/// The bytes of a seed's case: a setup and so many actions as they say.
Bytes random_bytes(std::uint64_t seed, std::uint64_t number, Theme theme = Theme::kAnything);
Storyline random_storyline(std::uint64_t seed, std::uint64_t number, Theme theme);

}  // namespace headstack::fuzz
