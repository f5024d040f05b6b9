// Names of what goes over the bus, as the standards write them, for waves.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/bus/observer.hpp"
#include "sim/soc/wave_signals.hpp"

namespace headstack::wave {

/// What shows where there is nothing: the largest value of the signal's bits.
constexpr const char* kNothing = "-";
/// Of less than 64 bits.
constexpr std::uint64_t largest(unsigned bits) { return (std::uint64_t{1} << bits) - 1; }

constexpr unsigned kPhaseBits = 4;
constexpr unsigned kOperationBits = 9;  // one more than a byte: none
constexpr unsigned kMessageBits = 9;    // the same
constexpr unsigned kStatusBits = 9;

soc::WaveNames phase_names();      // SCSI-2 6.1
soc::WaveNames operation_names();  // SPC-2 table 11, SBC-2 table 5
soc::WaveNames message_names();    // SCSI-2 tables 10 and 13; this drive's own
soc::WaveNames status_names();     // SAM-2 table 22

/// Finds the messages among the bytes of MESSAGE IN and MESSAGE OUT.
class MessageDecoder {
 public:
  /// The next byte in this direction. What it tells: the code of the message it begins, or, for the
  /// third byte of an extended message, kExtended + its code. Every IDENTIFY has the code 80h.
  std::optional<unsigned> byte(std::uint8_t byte);
  /// Another phase: what was begun is over.
  void end() { left_ = 0; }

  static constexpr unsigned kExtended = 0x100;

 private:
  enum class Next { kCode, kExtendedLength, kExtendedCode, kArgument };
  Next next_ = Next::kCode;
  unsigned left_ = 0;  // bytes of the message still to come
};

}  // namespace headstack::wave
