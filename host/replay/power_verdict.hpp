// SPDX-License-Identifier: Apache-2.0
// Checks that all acknowledged data survive a power failure during a replay.
//
// First a survey inspects the media without the drive (media_survey.hpp). Then a drive starts on
// the media as they were left, and reads each block that the hosts touched. A block must hold one
// complete version that the ledger allows (media_ledger.hpp). The drive may instead report the
// block as bad in two cases. Sectors may be torn, and a write to the block was outstanding. Or the
// block lies on a flawed sector of the specimen, and may still have its initial content. Mode pages
// and moved blocks are judged, too (upkeep_ledger.hpp).
//
// A drive whose FORMAT UNIT was cut short reports 3/31/00 for all blocks until a format ends well
// (SCSI-2 table 71). It is then formatted, and all blocks must be zeros. Otherwise it must hold its
// old content.
//
// The power may fail again in this second life of the drive. The third life is judged like it.
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
  bool whole = true;  // examines all blocks, not only units that hosts touched or that moved
  /// No command is aborted, and no sector of the store has a flaw. Then the drive's own data exist
  /// in two copies, except for those that a cut interrupts.
  bool keeps_twice = false;
  /// Byte, counted over the writes of the second life, before which the power fails again. The
  /// second life then also saves a page, moves a block, and continues with its map.
  std::optional<std::uint64_t> again;
};

struct PowerVerdict {
  std::uint64_t blocks = 0;           // blocks read back through the drive
  std::uint64_t looked_at = 0;        // blocks examined on the media
  std::uint64_t unreadable = 0;       // blocks read back that are torn, and reported as such
  bool is_cut_again = false;          // the second cut has taken place
  std::vector<std::string> findings;  // lost or mixed data, one sentence each
};

/// Judges a power loss. It must have been reported to `check`. `options` are those of the session
/// that lost power.
PowerVerdict judge_power_loss(const drive::DriveDescription& description,
                              const session::Options& options, const media::MediaSnapshot& media,
                              DataCheck& check, UpkeepLedger& upkeep,
                              const PowerJudgement& judgement = {});

}  // namespace headstack::replay
