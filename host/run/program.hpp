// SPDX-License-Identifier: Apache-2.0
// `headstack run`, called by main() of its programs.
#pragma once

#include "host/session/session.hpp"

namespace headstack::run {

/// How a program carries out a run on `rtl`.
struct RtlSupport {
  session::PlatformMaker make = nullptr;  // set in the program that has the electronics
  /// Set in the program without them. It executes the program that has them, with the same words,
  /// in the same process. It throws when it cannot. It is called before anything of the run begins.
  void (*become)(char** argv) = nullptr;
};

/// @return the exit status.
int run_program(int argc, char** argv, const RtlSupport& rtl);

}  // namespace headstack::run
