// SPDX-License-Identifier: Apache-2.0
// Maps blocks to numbers, 0 until set. Pages exist only for blocks with a number, at 4 bytes per
// block.
#pragma once

#include <cstdint>
#include <vector>

namespace headstack::replay {

class VersionMap {
 public:
  std::uint32_t get(std::uint64_t lba) const {
    const std::uint64_t page = lba / kPageBlocks;
    if (page >= pages_.size() || pages_[page].empty()) return 0;
    return pages_[page][lba % kPageBlocks];
  }
  std::uint32_t& at(std::uint64_t lba) {
    const std::uint64_t page = lba / kPageBlocks;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (pages_[page].empty()) pages_[page].assign(kPageBlocks, 0);
    return pages_[page][lba % kPageBlocks];
  }

 private:
  static constexpr std::uint64_t kPageBlocks = 4096;

  std::vector<std::vector<std::uint32_t>> pages_;
};

}  // namespace headstack::replay
