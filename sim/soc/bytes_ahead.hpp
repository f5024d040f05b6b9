/// @file
/// Bytes of the track that are known before their time, for a SoC that is run ahead of the kernel.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/units.hpp"

namespace headstack::soc {

class BytesAhead {
 public:
  virtual ~BytesAhead() = default;

  /// When the next byte passes, if nothing else comes with it and nothing but a kernel event before
  /// it can change it. The kernel has an event pending for it.
  virtual std::optional<Picoseconds> next_byte() const = 0;
  /// Takes that event back, and with it all of the track until give_back().
  virtual void take_over() = 0;
  /// Passes the next byte, before its time.
  virtual std::uint8_t pass_byte_ahead() = 0;
  /// The kernel has an event again for what comes next.
  virtual void give_back() = 0;
};

}  // namespace headstack::soc
