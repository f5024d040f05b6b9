// The commands of GDB's `monitor`: one table, which `monitor help` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <stdexcept>

namespace headstack::debug {

/// Where the run is to stop, beside breakpoints; it stands until it comes.
struct Until {
  std::optional<std::uint64_t> edge;     // the first instruction at or behind this clock edge
  std::optional<std::uint64_t> command;  // the first one behind the issue of this trace request
  std::optional<unsigned> event;         // the first one behind such an event of the firmware
  bool next = false;                     // the very next one, also the first of a handler

  bool empty() const { return !edge && !command && !event && !next; }
};

/// What is wrong with the words, and what they may be.
struct UntilError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "cmd N", "time T", "event NAME". Throws UntilError.
Until parse_until(std::string_view words);

/// The run, for the monitor.
class MonitorTarget {
 public:
  virtual ~MonitorTarget() = default;
  virtual std::string when() const = 0;
  virtual std::string queue() const = 0;
  virtual std::string drive() const = 0;
  virtual void set_until(const Until& until) = 0;
  // Each returns what there is to say.
  virtual std::string open_waves(const std::string& path) = 0;
  virtual std::string close_waves() = 0;
  virtual std::string fork_history() = 0;
};

/// What a command answers, in lines. One that is wrong is told so, with the remedy.
std::string run_monitor_command(MonitorTarget& target, std::string_view line);

}  // namespace headstack::debug
