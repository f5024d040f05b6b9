// SPDX-License-Identifier: Apache-2.0
// `headstack run`, called by main() of its programs.
#pragma once

#include "host/session/session.hpp"

namespace headstack::run {

/// How a program carries out a run on `rtl`.
struct RtlSupport {
  session::PlatformMaker make = nullptr;  // null unless the program has the electronics
  /// Set in the program without the electronics. It replaces this process by the program that has
  /// them, with the same words. Called before anything of the run begins; throws when it cannot.
  void (*become)(char** argv) = nullptr;
};

/// @return the exit status.
int run_program(int argc, char** argv, const RtlSupport& rtl);

}  // namespace headstack::run
