// SPDX-License-Identifier: Apache-2.0
// Follows the tasks by the firmware's events, and checks these against their rules
// (firmware/events.h). A missing, repeated or misdirected event violates the rules.
//
// The lives of tasks are facts for the audit of records, and independent of the code that makes the
// records.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/observe/host_tag.hpp"
#include "host/observe/stage_rules.hpp"
#include "host/report/record_fault.hpp"
#include "sim/units.hpp"

namespace headstack::observe {

/// The time between two events. `end` is missing until the second event.
struct Window {
  Picoseconds begin = 0;
  std::optional<Picoseconds> end;
};

/// The events of one command.
struct Life {
  std::vector<Window> service;  // times from TASK_CHOSEN to MEDIA_DONE
  std::optional<Picoseconds> hit;
  /// Number of first blocks that the cache supplies in a partial hit.
  std::uint32_t had = 0;
  bool is_chosen = false;
  bool uses_media = false;
  bool is_reported = false;

  CommandKind kind() const;
};

class TaskLife {
 public:
  void event(Picoseconds at, unsigned number, std::uint32_t argument);

  /// Removes and returns the life of a completed command. Returns nothing for a command that was
  /// never queued.
  std::optional<Life> take(HostTag name);
  /// The first violation since the last call, or "".
  report::RecordFault take_fault();

 private:
  struct Task {
    HostTag name = 0;
    bool is_in_queue = false;
    bool uses_media = false;
    bool maintains = false;    // a task of maintenance: the media serve many requests for it
    bool is_detached = false;  // reported: further events belong to no command
  };

  Task* find(std::uint32_t index, const char* event);
  Life* life_of(const Task& task);
  void fault(const std::string& what);
  void queued(std::uint32_t argument);
  void chosen(Picoseconds at, std::uint32_t index);
  void run_started(std::uint32_t argument);
  void run_done(std::uint32_t done);
  void media_done(Picoseconds at, std::uint32_t index);
  void data_began(std::uint32_t index);
  void data_ended(std::uint32_t index);
  void reported(std::uint32_t index);

  static constexpr std::uint32_t kNone = 0xFFFF;

  std::vector<Task> tasks_;                   // indexed as the task set
  std::unordered_map<HostTag, Life> lives_;   // lives of open commands
  HostTag received_ = 0;                      // last command received over the bus
  std::uint8_t operation_code_ = 0;           // operation code of received_
  std::uint32_t at_media_ = kNone;            // task in service at the media
  std::uint32_t maintaining_ = kNone;         // maintenance task that the media work for
  bool ahead_told_ = false;                   // READ_AHEAD was reported; its MEDIA_DONE follows
  std::optional<std::uint32_t> run_sectors_;  // number of sectors of the run under way
  std::uint32_t on_bus_ = kNone;              // task whose data phase is under way
  Picoseconds latest_ = 0;
  report::RecordFault fault_;
};

}  // namespace headstack::observe
