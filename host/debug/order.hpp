// SPDX-License-Identifier: Apache-2.0
// The order that the debug server gives to a run woken from a snapshot (SnapshotRing::wake).
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
    kGoOn,       // continue from the snapshot until `words`, which parse_until() reads
  };
  Task task = Task::kGo;
  std::uint64_t edge = 0;
  std::string words;  // kGo: words of the stop reply; kRecord: the file; kGoOn: where to stop

  GdbSession::State session;
  std::uint64_t furthest = 0;            // an edge that the run has reached; changes before it are
                                         // allowed only with fork_history
  bool fork_history = false;             // allows changes of the past
  std::vector<std::uint64_t> changes;    // edges at which the debugger changed the run, ascending
  std::vector<std::uint64_t> snapshots;  // positions of the existing snapshots
};

std::string to_text(const Order& order);
Order order_of(const std::string& text);

}  // namespace headstack::debug
