// SPDX-License-Identifier: Apache-2.0
// SystemC's main calls this function. SystemC elaborates once per process, so each storyline has
// its own process.
#include <systemc>

#include "tests/fuzz/drive/program.hpp"

int sc_main(int argc, char** argv) { return headstack::fuzz::fuzz_main(argc, argv); }
