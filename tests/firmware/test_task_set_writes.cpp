// SPDX-License-Identifier: Apache-2.0
// The task set's lists and counts of buffered writes (firmware/queue/task_set.h, write_buffer.h).
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "firmware/queue/task_set.h"
}

namespace headstack::firmware {
namespace {

void ignore(void*, task*) {}
void ignore_slices(void* /*context*/, bool /*withdraws*/) {}
const task_set_listener kListener = {ignore, ignore, ignore_slices};
constexpr uint32_t kFrames = 3, kFrameBlocks = 16;

class TaskSetWrites : public ::testing::Test {
 protected:
  void SetUp() override {
    task_set_init(set_.get(), 32, 3, &kListener, nullptr);
    set(WRITE_THRESHOLD_SPACE);
  }
  void set(write_threshold threshold) {
    const write_buffer_setup setup = {threshold, 1, 0, 1000, kFrames, kFrameBlocks};
    task_set_set_writes(set_.get(), &setup);
  }
  task* add(task_operation operation, uint32_t lba, uint32_t blocks = 1,
            task_attribute attribute = TASK_SIMPLE, bool buffered = true) {
    task* task = task_set_allocate(set_.get());
    task->tag = next_tag_++;
    task->attribute = attribute;
    task->initiator = 7;
    task->operation = operation;
    task->lba = lba;
    task->blocks = blocks;
    if (operation == TASK_WRITE && buffered) task_set_buffer(set_.get(), task);
    task_set_insert(set_.get(), task);
    return task;
  }
  task* write(uint32_t lba, uint32_t blocks = 1) { return add(TASK_WRITE, lba, blocks); }
  task* read(uint32_t lba, uint32_t blocks = 1) { return add(TASK_READ, lba, blocks); }
  void report(task* task) { task_set_report(set_.get(), task); }
  void end(task* task) {
    if (task->state == TASK_ENABLED) task_set_choose(set_.get(), task);
    task->state = TASK_TRANSFERRING;
    if ((task->flags & TASK_FLAG_BUFFERED) != 0) task_set_unbuffer(set_.get(), task);
    task_set_end(set_.get(), task);
    task_set_remove(set_.get(), task);
  }
  static std::vector<uint32_t> in(const candidate_set& list) {
    std::vector<uint32_t> lbas;
    for (candidate* item = list.first; item != nullptr; item = item->next) {
      lbas.push_back(task_of_candidate(item)->lba);
    }
    return lbas;
  }
  using Lbas = std::vector<uint32_t>;
  int free() const { return write_buffer_free(&set_->writes); }

