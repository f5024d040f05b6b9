// From firmware events and bus times to command records.
//
// The firmware's events (firmware/events.h) come stamped with their clock edge, perhaps ahead of
// the simulation's time and per task; the initiator's times come per command, at its completion.
// Both are collected here and put in order when the command is over.
//
// How instants are assigned: while the media work for a command, that is its stage, whatever the
// bus does for it meanwhile; data on the bus counts as kBusData only with the media at rest for it.
// The arm's movement is split by the drive's own positioning times: kSeek, kSettle (write settle
// too) and kHeadSwitch run from the seek's start, and what is left until the firmware takes the
// track up belongs to kRotation.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "host/report/command_record.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/initiator/command.hpp"
#include "sim/mechanics/head_stack.hpp"
#include "sim/soc/soc_clock.hpp"

namespace headstack::run {

class StageLog : public soc::SocListener {
 public:
  /// All three must outlive the log.
  StageLog(const mechanics::PositioningModel& positioning, const geometry::Geometry& geometry,
           double revolution_ms);

  /// A command with this tag is about to be submitted.
  void open(std::uint16_t tag, bool is_write);
  /// It is over: its record, from all that was heard of it.
  report::CommandRecord close(std::uint16_t tag, std::uint64_t number,
                              const replay::TraceRequest& request,
                              const initiator::Completion& completion);

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;
  void console(std::uint64_t edge, char character) override;

  const std::string& console_text() const { return console_; }
  std::uint64_t missed_revolutions() const { return missed_revolutions_; }
  std::uint64_t media_retries() const { return media_retries_; }
  std::uint64_t event_count() const { return event_count_; }
  /// FNV-1a over (edge, number, argument) of every event: equal logs, equal hashes.
  std::uint64_t event_hash() const { return event_hash_; }

 private:
  struct Change {
    Picoseconds at;
    report::Stage stage;
  };
  struct Heard {
    bool is_write = false;
    bool media = false;   // between TASK_CHOSEN and MEDIA_DONE
    bool done = false;    // behind MEDIA_DONE
    bool on_bus = false;  // between DATA_PHASE_BEGIN and DATA_PHASE_END
    std::vector<Change> changes;
  };

  Heard* of_task(std::uint32_t task);
  Heard* serving();
  void data_phase(Picoseconds at, std::uint32_t task, bool begins);
  void media_done(Picoseconds at, std::uint32_t task);
  void seek_started(Picoseconds at, std::uint32_t argument);
  void first_sector_done(Picoseconds at);
  void queued(Picoseconds at, std::uint32_t argument);

  const mechanics::PositioningModel& positioning_;
  const geometry::Geometry& geometry_;
  double revolution_ms_;

  std::map<std::uint16_t, Heard> open_;                 // by tag
  std::map<std::uint32_t, std::uint16_t> tag_of_task_;  // by index in the task set
  std::uint32_t serving_task_ = kNoTask;
  std::uint32_t cylinder_ = 0;  // where the heads are, or are going
  std::uint32_t head_ = 0;

  std::string console_;
  std::uint64_t missed_revolutions_ = 0;
  std::uint64_t media_retries_ = 0;
  std::uint64_t event_count_ = 0;
  std::uint64_t event_hash_ = 0xCBF29CE484222325ULL;

  static constexpr std::uint32_t kNoTask = 0xFFFF'FFFF;
};

}  // namespace headstack::run
