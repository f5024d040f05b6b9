// Revolutions that a request loses between its own sectors, foreseen or not.
//
// The next sector of a request is not always the next one under the head: at a track's end, where a
// sector has moved, in a second attempt, or when the buffer had no room. The platter turns until
// that sector comes by. What the movement does not explain of that time is a wait:
//
//     wait = (byte 0 of the next sector) - (last check byte of the one before) - movement
//     lost = wait in revolutions, rounded: half of one counts
//
// On a drive of mean rotational latency each such wait has half a revolution that is not lost.
//
// Against TRACE_MISSED_REVOLUTION, which is lateness against the drive's own prediction: a loss
// that the drive foresees is no miss, but it is lost.
#pragma once

#include <optional>

#include "host/observe/run_observer.hpp"

namespace headstack::observe {

class LostRevolutions final : public RunObserver {
 public:
  /// A revolution takes `turn`; each sector that is not the next one waits `latency` anyway.
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
  Picoseconds began_ = 0;             // the sector that did last
  std::optional<Picoseconds> ended_;  // the request's last sector so far
  Picoseconds moved_ = 0;             // since then
};

}  // namespace headstack::observe
