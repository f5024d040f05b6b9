// SPDX-License-Identifier: Apache-2.0
/// @file
/// The fixture of scenarios with faults: small_drive() with a specimen, retry counts by page 01h,
/// and places on it.
#pragma once

#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {

class FaultBench : public DriveBench {
 protected:
  static constexpr Picoseconds kRevolution = 10 * kMillisecond;  // 6000 rpm
  /// The limit of a step of the media: eight revolutions (firmware/transfer/media.h). A longer step
  /// is abandoned after at most as much again.
  static constexpr Picoseconds kStepLimit = 8 * kRevolution;
  /// A start of the spindle may take 2 * 200 ms + 100 ms (firmware/motion/seek.h).
  static constexpr Picoseconds kStartLimit = 500 * kMillisecond;

  /// The first block of a cylinder of the outer zone: 2 heads of 20 sectors.
  static constexpr std::uint32_t block_of(std::uint32_t cylinder) { return 40 * cylinder; }

  void power_on_with(const drive::Specimen& specimen, bool at_speed = true) {
    Setup setup = fast_setup();
    setup.description.specimen = specimen;
    setup.at_speed = at_speed;
    if (at_speed) {
      power_on_ready(setup);
    } else {
      power_on(setup);
    }
  }
  /// Sets the retries: bytes 3 and 8 of page 01h (SBC-2 6.3.4).
  void set_retries(std::uint8_t reads, std::uint8_t writes) {
    ASSERT_EQ(run(mode_select_6({0x01, 0x0A, 0, reads, 0, 0, 0, 0, writes, 0, 0, 0})), "GOOD");
  }
  static Picoseconds service_time(const Completion& done) {
    return done.times.status - done.times.command_sent;
  }
  /// Sends TEST UNIT READY until this is the answer.
  void await_unit(const std::string& answer, Picoseconds limit = 10 * kPicosecondsPerSecond) {
    const Picoseconds end = platform().now() + limit;
    std::string now = run(test_unit_ready());
    while (now != answer && platform().now() < end) {
      run_for(kMillisecond);
      now = run(test_unit_ready());
    }
    EXPECT_EQ(now, answer);
  }
  static bool sense_is_deferred(const Bytes& sense) {
    return !sense.empty() && (sense[0] & 0x7FU) == 0x71;
  }
  static bool is_deferred(const Completion& done) { return sense_is_deferred(done.sense); }
};

}  // namespace headstack::scenario
