// Every policy against its definition, transcribed by brute force (reference_policies.hpp), on
// random queues that are served to the end while others arrive.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>

#include "firmware/queue/policy_table.h"
#include "tests/firmware/policy_bench.hpp"

namespace headstack {
namespace {

using test::PolicyBench;

constexpr std::uint32_t kSeed = 19900122;
constexpr std::uint64_t kSecond = 40'000'000;  // ticks

/// A mutation run, which does with fewer, says how many (tests/mutation).
int queue_count() {
  const char* count = std::getenv("HEADSTACK_RANDOM_QUEUES");
  return count == nullptr ? 10'000 : std::stoi(count);
}

struct Case {
  const char* what;
  const char* policy;  // as on the command line
  const char* name;    // of the reference, and its options
  reference::Options options;
};

/// What a failed test says of itself.
void PrintTo(const Case& test, std::ostream* out) { *out << test.policy; }

reference::Options with_r(std::uint32_t thousandths) {
  reference::Options options;
  options.r_thousandths = thousandths;
  return options;
}

reference::Options with_window(std::uint32_t cylinders) {
  reference::Options options;
  options.window = cylinders;
  return options;
}

reference::Options with_order(std::uint32_t order) {
  reference::Options options;
  options.order = order;
  return options;
}

reference::Options with_group(std::uint32_t group, bool bounce, bool frozen) {
  reference::Options options;
  options.group = group;
  options.bounce = bounce;
  options.frozen = frozen;
  return options;
}

reference::Options with_m(std::uint32_t m_ms, std::optional<std::uint32_t> floor_thousandths) {
  reference::Options options;
  options.m_ms = m_ms;
  options.floor_thousandths = floor_thousandths;
  options.floor_none = !floor_thousandths;
  return options;
}

reference::Options frozen_only() {
  reference::Options options;
  options.frozen = true;
  return options;
}

constexpr double kOfTheDrive = -1;

reference::Options with_m_per_request() {
  reference::Options options;
  options.m_each_64ticks = kOfTheDrive;
  return options;
}

reference::Options with_age_from_choice(reference::Options options) {
  options.age_from_choice = true;
  return options;
}

const Case kCases[] = {
    {"Fcfs", "fcfs", "fcfs", {}},
    {"Sstf", "sstf", "sstf", {}},
    {"Scan", "scan", "scan", {}},
    {"Cscan", "cscan", "cscan", {}},
    {"Scan_Edge", "scan:edge", "scan", {}},
    {"Cscan_Edge", "cscan:edge", "cscan", {}},
    {"Fscan", "fscan", "fscan", {}},
    {"Vr", "vr", "vr", {}},
    {"Vr_0", "vr:r=0", "sstf", {}},
    {"Vr_1", "vr:r=1", "scan", {}},
    {"Vr_0_013", "vr:r=0.013", "vr", with_r(13)},
    {"Wscan", "wscan", "wscan", {}},
    {"Wscan_0", "wscan:window=0", "scan", {}},
    {"Wscan_40", "wscan:window=40", "wscan", with_window(40)},
    {"Eschenbach", "eschenbach", "eschenbach", {}},
    {"Eschenbach_7", "eschenbach:order=7", "eschenbach", with_order(7)},
    {"Stf", "stf", "stf", {}},
    {"Gstf", "gstf", "gstf", {}},
    {"Gstf_Whole", "gstf:group=65535", "stf", {}},
    {"Gstf_13", "gstf:group=13", "gstf", with_group(13, false, false)},
    {"Gstf_13_Bounce", "gstf:group=13,bounce", "gstf", with_group(13, true, false)},
    {"Gstf_13_Frozen", "gstf:group=13,frozen", "gstf", with_group(13, false, true)},
    {"Gstf_13_BounceFrozen", "gstf:group=13,bounce,frozen", "gstf", with_group(13, true, true)},
    {"Gstf_Frozen", "gstf:frozen", "gstf", frozen_only()},
    {"Wstf", "wstf", "wstf", {}},
    {"Wstf_FloorNone", "wstf:floor=none", "wstf", with_m(30'000, std::nullopt)},
    {"Wstf_Floor0", "wstf:m=1,floor=0", "wstf", with_m(1'000, 0)},
    {"Wstf_M0_05", "wstf:m=0.05,floor=0.2", "wstf", with_m(50, 200)},
    {"Wstf_M3000", "wstf:m=3000", "wstf", with_m(3'000'000, 10)},
    {"Wstf_M0_001_FloorNone", "wstf:m=0.001,floor=none", "wstf", with_m(1, std::nullopt)},
    {"Wstf_PerRequest", "wstf:m_per_request", "wstf", with_m_per_request()},
    {"Wstf_AgeFromChoice", "wstf:m=0.05,floor=0.2,age=choice", "wstf",
     with_age_from_choice(with_m(50, 200))},
    {"Wstf_AgeFromChoice_FloorNone", "wstf:m=0.05,floor=none,age=choice", "wstf",
     with_age_from_choice(with_m(50, std::nullopt))},
    {"Wstf_PerRequest_AgeFromChoice", "wstf:m_per_request,age=choice", "wstf",
     with_age_from_choice(with_m_per_request())},
};

/// What a random queue is made of: few different cylinders, heads, angles and lengths, so that
/// ties are frequent; or true blocks.
class Source {
 public:
  Source(std::mt19937& random, PolicyBench& bench) : random_(random), bench_(bench) {
    const std::uint32_t cylinders = bench.table().cylinders;
    clusters_ = below(3) == 0 ? 0 : 1 + below(5);
    for (std::uint32_t i = 0; i < clusters_; ++i) {
      centre_[i] = below(4) == 0 ? cylinders - 1 : below(cylinders);
    }
    spread_ = 1 + below(below(2) == 0 ? 4 : 60);
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
      bench_.add_blocks(below(table.capacity_blocks - blocks), blocks, below(2) != 0);
      return;
    }
    const std::uint32_t cylinder = centre_[below(clusters_)] + below(spread_);
    const std::uint32_t angle_turn32 = below(4) << 30;
    bench_.add(std::min(cylinder, table.cylinders - 1), below(std::min(2U, table.heads)),
               angle_turn32, 1000 * (1 + below(2)), static_cast<::candidate_kind>(below(3)));
  }

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

 private:
  std::mt19937& random_;
  PolicyBench& bench_;
  std::uint32_t clusters_ = 0;
  std::uint32_t centre_[5] = {};
  std::uint32_t spread_ = 1;
  std::uint64_t pause_ = 0;
};

class EveryPolicy : public testing::TestWithParam<Case> {
 protected:
  /// One bench for each drive; they are many, and their tables large.
  static std::vector<std::unique_ptr<PolicyBench>>& benches() {
    static std::vector<std::unique_ptr<PolicyBench>> all = [] {
      std::vector<std::unique_ptr<PolicyBench>> made;
      for (const char* drive : test::kShippedDrives) {
        made.push_back(std::make_unique<PolicyBench>(test::shipped(drive).design, 1600));
      }
      // The last one's bands are full, so that nothing at all lies above its cylinders.
      for (const std::uint32_t cylinders : {100U, 1024U}) {
        made.push_back(
            std::make_unique<PolicyBench>(test::hundred_cylinders(cylinders, 0.05), 1600));
      }
      return made;
    }();
    return all;
  }

  /// M for each request on a drive is worked out once: it goes through all pairs of cylinders.
  static double m_each(const PolicyBench& bench) {
    static std::map<const PolicyBench*, double> known;
    if (known.count(&bench) == 0) known[&bench] = reference::m_each_64ticks(bench.drive());
    return known[&bench];
  }

  static std::unique_ptr<reference::Policy> make_reference(const PolicyBench& bench) {
    reference::Options options = GetParam().options;
    if (options.m_each_64ticks == kOfTheDrive) options.m_each_64ticks = m_each(bench);
    return reference::make_policy(GetParam().name, options, bench.drive());
  }

  /// Arrivals compared with a plan one by one, in any order, end where the search ends.
  static std::uint64_t best_by_comparing(PolicyBench& bench, std::mt19937& random) {
    ::scheduler& scheduler = bench.scheduler();
    std::vector<const ::candidate*> waiting;
    for (const ::candidate* item = scheduler.waiting->first; item != nullptr; item = item->next) {
      waiting.push_back(item);
    }
    std::shuffle(waiting.begin(), waiting.end(), random);
    const ::policy_view view = {scheduler.waiting, scheduler.predictor, &bench.heads(), 0};
    const ::candidate* best = waiting[0];
    for (const ::candidate* item : waiting) {
      const auto is_better = scheduler.policy->is_better;
      if (item != best && is_better(scheduler.state.bytes, &view, item, best)) best = item;
    }
    return PolicyBench::request_of(*best).order;
  }
};

// No request is lost, served twice, or served before it arrived: the chosen one waits, and all are
// served in the end.
TEST_P(EveryPolicy, ChoosesAsItsDefinitionSays) {
  std::mt19937 random(kSeed);
  for (int i = 0; i < queue_count(); ++i) {
    PolicyBench& bench = *benches()[static_cast<std::size_t>(i) % benches().size()];
    bench.reset();
    bench.select(GetParam().policy);
    const std::unique_ptr<reference::Policy> reference = make_reference(bench);
    Source source(random, bench);
    const std::uint32_t count = 1 + source.below(i % 5 == 0 ? 200 : 20);
    for (std::uint32_t k = 0; k < count; ++k) source.arrive();
    std::uint32_t to_come = source.below(2) == 0 ? 0 : source.below(count + 1);
    std::set<std::uint64_t> served;
    while (bench.waiting_count() > 0) {
      const reference::Moment moment = bench.moment();
      const reference::Queue queue = bench.queue();
      const reference::Request wanted = reference->choose(queue, moment);
      ::candidate* chosen = bench.choose();
      ASSERT_NE(chosen, nullptr);
      const reference::Request got = PolicyBench::request_of(*chosen);
      ASSERT_EQ(got.order, wanted.order)
          << GetParam().policy << " queue " << i << " of seed " << kSeed << ", heads at "
          << moment.cylinder << ": cylinder " << got.cylinder << ", not " << wanted.cylinder;
      ASSERT_EQ(best_by_comparing(bench, random), wanted.order)
          << GetParam().policy << " queue " << i << " of seed " << kSeed;
      ASSERT_TRUE(served.insert(got.order).second) << "served twice";
      ASSERT_LE(got.arrival_tick, moment.now_tick);
      bench.serve(*chosen);
      reference->served(got, bench.queue(), moment);
      for (; to_come > 0 && source.below(2) == 0; --to_come) source.arrive();
      // Sometimes the heads end on another cylinder than they began on, or are sent elsewhere.
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

INSTANTIATE_TEST_SUITE_P(Policy, EveryPolicy, testing::ValuesIn(kCases), test::case_name<Case>);

// Each row of firmware/queue/policies.def is compared with a definition of its own.
TEST(PolicyTable, EveryPolicy_HasACase) {
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    const std::string name = policy_row(row)->name;
    EXPECT_TRUE(std::any_of(std::begin(kCases), std::end(kCases),
                            [&name](const Case& one) { return one.policy == name; }))
        << name << ": add a row to kCases, and its definition to reference_policies.cpp";
  }
}

}  // namespace
}  // namespace headstack
