// SPDX-License-Identifier: Apache-2.0
// The ending of a command as seen by its host, which decides whether the host sends it again.
#pragma once

#include <cstdint>

#include "host/options/host_habits.hpp"
#include "host/replay/block_history.hpp"
#include "sim/initiator/command.hpp"

namespace headstack::replay {

enum class EndKind : std::uint8_t {
  kDone,       // GOOD, or CHECK CONDITION with RECOVERED ERROR
  kFailed,     // the drive has reported an error
  kBusy,       // BUSY
  kQueueFull,  // QUEUE FULL
  kLost,       // no fault of its own: reset, cleared, a unit attention, a deferred error
  kAborted,    // by its host, before its end
  kBroken,     // no drive answers, or the drive leaves the bus: the run cannot go on
};

struct Ending {
  EndKind kind = EndKind::kDone;
  /// Possible effect of a write on its blocks, if the drive received it.
  BlockHistory::Fate fate = BlockHistory::Fate::kDone;
};

/// A word for records: "complete", "aborted", "bus-reset", ...
const char* outcome_word(initiator::Outcome outcome);

/// `given_up`: the host has sent an abort for the command.
Ending ending_of(const initiator::Completion& completion, bool given_up);

bool wants_retry(EndKind kind, options::RetryPolicy policy);

}  // namespace headstack::replay
