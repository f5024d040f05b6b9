// SPDX-License-Identifier: Apache-2.0
// Counts the revolutions that a request loses between its own sectors, predicted or not.
//
// The next sector of a request does not always come next under the head. Reasons are a track's end,
// a moved sector, a second attempt, or a full buffer. Skew is a wait that the layout intends. Whole
// revolutions beyond that are lost, except those during which the arm moved:
//
//     passed = time from byte 0 of a sector to byte 0 of the next one, in revolutions
//     lost   = round(passed - angle from the one to the next, 0 <= angle < 1) - floor(movement)
//
// A request's sectors are those that pass from its choice until the media are done with it. Sectors
// at other times belong to moved blocks, read-ahead and saved pages. No request waits for these, so
// revolutions lost between them are counted apart.
//
// A movement that takes longer than the skew loses a revolution. On a drive with a mean rotational
// latency, sectors have no angles. There half a revolution of each wait is latency, and the rest,
// rounded, is lost.
//
// TRACE_MISSED_REVOLUTION differs: it compares with the drive's own prediction. A loss that the
// drive predicts is not a missed revolution, but a lost one.
#pragma once

#include <functional>
#include <optional>

#include "host/observe/run_observer.hpp"

namespace headstack::observe {

class LostRevolutions final : public RunObserver {
 public:
  /// The angle of a sector's mark, in 2^-32 revolutions.
  using AngleOf = std::function<std::uint32_t(const geometry::Chs&)>;

  /// `turn` is the time of a revolution. Without `angle_of` the drive has a mean rotational
  /// latency.
  LostRevolutions(Picoseconds turn, AngleOf angle_of)
      : turn_(turn), angle_of_(std::move(angle_of)) {}

  std::uint64_t count() const { return count_; }
  /// Revolutions lost between sectors that belong to no request.
  std::uint64_t others() const { return others_; }

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;
  void console(std::uint64_t /*edge*/, char /*character*/) override {}
  void seek_began(Picoseconds at, const geometry::Chs& track,
                  const mechanics::Positioning& parts) override;
  void sector_began(Picoseconds at, const geometry::Chs& sector) override;
  void sector_ended(Picoseconds at, const geometry::Chs& sector) override;

 private:
  std::int64_t lost_before(const geometry::Chs& sector) const;

  Picoseconds turn_;
  AngleOf angle_of_;
  std::uint64_t count_ = 0;
  std::uint64_t others_ = 0;
  std::optional<std::uint32_t> task_;  // task in service at the media
  Picoseconds chosen_at_ = 0;
  Picoseconds began_ = 0;  // start of the last sector that began
  /// The last sector of the request that has passed.
  struct Done {
    geometry::Chs sector;
    Picoseconds began;
    Picoseconds ended;
  };
  std::optional<Done> done_;
  Picoseconds moved_ = 0;  // time of movement since done_
};

}  // namespace headstack::observe
