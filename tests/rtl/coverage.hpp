// What the cover properties of a Verilated block counted, kept over all blocks of a test program.
#pragma once

#include <verilated.h>

namespace headstack::rtl_test {

/// Adds what the models of `context` counted to the file that HEADSTACK_COVERAGE names, in the
/// format of Verilator's coverage data; does nothing without it. Call it before the models are
/// gone.
void keep_coverage(VerilatedContext& context);

}  // namespace headstack::rtl_test
