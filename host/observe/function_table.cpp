// SPDX-License-Identifier: Apache-2.0
#include "host/observe/function_table.hpp"

#include "sim/soc/core_access.hpp"

namespace headstack::observe {

FunctionTable::FunctionTable(const soc::ElfImage& image)
    : image_(image), index_(soc::CoreAccess::kRamBytes / kInstructionBytes, none()) {
  for (std::uint32_t half = 0; half < index_.size(); ++half) {
    const soc::ElfImage::Function* function = image.function_at(half * kInstructionBytes);
    if (function != nullptr) {
      index_[half] = static_cast<std::uint32_t>(function - image.functions().data());
    }
  }
}

}  // namespace headstack::observe
