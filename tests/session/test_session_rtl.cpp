// SPDX-License-Identifier: Apache-2.0
// A session on the electronics, beside one on the fast models: the same program, so the same
// events.
#include <gmock/gmock.h>

#include "host/session/rtl_platform.hpp"
#include "tests/paths.hpp"
#include "tests/session/session_events.hpp"

namespace headstack::session {
namespace {

TEST(SessionRtl, Events_AreThoseOfVp) {
  Options options;
  options.firmware = test::drive_elf();
  const Events on_vp = events_of(options);
  options.platform = PlatformKind::kRtl;
  const Events on_rtl = events_of(options, make_rtl_platform);
  EXPECT_GT(on_vp.size(), 10);
  EXPECT_EQ(on_rtl, on_vp);
}

// The formatter takes a byte in a clock of 25 ns; this drive turns so fast that its first zone
// brings one in 22 ns.
TEST(SessionRtl, DriveFasterThanTheElectronics_IsRefused) {
  drive::DriveDescription fast = small_drive();
  const std::uint32_t sectors = fast.design.zones[0].sectors_per_track;
  fast.design.rpm = 60e9 / 22 / (drive::raw_sector_bytes(fast.design) * sectors);
  Options options;
  options.firmware = test::drive_elf();
  options.platform = PlatformKind::kRtl;
  try {
    Session session(fast, options, {}, make_rtl_platform);
    ADD_FAILURE() << "it was taken";
  } catch (const SessionError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("zones[0].sectors_per_track"),
                                             testing::HasSubstr("use vp")));
  }
}

TEST(SessionRtl, Deadlines_ReachTheQueue_AsTheTraceSays) {
  Options options;
  options.firmware = test::drive_elf();
  options.platform = PlatformKind::kRtl;
  expect_as_the_trace_says(arrived_of(options, make_rtl_platform));
}

}  // namespace
}  // namespace headstack::session
