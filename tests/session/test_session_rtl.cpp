// A session on the electronics, beside one on the fast models: the same program, so the same
// events.
#include <gtest/gtest.h>

#include "host/session/rtl_platform.hpp"
#include "tests/session/session_events.hpp"

namespace headstack::session {
namespace {

TEST(SessionRtl, Events_AreThoseOfVp) {
  Options options;
  options.firmware = HEADSTACK_DRIVE_ELF;
  const Events on_vp = events_of(options);
  options.platform = PlatformKind::kRtl;
  const Events on_rtl = events_of(options, make_rtl_platform);
  EXPECT_GT(on_vp.size(), 10);
  EXPECT_EQ(on_rtl, on_vp);
}

TEST(SessionRtl, Deadlines_ReachTheQueue_AsTheTraceSays) {
  Options options;
  options.firmware = HEADSTACK_DRIVE_ELF;
  options.platform = PlatformKind::kRtl;
  expect_as_the_trace_says(arrived_of(options, make_rtl_platform));
}

}  // namespace
}  // namespace headstack::session
