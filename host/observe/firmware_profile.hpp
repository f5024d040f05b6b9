// SPDX-License-Identifier: Apache-2.0
// A profile of the firmware: each clock cycle of the core counts for the function whose instruction
// retires next. Cycles asleep are not counted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/observe/function_table.hpp"
#include "sim/soc/soc_clock.hpp"

namespace headstack::observe {

class FirmwareProfile : public soc::CoreWatcher {
 public:
  /// `image` must outlive the profile.
  explicit FirmwareProfile(const soc::ElfImage& image);

  void core_cycle(std::uint64_t edge, const soc::CoreActivity& activity) override;

  std::uint64_t cycles() const { return cycles_; }

  /// The profile as a table, the most expensive function first: cycles, share, cycles per command,
  /// instructions, cycles per instruction.
  std::string to_text(std::uint64_t commands) const;

 private:
  struct Count {
    std::uint64_t cycles = 0;
    std::uint64_t instructions = 0;
  };

  FunctionTable functions_;
  std::vector<Count> by_function_;  // indexed as functions_, and one more for code in no function
  std::uint64_t waiting_ = 0;       // cycles since the last retirement
  std::uint64_t cycles_ = 0;
};

}  // namespace headstack::observe
