// SPDX-License-Identifier: Apache-2.0
// The commands of GDB's `monitor`, as one table, which `monitor help` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <stdexcept>

namespace headstack::debug {

/// Where the run stops, besides breakpoints. It stays set until it is reached.
struct Until {
  std::optional<std::uint64_t> edge;     // first instruction at or after this clock edge
  std::optional<std::uint64_t> command;  // first instruction after the issue of this trace request
  std::optional<unsigned> event;         // first instruction after this event of the firmware
  std::uint64_t event_number = 0;        // which occurrence of `event` since the start; 0: the next
                                         // one
  bool next = false;                     // next instruction, even if it is the first of a handler

  bool empty() const { return !edge && !command && !event && !next; }
};

/// The error in the words, with the valid words.
struct UntilError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Parses "cmd N", "time T", or "event NAME[:N]". Throws UntilError.
Until parse_until(std::string_view words);

/// The run, as the commands access it.
class MonitorTarget {
 public:
  virtual ~MonitorTarget() = default;
  virtual std::string when() const = 0;
  virtual std::string queue() const = 0;
  virtual std::string drive() const = 0;
  /// Text of a block or a register; for "", the names of all.
  virtual std::string block_registers(const std::string& name) = 0;
  /// Sets the stop. Returns "", or why the run cannot come to it, with the remedy.
  virtual std::string set_until(const Until& until) = 0;
  /// Makes the next 'continue' go to `until`, forward or back; an empty one is the run's end.
  /// `words` are those that parse_until() takes. Returns "", or why it cannot, with the remedy.
  virtual std::string go_to(const Until& until, const std::string& words) = 0;
  /// Makes the next 'continue' go to the beginning. Returns as go_to() does.
  virtual std::string go_to_start() = 0;
  // Each of these functions returns the text to print.
  virtual std::string open_waves(const std::string& path) = 0;
  virtual std::string close_waves() = 0;
  virtual std::string fork_history() = 0;
};

/// Runs a command and returns its answer, in lines. For a bad command, that is the error with its
/// remedy.
std::string run_monitor_command(MonitorTarget& target, std::string_view line);

}  // namespace headstack::debug
