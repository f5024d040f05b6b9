// SPDX-License-Identifier: Apache-2.0
// Checks every record against independent observations of the same command.
//
// A record's stages come from one list of times, so they sum to the response time by construction.
// The sum proves nothing. The audit checks that the times are right:
//
//   order   the stages follow each other as the command's life allows (stage_rules.hpp)
//   events  the firmware's events follow their own rules: none is missing, doubled, or about
//           another task (task_life.hpp)
//   media   movements and passes of sectors, as the head-disk assembly reports them, are those of
//           the command's own blocks, at the same picoseconds (media_evidence.hpp)
//   bus     stages fit the instants at the host adapter: the command is queued after its last
//           byte and before what the drive does next; bus_data lies within connections, and
//           data move in no stage without data
//
// Mechanical stages and sectors must agree to the picosecond. A stage that begins with an event of
// the firmware must lie between the times around it; a smaller error is not found. Commands that
// fail or are ended from outside are checked only against the firmware's events. So are those that
// a fault of the arm or the spindle delays, since retries may move the heads anywhere. If firmware
// takes no time (`platform.ideal_electronics`, `platform.access_price=0`), only the order of stages
// is checked: such firmware reports at the clock edge after an event.
#pragma once

#include <cstdint>
#include <string>

#include "host/observe/media_evidence.hpp"
#include "host/observe/run_observer.hpp"
#include "host/observe/task_life.hpp"
#include "sim/initiator/command.hpp"

namespace headstack::observe {

class RecordAudit : public RunObserver {
 public:
  /// `geometry` must outlive the audit. `instant` means that firmware takes no time.
  RecordAudit(const geometry::Geometry& geometry, bool instant)
      : instant_(instant), media_(geometry) {}

  /// Checks a completed command. Each command is passed once, in the order of completion. @return
  /// the first contradiction in its record, or in the events since the last call, if there is one.
  report::RecordFault check(const report::CommandRecord& record, HostTag name,
                            const initiator::Completion& completion);

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;
  void seek_began(Picoseconds at, const geometry::Chs& track,
                  const mechanics::Positioning& parts) override {
    media_.seek_began(at, track, parts);
  }
  void fault_struck(Picoseconds at, std::string_view what, std::uint64_t where) override;
  void sector_began(Picoseconds at, const geometry::Chs& /*sector*/) override {
    media_.sector_began(at);
  }
  void sector_ended(Picoseconds at, const geometry::Chs& sector) override {
    media_.sector_ended(at, sector);
  }

 private:
  report::RecordFault find_misfit(const report::CommandRecord& record,
                                  const std::optional<Life>& life,
                                  const initiator::Times& times) const;

  bool instant_;
  TaskLife tasks_;
  MediaEvidence media_;
};

}  // namespace headstack::observe
