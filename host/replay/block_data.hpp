// What the host writes and expects to read: blocks whose content tells where and when they are
// from.
//
// A block's bytes are a function of the seed, its address and its version (which write of it), and
// tell the version. So a reference map needs one number per block, and a read that brings another
// block's data, an older version or a torn block shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/replay/version_map.hpp"

namespace headstack::replay {

class BlockData {
 public:
  BlockData(std::uint64_t seed, std::uint32_t block_bytes)
      : seed_(seed), block_bytes_(block_bytes) {}

  /// The data of a write, and notes it as the newest.
  std::vector<std::uint8_t> write(std::uint64_t lba, std::uint32_t blocks);

  /// The data of this version of the blocks; 0 is what was never written. Nothing is noted.
  std::vector<std::uint8_t> version(std::uint64_t lba, std::uint32_t blocks,
                                    std::uint32_t version) const;
  /// Which version of the block these bytes are; nothing when they are none: another block's, or
  /// torn.
  std::optional<std::uint32_t> version_in(const std::uint8_t* bytes, std::uint64_t lba) const;

  /// What a read of these blocks must bring when every write before it counts: zeros where nothing
  /// was written since the drive was formatted.
  std::vector<std::uint8_t> expected(std::uint64_t lba, std::uint32_t blocks) const;

  /// What differs first, for people: "block 17 at byte 3: 0x00 for 0xab (never written)".
  std::optional<std::string> first_difference(const std::vector<std::uint8_t>& read,
                                              const std::vector<std::uint8_t>& expected,
                                              std::uint64_t lba) const;

 private:
  void append(std::vector<std::uint8_t>& data, std::uint64_t lba, std::uint32_t version) const;

  std::uint64_t seed_;
  std::uint32_t block_bytes_;
  VersionMap newest_;  // 1 for the first write, 0 before
};

}  // namespace headstack::replay
