// SPDX-License-Identifier: Apache-2.0
/// @file
/// The calls of the head-disk assembly to the electronics: the "ports to the world" of
/// hdl/README.md that point into the SoC. It also asks for one output, nrz.
///
/// Every call comes at the exact picosecond of its event, from inside a kernel process or from
/// inside a call into the assembly. The receiver aligns it to a clock. At one picosecond the order
/// is: levels, index pulse, sector pulse, byte. A receiver must not call into the assembly from
/// these methods.
#pragma once

#include <cstdint>

namespace headstack::channel {

/// The levels read_ready, write_ready, at_speed, at_rest and write_fault.
struct HdaLevels {
  bool read_ready = false;   // settled for reading, and at speed
  bool write_ready = false;  // settled for writing, and at speed
  bool at_speed = false;
  bool at_rest = false;
  bool write_fault = false;  // the write gate is open, and no current flows

  friend bool operator==(const HdaLevels& a, const HdaLevels& b) {
    return a.read_ready == b.read_ready && a.write_ready == b.write_ready &&
           a.at_speed == b.at_speed && a.at_rest == b.at_rest && a.write_fault == b.write_fault;
  }
  friend bool operator!=(const HdaLevels& a, const HdaLevels& b) { return !(a == b); }
};

class HdaSink {
 public:
  virtual ~HdaSink() = default;

  /// A level changed; `levels` has all of them as they are now.
  virtual void levels(const HdaLevels& levels) = 0;
  /// index_pulse: the index passes. Called only while the electronics use it.
  virtual void index_pulse() = 0;
  /// sector_pulse: a sector of the track under the head begins. Called only while the electronics
  /// use it.
  virtual void sector_pulse() = 0;
  /// byte_strobe with nrz: a byte begins to pass while a gate is open. The byte is 0 during a
  /// write.
  virtual void byte_strobe(std::uint8_t nrz) = 0;
  /// The value of nrz at this moment; taken just before every byte_strobe() with the write gate
  /// open.
  virtual std::uint8_t nrz_to_write() = 0;
};

}  // namespace headstack::channel
