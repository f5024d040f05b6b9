// SPDX-License-Identifier: Apache-2.0
/// @file
/// Where a drive's blocks lie on its media now, read past the drive.
///
/// A drive with a store records there which blocks have spares, and which units a map has moved
/// (host/replay/kept_area.hpp). The place of each block is then known at every moment. Without a
/// store, a block that the drive has moved is somewhere else, and nobody can say where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/replay/kept_area.hpp"
#include "tests/fuzz/drive/block_model.hpp"
#include "tests/fuzz/drive/stage.hpp"

namespace headstack::fuzz {

class Places {
 public:
  /// Both must outlive it.
  Places(const std::string& drive, Stage& stage);

  /// Whether the drive records what it moves.
  bool are_kept() const { return kept_; }
  /// The sector of a block now.
  media::SectorIndex sector_of(std::uint32_t lba);
  /// What is wrong with the drive's own sectors now; "": nothing.
  std::string find_fault();

 private:
  void read();

  const std::string& drive_;
  Stage& stage_;
  bool kept_ = false;
  Picoseconds read_at_ = kOpen;
  replay::KeptArea area_;
};

}  // namespace headstack::fuzz
