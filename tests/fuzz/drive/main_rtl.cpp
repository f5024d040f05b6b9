// SPDX-License-Identifier: Apache-2.0
// SystemC's main calls this one. It elaborates once per process: each storyline has its own.
#include <systemc>

#include "tests/fuzz/drive/program.hpp"

int sc_main(int argc, char** argv) { return headstack::fuzz::fuzz_main(argc, argv); }
