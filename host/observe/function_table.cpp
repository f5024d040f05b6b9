#include "host/observe/function_table.hpp"

#include "sim/soc/soc.hpp"

namespace headstack::run {

FunctionTable::FunctionTable(const soc::ElfImage& image)
    : image_(image), index_(soc::Soc::kRamBytes / kInstructionBytes, none()) {
  for (std::uint32_t half = 0; half < index_.size(); ++half) {
    const soc::ElfImage::Function* function = image.function_at(half * kInstructionBytes);
    if (function != nullptr) {
      index_[half] = static_cast<std::uint32_t>(function - image.functions().data());
    }
  }
}

}  // namespace headstack::run
