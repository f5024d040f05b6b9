// The life of tasks as the firmware's events tell it, checked against the rules of those events
// (firmware/events.h): an event that is missing, comes twice or names another task leaves them.
//
// It makes nothing of the events but facts for whoever checks a record, and knows nothing of how
// records are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "host/observe/host_tag.hpp"
#include "host/observe/stage_rules.hpp"
#include "sim/units.hpp"

namespace headstack::observe {

/// From an event to another; `end` is missing as long as it has not come.
struct Window {
  Picoseconds begin = 0;
  std::optional<Picoseconds> end;
};

/// What was told of one command.
struct Life {
  std::vector<Window> service;  // from TASK_CHOSEN to MEDIA_DONE
  std::optional<Picoseconds> hit;
  bool is_chosen = false;
  bool uses_media = false;
  bool is_reported = false;

  CommandKind kind() const;
};

class TaskLife {
 public:
  void event(Picoseconds at, unsigned number, std::uint32_t argument);

  /// The life of a command that is over, once; nothing for one that was never queued.
  std::optional<Life> take(HostTag name);
  /// What left the rules since the last call: the first, or "".
  std::string take_fault();

 private:
  struct Task {
    HostTag name = 0;
    bool is_in_queue = false;
    bool uses_media = false;
    bool maintains = false;    // one request of the media behind the other, however many
    bool is_detached = false;  // reported: what becomes of it is nobody's
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

  std::vector<Task> tasks_;                   // by index in the task set
  std::unordered_map<HostTag, Life> lives_;   // of commands that are not over
  HostTag received_ = 0;                      // the command that came over the bus last
  std::uint8_t operation_code_ = 0;           // its
  std::uint32_t at_media_ = kNone;            // the task that the media serve
  std::uint32_t maintaining_ = kNone;         // or that they work for
  bool ahead_told_ = false;                   // READ_AHEAD, and its MEDIA_DONE follows
  std::optional<std::uint32_t> run_sectors_;  // of the run that is under way
  std::uint32_t on_bus_ = kNone;              // the task whose data phase is under way
  Picoseconds latest_ = 0;
  std::string fault_;
};

}  // namespace headstack::observe
