// SPDX-License-Identifier: Apache-2.0
// Long loads of every size: hours on a slow machine, so they run apart (`headstack test --wide`).
#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {
namespace {

const DriveLoad kLoads[] = {
    {"Cheetah9Lp_Wide", "cheetah_9lp", 17'918'387, "hosts.bus=fast-wide"},
    {"HpC3323A_Narrow", "hp_c3323a", 2'056'008, "hosts.bus=fast"},
};

class WideReplay : public ReplayFixture, public testing::WithParamInterface<DriveLoad> {};

// The reference is the host's own map of its writes. Every byte read must be the newest version
// before it, though the drive serves in an order of its own.
TEST_P(WideReplay, TenThousandCommands_EveryByteReadIsTheNewestWritten) {
  constexpr int kRequests = 10'000;
  constexpr std::uint64_t kHotBlocks = 5'000;
  write_trace(2026, kRequests, GetParam().blocks, kHotBlocks, any_size);
  const std::string load = std::string("--drive ") + GetParam().drive + " " + GetParam().arguments;
  ASSERT_EQ(run("--verify --policy stf --depth 64 " + load, "out"), 0) << errors();
  const Json result = summary("out");
  expect_sound(result, kRequests);
  EXPECT_GT(result["verified_blocks"], 300'000) << "half of them read, 71 blocks on average";
}

INSTANTIATE_TEST_SUITE_P(Scenario, WideReplay, testing::ValuesIn(kLoads),
                         test::case_name<DriveLoad>);

}  // namespace
}  // namespace headstack::scenario
