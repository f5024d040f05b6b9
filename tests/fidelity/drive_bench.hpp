// SPDX-License-Identifier: Apache-2.0
/// @file
/// The whole cycle-accurate drive with a host, one command at a time, and the work of its
/// mechanics. The bench makes the record that `headstack run` would write, and the facts with which
/// the record must agree.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/events.h"
#include "host/observe/stage_log.hpp"
#include "sim/initiator/cdb.hpp"
#include "sim/initiator/initiator.hpp"
#include "sim/platform/rtl_drive.hpp"
#include "tests/paths.hpp"
#include "tests/support.hpp"

namespace headstack::fidelity {

using geometry::Chs;

/// One run of the formatter on a track, observed at the pins.
struct RunFacts {
  Chs from;                // track of the heads before
  Chs track;               // track of the run
  bool moved = false;      // the run began with a movement
  Picoseconds start = 0;   // edge of the seek request; of RUN_START if nothing moved
  Picoseconds ready = 0;   // time of the level, or start
  Picoseconds armed = 0;   // first edge from which a sector counts
  Picoseconds began = 0;   // byte 0 of the first sector transferred
  Picoseconds ended = 0;   // strobe of the last check byte of the last one
  std::uint32_t done = 0;  // sectors
};

struct Served {
  report::CommandRecord record;
  std::vector<RunFacts> runs;
};

class DriveBench : public sc_core::sc_module,
                   private soc::SocListener,
                   private channel::HdaObserver {
 public:
  static constexpr std::uint32_t kBlockBytes = 512;

  DriveBench(sc_core::sc_module_name name, const drive::DriveDescription& description)
      : sc_module(name),
        bus_("bus"),
        drive_("drive", description, soc::ElfImage::read(test::drive_elf()), bus_,
               platform::RtlOptions{}, this, this),
        initiator_("initiator", bus_, config()) {
    SC_METHOD(watch_formatter);
    sensitive << drive_.clock().outputs_changed();
    dont_initialize();
  }

  /// TEST UNIT READY until GOOD: the unit attention is gone.
  void make_ready() {
    for (int polls = 0; polls < 10; ++polls) {
      initiator::Command command;
      command.cdb.assign(6, 0);
      if (execute(std::move(command)).status == 0) return;
    }
    FAIL() << "the drive does not become ready";
  }

  /// Runs READ(10) or WRITE(10) on an idle drive to its end.
  Served serve(std::uint32_t lba, std::uint32_t blocks, bool is_write) {
    initiator::Command command;
    command.cdb = initiator::cdb10(is_write ? 0x2A : 0x28, 0, lba, blocks);
    command.direction = is_write ? initiator::Direction::kOut : initiator::Direction::kIn;
    command.length = is_write ? 0 : blocks * kBlockBytes;
    if (is_write) command.data.assign(blocks * kBlockBytes, static_cast<std::uint8_t>(lba));
    command.tag_type = initiator::TagType::kSimple;
    command.tag = kTag;
    runs_.clear();
    is_write_ = is_write;
    const auto operation = is_write ? traces::Operation::kWrite : traces::Operation::kRead;
    log_.open(kName, operation);
    const initiator::Completion completion = execute(std::move(command));
    EXPECT_EQ(completion.outcome, initiator::Outcome::kComplete);
    EXPECT_EQ(completion.status, 0);
    return {log_.close(kName, ++number_, {0, operation, lba, blocks, std::nullopt}, completion),
            runs_};
  }

  void run_until(Picoseconds time) { drive_.clock().run_until(time); }
  const observe::StageLog& log() const { return log_; }
  const bus::ScsiBus& bus() const { return bus_; }
  const Chs& track() const { return track_; }

 private:
  SC_HAS_PROCESS(DriveBench);
  static constexpr std::uint16_t kTag = 1;
  static constexpr observe::HostTag kName = observe::host_tag(observe::host_scsi_id(0), kTag);

  static initiator::Config config() {
    initiator::Config config;
    config.agreement = initiator::kFast10Wide;
    return config;
  }

  initiator::Completion execute(initiator::Command command) {
    std::optional<initiator::Completion> completion;
    command.done = [&completion](initiator::Completion got) { completion = std::move(got); };
    initiator_.submit(std::move(command));
    while (!completion && !drive_.clock().exit_code()) run_until(now_ps() + from_ms(0.1));
    EXPECT_FALSE(drive_.clock().exit_code()) << "the firmware stopped";
    return completion.value_or(initiator::Completion{});
  }

  // ---- reports go to the log, and into the facts

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override {
    log_.firmware_event(edge, number, argument);
    const Picoseconds at = static_cast<Picoseconds>(edge) * soc::kClockPeriodPs;
    if (number == TRACE_RUN_START) {
      run_ = moving_.value_or(RunFacts{track_, track_, false, at, at, 0, 0, 0, 0});
      moving_.reset();
      chained_ = false;
      count_ = argument & 0xFFFF;
      passes_.clear();
    }
    if (number == TRACE_RUN_NEXT && run_) {
      // The report is late: the next run's movement and sectors may be known already.
      end_run(count_);
      run_ = moving_.value_or(RunFacts{track_, track_, false, at, at, 0, 0, 0, 0});
      chained_ = true;
      moving_.reset();
      count_ = argument & 0xFFFF;
    }
    if (number == TRACE_RUN_DONE && run_) {
      end_run(argument);
      run_.reset();
    }
  }
  void console(std::uint64_t edge, char character) override { log_.console(edge, character); }

  void seek_began(Picoseconds at, const Chs& track, const mechanics::Positioning& parts) override {
    log_.seek_began(at, track, parts);
    // No level reports a movement that takes no time.
    const bool at_once = parts.seek + parts.settle + parts.head_switch == 0 &&
                         (parts.write_settle == 0 || !is_write_);
    moving_ = RunFacts{track_, track, true, at, at_once ? at : 0, 0, 0, 0, 0};
    track_ = track;
  }
  void levels_changed(Picoseconds at, const channel::HdaLevels& levels) override {
    log_.levels_changed(at, levels);
    const bool ready = levels.read_ready && (levels.write_ready || !is_write_);
    RunFacts* facts = moving_ ? &*moving_ : run_ ? &*run_ : nullptr;
    if (facts != nullptr && ready && facts->ready == 0) facts->ready = at;
  }
  void sector_began(Picoseconds at, const Chs& sector) override {
    log_.sector_began(at, sector);
    sector_began_ = at;
  }
  void sector_ended(Picoseconds at, const Chs& sector) override {
    log_.sector_ended(at, sector);
    if (run_) passes_.push_back({sector_began_, at});
  }

  /// The run's sectors are the first of those that have passed.
  void end_run(std::uint32_t sectors) {
    ASSERT_GE(passes_.size(), sectors);
    run_->done = sectors;
    if (chained_) {
      // Sectors count from the edge on at which the servo has arrived. That is at least four edges
      // after the formatter's request (sim/tlm/blocks/servo.hpp).
      const Picoseconds clock = soc::kClockPeriodPs;
      run_->armed = std::max(run_->start + 4 * clock, (run_->ready / clock + 1) * clock);
    }
    if (sectors > 0) {
      run_->began = passes_.front().first;
      run_->ended = passes_[sectors - 1].second;
      passes_.erase(passes_.begin(), passes_.begin() + static_cast<std::ptrdiff_t>(sectors));
    }
    runs_.push_back(*run_);
  }

  void watch_formatter() {
    const bool listens = drive_.clock().outputs().sector_listen;
    if (listens && !listened_ && run_) run_->armed = now_ps();
    listened_ = listens;
  }

  observe::StageLog log_;
  bus::ScsiBus bus_;
  platform::RtlDrive drive_;
  initiator::Initiator initiator_;
  std::uint64_t number_ = 0;
  bool is_write_ = false;
  bool listened_ = false;
  Chs track_;
  Picoseconds sector_began_ = 0;
  std::optional<RunFacts> moving_;
  std::optional<RunFacts> run_;
  std::vector<RunFacts> runs_;
  std::uint32_t count_ = 0;                                  // sectors of the run
  bool chained_ = false;                                     // the formatter began it by itself
  std::vector<std::pair<Picoseconds, Picoseconds>> passes_;  // passes that belong to no run yet
};

}  // namespace headstack::fidelity
