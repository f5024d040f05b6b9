// Power has gone in the midst of a replay, and returns: is everything there that the drive has
// acknowledged?
//
// Each block that the hosts touched is read by a drive that starts on the media as they were left.
// It holds a version that it may have (media_ledger.hpp), whole; or, if a sector may be torn and a
// write to the block was under way, it is reported as bad. Mode pages and moved blocks are there,
// too (upkeep_ledger.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/replay/data_check.hpp"
#include "host/replay/upkeep_ledger.hpp"
#include "host/session/session.hpp"

namespace headstack::replay {

struct PowerVerdict {
  std::uint64_t blocks = 0;           // read back
  std::uint64_t unreadable = 0;       // of these, torn, and said to be bad
  std::vector<std::string> findings;  // what is lost, or mixed: a sentence each
};

/// `check` has been told that the power is lost. `options` are those of the session that lost it.
PowerVerdict judge_power_loss(const drive::DriveDescription& description,
                              const session::Options& options, const media::MediaSnapshot& media,
                              DataCheck& check, UpkeepLedger& upkeep);

}  // namespace headstack::replay
