// SPDX-License-Identifier: Apache-2.0
/// @file
/// Plays a storyline: its actions at their times, then a calm. In the calm all outstanding commands
/// must end, and the drive must serve polite hosts.
///
/// Bounds of simulated time, so that an endless wait is a finding:
///  - After the storm, all commands end within a limit. It is 20 s, 1 s for each outstanding
///   command, 10 s for each FORMAT UNIT, and twice the time of a spin-up and a spin-down. The
///   longest other command here takes half a second.
///  - At most kExchangeMax phases, and bytes of messages, commands and status, pass between two
///   ends of commands. A command of a storyline takes at most some thousands.
///  - See Oracle for commands that may not disconnect.
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

/// Commands that named a descriptor of duration limits, and the ends by such limits. The index is
/// the additional sense code qualifier of 2E: 1 before processing, 2 during it, 3 during a
/// recovery. Index 0 is GOOD with incomplete data.
struct LimitTotals {
  std::uint64_t commands = 0;
  std::array<std::uint64_t, 4> reads{}, writes{};
  std::uint64_t ended() const;
};

/// Totals of storylines.
struct Totals {
  std::uint64_t storylines = 0;
  std::uint64_t commands = 0;
  std::uint64_t messages = 0;  // management messages and resets by hosts
  std::uint64_t phases = 0;    // phases of the bus
  LimitTotals limits{};
  std::uint64_t events() const { return commands + messages + phases; }
  void add(const Totals& other);
};

struct Played {
  std::optional<Finding> finding;
  Totals totals;
};

/// Receives one line for each event.
using Transcript = std::function<void(const std::string& line)>;

Played play(const Storyline& storyline, const Transcript& transcript = nullptr);

}  // namespace headstack::fuzz
