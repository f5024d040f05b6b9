// SPDX-License-Identifier: Apache-2.0
// The task set's rules for writes that were reported before their end, and for tasks that must go
// before all others (firmware/queue/task_set.h). No task that overlaps an acknowledged write may
// pass it.
#include <gtest/gtest.h>

#include <memory>
#include <string>

extern "C" {
#include "firmware/queue/task_set.h"
}

namespace headstack::firmware {
namespace {

void ignore(void*, task*) {}
void ignore_slices(void* /*context*/, bool /*withdraws*/) {}
const task_set_listener kListener = {ignore, ignore, ignore_slices};
constexpr uint32_t kBandShift = 3;
constexpr uint8_t kHost = 7, kOtherHost = 6;

class TaskSetReports : public ::testing::Test {
 protected:
  void SetUp() override { task_set_init(set_.get(), 16, kBandShift, &kListener, nullptr); }

  task* add(uint16_t tag, task_operation operation, uint32_t lba, uint32_t blocks,
            task_attribute attribute = TASK_SIMPLE, uint8_t initiator = kHost) {
    task* task = task_set_allocate(set_.get());
    task->tag = tag;
    task->attribute = attribute;
    task->initiator = initiator;
    task->operation = operation;
    task->lba = lba;
    task->blocks = blocks;
    task_set_insert(set_.get(), task);
    return task;
  }
  task* write(uint16_t tag, uint32_t lba, uint32_t blocks, task_attribute attribute = TASK_SIMPLE,
              uint8_t initiator = kHost) {
    return add(tag, TASK_WRITE, lba, blocks, attribute, initiator);
  }
  task* reported(uint16_t tag, uint32_t lba, uint32_t blocks) {
    task* const task = write(tag, lba, blocks);
    task_set_report(set_.get(), task);
    return task;
  }
  void choose(task* task) { task_set_choose(set_.get(), task); }
  void remove(task* task) { task_set_remove(set_.get(), task); }
  bool promote(task* task) { return task_set_promote(set_.get(), task); }
  task* forced() { return task_set_forced(set_.get()); }
  /// Whether an unrelated task would be enabled now, so that nothing is left that held others.
  bool is_open() {
    task* const probe = add(999, TASK_READ, 5000, 1);
    const bool enabled = probe->state == TASK_ENABLED;
    remove(probe);
    return enabled;
  }

