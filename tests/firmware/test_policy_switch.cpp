// SPDX-License-Identifier: Apache-2.0
// Policies are selected at any moment, while commands wait, arrive, leave and are held back, with
// plans and prepared work. No command is lost, and none is served twice. The model is a set.
#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "firmware/queue/policy_table.h"
#include "tests/firmware/policy_bench.hpp"
#include "tests/policy_selections.hpp"

namespace headstack::test {
namespace {

constexpr int kSeeds = 300;
constexpr int kActs = 400;
constexpr std::size_t kMost = 40;
const std::vector<std::string> kSelections = policy_selections();

/// A bench whose moves are chosen at random. The same candidates wait in the model and in the set.
class Switching {
 public:
  explicit Switching(std::uint32_t seed) : random_(seed), bench_(hundred_cylinders()) {
    scheduler_lend_work(&bench_.scheduler(), &work_);
  }

  void act() {
    switch (below(12)) {
      case 0: switch_policy(); break;
      case 1: bench_.settle(kStreams[below(std::size(kStreams))]); break;
      case 2: withdraw(); break;
      case 3: plan(); break;
      case 4: prepare(); break;
      case 5: bench_.wait(below(40) * kMs); break;
      case 6:
      case 7:
      case 8: serve(); break;
      default: arrive(); break;
    }
  }

  void drain() {
    while (!waiting_.empty() && !testing::Test::HasFatalFailure()) {
      serve();
      if (below(3) == 0) switch_policy();
    }
    EXPECT_EQ(bench_.choose(), nullptr);
    EXPECT_EQ(bench_.waiting_count(), 0U);
    EXPECT_EQ(ended_.size(), bench_.arrivals());
  }

  std::string policy = "fcfs";
  std::set<std::string> switched_to;

 private:
  static std::uint64_t order_of(const ::candidate& one) {
    return PolicyBench::request_of(one).order;
  }

  std::uint32_t below(std::size_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  void switch_policy() {
    policy = kSelections[below(kSelections.size())];
    switched_to.insert(policy);
    bench_.select(policy);
  }

  void arrive() {
    if (waiting_.size() >= kMost) return;
    ::candidate& one =
        bench_.add(below(100), below(2), random_(), 1000, static_cast<::candidate_kind>(below(3)));
    one.stream = static_cast<std::uint8_t>(below(5) == 0 ? 255 : below(4));
    one.priority = static_cast<std::uint8_t>(below(16));
    if (below(2) == 0) bench_.make_due(one, (static_cast<std::int64_t>(below(200)) - 20) * kMs);
    waiting_[order_of(one)] = &one;
    scheduler_task_arrived(&bench_.scheduler(), &one, bench_.heads().data_tick);
  }

  void withdraw() {
    if (waiting_.empty()) return;
    auto one = waiting_.begin();
    std::advance(one, below(waiting_.size()));
    end(*one->second);
    bench_.withdraw(*one->second);
    waiting_.erase(one);
  }

  void plan() {
    scheduler_plan(&bench_.scheduler(), &bench_.heads(), bench_.heads().at_tick);
    const ::candidate* planned = scheduler_planned(&bench_.scheduler());
    ASSERT_EQ(planned == nullptr, waiting_.empty());
    if (planned == nullptr) return;
    ASSERT_EQ(waiting_.count(order_of(*planned)), 1U) << policy;
  }

  void prepare() {
    ::scheduler& scheduler = bench_.scheduler();
    if (!scheduler_prepares(&scheduler)) scheduler_prepare(&scheduler, &bench_.heads());
    for (std::uint32_t i = 1 + below(4); i > 0 && scheduler_prepares(&scheduler); --i) {
      scheduler_prepare_step(&scheduler);
    }
  }

  void serve() {
    ::head_state head = bench_.heads();
    ::candidate* chosen = scheduler_take_planned(&bench_.scheduler(), &head);
    if (chosen == nullptr) chosen = scheduler_take_best(&bench_.scheduler(), &head);
    ASSERT_EQ(chosen == nullptr, waiting_.empty()) << policy;
    if (chosen == nullptr) return;
    ASSERT_EQ(waiting_.erase(order_of(*chosen)), 1U) << policy << " serves one that does not wait";
    end(*chosen);
    bench_.serve(*chosen);
  }

  void end(const ::candidate& one) {
    ASSERT_TRUE(ended_.insert(order_of(one)).second) << policy << ": twice";
  }

  const std::vector<std::string> kStreams[4] = {
      {},
      {"0:u=0.3,p=100ms,w=1,k=2,share=10", "2:u=0.2,p=30ms"},
      {"1:u=0.5,p=1ms,share=90", "15:w=9"},
      {"0:u=1,p=50000ms"}};

  std::mt19937 random_;
  PolicyBench bench_;
  ::policy_work work_{};
  std::map<std::uint64_t, ::candidate*> waiting_;  // by arrival
  std::set<std::uint64_t> ended_;
};

TEST(PolicySwitch, WhileCommandsWait_LosesNoCommand) {
  std::set<std::string> all;
  for (std::uint32_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Switching world(seed);
    for (int i = 0; i < kActs && !HasFatalFailure(); ++i) world.act();
    world.drain();
    ASSERT_FALSE(HasFatalFailure()) << "last policy " << world.policy;
    all.insert(world.switched_to.begin(), world.switched_to.end());
  }
  EXPECT_EQ(all.size(), kSelections.size()) << "some policy was never put in force";
}

}  // namespace
}  // namespace headstack::test
