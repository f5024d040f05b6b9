// SPDX-License-Identifier: Apache-2.0
// A survey of the media after a power cut, without the drive.
//
// A read through the firmware costs simulated commands. So only blocks that hosts touched are read
// that way (power_verdict.hpp). The survey inspects the media directly. It finds a block's sector
// by the drive's own data (kept_area.hpp) and the reference geometry. It covers either all blocks,
// or the units of touched blocks and the units outside their home slots.
//
// A block that no host has touched must hold its initial zeros. Any other block must hold one
// complete version that the ledger allows (media_ledger.hpp).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "host/replay/data_check.hpp"
#include "host/replay/kept_area.hpp"
#include "sim/description/description.hpp"
#include "sim/geometry/geometry.hpp"
#include "sim/media/media_store.hpp"

namespace headstack::replay {

class MediaSurvey {
 public:
  MediaSurvey(const drive::DriveDescription& description, const geometry::Geometry& geometry,
              const media::MediaSnapshot& media, DataCheck& check);

  const KeptArea& kept() const { return kept_; }
  /// Whether all blocks that hosts touched are zeros, as after a format.
  bool is_blank() const;
  /// Examines the units described above, or all blocks if `whole`. Media with an unfinished format
  /// have no blocks to examine. It must be called before the blocks are read through the drive,
  /// because a read settles their versions. @return findings, one sentence each; at most kMost.
  std::vector<std::string> look(bool whole);
  static constexpr std::size_t kMost = 8;

  /// Blocks that hosts touched and that lie on a flawed sector.
  std::set<std::uint64_t> flawed_blocks() const;

  /// Number of blocks examined.
  std::uint64_t blocks() const { return blocks_; }

 private:
  struct Sector;
  std::uint64_t index_of(std::uint64_t lba) const;
  Sector sector_of(std::uint64_t lba) const;
  bool is_touched(std::uint64_t lba) const;
  void look_at(std::uint64_t lba);
  void look_at_stretches(std::vector<MediaLedger::Range> stretches);

  const geometry::Geometry& geometry_;
  media::MediaStore media_;
  DataCheck& check_;
  KeptArea kept_;
  bool may_tear_;
  std::vector<MediaLedger::Range> touched_;
  media::CheckCode code_;
  std::uint64_t blocks_ = 0;
  std::vector<std::string> findings_;
};

}  // namespace headstack::replay
