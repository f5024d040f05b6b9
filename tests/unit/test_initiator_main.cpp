// SPDX-License-Identifier: Apache-2.0
// SystemC wants sc_main; GoogleTest runs inside it. One process per test.
#include <gtest/gtest.h>

#include <systemc>

int sc_main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
