// SPDX-License-Identifier: Apache-2.0
// The task set: capacity, tags, and which tasks may be chosen when. The rules are those of SCSI-2
// 7.8 and SAM-2 7.6; the cases are small enough to be worked out by hand.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "firmware/queue/task_set.h"
}

namespace headstack::firmware {
namespace {

struct Heard {
  std::vector<uint16_t> enabled;
  std::vector<uint16_t> withdrawn;
  std::vector<bool> goes_on;  // the walk takes more than one slice; whether it withdraws
};

void on_enabled(void* context, task* task) {
  static_cast<Heard*>(context)->enabled.push_back(task->tag);
}
void on_withdrawn(void* context, task* task) {
  static_cast<Heard*>(context)->withdrawn.push_back(task->tag);
}
constexpr uint32_t kBandShift = 3;

void on_goes_on(void* context, bool withdraws) {
  static_cast<Heard*>(context)->goes_on.push_back(withdraws);
}
const task_set_listener kListener = {on_enabled, on_withdrawn, on_goes_on};

class TaskSetTest : public ::testing::Test {
 protected:
  void SetUp() override { task_set_init(set_.get(), 16, kBandShift, &kListener, &heard_); }

  // Adds a task. It reads a place of its own by default.
  task* add(uint16_t tag, task_attribute attribute = TASK_SIMPLE, uint8_t initiator = 7,
            task_operation operation = TASK_READ, uint32_t lba = 0, uint32_t blocks = 0) {
    task* task = task_set_allocate(set_.get());
    if (task == nullptr) return nullptr;
    task->tag = tag;
    task->attribute = attribute;
    task->initiator = initiator;
    task->operation = operation;
    task->lba = blocks == 0 ? tag * 1000U : lba;
    task->blocks = blocks == 0 ? 8 : blocks;
    task_set_insert(set_.get(), task);
    return task;
  }

  task* write(uint16_t tag, uint32_t lba, uint32_t blocks) {
    return add(tag, TASK_SIMPLE, 7, TASK_WRITE, lba, blocks);
  }
  task* read(uint16_t tag, uint32_t lba, uint32_t blocks) {
    return add(tag, TASK_SIMPLE, 7, TASK_READ, lba, blocks);
  }
  void remove(task* task) { task_set_remove(set_.get(), task); }

  // Tags of the list that policies see.
  std::string enabled() const {
    std::string tags;
    for (candidate* item = set_->enabled.first; item != nullptr; item = item->next) {
      tags += (tags.empty() ? "" : " ") + std::to_string(task_of_candidate(item)->tag);
    }
    return tags;
  }
  std::string forced() {
    const task* task = task_set_forced(set_.get());
    return task == nullptr ? "none" : std::to_string(task->tag);
  }

