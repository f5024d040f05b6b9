// SPDX-License-Identifier: Apache-2.0
#include "host/observe/firmware_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace headstack::observe {

FirmwareProfile::FirmwareProfile(const soc::ElfImage& image)
    : functions_(image), by_function_(image.functions().size() + 1) {}

void FirmwareProfile::core_cycle(std::uint64_t /*edge*/, const soc::CoreActivity& activity) {
  if (!activity.core_edge) return;
  ++cycles_;
  ++waiting_;
  if (!activity.retirement.valid) return;
  Count& count = by_function_[functions_.index_at(activity.retirement.pc)];
  count.cycles += waiting_;
  ++count.instructions;
  waiting_ = 0;
}

std::string FirmwareProfile::to_text(std::uint64_t commands) const {
  std::vector<std::size_t> order(by_function_.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return by_function_[a].cycles > by_function_[b].cycles;
  });
  const auto all = static_cast<double>(std::max<std::uint64_t>(cycles_, 1));
  const auto per = static_cast<double>(std::max<std::uint64_t>(commands, 1));
  std::string text = fmt::format("{:>12} {:>7} {:>12} {:>12} {:>6}  {}\n", "cycles", "%",
                                 "per command", "instructions", "CPI", "function");
  for (const std::size_t i : order) {
    const Count& count = by_function_[i];
    if (count.instructions == 0) break;
    const auto cycles = static_cast<double>(count.cycles);
    text += fmt::format("{:>12} {:>7.2f} {:>12.1f} {:>12} {:>6.2f}  {}\n", count.cycles,
                        100 * cycles / all, cycles / per, count.instructions,
                        cycles / static_cast<double>(count.instructions),
                        i < functions_.none() ? functions_.functions()[i].name : "(no symbol)");
  }
  return text;
}

}  // namespace headstack::observe
