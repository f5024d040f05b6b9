// SPDX-License-Identifier: Apache-2.0
// The life of tasks by the firmware's events, checked against the rules of those events
// (firmware/events.h). A missing, repeated or misdirected event violates the rules.
//
// It extracts facts for the audit of records, independent of the code that makes the records.
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

/// The time between two events; `end` is missing until the second has come.
struct Window {
  Picoseconds begin = 0;
  std::optional<Picoseconds> end;
};

/// The events of one command.
struct Life {
  std::vector<Window> service;  // from TASK_CHOSEN to MEDIA_DONE
  std::optional<Picoseconds> hit;
  /// Blocks of a partial hit that the cache supplies: its first ones.
  std::uint32_t had = 0;
  bool is_chosen = false;
  bool uses_media = false;
  bool is_reported = false;

  CommandKind kind() const;
};

class TaskLife {
 public:
  void event(Picoseconds at, unsigned number, std::uint32_t argument);

  /// Removes and returns the life of a completed command; nothing for a command that was never
  /// queued.
  std::optional<Life> take(HostTag name);
  /// The first violation since the last call, or "".
  report::RecordFault take_fault();

 private:
  struct Task {
    HostTag name = 0;
    bool is_in_queue = false;
    bool uses_media = false;
    bool maintains = false;    // the media work for it, with any number of requests in turn
    bool is_detached = false;  // reported: its further events belong to no command
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

  std::vector<Task> tasks_;                   // tasks by index in the task set
  std::unordered_map<HostTag, Life> lives_;   // lives of open commands
  HostTag received_ = 0;                      // the last command that came over the bus
  std::uint8_t operation_code_ = 0;           // operation code of that command
  std::uint32_t at_media_ = kNone;            // the task in service at the media
  std::uint32_t maintaining_ = kNone;         // the task of maintenance that the media work for
  bool ahead_told_ = false;                   // READ_AHEAD was reported, and its MEDIA_DONE follows
  std::optional<std::uint32_t> run_sectors_;  // sectors of the run under way
  std::uint32_t on_bus_ = kNone;              // the task whose data phase is under way
  Picoseconds latest_ = 0;
  report::RecordFault fault_;
};

}  // namespace headstack::observe
