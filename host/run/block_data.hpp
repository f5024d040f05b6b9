// What the host writes and expects to read: blocks whose content tells where and when they are
// from.
//
// A block's bytes are a function of the seed, its address and its version (how often it was written
// before). So the reference map keeps one number per block, 4 bytes in pages of those that were
// written to, and a read that brings another block's data, an older version or a torn block shows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace headstack::run {

class BlockData {
 public:
  BlockData(std::uint64_t seed, std::uint32_t block_bytes)
      : seed_(seed), block_bytes_(block_bytes) {}

  /// The data of a write, and notes it as the newest.
  std::vector<std::uint8_t> write(std::uint64_t lba, std::uint32_t blocks);

  /// What a read of these blocks must bring when every write before it counts: zeros where nothing
  /// was written since the drive was formatted.
  std::vector<std::uint8_t> expected(std::uint64_t lba, std::uint32_t blocks) const;

  /// What differs first, for people: "block 17 at byte 3: 0x00 for 0xab (a block never written)".
  std::optional<std::string> first_difference(const std::vector<std::uint8_t>& read,
                                              const std::vector<std::uint8_t>& expected,
                                              std::uint64_t lba) const;

 private:
  static constexpr std::uint64_t kPageBlocks = 4096;

  std::uint32_t& version(std::uint64_t lba);
  std::uint32_t version_of(std::uint64_t lba) const;
  void append(std::vector<std::uint8_t>& data, std::uint64_t lba, std::uint32_t version) const;

  std::uint64_t seed_;
  std::uint32_t block_bytes_;
  std::vector<std::vector<std::uint32_t>> versions_;  // in pages; 1 for the first write, 0 before
};

}  // namespace headstack::run
