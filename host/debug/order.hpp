// SPDX-License-Identifier: Apache-2.0
// The order of the debug server to a run that is woken from a snapshot (SnapshotRing::wake).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/debug/gdb_session.hpp"

namespace headstack::debug {

struct Order {
  enum class Task {
    kGo,         // run to the instruction that begins at `edge`, and stop there
    kFindBegin,  // find the last instruction that begins before `edge`
    kFindStop,   // find the last stop point of the debugger before `edge`
    kRecord,     // continue from the snapshot, and record waves
    kGoOn,       // continue from the snapshot until `words` come, as parse_until() reads them
  };
  Task task = Task::kGo;
  std::uint64_t edge = 0;
  std::string words;  // kGo: of the stop reply; kRecord: the file; kGoOn: see above

  GdbSession::State session;
  std::uint64_t furthest = 0;            // the run has reached this edge; before it no change is
                                         // allowed ...
  bool fork_history = false;             // ... unless this is set
  std::vector<std::uint64_t> changes;    // edges at which the debugger changed the run, ascending
  std::vector<std::uint64_t> snapshots;  // the existing ones
};

std::string to_text(const Order& order);
Order order_of(const std::string& text);

}  // namespace headstack::debug
