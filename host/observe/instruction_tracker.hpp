// SPDX-License-Identifier: Apache-2.0
// Finds the cycles in which an instruction begins (soc::CoreStage). In these the core can stop for
// a debugger.
#pragma once

#include "sim/soc/core_access.hpp"

namespace headstack::observe {

class InstructionTracker {
 public:
  /// Whether an instruction begins in this cycle. Must be called after each edge of the core's
  /// clock.
  bool begins(const soc::CoreStage& stage) {
    if (stage.entered) waiting_ = true;
    if (!stage.ready || !waiting_) return false;
    waiting_ = false;
    return true;
  }

  /// Ignores the present instruction, so that begins() finds the next one. Must be called after
  /// edges without begins().
  void skip() { waiting_ = false; }

 private:
  bool waiting_ = false;  // an instruction has entered, but not begun
};

}  // namespace headstack::observe
