// Holds every record to what others saw of the same command.
//
// A record's stages are cut from one list of instants, so that they sum to the response time by
// construction; that they sum says nothing. What is asked here is whether the cuts are true:
//
//   order   the stages follow each other as the command's life allows (stage_rules.hpp)
//   events  the firmware's events follow their own rules: none is missing, doubled, or about
//           another task (task_life.hpp)
//   media   movements and passes of sectors, as the head-disk assembly tells them, are those of the
//           command's own blocks, at the same picoseconds (media_evidence.hpp)
//   bus     stages fit the instants that the host adapter saw: it is queued behind the command's
//           last byte and ahead of what the drive does next; bus_data lies within connections, and
//           data move in no stage without data
//
// Mechanical stages and sectors are held to the picosecond. A stage that begins with an event of
// the firmware is held to the instants around it: late by less than that gap, it is not noticed.
// Commands that fail or are ended from outside are held to the firmware's events alone. So are
// those that a fault of the arm or the spindle delays: retries lead them anywhere. With firmware
// and bus that take no time (`--ideal-electronics`), stages to their order, for such firmware
// reports with the clock edge behind an instant.
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
  /// `geometry` must outlive the audit. `instant`: firmware and bus take no time.
  RecordAudit(const geometry::Geometry& geometry, bool instant)
      : instant_(instant), media_(geometry) {}

  /// Of a command that is over, once, in the order of their ends: what does not fit in its record,
  /// or in the events since the one before; "" when all fits.
  std::string check(const report::CommandRecord& record, HostTag name,
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
  std::string find_misfit(const report::CommandRecord& record, const std::optional<Life>& life,
                          const initiator::Times& times) const;

  bool instant_;
  TaskLife tasks_;
  MediaEvidence media_;
};

}  // namespace headstack::observe
