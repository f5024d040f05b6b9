// SPDX-License-Identifier: Apache-2.0
// Collects the counts of cover properties over all Verilated blocks of a test program.
#pragma once

#include <verilated.h>

namespace headstack::rtl_test {

/// Adds the counts of the models in `context` to the file that HEADSTACK_COVERAGE names, in the
/// format of Verilator's coverage data. Does nothing if it is not set. Call it before the models
/// are destroyed.
void keep_coverage(VerilatedContext& context);

}  // namespace headstack::rtl_test
