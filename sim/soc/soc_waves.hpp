// SPDX-License-Identifier: Apache-2.0
/// @file
/// Writes the signals of the SoC, and others beside them, into a wave file, moment by moment.
///
/// A moment is a time at which something changes: an edge, an input, another signal. Before a
/// change, the caller names its time with moment(). The changes that follow belong to that moment,
/// and go into the file when the next one is named. So the file has each time once, with its last
/// values, in whatever order the changes came. The clock falls half a period after its edge, even
/// if the next edge is far away.
#pragma once

#include <string>

#include "sim/soc/soc.hpp"
#include "sim/units.hpp"

namespace headstack::soc {

class SocWaves {
 public:
  /// Both must outlive this object; `soc` must be of the inspecting build.
  SocWaves(Soc& soc, const WaveSignals& beside) : soc_(soc), beside_(beside) {}

  /// Begins a file with all values at time `at`. Throws std::runtime_error when it cannot be made.
  void open(const std::string& path, Picoseconds at);
  /// Closes the file, with the last named moment as its end.
  void close();
  /// Leaves the file to the parent, in a process that was forked while the file was open.
  void abandon();
  bool is_open() const { return open_; }

  /// Names the time of the changes that follow, not before the last moment. No effect without a
  /// file.
  void moment(Picoseconds at);
  /// An edge was run at `at`. May be called without a file.
  void edge(Picoseconds at) {
    high_ = true;
    falls_at_ = at + kClockPeriodPs / 2;
  }

  /// Moments between flushes: if the process ends, at most these are lost. The library chains a
  /// block's changes through memory, and is half as fast with blocks that do not fit into a cache.
  /// Smaller blocks cost space. For 0.9 million edges: 2^17: 15 s and 63 MB, 2^13: 8 s and 87 MB,
  /// 2^12: 6 s and 96 MB.
  static constexpr std::uint64_t kFlushMoments = 1U << 13;

 private:
  void lower_clock();
  void write();

  Soc& soc_;
  const WaveSignals& beside_;
  bool open_ = false;
  Picoseconds moment_ = 0;
  bool high_ = false;  // level of the clock, until falls_at_
  Picoseconds falls_at_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace headstack::soc
