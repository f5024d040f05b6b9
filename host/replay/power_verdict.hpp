// SPDX-License-Identifier: Apache-2.0
// Whether everything that the drive has acknowledged is there, after its power failed during a
// replay and returned.
//
// First the media are looked at past the drive (media_survey.hpp). Then a drive that starts on the
// media as they were left reads each block that the hosts touched. A block holds, whole, a version
// that it may have (media_ledger.hpp). If sectors may be torn and a write to the block was
// outstanding, the drive may report the block as bad instead. So it may while all that the host has
// had acknowledged of a block is that a sector of the specimen's flaws cannot be read. Mode pages
// and moved blocks are judged, too (upkeep_ledger.hpp).
//
// A drive whose FORMAT UNIT was cut short has 3/31/00 for all blocks until a format ends well
// (SCSI-2 table 71). It gets one, and all blocks are zeros then. Or it holds what it held before.
//
// The power may fail again in that life of the drive. The third life is judged like the second.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/replay/data_check.hpp"
#include "host/replay/upkeep_ledger.hpp"
#include "host/session/session.hpp"

namespace headstack::replay {

struct PowerJudgement {
  bool whole = true;  // look at the whole disk, not only at units that hosts touched or that moved
  /// No command is ended before it is done, and no sector of the store has a flaw. So what the
  /// drive keeps is there twice, but for what a cut interrupts.
  bool keeps_twice = false;
  /// The power fails again before this byte that the drive writes in its second life. Then the
  /// drive has more to do there: it saves a page, moves a block, and goes on with its map.
  std::optional<std::uint64_t> again;
};

struct PowerVerdict {
  std::uint64_t blocks = 0;           // blocks read back through the drive
  std::uint64_t looked_at = 0;        // blocks looked at on the media
  std::uint64_t unreadable = 0;       // blocks read back that are torn, and reported as bad
  bool is_cut_again = false;          // the second cut came about
  std::vector<std::string> findings;  // what is lost or mixed, one sentence each
};

/// `check` has been told that the power is lost. `options` are those of the session that lost it.
PowerVerdict judge_power_loss(const drive::DriveDescription& description,
                              const session::Options& options, const media::MediaSnapshot& media,
                              DataCheck& check, UpkeepLedger& upkeep,
                              const PowerJudgement& judgement = {});

}  // namespace headstack::replay
