// `headstack run`, behind the main() of its programs.
#pragma once

#include "host/session/session.hpp"

namespace headstack::run {

/// How a program comes to a run on `rtl`.
struct RtlSupport {
  session::PlatformMaker make = nullptr;  // of the program that has the electronics
  /// Of the one without: called before anything of the run begins, it becomes the program that has
  /// them, with the same words, or throws why it cannot.
  void (*become)(char** argv) = nullptr;
};

/// @return the exit status.
int run_program(int argc, char** argv, const RtlSupport& rtl);

}  // namespace headstack::run
