// SPDX-License-Identifier: Apache-2.0
// The commands of GDB's `monitor`: one table, which `monitor help` prints.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <stdexcept>

namespace headstack::debug {

/// A stop of the run besides breakpoints; it stays set until it is reached.
struct Until {
  std::optional<std::uint64_t> edge;     // the first instruction at or after this clock edge
  std::optional<std::uint64_t> command;  // the first one after the issue of this trace request
  std::optional<unsigned> event;         // the first one after such an event of the firmware,
  std::uint64_t event_number = 0;        // of which it is this one since the start; 0: the next one
  bool next = false;                     // the next instruction, even if it is the first of a
                                         // handler

  bool empty() const { return !edge && !command && !event && !next; }
};

/// The error in the words, and the valid words.
struct UntilError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "cmd N", "time T", "event NAME[:N]". Throws UntilError.
Until parse_until(std::string_view words);

/// The monitor's access to the run.
class MonitorTarget {
 public:
  virtual ~MonitorTarget() = default;
  virtual std::string when() const = 0;
  virtual std::string queue() const = 0;
  virtual std::string drive() const = 0;
  /// Of a block, a register, or ("") the names of all.
  virtual std::string block_registers(const std::string& name) = 0;
  /// Why that point cannot come any more, with the remedy; "" when it is set.
  virtual std::string set_until(const Until& until) = 0;
  /// The next 'continue' goes there, forward or back; an empty `until` is the run's end. `words`
  /// are those that parse_until() takes. Why it cannot, with the remedy; or "".
  virtual std::string go_to(const Until& until, const std::string& words) = 0;
  /// Likewise to the beginning.
  virtual std::string go_to_start() = 0;
  // Each returns the text to print.
  virtual std::string open_waves(const std::string& path) = 0;
  virtual std::string close_waves() = 0;
  virtual std::string fork_history() = 0;
};

/// Runs a command and returns its answer, in lines. For a bad command, that is the error with its
/// remedy.
std::string run_monitor_command(MonitorTarget& target, std::string_view line);

}  // namespace headstack::debug