  std::unique_ptr<task_set> set_ = std::make_unique<task_set>();
  Heard heard_;
};

TEST_F(TaskSetTest, HoldsExactlyItsLimit) {
  task_set_init(set_.get(), 3, kBandShift, &kListener, &heard_);
  task* const first = add(1);
  add(2);
  EXPECT_NE(add(3), nullptr);
  EXPECT_EQ(add(4), nullptr);
  remove(first);
  EXPECT_NE(add(4), nullptr);
  EXPECT_EQ(add(5), nullptr);
}

TEST_F(TaskSetTest, FullCapacityIsUsable) {
  task_set_init(set_.get(), TASK_SET_CAPACITY, kBandShift, &kListener, &heard_);
  for (uint32_t i = 0; i < TASK_SET_CAPACITY; ++i) {
    ASSERT_NE(add(static_cast<uint16_t>(i)), nullptr) << i;
  }
  EXPECT_EQ(add(9999), nullptr);
  EXPECT_EQ(set_->enabled.count, TASK_SET_CAPACITY);
}

TEST_F(TaskSetTest, AllocatedTaskCanBeGivenBackUninserted) {
  task_set_init(set_.get(), 1, kBandShift, &kListener, &heard_);
  task* const task = task_set_allocate(set_.get());
  EXPECT_EQ(task_set_allocate(set_.get()), nullptr);
  remove(task);
  EXPECT_NE(task_set_allocate(set_.get()), nullptr);
}

TEST_F(TaskSetTest, TagIsFoundByInitiatorAndTagOnly) {
  task* const mine = add(5, TASK_SIMPLE, 7);
  task* const theirs = add(5, TASK_SIMPLE, 6);
  // The tags share a chain: they are a whole table apart.
  task* const far = add(static_cast<uint16_t>(5 + TASK_SET_BUCKETS), TASK_SIMPLE, 7);
  EXPECT_EQ(task_set_find(set_.get(), 7, false, 5), mine);
  EXPECT_EQ(task_set_find(set_.get(), 6, false, 5), theirs);
  EXPECT_EQ(task_set_find(set_.get(), 7, false, 5 + TASK_SET_BUCKETS), far);
  EXPECT_EQ(task_set_find(set_.get(), 5, false, 5), nullptr);
  EXPECT_EQ(task_set_find(set_.get(), 7, false, 6), nullptr);
  remove(mine);
  EXPECT_EQ(task_set_find(set_.get(), 7, false, 5), nullptr);
  EXPECT_EQ(task_set_find(set_.get(), 7, false, 5 + TASK_SET_BUCKETS), far);
}

TEST_F(TaskSetTest, TagZeroIsNotUntagged) {
  task* const tagged = add(0);
  EXPECT_EQ(task_set_find(set_.get(), 7, true, 0), nullptr);
  EXPECT_EQ(task_set_find(set_.get(), 7, false, 0), tagged);
}

TEST_F(TaskSetTest, DetachedTaskFreesItsTagButKeepsItsPlace) {
  task* const ordered = add(1, TASK_ORDERED);
  add(2);
  task_set_detach(set_.get(), ordered);
  EXPECT_EQ(task_set_find(set_.get(), 7, false, 1), nullptr);
  EXPECT_EQ(task_set_live_of(set_.get(), 7), 1);
  EXPECT_EQ(enabled(), "1");  // task 2 still waits for it
  remove(ordered);
  EXPECT_EQ(enabled(), "2");
}

TEST_F(TaskSetTest, SimpleTasksAreEnabledAtOnceInOrderOfArrival) {
  add(3);
  add(1);
  add(2);
  EXPECT_EQ(enabled(), "3 1 2");
}

TEST_F(TaskSetTest, OrderedWaitsForAllOlderAndHoldsAllYounger) {
  task* const one = add(1);
  task* const two = add(2);
  task* const ordered = add(3, TASK_ORDERED);
  add(4);
  EXPECT_EQ(enabled(), "1 2");
  remove(two);
  EXPECT_EQ(enabled(), "1");
  remove(one);
  EXPECT_EQ(enabled(), "3");
  remove(ordered);
  EXPECT_EQ(enabled(), "4");
}

TEST_F(TaskSetTest, OrderedWaitsForTheEndNotForTheChoice) {
  task* const one = add(1);
  add(2, TASK_ORDERED);
  task_set_choose(set_.get(), one);
  one->state = TASK_ENDED;
  EXPECT_EQ(enabled(), "");
  remove(one);
  EXPECT_EQ(enabled(), "2");
}

TEST_F(TaskSetTest, TwoOrderedTasksRunOneAfterTheOther) {
  task* const first = add(1, TASK_ORDERED);
  task* const second = add(2, TASK_ORDERED);
  add(3);
  EXPECT_EQ(enabled(), "1");
  remove(first);
  EXPECT_EQ(enabled(), "2");
  remove(second);
  EXPECT_EQ(enabled(), "3");
}

TEST_F(TaskSetTest, SimpleTaskBetweenTwoOrderedOnesRunsBetweenThem) {
  task* const first = add(1, TASK_ORDERED);
  task* const between = add(2);
  add(3, TASK_ORDERED);
  add(4);
  remove(first);
  EXPECT_EQ(enabled(), "2");
  remove(between);
  EXPECT_EQ(enabled(), "3");
}

TEST_F(TaskSetTest, AbortOfAWaitingOrderedTask_EnablesTheYounger) {
  add(1);
  task* const ordered = add(2, TASK_ORDERED);
  add(3);
  EXPECT_EQ(enabled(), "1");
  remove(ordered);
  EXPECT_EQ(enabled(), "1 3");
}

TEST_F(TaskSetTest, HeadOfQueueIsForcedNewestFirstAndNotListed) {
  add(1);
  task* const older = add(2, TASK_HEAD_OF_QUEUE);
  task* const newer = add(3, TASK_HEAD_OF_QUEUE);
  EXPECT_EQ(enabled(), "1");
  EXPECT_EQ(forced(), "3");
  task_set_choose(set_.get(), newer);
  EXPECT_EQ(forced(), "2");
  task_set_return(set_.get(), newer);
  EXPECT_EQ(forced(), "3");
  remove(newer);
  remove(older);
  EXPECT_EQ(forced(), "none");
}

TEST_F(TaskSetTest, HeadOfQueuePassesAWaitingOrderedTask) {
  task* const one = add(1);
  add(2, TASK_ORDERED);
  task* const head = add(3, TASK_HEAD_OF_QUEUE);
  EXPECT_EQ(forced(), "3");
  remove(one);
  EXPECT_EQ(enabled(), "");  // the ordered one also waits for the head of the queue
  remove(head);
  EXPECT_EQ(enabled(), "2");
}

TEST_F(TaskSetTest, SimpleTasksThatArriveAfterHeadOfQueueWaitForIt) {
  add(1);
  task* const head = add(2, TASK_HEAD_OF_QUEUE);
  add(3);
  EXPECT_EQ(enabled(), "1");  // was enabled before, stays enabled
  remove(head);
  EXPECT_EQ(enabled(), "1 3");
}

// The task may be served ahead of them, to make room. A task that also waits for others may not.
TEST_F(TaskSetTest, TaskThatWaitsOnlyForHeadsOfQueue_MayPassThem) {
  for (const task_attribute attribute : {TASK_SIMPLE, TASK_UNTAGGED}) {
    SetUp();
    task* const before = add(1);
    EXPECT_FALSE(task_set_waits_for_heads(set_.get(), before)) << "it is enabled";
    task* const head = add(2, TASK_HEAD_OF_QUEUE);
    EXPECT_FALSE(task_set_waits_for_heads(set_.get(), head));
    task* const waits = add(3, attribute);
    task* const suspended = add(4, attribute, 6);
    task_set_suspend(set_.get(), 6);
    add(5, TASK_HEAD_OF_QUEUE);
    EXPECT_TRUE(task_set_waits_for_heads(set_.get(), waits));
    EXPECT_FALSE(task_set_waits_for_heads(set_.get(), suspended));
    task_set_pass_heads(set_.get(), waits);
    EXPECT_EQ(enabled(), "1 3");
  }
}

TEST_F(TaskSetTest, TaskThatWaitsForAnOrderedOne_MayNotPassHeadsOfQueue) {
  task* const before = add(1);
  task* const ordered = add(2, TASK_ORDERED);
  add(3, TASK_HEAD_OF_QUEUE);
  task* const waits = add(4);
  EXPECT_FALSE(task_set_waits_for_heads(set_.get(), waits));
  EXPECT_FALSE(task_set_waits_for_heads(set_.get(), ordered)) << "and for the first";
  remove(before);
  EXPECT_FALSE(task_set_waits_for_heads(set_.get(), waits));
  EXPECT_TRUE(task_set_waits_for_heads(set_.get(), ordered));
  remove(ordered);
  EXPECT_TRUE(task_set_waits_for_heads(set_.get(), waits));
}

TEST_F(TaskSetTest, TaskThatOverlapsAnOlderOne_MayNotPassHeadsOfQueue) {
  write(1, 100, 8);
  add(2, TASK_HEAD_OF_QUEUE);
  task* const waits = write(3, 104, 8);
  EXPECT_FALSE(task_set_waits_for_heads(set_.get(), waits));
}

TEST_F(TaskSetTest, ChosenTasksLeaveTheListAndReturnToTheirPlace) {
  add(1);
  task* const two = add(2);
  add(3);
  task_set_choose(set_.get(), two);
  EXPECT_EQ(enabled(), "1 3");
  task_set_return(set_.get(), two);
  EXPECT_EQ(enabled(), "1 2 3");
  EXPECT_EQ(set_->enabled.count, 3U);
}

TEST_F(TaskSetTest, OldestReturnsToTheHead) {
  task* const one = add(1);
  add(2);
  task_set_choose(set_.get(), one);
  task_set_return(set_.get(), one);
  EXPECT_EQ(enabled(), "1 2");
  EXPECT_EQ(set_->enabled.last->previous, set_->enabled.first);
}

struct Overlap {
  const char* name;
  task_operation older, younger;
  uint32_t lba, blocks;  // of the younger task; the older one has blocks 100 .. 107
  bool waits;
};

class TaskSetOverlapTest : public TaskSetTest, public ::testing::WithParamInterface<Overlap> {};

// Two ranges overlap exactly if each begins before the other ends; two reads never disturb each
// other.
INSTANTIATE_TEST_SUITE_P(
    Edges, TaskSetOverlapTest,
    ::testing::Values(Overlap{"ReadRead", TASK_READ, TASK_READ, 100, 8, false},
                      Overlap{"WriteRead", TASK_WRITE, TASK_READ, 100, 8, true},
                      Overlap{"ReadWrite", TASK_READ, TASK_WRITE, 100, 8, true},
                      Overlap{"WriteWrite", TASK_WRITE, TASK_WRITE, 100, 8, true},
                      Overlap{"LastBlock", TASK_WRITE, TASK_READ, 107, 1, true},
                      Overlap{"JustBehind", TASK_WRITE, TASK_READ, 108, 1, false},
                      Overlap{"FirstBlock", TASK_WRITE, TASK_READ, 99, 2, true},
                      Overlap{"JustBefore", TASK_WRITE, TASK_READ, 98, 2, false},
                      Overlap{"Inside", TASK_WRITE, TASK_READ, 103, 1, true},
                      Overlap{"Around", TASK_WRITE, TASK_READ, 0, 1000, true}),
    [](const auto& info) { return info.param.name; });

TEST_P(TaskSetOverlapTest, RestrictedReorderingKeepsTheOrderOfConflicts) {
  const Overlap& c = GetParam();
  task* const older = add(1, TASK_SIMPLE, 7, c.older, 100, 8);
  add(2, TASK_SIMPLE, 6, c.younger, c.lba, c.blocks);
  EXPECT_EQ(enabled(), c.waits ? "1" : "1 2");
  remove(older);
  EXPECT_EQ(enabled(), "2");
}

TEST_P(TaskSetOverlapTest, UnrestrictedReordering_AllowsOvertaking) {
  const Overlap& c = GetParam();
  task_set_restrict(set_.get(), false);
  add(1, TASK_SIMPLE, 7, c.older, 100, 8);
  add(2, TASK_SIMPLE, 6, c.younger, c.lba, c.blocks);
  EXPECT_EQ(enabled(), "1 2");
}

TEST_F(TaskSetTest, TaskWaitsForEveryConflict) {
  task* const one = write(1, 100, 8);
  task* const two = write(2, 108, 8);
  read(3, 104, 8);  // half of each task's blocks
  EXPECT_EQ(enabled(), "1 2");
  remove(one);
  EXPECT_EQ(enabled(), "2");
  remove(two);
  EXPECT_EQ(enabled(), "3");
}

TEST_F(TaskSetTest, ChainOfConflictsRunsLinkByLink) {
  task* const one = write(1, 100, 8);
  task* const two = write(2, 100, 8);
  task* const three = read(3, 100, 8);
  EXPECT_EQ(enabled(), "1");
  remove(one);
  EXPECT_EQ(enabled(), "2");
  remove(two);
  EXPECT_EQ(enabled(), "3");
  remove(three);
}

TEST_F(TaskSetTest, TaskHeldBackReturnsToItsAgeInTheList) {
  task* const one = write(1, 100, 8);
  read(2, 100, 8);
  read(3, 500, 8);
  EXPECT_EQ(enabled(), "1 3");
  remove(one);
  EXPECT_EQ(enabled(), "2 3");
}

TEST_F(TaskSetTest, SuspensionWithdrawsOneInitiatorOnly) {
  add(1, TASK_SIMPLE, 7);
  add(2, TASK_SIMPLE, 6);
  task_set_suspend(set_.get(), 7);
  EXPECT_EQ(heard_.withdrawn, (std::vector<uint16_t>{1}));
  EXPECT_EQ(enabled(), "2");
  add(3, TASK_SIMPLE, 7);
  EXPECT_EQ(enabled(), "2");
  task_set_resume(set_.get(), 7);
  EXPECT_EQ(enabled(), "1 2 3");
  EXPECT_EQ(heard_.enabled, (std::vector<uint16_t>{1, 2, 1, 3}));
}

// What a slice of the walk enables at most is not part of the rules; it is fewer than these.
class ManyTasks : public TaskSetTest {
 protected:
  static constexpr uint16_t kTasks = 200;

