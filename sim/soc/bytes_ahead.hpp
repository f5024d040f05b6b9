// SPDX-License-Identifier: Apache-2.0
/// @file
/// Bytes of the track that are known before their time, for a SoC that runs ahead of the kernel.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/units.hpp"

namespace headstack::soc {

class BytesAhead {
 public:
  virtual ~BytesAhead() = default;

  /// When the next byte passes, if nothing else comes with it, and only an earlier kernel event can
  /// change it. The kernel has an event pending for the byte.
  virtual std::optional<Picoseconds> next_byte() const = 0;
  /// Cancels the event of next_byte(), and stops all events of the track until give_back().
  virtual void take_over() = 0;
  /// Passes the next byte, before its time.
  virtual std::uint8_t pass_byte_ahead() = 0;
  /// Gives the kernel an event for the next byte or mark again.
  virtual void give_back() = 0;
};

}  // namespace headstack::soc
