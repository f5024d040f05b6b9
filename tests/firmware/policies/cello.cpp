// SPDX-License-Identifier: Apache-2.0
// Tests of `cello`: its definition, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// cello: used[c] += est of what class c had served. The class with the least used / share is next,
// real time at equals. A class without waiting requests is raised to the other's value. Real time
// by deadline, best effort by SCAN, which alone moves the direction. Real time is next: the best
// effort goes first if after it all deadlines, in their order, are still met.
class Cello : public Directed {
 public:
  explicit Cello(std::uint64_t share = 50, bool exact = false)
      : share_{100 - share, share}, exact_(exact) {}

  Request choose(const Queue& waiting, const Moment& moment) const override {
    const Queue real_time = of_class(waiting, true), best_effort = of_class(waiting, false);
    if (best_effort.empty()) return earliest_due(real_time);
    const Request other = scan(best_effort, moment.cylinder);
    if (real_time.empty() || used_[0] * share_[1] < used_[1] * share_[0]) return other;
    Queue path = {other};
    for (const Request& r : by_deadline(real_time)) path.push_back(r);
    const auto ends = exact_ ? moment.access_ends(path) : moment.mean_ends(path);
    for (std::size_t i = 1; i < path.size(); ++i) {
      if (ends[i] > moment.due(path[i])) return earliest_due(real_time);
    }
    return other;
  }

  void served(const Request& request, const Queue& others, const Moment& moment) override {
    const bool real_time = request.due_tick.has_value();
    const std::size_t own = real_time ? 1 : 0, other = 1 - own;
    if (of_class(others, !real_time).empty() &&
        used_[other] * share_[own] < used_[own] * share_[other]) {
      // used / share as the other's; both are kept times the other's share, so that it is whole.
      used_[other] = used_[own] * share_[other] / share_[own];
    }
    const std::uint64_t end = exact_ ? moment.end_tick(request) : moment.mean_end_tick(request);
    // Times both shares: the division above then has no rest.
    used_[own] += (end - moment.now_tick) * share_[0] * share_[1];
    if (!real_time) Directed::served(request, others, moment);
  }

 private:
  static Queue of_class(const Queue& queue, bool real_time) {
    return those(queue, [&](const Request& r) { return r.due_tick.has_value() == real_time; });
  }

  std::uint64_t share_[2];
  bool exact_;
  std::uint64_t used_[2] = {};
};

// Reddy's shares: parties are streams with a share, and all others together with the rest. Time
// counts 65536 / share, rounded down. Least time next, the lower stream at equals, the others last;
// a party of which nobody waits is raised to the one served. Inside: real time by deadline, then
// best effort by SCAN. If real time is next: as above, of all that wait.
class CelloByStream : public Directed {
 public:
  explicit CelloByStream(std::map<std::uint32_t, std::uint64_t> shares)
      : shares_(std::move(shares)) {
    std::uint64_t left = 100;
    for (const auto& [stream, share] : shares_) left -= share;
    shares_[kOthers] = std::max<std::uint64_t>(left, 1);
  }

  Request choose(const Queue& waiting, const Moment& moment) const override {
    std::map<std::uint32_t, Queue> parties;
    for (const Request& r : waiting) parties[party_of(r)].push_back(r);
    const auto less = [&](const auto& a, const auto& b) {
      return used_of(a.first) < used_of(b.first);
    };
    const Queue& party = std::min_element(parties.begin(), parties.end(), less)->second;
    const Queue real_time = those(party, [](const Request& r) { return r.due_tick.has_value(); });
    if (real_time.empty()) return scan(party, moment.cylinder);
    const Queue others = those(waiting, [](const Request& r) { return !r.due_tick; });
    if (others.empty()) return earliest_due(real_time);
    Queue path = {scan(others, moment.cylinder)};
    for (const Request& r : by_deadline(waiting)) {
      if (r.due_tick) path.push_back(r);
    }
    const auto ends = moment.mean_ends(path);
    for (std::size_t i = 1; i < path.size(); ++i) {
      if (ends[i] > moment.due(path[i])) return earliest_due(real_time);
    }
    return path[0];
  }

  void served(const Request& request, const Queue& others, const Moment& moment) override {
    const std::uint32_t own = party_of(request);
    for (const auto& [party, share] : shares_) {
      const bool waits =
          std::any_of(others.begin(), others.end(),
                      [&, number = party](const auto& r) { return party_of(r) == number; });
      if (!waits) used_[party] = std::max(used_of(party), used_of(own));
    }
    used_[own] = used_of(own) +
                 (moment.mean_end_tick(request) - moment.now_tick) * (65536 / shares_.at(own));
    if (!request.due_tick) Directed::served(request, others, moment);
  }

