// SPDX-License-Identifier: Apache-2.0
// The data that hosts write and expect to read. A block's content shows where and when it was
// written.
//
// A block's bytes are a function of the seed, its address and its version (which write of it), and
// contain the version. So a reference map needs one number per block. A read is found wrong if it
// returns another block's data, an older version or a torn block.
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

  /// The data of a write, whose version becomes the newest of its blocks.
  std::vector<std::uint8_t> write(std::uint64_t lba, std::uint32_t blocks);

  /// The data of a version of the blocks; version 0 is the content before any write.
  std::vector<std::uint8_t> version(std::uint64_t lba, std::uint32_t blocks,
                                    std::uint32_t version) const;
  /// The version of the block that has this content. Returns nothing for a torn block, or for
  /// another block's content.
  std::optional<std::uint32_t> version_in(const std::uint8_t* bytes, std::uint64_t lba) const;

  /// The data that a read must return when all earlier writes have taken effect. Blocks that were
  /// not written since the drive was formatted are zeros.
  std::vector<std::uint8_t> expected(std::uint64_t lba, std::uint32_t blocks) const;

  /// The first difference as text, such as "block 17 at byte 3: 0x00 for 0xab (never written)".
  std::optional<std::string> first_difference(const std::vector<std::uint8_t>& read,
                                              const std::vector<std::uint8_t>& expected,
                                              std::uint64_t lba) const;

 private:
  void append(std::vector<std::uint8_t>& data, std::uint64_t lba, std::uint32_t version) const;

  std::uint64_t seed_;
  std::uint32_t block_bytes_;
  VersionMap newest_;  // each block's newest version: 0 if never written, else from 1
};

}  // namespace headstack::replay
