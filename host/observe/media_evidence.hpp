// SPDX-License-Identifier: Apache-2.0
// Compares the stages of a record with the reports of the head-disk assembly: the movements, and
// the passes of sectors.
//
// The evidence is where a command's blocks lie (sim/geometry); from the firmware's events only the
// times of service are used. So a record is compared with the passes of its own sectors, and with
// the movements to their tracks. The comparison is exact to the picosecond, and independent of the
// code that made the record.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/observe/task_life.hpp"
#include "host/report/command_record.hpp"
#include "sim/channel/hda_observer.hpp"
#include "sim/geometry/geometry.hpp"

namespace headstack::observe {

class MediaEvidence {
 public:
  /// `geometry` must outlive this object.
  explicit MediaEvidence(const geometry::Geometry& geometry) : geometry_(geometry) {}

  void seek_began(Picoseconds at, const geometry::Chs& track, const mechanics::Positioning& parts);
  /// Notes a failure of arm or spindle (a fault of the specimen).
  void mechanics_failed(Picoseconds at) { failed_at_ = at; }
  bool mechanics_failed_since(Picoseconds at) const { return failed_at_ && *failed_at_ >= at; }
  void sector_began(Picoseconds at) { sector_began_ = at; }
  void sector_ended(Picoseconds at, const geometry::Chs& sector);

  /// Notes that a block has moved to a spare. Its commands are no longer compared with the layout.
  void block_moved(std::uint64_t lba) { moved_.insert(lba); }
  /// Notes that blocks may lie elsewhere, because the drive has loaded its store, or moved units.
  /// From then on no command is compared with the layout.
  void places_remembered() { places_are_known_ = false; }

  /// The first contradiction in a record of this life that ended GOOD, or "".
  report::RecordFault find_misfit(const report::CommandRecord& record, const Life& life) const;

 private:
  struct Movement {
    Picoseconds at = 0;
    geometry::Chs track;
    mechanics::Positioning parts;
  };
  struct Pass {
    Picoseconds began = 0;
    Picoseconds ended = 0;
    geometry::Chs sector;
  };
  /// Blocks on adjacent sectors of one track.
  struct Stretch {
    geometry::Chs first;
    std::uint32_t offset = 0;  // offset of the stretch's first block in the request
    std::uint32_t blocks = 0;
  };

  bool is_where_the_layout_has_it(const traces::TraceRequest& request) const;
  Picoseconds end_of_work(const Stretch& last, const Window& window, Picoseconds end) const;
  static Picoseconds rest_of(const Movement& movement, Picoseconds at);
  bool may_go_to(const geometry::Chs& track, const std::vector<Stretch>& stretches) const;
  std::vector<Stretch> stretches_of(const traces::TraceRequest& request) const;
  static const Stretch* find(const std::vector<Stretch>& stretches, const geometry::Chs& sector);
  report::RecordFault find_wrong_movement(const report::CommandRecord& record, const Life& life,
                                          const std::vector<Stretch>& stretches) const;
  report::RecordFault find_wrong_part(const report::CommandRecord& record,
                                      const Movement& movement) const;
  report::RecordFault find_wrong_passes(const report::CommandRecord& record, const Life& life,
                                        const std::vector<Stretch>& stretches) const;
  report::RecordFault find_wrong_transfer(const report::CommandRecord& record, std::size_t change,
                                          const Life& life, const std::vector<Stretch>& stretches,
                                          std::vector<bool>& passed) const;

  // Number of movements kept: more than one command needs. It bounds the memory of long runs.
  static constexpr std::size_t kMovementsKept = 1U << 12;
  static constexpr std::size_t kPassesKept = 1U << 16;

  const geometry::Geometry& geometry_;
  std::deque<Movement> movements_;
  std::deque<Pass> passes_;
  Picoseconds sector_began_ = 0;
  Picoseconds forgotten_ = 0;  // evidence before this time was dropped
  std::optional<Picoseconds> failed_at_;
  std::set<std::uint64_t> moved_;
  bool places_are_known_ = true;
};

}  // namespace headstack::observe
