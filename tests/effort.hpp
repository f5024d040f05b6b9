// SPDX-License-Identifier: Apache-2.0
// How long tests with random input go on.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>

namespace headstack::test {

/// The rounds of a test that makes `all` of them: fewer where HEADSTACK_TEST_EFFORT says how many
/// per cent, but one at least. The sanitized build (CMakePresets.json) and mutation runs do with
/// fewer. What a test demands of its input as a whole ("more than 100 of them have ...") holds for
/// all rounds: see is_whole().
inline int rounds(int all) {
  const char* percent = std::getenv("HEADSTACK_TEST_EFFORT");
  return percent == nullptr ? all : std::max(1, all * std::atoi(percent) / 100);
}

/// Whether tests make all their rounds.
inline bool is_whole() { return rounds(100) == 100; }

}  // namespace headstack::test
