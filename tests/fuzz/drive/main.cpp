// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/drive/program.hpp"

int main(int argc, char** argv) { return headstack::fuzz::fuzz_main(argc, argv); }
