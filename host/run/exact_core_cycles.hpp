// The cycles of the exact core, shown to those who watch the core of the electronics: the same
// edges, asleep and awake, the same instructions retired at them.
#pragma once

#include <cstdint>

#include "sim/core/hart.hpp"
#include "sim/soc/soc_clock.hpp"
#include "sim/tlm/exact_core.hpp"

namespace headstack::run {

class ExactCoreCycles : public core::HartWatcher {
 public:
  /// Before the core's first cycle. All must outlive the core's run.
  ExactCoreCycles(tlm::ExactCore& core, soc::CoreWatcher& watcher);

  void retired(std::uint32_t pc, core::Cycle at) override;

 private:
  const tlm::ExactCore& core_;
  soc::CoreWatcher& watcher_;
  core::Cycle shown_ = 0;    // the edge that was shown last; the first comes unasked for
  std::int64_t asleep_ = 0;  // edges before it that the core had not asked for
};

}  // namespace headstack::run
