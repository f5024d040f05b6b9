// SPDX-License-Identifier: Apache-2.0
// Policies that have their definition in C++ (reference_policy.hpp), compared with it on random
// queues that are served to the end while others arrive. Rows: RandomCase of policies/NAME.cpp.
// test_policy_queues.cpp has all others.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>
#include <string>

#include "firmware/queue/policy_table.h"
#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::test {
namespace {

constexpr std::uint32_t kSeed = 19900122;
constexpr std::uint64_t kSecond = 40'000'000;  // ticks

/// The number of queues. A mutation run (tests/mutation) and the sanitized build have fewer, given
/// as a number of 10,000.
int queue_count(const RandomCase& row) {
  constexpr int kAll = 10'000;
  const char* of_all = std::getenv("HEADSTACK_RANDOM_QUEUES");
  return of_all == nullptr ? row.queues : std::max(1, row.queues * std::stoi(of_all) / kAll);
}

/// Sources of random queues: few different cylinders, heads, angles and lengths, so that ties are
/// frequent; or true blocks.
class Source {
 public:
  Source(std::mt19937& random, PolicyBench& bench) : random_(random), bench_(bench) {
    const std::uint32_t cylinders = bench.table().cylinders;
    clusters_ = below(3) == 0 ? 0 : 1 + below(5);
    for (std::uint32_t i = 0; i < clusters_; ++i) {
      centre_[i] = below(4) == 0 ? cylinders - 1 : below(cylinders);
    }
    spread_ = 1 + below(below(2) == 0 ? 4 : 60);
    real_time_ = below(3);  // number of three
    constexpr std::uint64_t kPauses[] = {0, 40'000, kSecond, 10 * kSecond};
    pause_ = kPauses[below(4)];
    bench_.delay_data(below(2) == 0 ? 0 : below(400'000));
    bench_.place_heads(below(cylinders), below(bench.table().heads));
  }

  void arrive() {
    if (pause_ != 0) bench_.wait(random_() % pause_);
    const ::drive_design& table = bench_.table();
    if (clusters_ == 0) {
      const std::uint32_t blocks = 1 + below(16);
      urge(bench_.add_blocks(below(table.capacity_blocks - blocks), blocks, below(2) != 0));
      return;
    }
    const std::uint32_t cylinder = centre_[below(clusters_)] + below(spread_);
    const std::uint32_t angle_turn32 = below(4) << 30;
    urge(bench_.add(std::min(cylinder, table.cylinders - 1), below(std::min(2U, table.heads)),
                    angle_turn32, 1000 * (1 + below(2)), static_cast<::candidate_kind>(below(3))));
  }

  /// Gives some candidates a deadline: past, now, within the next accesses or far away. There are
  /// few different ones.
  void urge(::candidate& candidate) {
    if (below(3) >= real_time_) return;
    constexpr std::int64_t kDue[] = {-10 * kMs, 0, 5 * kMs, 20 * kMs, 60 * kMs, 1000 * kMs};
    const std::uint32_t kind = below(8);
    bench_.make_due(candidate, kind < 6 ? kDue[kind] : static_cast<std::int64_t>(below(150)) * kMs);
  }

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

 private:
  std::mt19937& random_;
  PolicyBench& bench_;
  std::uint32_t clusters_ = 0;
  std::uint32_t centre_[5] = {};
  std::uint32_t spread_ = 1;
  std::uint64_t pause_ = 0;
  std::uint32_t real_time_ = 0;
};

class DefinedInCpp : public testing::TestWithParam<RandomCase> {
 protected:
  /// One bench for each drive, since they are many, with large tables.
  static std::vector<std::unique_ptr<PolicyBench>>& benches() {
    static std::vector<std::unique_ptr<PolicyBench>> all = [] {
      std::vector<std::unique_ptr<PolicyBench>> made;
      for (const char* drive : kShippedDrives) {
        made.push_back(std::make_unique<PolicyBench>(shipped(drive).design, 1600));
      }
      // The last drive's bands are full, so that nothing lies above its cylinders.
      for (const std::uint32_t cylinders : {100U, 1024U}) {
        made.push_back(std::make_unique<PolicyBench>(hundred_cylinders(cylinders, 0.05), 1600));
      }
      return made;
    }();
    return all;
  }
};

// No request is lost, served twice, or served before it arrived. The chosen one waits, and all are
// served in the end.
TEST_P(DefinedInCpp, ChoosesAsItsDefinitionSays) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < queue_count(GetParam()); ++i) {
    PolicyBench& bench = *benches()[static_cast<std::size_t>(i) % benches().size()];
    bench.reset();
    bench.select(GetParam().policy);
    const std::unique_ptr<reference::Policy> reference = GetParam().reference(bench.drive());
    Source source(random, bench);
    const std::uint32_t count = 1 + source.below(i % 5 == 0 ? 200 : 20);
    for (std::uint32_t k = 0; k < count; ++k) source.arrive();
    std::uint32_t to_come = source.below(2) == 0 ? 0 : source.below(count + 1);
    std::set<std::uint64_t> served;
    while (bench.waiting_count() > 0) {
      const reference::Moment moment = bench.moment();
      const reference::Queue queue = bench.queue();
      const reference::Request wanted = reference->choose(queue, moment);
      const bool is_exact = queue.size() <= GetParam().exact_up_to;
      ::candidate* chosen = bench.choose_in_each_way(random, is_exact);
      ASSERT_NE(chosen, nullptr);
      const reference::Request got = PolicyBench::request_of(*chosen);
      if (is_exact) {
        ASSERT_EQ(got.order, wanted.order)
            << GetParam().policy << " queue " << i << " of seed " << kSeed << ", heads at "
            << moment.cylinder << ": cylinder " << got.cylinder << ", not " << wanted.cylinder;
      }
      ASSERT_FALSE(HasFailure()) << GetParam().policy << " queue " << i << " of seed " << kSeed;
      ASSERT_TRUE(served.insert(got.order).second) << "served twice";
      ASSERT_LE(got.arrival_tick, moment.now_tick);
      // Called before the heads move, as a moment's prices are those of the heads' place.
      const auto others_than_it = [&](const reference::Request& r) { return r.order != got.order; };
      reference->served(got, reference::those(queue, others_than_it), moment);
      bench.serve(*chosen);
      for (; to_come > 0 && source.below(2) == 0; --to_come) source.arrive();
      // Sometimes the heads end on another cylinder than that of the request, or are sent
      // elsewhere.
      if (source.below(8) == 0) bench.place_heads(source.below(bench.table().cylinders));
      if (source.below(16) == 0 && bench.waiting_count() > 1) {
        ::candidate* held_back = bench.scheduler().waiting->last;
        served.insert(PolicyBench::request_of(*held_back).order);
        bench.withdraw(*held_back);
      }
    }
    ASSERT_EQ(served.size(), bench.arrivals()) << "some were lost";
  }
}

INSTANTIATE_TEST_SUITE_P(Policy, DefinedInCpp, testing::ValuesIn(rows_of<RandomCase>()),
                         case_name<RandomCase>);

}  // namespace
}  // namespace headstack::test
