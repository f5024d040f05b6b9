/// @file
/// Writes what the SoC, and signals beside it, do into a wave file: a moment at a time.
///
/// A moment is a time at which something changes: an edge, an input, a signal beside. Whoever is
/// about to change something names its time first; what changes then is one with that moment, and
/// goes into the file when the next one is named. So a time stands there once, with the last values
/// that it had, in whatever order the changes came. The clock falls half a period behind its edge,
/// also when the next edge is far off.
#pragma once

#include <string>

#include "sim/soc/soc.hpp"
#include "sim/units.hpp"

namespace headstack::soc {

class SocWaves {
 public:
  /// Both must outlive this; `soc` is of the inspecting build.
  SocWaves(Soc& soc, const WaveSignals& beside) : soc_(soc), beside_(beside) {}

  /// The file begins with everything as it stands at `at`. Throws std::runtime_error when it cannot
  /// be made.
  void open(const std::string& path, Picoseconds at);
  /// The last moment named is the last in the file.
  void close();
  /// In a process that was forked while the file was open: leaves it to the other.
  void abandon();
  bool is_open() const { return open_; }

  /// Something changes at `at`, not before the last moment. Nothing to do without a file.
  void moment(Picoseconds at);
  /// An edge was run at `at`; with a file or without.
  void edge(Picoseconds at) {
    high_ = true;
    falls_at_ = at + kClockPeriodPs / 2;
  }

  /// Whatever ends the process, all but so many moments can be read. The library chains a block's
  /// changes through memory, and is half as fast with blocks that do not fit into a cache; smaller
  /// ones cost space (2^17: 15 s and 63 MB, 2^13: 8 s and 87 MB, 2^12: 6 s and 96 MB for 0.9
  /// million edges).
  static constexpr std::uint64_t kFlushMoments = 1U << 13;

 private:
  void lower_clock();
  void write();

  Soc& soc_;
  const WaveSignals& beside_;
  bool open_ = false;
  Picoseconds moment_ = 0;
  bool high_ = false;  // the clock, until falls_at_
  Picoseconds falls_at_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace headstack::soc