  std::unique_ptr<task_set> set_ = std::make_unique<task_set>();
  uint16_t next_tag_ = 1;
};

TEST_F(TaskSetWrites, EnabledOnesAreApartAndByArrivalHoweverTheyAreReported) {
  read(10);
  task* const first = write(20);
  task* const second = write(30);
  task* const third = write(40);
  add(TASK_WRITE, 50, 1, TASK_SIMPLE, false);  // FUA: not in the buffer
  EXPECT_EQ(in(set_->enabled), (Lbas{10, 50}));
  EXPECT_EQ(in(set_->writes.arriving), (Lbas{20, 30, 40}));
  EXPECT_EQ(task_set_waiting_count(set_.get()), 5U);
  report(third);
  report(first);
  EXPECT_EQ(in(set_->writes.reported), (Lbas{20, 40}));
  EXPECT_EQ(in(set_->writes.arriving), (Lbas{30}));
  task_set_choose(set_.get(), first);
  task_set_choose(set_.get(), second);
  EXPECT_EQ(in(set_->writes.reported), (Lbas{40}));
  EXPECT_EQ(set_->writes.arriving.count, 0U);
  task_set_return(set_.get(), first);
  EXPECT_EQ(in(set_->writes.reported), (Lbas{20, 40}));
}

TEST_F(TaskSetWrites, OfFree_StayAmongThePolicys) {
  set(WRITE_THRESHOLD_FREE);
  read(10);
  task* const one = write(20);
  report(one);
  EXPECT_EQ(in(set_->enabled), (Lbas{10, 20}));
  EXPECT_EQ(free(), 2);
}

// Buffered writes count as others (step 2 of policy_stfd.c). Without the buffer they keep their
// class.
TEST_F(TaskSetWrites, OfFree_CountAsBestEffortWhileBuffered) {
  for (const write_threshold threshold : {WRITE_THRESHOLD_FREE, WRITE_THRESHOLD_SPACE}) {
    set(threshold);
    task* const one = write(20);
    task_set_unbuffer(set_.get(), one);
    one->candidate.service_class = CANDIDATE_REAL_TIME;
    task_set_buffer(set_.get(), one);
    EXPECT_EQ(candidate_is_real_time(&one->candidate), threshold != WRITE_THRESHOLD_FREE);
    task_set_unbuffer(set_.get(), one);
    EXPECT_TRUE(candidate_is_real_time(&one->candidate));
    end(one);
  }
}

TEST_F(TaskSetWrites, FramesAreCountedFromArrivalToTheEndOfTheWrite) {
  EXPECT_EQ(free(), 3);
  task* const one = write(20, 17);  // two frames
  EXPECT_EQ(free(), 1);
  task* const other = write(100, 32);
  EXPECT_EQ(free(), -1);
  end(one);
  EXPECT_EQ(free(), 1);
  end(other);
  EXPECT_EQ(free(), 3);
  EXPECT_EQ(set_->writes.held, 0U);
}

TEST_F(TaskSetWrites, FramesGoToTheOldestOutsideEvenIfAYoungerOneWouldFit) {
  task* const two = write(20, 32);
  EXPECT_EQ(task_set_next_for_frames(set_.get()), two);
  task_set_give_frames(set_.get(), two);
  task* const wide = write(100, 32);
  task* const narrow = write(200, 1);
  EXPECT_EQ(task_set_next_for_frames(set_.get()), nullptr) << "one frame is free, two are needed";
  end(two);
  EXPECT_EQ(task_set_next_for_frames(set_.get()), wide);
  task_set_give_frames(set_.get(), wide);
  EXPECT_EQ(task_set_next_for_frames(set_.get()), narrow);
  task_set_give_frames(set_.get(), narrow);
  task* const last = write(300, 1);
  EXPECT_EQ(task_set_next_for_frames(set_.get()), nullptr);
  task_set_take_frames(set_.get(), narrow);
  EXPECT_EQ(task_set_next_for_frames(set_.get()), narrow);
  end(narrow);
  EXPECT_EQ(task_set_next_for_frames(set_.get()), last);
}

// A write that may not begin yet (here: behind a read of its block) gets no frame meanwhile.
TEST_F(TaskSetWrites, FramesGoToNoneThatIsDormant) {
  task* const reader = read(20);
  task* const blocked = write(20);
  ASSERT_EQ(blocked->state, TASK_DORMANT);
  EXPECT_EQ(free(), 2);
  EXPECT_EQ(task_set_next_for_frames(set_.get()), nullptr);
  end(reader);
  EXPECT_EQ(in(set_->writes.arriving), (Lbas{20}));
  EXPECT_EQ(task_set_next_for_frames(set_.get()), blocked);
}

TEST_F(TaskSetWrites, ReportedOneThatATaskWaitsFor_IsAwaited) {
  task* const other = write(10);
  task* const one = write(20);
  report(other);
  report(one);
  EXPECT_EQ(task_set_awaited_write(set_.get()), nullptr);
  task* const reader = read(20);
  ASSERT_EQ(reader->state, TASK_DORMANT);
  EXPECT_EQ(task_set_awaited_write(set_.get()), one);
  end(one);
  EXPECT_EQ(reader->state, TASK_ENABLED);
  EXPECT_EQ(task_set_awaited_write(set_.get()), nullptr);
}

TEST_F(TaskSetWrites, PromotedOne_LeavesTheListsAndKeepsItsFrames) {
  task* const one = write(20);
  task_set_give_frames(set_.get(), one);
  ASSERT_TRUE(task_set_promote(set_.get(), one));
  EXPECT_EQ(task_set_waiting_count(set_.get()), 0U);
  EXPECT_EQ(task_set_forced(set_.get()), one);
  EXPECT_EQ(free(), 2);
  end(one);
  EXPECT_EQ(free(), 3);
}

TEST_F(TaskSetWrites, EndOfTheThreshold_ReturnsTheWritesToThePolicy) {
  read(10);
  task* const one = write(20);
  read(30);
  report(one);
  task_set_unbuffer(set_.get(), one);
  set(WRITE_THRESHOLD_NONE);
  EXPECT_EQ(in(set_->enabled), (Lbas{10, 20, 30}));
  EXPECT_EQ(task_set_waiting_count(set_.get()), 3U);
}

}  // namespace
}  // namespace headstack::firmware