  std::unique_ptr<task_set> set_ = std::make_unique<task_set>();
};

TEST_F(TaskSetReports, ReportedWrite_FreesItsTag_AndKeepsItsPlace) {
  task* const first = reported(5, 100, 8);
  EXPECT_EQ(task_set_find(set_.get(), kHost, false, 5), nullptr);
  EXPECT_EQ(task_set_live_of(set_.get(), kHost), 0U);
  EXPECT_EQ(set_->enabled.first, &first->candidate);
  task* const second = write(5, 200, 8);
  EXPECT_EQ(task_set_find(set_.get(), kHost, false, 5), second);
  remove(first);
  EXPECT_EQ(task_set_find(set_.get(), kHost, false, 5), second);
  EXPECT_EQ(task_set_live_of(set_.get(), kHost), 1U);
}

TEST_F(TaskSetReports, DetachingTwice_IsDetachingOnce) {
  task* const task = write(5, 100, 8);
  write(6, 200, 8);
  task_set_detach(set_.get(), task);
  task_set_detach(set_.get(), task);
  EXPECT_EQ(task_set_live_of(set_.get(), kHost), 1U);
}

// SAM-2 7.6 lets HEAD OF QUEUE pass; an acknowledged write has ended for its host.
TEST_F(TaskSetReports, HeadOfQueue_WaitsForAReportedWriteThatItOverlaps_WhichIsServedFirst) {
  task* const report = reported(1, 100, 8);
  reported(2, 300, 8);
  task* const head = write(3, 104, 8, TASK_HEAD_OF_QUEUE);
  EXPECT_EQ(head->state, TASK_DORMANT);
  EXPECT_EQ(forced(), report);
  choose(report);
  EXPECT_EQ(forced(), nullptr) << "the media work for it already";
  remove(report);
  EXPECT_EQ(head->state, TASK_ENABLED);
  EXPECT_EQ(forced(), head);
}

TEST_F(TaskSetReports, HeadOfQueue_PassesTasksWithoutOverlap_AndUnreportedWrites) {
  reported(1, 100, 8);
  write(2, 200, 8);
  EXPECT_EQ(write(3, 108, 8, TASK_HEAD_OF_QUEUE)->state, TASK_ENABLED) << "after it";
  EXPECT_EQ(write(4, 92, 8, TASK_HEAD_OF_QUEUE)->state, TASK_ENABLED) << "before it";
  EXPECT_EQ(write(5, 200, 8, TASK_HEAD_OF_QUEUE)->state, TASK_ENABLED) << "not reported";
  EXPECT_EQ(add(6, TASK_READ, 107, 1, TASK_HEAD_OF_QUEUE)->state, TASK_DORMANT);
}

TEST_F(TaskSetReports, UnrestrictedReordering_PassesOnlyUnreportedWrites) {
  task_set_restrict(set_.get(), false);
  write(1, 100, 8);
  task* const report = reported(2, 200, 8);
  EXPECT_EQ(write(3, 104, 8)->state, TASK_ENABLED);
  task* const waits = write(4, 204, 8);
  EXPECT_EQ(waits->state, TASK_DORMANT);
  EXPECT_EQ(add(5, TASK_READ, 200, 1)->state, TASK_DORMANT);
  EXPECT_EQ(add(6, TASK_READ, 208, 1)->state, TASK_ENABLED) << "write 4 was not reported";
  remove(report);
  EXPECT_EQ(waits->state, TASK_ENABLED);
}

TEST_F(TaskSetReports, OldestReportThatMayBegin_IsServedFirst) {
  task* const other = reported(1, 500, 8);
  task* const first = reported(2, 100, 8);
  task* const second = reported(3, 110, 8);
  task* const head = write(5, 100, 20, TASK_HEAD_OF_QUEUE);
  EXPECT_EQ(task_set_blocking_report(set_.get(), head), first);
  choose(first);
  EXPECT_EQ(task_set_blocking_report(set_.get(), head), second) << "the first is at the media";
  remove(first);
  EXPECT_EQ(task_set_blocking_report(set_.get(), head), second);
  remove(second);
  EXPECT_EQ(task_set_blocking_report(set_.get(), head), nullptr);
  EXPECT_EQ(other->state, TASK_ENABLED);
  EXPECT_EQ(forced(), head);
}

TEST_F(TaskSetReports, OnlyReportsThatItOverlaps_AreServedForAHeadOfQueue) {
  write(1, 104, 2);
  reported(2, 200, 8);
  task* const report = reported(3, 106, 2);
  task* const head = write(4, 104, 4, TASK_HEAD_OF_QUEUE);
  EXPECT_EQ(head->state, TASK_DORMANT);
  EXPECT_EQ(forced(), report);
}

TEST_F(TaskSetReports, OfSeveralHeadsOfQueue_ThoseThatMayNotBeginArePassed) {
  task* const report = reported(1, 100, 8);
  task* const free = write(2, 300, 8, TASK_HEAD_OF_QUEUE);
  task* const waits = write(3, 100, 8, TASK_HEAD_OF_QUEUE);
  task* const suspended = write(4, 400, 8, TASK_HEAD_OF_QUEUE, kOtherHost);
  task_set_suspend(set_.get(), kOtherHost);
  EXPECT_EQ(suspended->state, TASK_DORMANT);
  EXPECT_EQ(forced(), report) << "for the youngest that is not suspended";
  choose(report);
  EXPECT_EQ(forced(), free);
  choose(free);
  EXPECT_EQ(forced(), nullptr);
  remove(report);
  EXPECT_EQ(forced(), waits);
}

TEST_F(TaskSetReports, RetiredTask_IsOutOfTheSet_AndItsMemoryIsKept) {
  task* const task = write(1, 100, 8);
  task->state = TASK_ENDED;
  candidate_set_remove(&set_->enabled, &task->candidate);
  task_set_retire(set_.get(), task);
  EXPECT_EQ(task_set_oldest(set_.get()), nullptr);
  EXPECT_EQ(set_->count, 1U);
  EXPECT_EQ(task_set_busy_count(set_.get()), 0U);
  EXPECT_NE(write(1, 100, 8), task);
  EXPECT_EQ(task_set_busy_count(set_.get()), 1U);
  task_set_release(set_.get(), task);
  EXPECT_EQ(set_->count, 1U);
  EXPECT_EQ(task_set_busy_count(set_.get()), 1U);
  EXPECT_EQ(write(2, 100, 8), task);
}

// -------------------------------------------------------------------------------------------
// promotion

TEST_F(TaskSetReports, PromotedTask_IsForced_AndLeavesTheList) {
  task* const other = write(1, 300, 8);
  task* const task = write(2, 100, 8);
  EXPECT_TRUE(promote(task));
  EXPECT_EQ(task->attribute, TASK_HEAD_OF_QUEUE);
  EXPECT_EQ(forced(), task);
  EXPECT_EQ(set_->enabled.count, 1U);
  EXPECT_FALSE(is_open()) << "what comes after a HEAD OF QUEUE waits for it";
  EXPECT_TRUE(promote(task)) << "it is one";
  remove(task);
  EXPECT_EQ(other->state, TASK_ENABLED);
  EXPECT_TRUE(is_open());
}

TEST_F(TaskSetReports, DormantTask_IsPromotedPastAnotherHeadOfQueue) {
  task* const head = write(1, 300, 8, TASK_HEAD_OF_QUEUE);
  task* const task = write(2, 100, 8);
  ASSERT_EQ(task->state, TASK_DORMANT);
  EXPECT_TRUE(promote(task));
  EXPECT_EQ(task->state, TASK_ENABLED);
  EXPECT_EQ(forced(), task);
  remove(task);
  EXPECT_EQ(forced(), head);
  remove(head);
  EXPECT_TRUE(is_open());
}

TEST_F(TaskSetReports, OrderedTask_IsPromotedOutOfItsOrder) {
  task* const other = add(1, TASK_READ, 300, 8, TASK_SIMPLE, kOtherHost);
  task* const task = write(2, 100, 8, TASK_ORDERED);
  task_set_suspend(set_.get(), kOtherHost);
  ASSERT_EQ(task->state, TASK_DORMANT);
  EXPECT_TRUE(promote(task));
  EXPECT_EQ(task->state, TASK_ENABLED);
  remove(task);
  task_set_resume(set_.get(), kOtherHost);
  EXPECT_EQ(other->state, TASK_ENABLED);
  EXPECT_TRUE(is_open()) << "no ORDERED task is left";
}

struct PassCase {
  const char* what;
  task_operation older_operation;
  uint32_t older_lba;
  task_attribute older_attribute;
  uint8_t older_initiator;
  task_operation operation;
  task_attribute attribute;
  bool passes;
};

class Promotion : public TaskSetReports, public ::testing::WithParamInterface<PassCase> {};

// task_set.h: it may not pass an older one that overlaps it, is ordered against it by their common
// initiator, or starts or stops the unit. The task is of the host, blocks 100 to 107.
TEST_P(Promotion, PassesAllowedTasks) {
  const PassCase& test = GetParam();
  add(1, test.older_operation, test.older_lba, 8, test.older_attribute, test.older_initiator);
  task* const task = add(2, test.operation, 100, 8, test.attribute);
  const task_state before = task->state;
  EXPECT_EQ(promote(task), test.passes);
  EXPECT_EQ(task->attribute, test.passes ? TASK_HEAD_OF_QUEUE : test.attribute);
  if (!test.passes) {
    EXPECT_EQ(task->state, before) << "nothing has changed";
    EXPECT_EQ(set_->head_of_queue_count, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(
    TaskSet, Promotion,
    ::testing::Values(
        PassCase{"Elsewhere", TASK_WRITE, 300, TASK_SIMPLE, kHost, TASK_WRITE, TASK_SIMPLE, true},
        PassCase{"BesideIt", TASK_WRITE, 108, TASK_SIMPLE, kHost, TASK_WRITE, TASK_SIMPLE, true},
        PassCase{"OverAWrite", TASK_WRITE, 107, TASK_SIMPLE, kHost, TASK_READ, TASK_SIMPLE, false},
        PassCase{"OverARead", TASK_READ, 93, TASK_SIMPLE, kHost, TASK_WRITE, TASK_SIMPLE, false},
        PassCase{"ReadOverRead", TASK_READ, 100, TASK_SIMPLE, kHost, TASK_READ, TASK_SIMPLE, true},
        PassCase{"OtherHostsWrite", TASK_WRITE, 104, TASK_SIMPLE, kOtherHost, TASK_READ,
                 TASK_SIMPLE, false},
        PassCase{"Ordered", TASK_READ, 300, TASK_SIMPLE, kHost, TASK_READ, TASK_ORDERED, false},
        PassCase{"BehindOrdered", TASK_READ, 300, TASK_ORDERED, kHost, TASK_READ, TASK_SIMPLE,
                 false},
        PassCase{"OrderedBehindOtherHosts", TASK_READ, 300, TASK_SIMPLE, kOtherHost, TASK_READ,
                 TASK_ORDERED, true},
        PassCase{"BehindOtherHostsOrdered", TASK_READ, 300, TASK_ORDERED, kOtherHost, TASK_READ,
                 TASK_SIMPLE, true},
        PassCase{"BehindStart", TASK_START, 0, TASK_SIMPLE, kOtherHost, TASK_READ, TASK_SIMPLE,
                 false},
        PassCase{"BehindStop", TASK_STOP, 0, TASK_SIMPLE, kHost, TASK_READ, TASK_SIMPLE, false},
        PassCase{"AStop", TASK_READ, 300, TASK_SIMPLE, kOtherHost, TASK_STOP, TASK_SIMPLE, false}),
    [](const auto& info) { return info.param.what; });

TEST_F(TaskSetReports, PromotedTask_WaitsForAReportedWriteThatItOverlaps) {
  task* const report = reported(1, 100, 8);
  task* const task = write(2, 100, 8);
  EXPECT_TRUE(promote(task)) << "the write owes no status";
  EXPECT_EQ(task->state, TASK_DORMANT);
  EXPECT_EQ(forced(), report);
  remove(report);
  EXPECT_EQ(forced(), task);
}

}  // namespace
}  // namespace headstack::firmware
