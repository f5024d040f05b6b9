// SPDX-License-Identifier: Apache-2.0
// How a command ended, as its host sees it. That decides whether the host sends it again.
#pragma once

#include <cstdint>

#include "host/options/host_habits.hpp"
#include "host/replay/block_history.hpp"
#include "sim/initiator/command.hpp"

namespace headstack::replay {

enum class EndKind : std::uint8_t {
  kDone,       // GOOD, or CHECK CONDITION with RECOVERED ERROR
  kFailed,     // the drive has reported an error
  kBusy,       // status BUSY
  kQueueFull,  // status QUEUE FULL
  kLost,       // lost without an error: reset, cleared, a unit attention, a deferred error
  kAborted,    // aborted by its host, before its end
  kBroken,     // no drive answers, or the drive leaves the bus; the run ends
};

struct Ending {
  EndKind kind = EndKind::kDone;
  /// Possible effect of a write on its blocks, if the drive received the write.
  BlockHistory::Fate fate = BlockHistory::Fate::kDone;
};

/// A word of the records for the outcome: "complete", "aborted", "bus-reset", ...
const char* outcome_word(initiator::Outcome outcome);

/// The ending of a completed command. With `given_up`, the host has sent an abort for it.
Ending ending_of(const initiator::Completion& completion, bool given_up);

bool wants_retry(EndKind kind, options::RetryPolicy policy);

}  // namespace headstack::replay
