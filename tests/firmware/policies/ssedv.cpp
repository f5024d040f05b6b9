// SPDX-License-Identifier: Apache-2.0
// Tests of `ssedv`: its definition, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// ssedv: of the m earliest deadlines, the least alpha * seek + (1 - alpha) * time left. Best effort
// comes after real time, the oldest first. The time left is 0 for a past deadline, and 500 ms for
// best effort. In 1/512 tick, as the drive's table of seeks has them.
class Ssedv : public Policy {
 public:
  explicit Ssedv(const Drive& drive, std::size_t m = 3, Measure alpha_hundredths = 80)
      : drive_(drive), m_(m), alpha_(alpha_hundredths) {}

  Request choose(const Queue& waiting, const Moment& moment) const override {
    constexpr Measure kBestEffortTicks = 500 * 40'000;
    Queue window = by_deadline(waiting);
    if (window.size() > m_) window.resize(m_);
    return least(window, [&](const Request& r) {
      const auto apart = static_cast<std::uint32_t>(distance(r.cylinder, moment.cylinder));
      const Measure seek = std::llround(drive_.seek_ticks(apart) * 512);
      const Measure now = static_cast<Measure>(moment.now_tick);
      const Measure left = r.due_tick
                               ? std::max<Measure>(0, static_cast<Measure>(*r.due_tick) - now)
                               : kBestEffortTicks;
      return alpha_ * seek + (100 - alpha_) * left * 512;
    });
  }

 private:
  Drive drive_;
  std::size_t m_;
  Measure alpha_;
};

}  // namespace
}  // namespace headstack::reference

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<RandomCase> kRandom{
    {"Ssedv", "ssedv", as<reference::Ssedv>()},
    {"Ssedv_M8_Alpha0_2", "ssedv:m=8,alpha=0.2", as<reference::Ssedv>(std::size_t{8}, 20)},
    {"Ssedv_SeekOnly", "ssedv:m=5,alpha=1", as<reference::Ssedv>(std::size_t{5}, 100)},
    {"Ssedv_DeadlineOnly", "ssedv:m=5,alpha=0", as<reference::Ssedv>(std::size_t{5}, 0)},
};

const Rows<TextCase> kTexts{
    {"Ssedv", "ssedv", 18, 0, 0, 0, "ssedv:m=3,alpha=0.8"},
    {"SsedvBoth", "ssedv:m=8,alpha=0.25", 18, 0, 8, 25, "ssedv:m=8,alpha=0.25"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"SsedvM9", "ssedv:m=9", "is not possible"},
    {"SsedvAbove1", "ssedv:alpha=1.01", "is not possible"},
};

// Heads at 50; a seek takes 2 ms and 0.1 ms a cylinder. 90 is due in 10 ms: 0.8 * 6 + 0.2 * 10 =
// 6.8. 55 is 0.8 * 2.5 = 2 and a fifth of the time that it has left.
TEST(Ssedv, SeekAgainstTimeLeft) {
  for (const int left_ms : {23, 25}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("ssedv");
    bench.place_heads(50);
    bench.make_due(bench.add(90), 10 * kMs);
    bench.make_due(bench.add(55), left_ms * kMs);  // 6.6, or 7
    EXPECT_EQ(bench.choose()->cylinder, left_ms == 23 ? 55U : 90U);
  }
}

// What is past has nothing left, however long ago: 0.8 * 4 against 0.8 * 3.
TEST(Ssedv, PastDeadlines_HaveNothingLeft) {
  PolicyBench bench(hundred_cylinders());
  bench.select("ssedv");
  bench.place_heads(50);
  bench.make_due(bench.add(70), -50 * kMs);
  bench.make_due(bench.add(60), -1 * kMs);
  EXPECT_EQ(bench.choose()->cylinder, 60U);
}

// Best effort counts as due in 500 ms: 100 for it alone. 90 is at 4.8 and a fifth of its time.
TEST(Ssedv, BestEffort_IsDueIn500Ms) {
  for (const int left_ms : {475, 477}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("ssedv");
    bench.place_heads(50);
    bench.add(50);                                 // 0 + 100
    bench.make_due(bench.add(90), left_ms * kMs);  // 4.8 + 95, or 4.8 + 95.4
    EXPECT_EQ(bench.choose()->cylinder, left_ms == 475 ? 90U : 50U);
  }
}

}  // namespace
}  // namespace headstack::test
