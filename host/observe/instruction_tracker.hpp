// SPDX-License-Identifier: Apache-2.0
// Finds the cycles in which an instruction begins (soc::CoreStage), when the core can stop for a
// debugger.
#pragma once

#include "sim/soc/core_access.hpp"

namespace headstack::observe {

class InstructionTracker {
 public:
  /// Call it after each edge of the core's clock.
  bool begins(const soc::CoreStage& stage) {
    if (stage.entered) waiting_ = true;
    if (!stage.ready || !waiting_) return false;
    waiting_ = false;
    return true;
  }

  /// After edges without a call, or if the present instruction counts as begun: it finds the next
  /// instruction first.
  void skip() { waiting_ = false; }

 private:
  bool waiting_ = false;  // an instruction has entered, and not begun
};

}  // namespace headstack::observe
