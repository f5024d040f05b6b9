// SPDX-License-Identifier: Apache-2.0
// Whether everything that the drive has acknowledged is there, after its power failed during a
// replay and returned.
//
// A drive that starts on the media as they were left reads each block that the hosts touched. A
// block holds, whole, a version that it may have (media_ledger.hpp). If sectors may be torn and a
// write to the block was outstanding, the drive may report the block as bad instead. Mode pages and
// moved blocks are judged, too (upkeep_ledger.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/replay/data_check.hpp"
#include "host/replay/upkeep_ledger.hpp"
#include "host/session/session.hpp"

namespace headstack::replay {

struct PowerVerdict {
  std::uint64_t blocks = 0;           // blocks read back
  std::uint64_t unreadable = 0;       // blocks among these that are torn, and reported as bad
  std::vector<std::string> findings;  // what is lost or mixed, one sentence each
};

/// `check` has been told that the power is lost. `options` are those of the session that lost it.
PowerVerdict judge_power_loss(const drive::DriveDescription& description,
                              const session::Options& options, const media::MediaSnapshot& media,
                              DataCheck& check, UpkeepLedger& upkeep);

}  // namespace headstack::replay
