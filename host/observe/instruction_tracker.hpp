// Finds the cycles in which an instruction begins (soc::CoreStage): the moments at which the core
// can stand for a debugger.
#pragma once

#include "sim/soc/core_access.hpp"

namespace headstack::observe {

class InstructionTracker {
 public:
  /// To be called behind each edge of the core's clock.
  bool begins(const soc::CoreStage& stage) {
    if (stage.entered) waiting_ = true;
    if (!stage.ready || !waiting_) return false;
    waiting_ = false;
    return true;
  }

  /// Edges were not looked at, or the instruction that is there counts as begun: the next to come
  /// is the first that is found.
  void skip() { waiting_ = false; }

 private:
  bool waiting_ = false;  // an instruction has come, and not begun
};

}  // namespace headstack::observe
