// The task set against its rules, as they are written (SCSI-2 7.8, SAM-2 7.6), over random arrivals
// and ends.
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

void ignore(void*, task*) {}
constexpr uint32_t kBandShift = 3;

const task_set_listener kListener = {ignore, ignore};

// What a task waits for because of its blocks: an older one that overlaps it, if one of the two writes. Under restricted
// reordering any such one; HEAD OF QUEUE and unrestricted reordering pass all but reported writes.
bool must_wait_for(const task& me, const task& older, bool restricted) {
  const bool in_order = restricted && me.attribute != TASK_HEAD_OF_QUEUE;
  if (!in_order && (older.flags & TASK_FLAG_REPORTED) == 0) return false;
  const bool writes = me.operation == TASK_WRITE || older.operation == TASK_WRITE;
  return writes && me.lba < older.lba + older.blocks && older.lba < me.lba + me.blocks;
}

// The rules as they are written, by looking at all older tasks.
bool may_be_enabled(const std::vector<task*>& by_age, size_t index, bool restricted) {
  const task& me = *by_age[index];
  for (size_t i = 0; i < index; ++i) {
    if (must_wait_for(me, *by_age[i], restricted)) return false;
  }
  if (me.attribute == TASK_HEAD_OF_QUEUE) return true;
  for (const task* other : by_age) {
    if (other != &me && other->attribute == TASK_HEAD_OF_QUEUE) return false;
  }
  for (size_t i = 0; i < index; ++i) {
    if (me.attribute == TASK_ORDERED || by_age[i]->attribute == TASK_ORDERED) return false;
  }
  return true;
}

// task_set.h: an older task that owes a status must end first if it overlaps, or is ordered against this one by their
// common initiator.
bool may_be_promoted(const std::vector<task*>& by_age, size_t index) {
  const task& me = *by_age[index];
  for (size_t i = 0; i < index; ++i) {
    const task& older = *by_age[i];
    if ((older.flags & TASK_FLAG_SILENT) != 0) continue;
    const bool writes = me.operation == TASK_WRITE || older.operation == TASK_WRITE;
    if (writes && me.lba < older.lba + older.blocks && older.lba < me.lba + me.blocks) return false;
    const bool ordered = me.attribute == TASK_ORDERED || older.attribute == TASK_ORDERED;
    if (ordered && me.initiator == older.initiator) return false;
  }
  return true;
}

// What arrives.
struct Load {
  const char* what;
  uint32_t lba_range;
  uint32_t blocks_max;
  bool mixed;              // some ORDERED and HEAD OF QUEUE ones
  bool reports = false;    // writes are reported before their end, and waiting tasks promoted
  bool restricted = true;  // reordering
};

class TaskSetRandomTest : public ::testing::TestWithParam<std::tuple<uint32_t, Load>> {};
// A region is 256 blocks: all in one; over borders of regions; also longer than one.
INSTANTIATE_TEST_SUITE_P(
    Seeds, TaskSetRandomTest,
    ::testing::Combine(::testing::Range(1U, 9U),
                       ::testing::Values(Load{"OneRegion", 64, 8, true},
                                         Load{"OneRegionInAnyOrder", 64, 8, false},
                                         Load{"SeveralRegions", 2000, 256, true},
                                         Load{"SeveralRegionsInAnyOrder", 2000, 256, false},
                                         Load{"LongOnes", 6000, 700, true},
                                         Load{"LongOnesInAnyOrder", 6000, 700, false},
                                         Load{"Reports", 64, 8, true, true},
                                         Load{"ReportsUnrestricted", 64, 8, true, true, false},
                                         Load{"LongReports", 6000, 700, true, true},
                                         Load{"LongReportsUnrestricted", 6000, 700, false, true,
                                              false})),
    [](const auto& info) {
      return std::get<1>(info.param).what + std::to_string(std::get<0>(info.param));
    });

TEST_P(TaskSetRandomTest, WhatIsEnabledIsWhatTheRulesAllow) {
  const auto& [seed, load] = GetParam();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  auto set = std::make_unique<task_set>();
  task_set_init(set.get(), 24, kBandShift, &kListener, nullptr);
  task_set_restrict(set.get(), load.restricted);
  std::vector<task*> by_age;
  for (int step = 0; step < 4000; ++step) {
    const bool arrive = by_age.empty() || (by_age.size() < 24 && random() % 2 == 0);
    if (arrive) {
      task* const task = task_set_allocate(set.get());
      ASSERT_NE(task, nullptr);
      const uint32_t kind = load.mixed ? random() % 16 : 15;
      task->attribute = kind == 0 ? TASK_HEAD_OF_QUEUE : kind <= 2 ? TASK_ORDERED : TASK_SIMPLE;
      task->operation = random() % 2 == 0 ? TASK_READ : TASK_WRITE;
      task->lba = random() % load.lba_range;
      task->candidate.cylinder = static_cast<uint16_t>(random() % (CANDIDATE_BANDS << kBandShift));
      task->blocks = 1 + random() % load.blocks_max;
      task->tag = static_cast<uint16_t>(step);
      task->initiator = load.reports ? random() % 2 : 7;
      task_set_insert(set.get(), task);
      by_age.push_back(task);
    } else if (const size_t index = random() % by_age.size(); load.reports && random() % 2 == 0) {
      task* const task = by_age[index];
      if (task->operation == TASK_WRITE && (task->flags & TASK_FLAG_REPORTED) == 0) {
        task_set_report(set.get(), task);
      } else {
        const bool may = may_be_promoted(by_age, index);
        const bool was_one = task->attribute == TASK_HEAD_OF_QUEUE;
        ASSERT_EQ(task_set_promote(set.get(), task), may) << "step " << step;
        if (may && !was_one) {
          ASSERT_EQ(task->attribute, TASK_HEAD_OF_QUEUE);
          ASSERT_EQ(task->state == TASK_ENABLED, may_be_enabled(by_age, index, load.restricted))
              << "step " << step;
        }
      }
    } else {
      task_set_remove(set.get(), by_age[index]);
      by_age.erase(by_age.begin() + static_cast<std::ptrdiff_t>(index));
    }
    size_t listed = 0;
    for (size_t i = 0; i < by_age.size(); ++i) {
      const bool is_enabled = by_age[i]->state == TASK_ENABLED;
      // Enabled once, enabled for good; but nothing may be left dormant that the rules let go.
      ASSERT_TRUE(is_enabled || !may_be_enabled(by_age, i, load.restricted)) << "step " << step;
      if (is_enabled && by_age[i]->attribute != TASK_HEAD_OF_QUEUE) ++listed;
    }
    if (arrive) {
      ASSERT_EQ(by_age.back()->state == TASK_ENABLED,
                may_be_enabled(by_age, by_age.size() - 1, load.restricted))
          << "step " << step;
    }
    ASSERT_EQ(set->enabled.count, listed) << "step " << step;
    ASSERT_EQ(set->count, by_age.size());
  }
}

}  // namespace
}  // namespace headstack::firmware
