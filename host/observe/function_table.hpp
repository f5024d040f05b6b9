// SPDX-License-Identifier: Apache-2.0
// Finds the function at an address of the firmware with one look-up.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/soc/elf_image.hpp"

namespace headstack::observe {

class FunctionTable {
 public:
  /// `image` must outlive the table.
  explicit FunctionTable(const soc::ElfImage& image);

  /// Index into image.functions(); none() for an address in no function.
  std::uint32_t index_at(std::uint32_t address) const {
    const std::uint32_t half = address / kInstructionBytes;
    return half < index_.size() ? index_[half] : none();
  }
  std::uint32_t none() const { return static_cast<std::uint32_t>(image_.functions().size()); }
  const std::vector<soc::ElfImage::Function>& functions() const { return image_.functions(); }

 private:
  static constexpr std::uint32_t kInstructionBytes = 2;  // length of the shortest (compressed)
                                                         // instruction

  const soc::ElfImage& image_;
  std::vector<std::uint32_t> index_;  // function of each half word of RAM
};

}  // namespace headstack::observe
