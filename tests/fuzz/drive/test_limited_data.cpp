// SPDX-License-Identifier: Apache-2.0
// 20,000 commands with limits of their duration that abort them, up to 64 at a time, on overlapping
// blocks, with and without caches. No acknowledged block may be wrong. The adversary's judge says
// what must hold (block_model.hpp, limits.hpp). Data of a write with GOOD are there, and of an
// aborted write each block is old or new. An aborted command leaves its tag free. A limit ends no
// command that did not name it, nor too soon.
//
// The electronics play one storyline for each kind of cache: SystemC elaborates once per process.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/fuzz/drive/generate.hpp"
#include "tests/fuzz/drive/player.hpp"
#include "tests/fuzz/drive/stage.hpp"
#include "tests/support.hpp"

namespace headstack::fuzz {
namespace {

constexpr std::uint64_t kSeed = 19;

struct CacheCase {
  const char* what;
  bool writes, reads;
};

/// Whether the storyline's MODE SELECT(10) of the caching page has these values of WCE, and of RCD
/// inverted (SBC-2 6.3.3).
bool has_cache(const Storyline& storyline, const CacheCase& wanted) {
  for (const Action& action : storyline.actions) {
    const bool is_select = action.kind == ActionKind::kCommand && action.cdb[0] == 0x55;
    if (!is_select || action.list.size() < 11 || action.list[8] != 0x08) continue;
    const std::uint8_t flags = action.list[10];
    return wanted.writes == ((flags & 0x04U) != 0) && wanted.reads == ((flags & 0x01U) == 0);
  }
  return false;
}

class LimitedData : public testing::TestWithParam<CacheCase> {
 protected:
  /// Plays the seed's storylines with such a cache until this many of their commands had limits.
  Totals play_until(std::uint64_t commands) {
    Totals totals;
    for (std::uint64_t number = 0; totals.limits.commands < commands; ++number) {
      const Storyline storyline = random_storyline(kSeed, number, Theme::kLimits);
      if (!has_cache(storyline, GetParam())) continue;
      const Played played = play(storyline);
      totals.add(played.totals);
      if (!played.finding) continue;
      ADD_FAILURE() << played.finding->kind << ": " << played.finding->what << "\n  expected  "
                    << played.finding->expected
                    << "\n  repeat    ./headstack fuzz drive --platform " << platform_name()
                    << " --theme limits --seed " << kSeed << " --first " << number << " --cases 1";
      return totals;
    }
    return totals;
  }
};

TEST_P(LimitedData, IsAsAcknowledged) {
  const bool is_short = std::strcmp(platform_name(), "rtl") == 0;
  const Totals totals = play_until(is_short ? 1 : 5000);
  const LimitTotals& limits = totals.limits;
  // Each way to end must occur, and about as many commands must not be ended. Otherwise the judge
  // had nothing to check.
  EXPECT_GT(limits.ended(), limits.commands / 4);
  EXPECT_GT(limits.commands - limits.ended(), limits.commands / 8);
  if (is_short) return;
  for (const std::size_t qualifier : {1U, 2U, 3U}) {
    EXPECT_GT(limits.reads.at(qualifier), 0U) << "B/2E/0" << qualifier;
  }
  EXPECT_GT(limits.reads[0], 100U) << "GOOD, and not all of the data";
  EXPECT_GT(limits.writes[1], 500U) << "before processing";
  EXPECT_GT(limits.writes[2], 10U) << "during processing";
  EXPECT_EQ(limits.writes[0], 0U) << "page T2B takes no such policy";
}
INSTANTIATE_TEST_SUITE_P(Caches, LimitedData,
                         testing::Values(CacheCase{"None", false, false},
                                         CacheCase{"Reads", false, true},
                                         CacheCase{"Writes", true, false},
                                         CacheCase{"Both", true, true}),
                         test::case_name<CacheCase>);

}  // namespace
}  // namespace headstack::fuzz
