// SPDX-License-Identifier: Apache-2.0
// The amount of random input in tests.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>

namespace headstack::test {

/// The rounds of a test that makes `all` of them: fewer if HEADSTACK_TEST_EFFORT gives a
/// percentage, but at least one. The sanitized build (CMakePresets.json) and mutation runs have
/// fewer. A test's demand on its input as a whole ("more than 100 of them have ...") holds for all
/// rounds: see is_whole().
inline int rounds(int all) {
  const char* percent = std::getenv("HEADSTACK_TEST_EFFORT");
  return percent == nullptr ? all : std::max(1, all * std::atoi(percent) / 100);
}

/// Whether tests make all their rounds.
inline bool is_whole() { return rounds(100) == 100; }

}  // namespace headstack::test
