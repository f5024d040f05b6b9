// SPDX-License-Identifier: Apache-2.0
/// @file Current places of a drive's blocks on its media, read without the drive.
///
/// A drive with a store records there which blocks have spares, and which units a map has moved
/// (host/replay/kept_area.hpp). The place of each block is then known at every moment. Without a
/// store, the place of a block that the drive has moved is unknown.
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
  /// Both arguments must outlive the object.
  Places(const std::string& drive, Stage& stage);

  /// Whether the drive records its moves.
  bool are_kept() const { return kept_; }
  /// The present sector of a block.
  media::SectorIndex sector_of(std::uint32_t lba);
  /// The fault of the drive's own sectors at present; "": none.
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
