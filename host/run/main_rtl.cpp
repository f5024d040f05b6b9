// SPDX-License-Identifier: Apache-2.0
// headstack run with the electronics. SystemC has main().
#include <systemc>

#include "host/run/program.hpp"
#include "host/session/rtl_platform.hpp"

int sc_main(int argc, char** argv) {
  return headstack::run::run_program(argc, argv, {headstack::session::make_rtl_platform, nullptr});
}
