// SPDX-License-Identifier: Apache-2.0
// The task set against the written rules (SCSI-2 7.8, SAM-2 7.6), with random arrivals and ends.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

extern "C" {
#include "firmware/queue/task_set.h"
}

namespace headstack::firmware {
namespace {

constexpr uint32_t kBandShift = 3;
// A set of this size is settled in one slice.
constexpr size_t kFew = 24;

// A task, and the test's actions on it.
struct Member {
  task* it;
  bool restricted;  // restricted reordering when it came
  bool reported = false;
};

bool overlap(const task& a, const task& b) {
  const bool writes = a.operation == TASK_WRITE || b.operation == TASK_WRITE;
  return writes && a.lba < b.lba + b.blocks && b.lba < a.lba + a.blocks;
}

// The written rules, checked against all tasks of the set.
bool may_be_enabled(const std::vector<Member>& by_age, size_t index) {
  const task& me = *by_age[index].it;
  for (size_t i = 0; i < index; ++i) {
    // The initiator relies on the reported write: SBC-2 6.3.3, WCE.
    if (by_age[i].reported && overlap(me, *by_age[i].it)) return false;
  }
  if (me.attribute == TASK_HEAD_OF_QUEUE) return true;
  for (const Member& other : by_age) {
    if (other.it != &me && other.it->attribute == TASK_HEAD_OF_QUEUE) return false;
  }
  for (size_t i = 0; i < index; ++i) {
    const task& older = *by_age[i].it;
    if (me.attribute == TASK_ORDERED || older.attribute == TASK_ORDERED) return false;
    const bool restricted = by_age[index].restricted || by_age[i].restricted;
    if (restricted && overlap(me, older)) return false;
  }
  return true;
}

// Whether task_set_promote() may let `index` go first (bus_holder.h). It must not pass a task that
// owes a status and overlaps it, or that its own initiator has ordered against it.
bool may_go_first(const std::vector<Member>& by_age, size_t index) {
  const task& me = *by_age[index].it;
  for (size_t i = 0; i < index; ++i) {
    const task& older = *by_age[i].it;
    if (by_age[i].reported) continue;
    const bool ordered = me.attribute == TASK_ORDERED || older.attribute == TASK_ORDERED;
    if (overlap(me, older) || (ordered && me.initiator == older.initiator)) return false;
  }
  return true;
}

// The kinds of arriving tasks.
struct Load {
  const char* what;
  uint32_t lba_range;
  uint32_t blocks_max;
  bool mixed;  // includes ORDERED and HEAD OF QUEUE tasks
  size_t tasks = kFew;
};

// Checks each task that is enabled, at that moment. An arrival is not a member yet.
struct Rules {
  std::vector<Member> by_age;
  size_t slices = 0;  // walks that took more than one
};
void on_enabled(void* context, task* task) {
  const auto& by_age = static_cast<Rules*>(context)->by_age;
  for (size_t i = 0; i < by_age.size(); ++i) {
    const bool allows = by_age[i].it != task || may_be_enabled(by_age, i);
    EXPECT_TRUE(allows) << "tag " << task->tag;
  }
}
void on_withdrawn(void* /*context*/, task* task) { EXPECT_EQ(task->state, TASK_DORMANT); }
void on_goes_on(void* context, bool withdraws) {
  EXPECT_FALSE(withdraws);
  ++static_cast<Rules*>(context)->slices;
}
const task_set_listener kListener = {on_enabled, on_withdrawn, on_goes_on};

// Which task something happens to. Large sets would often have HEAD OF QUEUE tasks, unless these
// ended sooner than others.
size_t next_to_end(const std::vector<Member>& by_age, const Load& load, std::mt19937& random) {
  if (load.tasks > kFew && random() % 2 == 0) {
    for (size_t i = 0; i < by_age.size(); ++i) {
      if (by_age[i].it->attribute == TASK_HEAD_OF_QUEUE) return i;
    }
  }
  return random() % by_age.size();
}

class TaskSetRandomTest : public ::testing::TestWithParam<std::tuple<uint32_t, Load>> {};
// A region is 256 blocks: all tasks in one region, over borders of regions, or longer than one.
INSTANTIATE_TEST_SUITE_P(
    Seeds, TaskSetRandomTest,
    ::testing::Combine(::testing::Range(1U, 9U),
                       ::testing::Values(Load{"OneRegion", 64, 8, true},
                                         Load{"OneRegionInAnyOrder", 64, 8, false},
                                         Load{"SeveralRegions", 2000, 256, true},
                                         Load{"SeveralRegionsInAnyOrder", 2000, 256, false},
                                         Load{"LongOnes", 6000, 700, true},
                                         Load{"LongOnesInAnyOrder", 6000, 700, false},
                                         Load{"Many", 20000, 100, true, 150},
                                         Load{"ManyLongOnes", 60000, 500, true, 150})),
    [](const auto& info) {
      return std::get<1>(info.param).what + std::to_string(std::get<0>(info.param));
    });

TEST_P(TaskSetRandomTest, EnabledTasks_AreThoseThatTheRulesAllow) {
  const auto& [seed, load] = GetParam();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  auto set = std::make_unique<task_set>();
  Rules rules;
  std::vector<Member>& by_age = rules.by_age;
  task_set_init(set.get(), static_cast<uint16_t>(load.tasks), kBandShift, &kListener, &rules);
  bool restricted = true;
  bool fills = true;  // large sets are filled and emptied, by turns
  for (int step = 0; step < 4000; ++step) {
    if (by_age.size() == load.tasks) fills = false;
    if (by_age.size() < kFew) fills = true;
    const bool wants = load.tasks == kFew || random() % 4 == 0 ? random() % 2 == 0 : fills;
    const bool arrive = by_age.empty() || (by_age.size() < load.tasks && wants);
    if (set->walk.next != nullptr && random() % 4 == 0) task_set_go_on(set.get());
    const uint32_t chance = load.mixed ? random() % 8 : 7;
    if (chance == 0) {
      restricted = !restricted;
      task_set_restrict(set.get(), restricted);
    }
    if (arrive) {
      task* const task = task_set_allocate(set.get());
      ASSERT_NE(task, nullptr);
      const uint32_t kind = load.mixed ? random() % (load.tasks == kFew ? 16 : 256) : 15;
      task->attribute = kind == 0 ? TASK_HEAD_OF_QUEUE : kind <= 2 ? TASK_ORDERED : TASK_SIMPLE;
      task->operation = random() % 2 == 0 ? TASK_READ : TASK_WRITE;
      task->lba = random() % load.lba_range;
      task->candidate.cylinder = static_cast<uint16_t>(random() % (CANDIDATE_BANDS << kBandShift));
      task->blocks = 1 + random() % load.blocks_max;
      task->tag = static_cast<uint16_t>(step);
      task->initiator = random() % 3 == 0 ? 6 : 7;
      task_set_insert(set.get(), task);
      by_age.push_back({task, restricted});
    } else if (const size_t index = next_to_end(by_age, load, random); chance <= 2) {
      // The drive reports a write whose data it has, and that it may serve.
      Member& member = by_age[index];
      if (member.it->operation == TASK_WRITE && member.it->state == TASK_ENABLED &&
          !member.reported) {
        task_set_report(set.get(), member.it);
        member.reported = true;
      }
    } else if (const bool first = may_go_first(by_age, index); chance == 3) {
      if (!by_age[index].reported && by_age[index].it->attribute != TASK_HEAD_OF_QUEUE) {
        ASSERT_EQ(task_set_promote(set.get(), by_age[index].it), first) << "step " << step;
        ASSERT_EQ(by_age[index].it->attribute == TASK_HEAD_OF_QUEUE, first) << "step " << step;
      }
    } else {
      task* const leaving = by_age[index].it;
      by_age.erase(by_age.begin() + static_cast<std::ptrdiff_t>(index));
      task_set_remove(set.get(), leaving);
    }
    size_t listed = 0;
    for (size_t i = 0; i < by_age.size(); ++i) {
      const bool is_enabled = by_age[i].it->state == TASK_ENABLED;
      // A task stays enabled once it is. None may be left dormant that the rules allow.
      const bool is_settled = set->walk.next == nullptr;
      ASSERT_TRUE(!is_settled || is_enabled || !may_be_enabled(by_age, i)) << "step " << step;
      if (is_enabled && by_age[i].it->attribute != TASK_HEAD_OF_QUEUE) ++listed;
    }
    if (arrive) {
      ASSERT_EQ(by_age.back().it->state == TASK_ENABLED, may_be_enabled(by_age, by_age.size() - 1))
          << "step " << step;
    }
    ASSERT_EQ(set->enabled.count, listed) << "step " << step;
    ASSERT_EQ(set->count, by_age.size());
  }
  EXPECT_EQ(rules.slices > 0, load.tasks > kFew);
}

}  // namespace
}  // namespace headstack::firmware
