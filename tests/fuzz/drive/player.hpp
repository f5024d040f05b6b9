/// @file
/// Plays a storyline: its actions at their times, then calm, in which everything that is out must
/// end and the drive must do for polite hosts what drives do.
///
/// Bounds of simulated time, so that "for ever" is one:
///  - behind the storm, all commands end within 20 s, 1 s more for each that was out, 10 s for each
///    FORMAT UNIT, and twice the time of a spin-up and a spin-down: the longest other command here
///    takes half a second;
///  - no more than kExchangeMax phases, and bytes of messages, commands and status, go by without a
///    command ending: the most that any command of a storyline takes is some thousands;
///  - see Oracle for commands that may not disconnect.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "tests/fuzz/drive/finding.hpp"
#include "tests/fuzz/drive/storyline.hpp"

namespace headstack::fuzz {

constexpr std::uint64_t kExchangeMax = 100'000;

/// Commands that named a descriptor of duration limits, and how such limits ended them: by the
/// additional sense code qualifier of 2E (1 before processing, 2 during it, 3 during a recovery),
/// or, at 0, with GOOD and not all of the data.
struct LimitTotals {
  std::uint64_t commands = 0;
  std::array<std::uint64_t, 4> reads{}, writes{};
  std::uint64_t ended() const;
};

/// What went on, for totals.
struct Totals {
  std::uint64_t storylines = 0;
  std::uint64_t commands = 0;
  std::uint64_t messages = 0;  // management messages and resets by hosts
  std::uint64_t phases = 0;    // of the bus
  LimitTotals limits{};
  std::uint64_t events() const { return commands + messages + phases; }
  void add(const Totals& other);
};

struct Played {
  std::optional<Finding> finding;
  Totals totals;
};

/// Hears one line of each thing that happens.
using Transcript = std::function<void(const std::string& line)>;

Played play(const Storyline& storyline, const Transcript& transcript = nullptr);

}  // namespace headstack::fuzz
