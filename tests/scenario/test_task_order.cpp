// SPDX-License-Identifier: Apache-2.0
// The order that task attributes promise, from a host's side (SCSI-2 7.8, SAM-2 7.6).
#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

class TaskOrder : public DriveBench {
 protected:
  void SetUp() override {
    power_on_fast();
    // stf prefers near requests, so it would not keep the order by itself.
    ASSERT_EQ(run(mode_select_6(scheduler_page(kStf))), "GOOD");
    ASSERT_EQ(run(read_10(0, 1)), "GOOD") << "heads at the outer edge";
  }

  Ticket read(std::uint32_t lba, TagType type = TagType::kSimple, std::uint32_t count = 1) {
    submitted_.push_back(submit(tagged(read_10(lba, count), next_tag_++, type)));
    return submitted_.back();
  }
  /// Expects that all submitted commands are in the drive, and that `busy` still keeps the media.
  void all_arrived(Ticket busy) {
    run_until([&] { return host().waiting_count() == 0; }, kMillisecond * 100, kMicrosecond);
    ASSERT_FALSE(is_done(busy));
  }
  void expect_all_good() {
    await_all();
    for (const Ticket ticket : submitted_) EXPECT_EQ(outcome(result(ticket)), "GOOD");
  }

  std::uint16_t next_tag_ = 1;
  std::vector<Ticket> submitted_;
};

TEST_F(TaskOrder, SimpleTasks_AreServedAsItSuitsTheDrive) {
  const Ticket busy = read(0, TagType::kSimple, 40);
  const Ticket far = read(2100);
  const Ticket near = read(60);
  all_arrived(busy);
  expect_all_good();
  EXPECT_LT(place(near), place(far)) << "otherwise the tests below prove nothing";
}

TEST_F(TaskOrder, OrderedTask_IsServedAfterAllOlder_AndBeforeAllYounger) {
  const Ticket busy = read(0, TagType::kSimple, 40);
  const std::vector<Ticket> before = {busy, read(2100), read(1300), read(1700)};
  const Ticket ordered = read(80, TagType::kOrdered);
  const std::vector<Ticket> behind = {read(100), read(120), read(2140)};
  all_arrived(busy);
  expect_all_good();
  for (const Ticket ticket : before) EXPECT_LT(place(ticket), place(ordered));
  for (const Ticket ticket : behind) EXPECT_GT(place(ticket), place(ordered));
}

TEST_F(TaskOrder, OrderedTasks_KeepTheirOrder) {
  const Ticket busy = read(0, TagType::kSimple, 40);
  const Ticket first = read(2100, TagType::kOrdered);
  const Ticket second = read(60, TagType::kOrdered);
  const Ticket third = read(1500, TagType::kOrdered);
  all_arrived(busy);
  expect_all_good();
  EXPECT_LT(place(busy), place(first));
  EXPECT_LT(place(first), place(second));
  EXPECT_LT(place(second), place(third));
}

TEST_F(TaskOrder, HeadOfQueueTask_OvertakesAllThatWait) {
  const Ticket busy = read(0, TagType::kSimple, 60);
  const std::vector<Ticket> waiting = {read(80), read(100), read(120, TagType::kOrdered),
                                       read(140)};
  const Ticket urgent = read(2100, TagType::kHeadOfQueue);
  all_arrived(busy);
  expect_all_good();
  EXPECT_LT(place(busy), place(urgent)) << "what the media has begun is not taken back";
  for (const Ticket ticket : waiting) EXPECT_GT(place(ticket), place(urgent));
}

// SAM-2 7.6: a HEAD OF QUEUE task goes before those already there.
TEST_F(TaskOrder, HeadOfQueueTasks_TheNewestFirst) {
  const Ticket busy = read(0, TagType::kSimple, 60);
  const Ticket waiting = read(80);
  const Ticket older = read(100, TagType::kHeadOfQueue);
  const Ticket newer = read(2100, TagType::kHeadOfQueue);
  all_arrived(busy);
  expect_all_good();
  EXPECT_LT(place(newer), place(older));
  EXPECT_LT(place(older), place(waiting));
}

// SPC-2 table 156, queue algorithm modifier 0: a read sees the write that came before it.
TEST_F(TaskOrder, OverlappingTasks_KeepTheirOrder_WithRestrictedReordering) {
  prepare(2000, 8);
  const Ticket busy = read(0, TagType::kSimple, 40);
  const Bytes before = blocks().expected(2000, 8);
  const Ticket early = read(2000, TagType::kSimple, 8);
  const Ticket write = submit(tagged(write_10(2000, blocks().write(2000, 8)), 50));
  const Ticket late = read(2004, TagType::kSimple, 2);
  all_arrived(busy);
  expect_all_good();
  EXPECT_EQ(result(early).data, before);
  EXPECT_EQ(outcome(result(write)), "GOOD");
  EXPECT_LT(place(early), place(write));
  expect_data(result(late), 2004, 2);
}

}  // namespace
}  // namespace headstack::scenario
