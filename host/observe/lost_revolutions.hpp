// SPDX-License-Identifier: Apache-2.0
// Revolutions that a request loses between its own sectors, predicted or not.
//
// The next sector of a request is not always the next one under the head. Reasons are a track's
// end, a moved sector, a second attempt, or a full buffer. The platter turns until that sector
// passes. The part of that time that is not a movement is a wait:
//
//     wait = (byte 0 of the next sector) - (last check byte of the one before) - movement
//     lost = wait in revolutions, rounded: half of one counts
//
// On a drive of mean rotational latency, half a revolution of each such wait is not lost.
//
// TRACE_MISSED_REVOLUTION differs: it compares with the drive's own prediction. A loss that the
// drive predicts is no missed revolution, but a lost one.
#pragma once

#include <optional>

#include "host/observe/run_observer.hpp"

namespace headstack::observe {

class LostRevolutions final : public RunObserver {
 public:
  /// A revolution takes `turn`. Each sector that is not the next one waits at least `latency`.
  explicit LostRevolutions(Picoseconds turn, Picoseconds latency = 0)
      : turn_(turn), latency_(latency) {}

  std::uint64_t count() const { return count_; }

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;
  void console(std::uint64_t /*edge*/, char /*character*/) override {}
  void seek_began(Picoseconds at, const geometry::Chs& track,
                  const mechanics::Positioning& parts) override;
  void sector_began(Picoseconds at, const geometry::Chs& sector) override;
  void sector_ended(Picoseconds at, const geometry::Chs& sector) override;

 private:
  Picoseconds turn_;
  Picoseconds latency_;
  std::uint64_t count_ = 0;
  Picoseconds chosen_at_ = 0;
  Picoseconds began_ = 0;             // of the last sector that began
  std::optional<Picoseconds> ended_;  // of the request's last sector so far
  Picoseconds moved_ = 0;             // movement since then
};

}  // namespace headstack::observe