 private:
  static constexpr std::uint32_t kOthers = 1000;

  std::uint32_t party_of(const Request& r) const {
    return shares_.count(r.stream) == 0 ? kOthers : r.stream;
  }
  std::uint64_t used_of(std::uint32_t party) const {
    const auto found = used_.find(party);
    return found == used_.end() ? 0 : found->second;
  }

  std::map<std::uint32_t, std::uint64_t> shares_;
  std::map<std::uint32_t, std::uint64_t> used_;
};

}  // namespace
}  // namespace headstack::reference

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<RandomCase> kRandom{
    {"Cello", "cello", as<reference::Cello>()},
    {"Cello_Share0_8", "cello:share=0.8", as<reference::Cello>(std::uint64_t{80})},
    {"Cello_Exact", "cello:price=exact", as<reference::Cello>(std::uint64_t{50}, true)},
    {"Cello_ByStream", "cello:by=stream",
     as<reference::CelloByStream>(std::map<std::uint32_t, std::uint64_t>{})},
    {"Cello_ByStreamShares",
     "cello:by=stream",
     as<reference::CelloByStream>(std::map<std::uint32_t, std::uint64_t>{{1, 60}, {7, 7}}),
     SIZE_MAX,
     10'000,
     {"1:share=60", "7:share=7"}},
    {"Cello_ByStreamAll",
     "cello:by=stream",
     as<reference::CelloByStream>(std::map<std::uint32_t, std::uint64_t>{{0, 99}, {1, 1}}),
     SIZE_MAX,
     10'000,
     {"0:share=99", "1:share=1"}},
};

const Rows<TextCase> kTexts{
    {"Cello", "cello", 24, 0, 0, 0, "cello:share=0.5"},
    {"CelloShare", "cello:share=0.25", 24, 0, 25, 0, "cello:share=0.25"},
    {"CelloExact", "cello:price=exact", 24, 1, 0, 0, "cello:share=0.5,price=exact"},
    {"CelloByStream", "cello:by=stream", 24, 2, 0, 0, "cello:by=stream"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"CelloShare0", "cello:share=0", "is not possible"},
    {"CelloShare1", "cello:share=1", "is not possible"},
    {"CelloShareByStream", "cello:share=0.3,by=stream", "has no meaning with 'by=stream'"},
};

// Both classes have used nothing: real time is next. 60 and then 70 end at 8 and 16 ms
// (hundred_cylinders): there is room for the best effort or there is not.
TEST(Cello, BestEffortGoesFirst_WhereNoDeadlineSuffers) {
  for (const int due_ms : {15, 17}) {
    PolicyBench bench(hundred_cylinders());
    bench.select("cello");
    bench.place_heads(50);
    bench.add(60);
    bench.make_due(bench.add(70), due_ms * kMs);
    EXPECT_EQ(bench.choose()->cylinder, due_ms == 15 ? 70U : 60U);
  }
}

// Heads at 50, and three deadlines that are past: none can be met, so that best effort goes by its
// share alone. 60 takes 8 ms, 90 after it 10, 61 after that 9.9 (hundred_cylinders). With halves
// 8 against 0, 8 against 10, 17.9 against 10; with nine tenths 8.9 against 0, 8.9 and 19.9 against
// 100.
TEST(Cello, ClassWithLessGoesNext) {
  for (const bool halves : {true, false}) {
    PolicyBench bench(hundred_cylinders());
    bench.select(halves ? "cello" : "cello:share=0.9");
    bench.place_heads(50);
    bench.make_due(bench.add(60), -3 * kMs);
    bench.make_due(bench.add(61), -2 * kMs);
    bench.make_due(bench.add(62), -1 * kMs);
    bench.add(90);
    bench.add(95);
    if (halves) {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 90, 61, 95, 62));
    } else {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 90, 61, 62, 95));
    }
  }
}

// Best effort has been served alone: real time has not saved up what it did not ask for.
TEST(Cello, IdleClass_CatchesUp) {
  PolicyBench bench(hundred_cylinders());
  bench.select("cello");
  bench.place_heads(50);
  for (const std::uint32_t cylinder : {51U, 52U, 53U, 54U}) bench.add(cylinder);
  for (int i = 0; i < 3; ++i) bench.serve(*bench.choose());
  // Real time is behind by the last access only; these two take one turn each.
  bench.make_due(bench.add(90), -1 * kMs);
  bench.make_due(bench.add(91), -1 * kMs);
  bench.add(55);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(90, 55, 91, 54));
}

}  // namespace
}  // namespace headstack::test
