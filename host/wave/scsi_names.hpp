// SPDX-License-Identifier: Apache-2.0
// Names of phases, operations, messages and statuses for waves, in the words of the standards.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/bus/observer.hpp"
#include "sim/soc/wave_signals.hpp"

namespace headstack::wave {

/// The name of "none", which the largest value of a signal means.
constexpr const char* kNothing = "-";
/// The largest value of `bits` bits, which are fewer than 64.
constexpr std::uint64_t largest(unsigned bits) { return (std::uint64_t{1} << bits) - 1; }

constexpr unsigned kPhaseBits = 4;
constexpr unsigned kOperationBits = 9;  // a byte, and one bit more for "none"
constexpr unsigned kMessageBits = 9;    // a byte, and one bit more for "none"
constexpr unsigned kStatusBits = 9;

soc::WaveNames phase_names();      // names from SCSI-2 6.1
soc::WaveNames operation_names();  // names from SPC-2 table 11 and SBC-2 table 5
soc::WaveNames message_names();    // names from SCSI-2 tables 10 and 13, and this drive's own
soc::WaveNames status_names();     // names from SAM-2 table 22

/// Finds the messages among the bytes of MESSAGE IN and MESSAGE OUT.
class MessageDecoder {
 public:
  /// Adds the next byte in this direction. @return the code of the message that it begins or, for
  /// the third byte of an extended message, kExtended + its code. Every IDENTIFY has the code 80h.
  std::optional<unsigned> byte(std::uint8_t byte);
  /// Ends the phase, which drops an incomplete message.
  void end() { left_ = 0; }

  static constexpr unsigned kExtended = 0x100;

 private:
  enum class Next { kCode, kExtendedLength, kExtendedCode, kArgument };
  Next next_ = Next::kCode;
  unsigned left_ = 0;  // remaining bytes of the message
};

}  // namespace headstack::wave
