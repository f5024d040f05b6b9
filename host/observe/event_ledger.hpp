// SPDX-License-Identifier: Apache-2.0
// A log of the firmware's events with the core's work between two consecutive events.
//
// OUT/ledger.txt serves to compare two runs (host/regress). It has a line for each request that
// goes to the host adapter, and one for each event, ordered by time:
//
//     issue PICOSECONDS REQUEST TAG
//     EDGE EVENT ARGUMENT PC FUNCTION WORK...
//
// ARGUMENT and PC are in hex; PC and FUNCTION are where the event was reported. A WORK is
// FUNCTION:CYCLES:INSTRUCTIONS, in the order of the functions' first cycles since the previous
// event. A function whose name is not unique is NAME@ADDRESS, in hex.
//
// Each cycle of the core counts for the function whose instruction retires next, as in
// FirmwareProfile. Edges that the core did not request are "(asleep)", and code in no function is
// "(none)". So the cycles of a line sum exactly to its distance from the previous event.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/observe/function_table.hpp"
#include "host/observe/run_observer.hpp"
#include "host/output/output_file.hpp"

namespace headstack::observe {

/// Writes the ledger. It must receive each event after the core's cycle of that event
/// (EventsBehindCycles).
class EventLedger : public RunObserver, public soc::CoreWatcher {
 public:
  /// `image` must outlive the ledger. Throws output::OutputError when the file cannot be made.
  EventLedger(const std::string& file, const soc::ElfImage& image);

  void firmware_event(std::uint64_t edge, unsigned number, std::uint32_t argument) override;
  void command_issued(Picoseconds at, std::uint64_t number, std::uint16_t tag,
                      const traces::TraceRequest& request) override;
  void core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) override;

  /// Writes all lines up to now to the file. Throws output::OutputError.
  void flush() { out_.commit(); }
  /// Ends the ledger. Throws output::OutputError when the file is incomplete.
  void close() { out_.close(); }

 private:
  struct Work {
    std::uint32_t function = 0;  // index into functions_, or asleep_
    std::uint64_t cycles = 0;
    std::uint64_t instructions = 0;
  };

  Work& work_of(std::uint32_t function);
  const std::string& name_of(std::uint32_t function) const { return names_[function]; }

  FunctionTable functions_;
  const std::uint32_t asleep_;
  std::vector<std::string> names_;  // names of functions_, none() and asleep_
  output::OutputFile out_;
  std::vector<Work> work_;     // work since the last event
  std::uint64_t waiting_ = 0;  // cycles that the instruction which retires next has taken
  std::uint64_t edges_ = 0;    // number of edges accounted for
  std::uint32_t pc_ = 0;       // program counter of the instruction that retired last
};

}  // namespace headstack::observe