  void SetUp() override {
    task_set_init(set_.get(), kTasks + 8, kBandShift, &kListener, &heard_);
    ordered_ = add(0, TASK_ORDERED);
    for (uint16_t tag = 1; tag < kTasks; ++tag) tasks_.push_back(add(tag));
    ASSERT_EQ(heard_.enabled, std::vector<uint16_t>{0});
  }
  // Ends the ORDERED task, which all others wait for.
  size_t begin() {
    remove(ordered_);
    return set_->enabled.count;
  }
  void finish() {
    while (task_set_go_on(set_.get())) {
    }
  }
  task* task_of(uint16_t tag) const { return tasks_[tag - 1U]; }

  task* ordered_ = nullptr;
  std::vector<task*> tasks_;
};

TEST_F(ManyTasks, AreEnabledInSlices_OldestFirst) {
  const size_t first = begin();
  EXPECT_GT(first, 1U);
  EXPECT_LT(first, kTasks / 2U);
  EXPECT_EQ(heard_.goes_on, std::vector<bool>{false});
  EXPECT_TRUE(task_set_go_on(set_.get()));
  EXPECT_EQ(set_->enabled.count, 2 * first);
  finish();
  EXPECT_EQ(heard_.goes_on.size(), 1U) << "the slices follow by themselves";
  std::vector<uint16_t> all;
  for (uint16_t tag = 0; tag < kTasks; ++tag) all.push_back(tag);
  EXPECT_EQ(heard_.enabled, all);
}

// The task that comes next may leave between two slices, and so may one that is enabled.
TEST_F(ManyTasks, MayLeaveBetweenSlices) {
  const auto next = static_cast<uint16_t>(begin() + 1);
  remove(task_of(next));
  remove(task_of(1));
  finish();
  EXPECT_EQ(set_->enabled.count, kTasks - 3U);
  EXPECT_EQ(task_set_find(set_.get(), 7, false, next), nullptr);
  EXPECT_EQ(set_->dormant_count, 0);
}

// An ORDERED arrival waits for all of them; one HEAD OF QUEUE stops the others until it has ended.
TEST_F(ManyTasks, ArrivalsBetweenSlices_KeepTheRules) {
  const size_t first = begin();
  task* const ordered = add(1001, TASK_ORDERED);
  task* const head = add(1002, TASK_HEAD_OF_QUEUE);
  finish();
  EXPECT_EQ(set_->enabled.count, first);
  remove(head);
  finish();
  EXPECT_EQ(set_->enabled.count, kTasks - 1U);
  EXPECT_EQ(ordered->state, TASK_DORMANT);
}

TEST_F(ManyTasks, AreWithdrawnInSlices) {
  begin();
  finish();
  task* const theirs = add(1001, TASK_SIMPLE, 6);
  task_set_suspend(set_.get(), 7);
  EXPECT_EQ(heard_.goes_on, (std::vector<bool>{false, true}));
  EXPECT_GT(set_->enabled.count, kTasks / 2U);
  finish();
  EXPECT_EQ(set_->enabled.count, 1);
  EXPECT_EQ(theirs->state, TASK_ENABLED);
  EXPECT_EQ(heard_.withdrawn.size(), kTasks - 1U);
}

// The second initiator is suspended while the tasks of the first are being withdrawn, which goes
// on.
TEST_F(ManyTasks, TwoSuspensionsAtOnce) {
  begin();
  finish();
  task* const theirs = add(1001, TASK_SIMPLE, 6);
  task_set_suspend(set_.get(), 7);
  task_set_suspend(set_.get(), 6);
  finish();
  EXPECT_EQ(set_->enabled.count, 0);
  task_set_resume(set_.get(), 6);
  EXPECT_EQ(theirs->state, TASK_ENABLED);
  EXPECT_EQ(set_->enabled.count, 1);
}

// Some of the tasks have not been withdrawn yet when the suspension ends.
TEST_F(ManyTasks, SuspensionEndsBetweenSlices) {
  begin();
  finish();
  task_set_suspend(set_.get(), 7);
  task_set_resume(set_.get(), 7);
  finish();
  EXPECT_EQ(set_->enabled.count, kTasks - 1U);
  EXPECT_EQ(heard_.withdrawn.size(), heard_.enabled.size() - kTasks) << "each of them comes back";
  EXPECT_FALSE(set_->walk.withdraws);
}

// Nothing is enabled while the set is closed.
TEST_F(ManyTasks, ClosedBetweenSlices) {
  const size_t first = begin();
  task_set_close(set_.get());
  finish();
  EXPECT_EQ(set_->enabled.count, first);
  task_set_reopen(set_.get());
  task_set_open(set_.get());
  finish();
  EXPECT_EQ(set_->enabled.count, kTasks - 1U);
}

TEST_F(TaskSetTest, SuspensionHidesHeadOfQueue) {
  add(1, TASK_HEAD_OF_QUEUE);
  task_set_suspend(set_.get(), 7);
  EXPECT_EQ(forced(), "none");
  task_set_resume(set_.get(), 7);
  EXPECT_EQ(forced(), "1");
}

// Returned tasks pass those that are not in the list: chosen ones, and one of a suspended
// initiator.
TEST_F(TaskSetTest, ReturnedTask_IsAtItsPlaceAgain) {
  task* const one = add(1);
  task* const two = add(2);
  add(3, TASK_SIMPLE, 6);
  task* const four = add(4);
  add(5);
  for (task* const chosen : {one, two, four}) task_set_choose(set_.get(), chosen);
  task_set_suspend(set_.get(), 6);
  task_set_return(set_.get(), four);
  EXPECT_EQ(enabled(), "4 5");
  task_set_return(set_.get(), one);
  EXPECT_EQ(enabled(), "1 4 5");
  task_set_resume(set_.get(), 6);
  EXPECT_EQ(enabled(), "1 3 4 5");
}

// A listener ends each enabled task from inside the call. The next ones follow, each exactly once.
TEST(TaskSetReentry, TasksMayEndWhileTheyAreBeingEnabled) {
  auto set = std::make_unique<task_set>();
  static std::vector<uint16_t> order;
  order.clear();
  static bool ending;
  ending = false;
  static int depth;  // the drive's stack does not grow with the number of tasks
  depth = 0;
  const task_set_listener listener = {[](void* context, task* task) {
                                        order.push_back(task->tag);
                                        EXPECT_EQ(++depth, 1);
                                        if (ending) {
                                          task_set_remove(static_cast<task_set*>(context), task);
                                        }
                                        --depth;
                                      },
                                      on_withdrawn, on_goes_on};
  task_set_init(set.get(), 16, kBandShift, &listener, set.get());
  std::vector<task*> tasks;
  for (uint16_t tag = 1; tag <= 5; ++tag) {
    task* const task = task_set_allocate(set.get());
    task->tag = tag;
    task->attribute = TASK_ORDERED;
    task->blocks = 1;
    task_set_insert(set.get(), task);
    tasks.push_back(task);
  }
  ending = true;
  task_set_remove(set.get(), tasks[0]);
  EXPECT_EQ(order, (std::vector<uint16_t>{1, 2, 3, 4, 5}));
  EXPECT_EQ(set->count, 0);
}

// Blocks 1000 .. 1999 cross region ends (256 blocks), and one task is longer than a region.
TEST_F(TaskSetTest, NextIn_FindsThoseThatBeginThere_OldestFirst) {
  read(1, 1999, 4);
  read(2, 2000, 4);
  read(3, 999, 4);
  read(4, 1000, 4);
  read(5, 1300, 300);
  read(6, 1500, 1);
  std::string found;
  uint32_t sequence = task_set_oldest(set_.get())->candidate.sequence - 1U;
  while (task* next = task_set_next_in(set_.get(), 1000, 1000, sequence)) {
    sequence = next->candidate.sequence;
    found += std::to_string(next->tag) + " ";
  }
  EXPECT_EQ(found, "1 4 5 6 ");
}

TEST_F(TaskSetTest, NextIn_SkipsTasksThatMayNotBeChosen) {
  task* const first = read(1, 100, 4);
  write(2, 110, 4);
  read(3, 110, 4);  // waits for the write
  const uint32_t before = first->candidate.sequence - 1U;
  EXPECT_EQ(task_set_next_in(set_.get(), 100, 20, before), first);
  EXPECT_EQ(task_set_next_in(set_.get(), 100, 20, first->candidate.sequence)->tag, 2);
  EXPECT_EQ(task_set_next_in(set_.get(), 100, 20, first->candidate.sequence + 1U), nullptr);
  task_set_choose(set_.get(), first);
  EXPECT_EQ(task_set_next_in(set_.get(), 100, 20, before)->tag, 2);
}

}  // namespace
}  // namespace headstack::firmware
