// SPDX-License-Identifier: Apache-2.0
// Whether everything that the drive has acknowledged is there, after its power failed during a
// replay and returned.
//
// First a survey inspects the media without the drive (media_survey.hpp). Then a drive starts on
// the media as they were left, and reads each block that the hosts touched. A block must hold one
// whole version that the ledger allows (media_ledger.hpp). Instead, the drive may report the block
// as bad in two cases. Sectors may be torn and a write to the block was outstanding. Or the block
// lies on a flawed sector of the specimen, and may still have its initial content. Mode pages and
// moved blocks are judged, too (upkeep_ledger.hpp).
//
// A drive whose FORMAT UNIT was cut short has 3/31/00 for all blocks until a format ends well
// (SCSI-2 table 71). It is then formatted,
// and all blocks must be zeros. Or it must hold its old content.
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
