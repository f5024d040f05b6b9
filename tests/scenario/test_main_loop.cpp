// SPDX-License-Identifier: Apache-2.0
// On `vp`: the longest time that the firmware takes between two returns to its main loop. Meanwhile
// it looks at no event of any block. The queue is that of 15 hosts with all their tags: 3,840
// tasks. The policy is `fcfs`, so that no search of a policy is among the work.
#include <gmock/gmock.h>

#include "tests/scenario/drive_bench.hpp"
#include "tests/scenario/duration_bench.hpp"
#include "tests/scenario/loop_watch.hpp"
#include "tests/vp_firmware.hpp"

namespace headstack::scenario {
namespace {

/// The bound for all handlers: 0.5 ms, a sector's time.
constexpr core::Cycle kBound = 20'000;
/// Work that is not in slices yet, each with its present bound. All of it grows with the number of
/// tasks, which no host with a usual queue comes near.
/// A contingent allegiance withdraws each of the initiator's own tasks, and its end enables them
/// again, 600 cycles for both. Both walk through the whole queue.
constexpr core::Cycle kAllegianceBound = 160'000;
/// The end of an ORDERED task walks through the whole queue, for the tasks that it has held.
constexpr core::Cycle kOrderedBound = 220'000;
/// A change of the policy visits each waiting command, in 5 cycles.
constexpr core::Cycle kPolicyBound = 24'000;

constexpr std::size_t kHosts = 15;
constexpr std::size_t kTags = 256;

class MainLoop : public DriveBench {
 protected:
  void SetUp() override {
    Setup setup = plain_setup();
    setup.hosts.clear();
    for (std::size_t i = 0; i < kHosts; ++i) {
      setup.hosts.push_back(host_config(initiator::kFast10Wide, static_cast<std::uint8_t>(15 - i)));
    }
    power_on_ready(setup);
    prepare(0, capacity());
    platform().hart()->watch(&watch_);
    ASSERT_EQ(run(test_unit_ready()), "GOOD");
    expect_bound();
  }
  void fill_queue(TagType type = TagType::kSimple) {
    for (std::size_t host = 0; host < kHosts; ++host) {
      for (std::size_t tag = 0; tag < kTags; ++tag) {
        const auto lba = static_cast<std::uint32_t>((7 * tag + 131 * host) % (capacity() - 1));
        const Ticket ticket =
            submit(tagged(read_10(lba, 1), static_cast<std::uint16_t>(tag), type), host);
        if (host == 0 && tag == 0) first_ = ticket;
      }
    }
    run_for(2 * kPicosecondsPerSecond);
    expect_bound(type == TagType::kOrdered ? kOrderedBound : kBound);
  }
  /// Commands of fill_queue() that are done. The adapters of hosts 3 and 5 end theirs themselves
  /// when they learn of a loss.
  std::size_t ended_of_others() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < kHosts * kTags; ++i) {
      const std::size_t host = i / kTags;
      if (host != 3 && host != 5 && is_done(first_ + i)) ++count;
    }
    return count;
  }
  /// Checks the longest stretch since the last call.
  void expect_bound(core::Cycle bound = kBound) {
    const LoopWatch::Stretch longest = watch_.take_longest();
    EXPECT_LE(longest.cycles, bound) << "from cycle " << longest.begin << " on: " << longest.spent;
    EXPECT_GT(longest.cycles, 0U) << "the main loop was not watched";
  }
  /// Host 3 reads, ahead of all other tasks.
  void expect_read() {
    expect_data(execute(tagged(read_10(100, 1), kOtherTag, TagType::kHeadOfQueue), 3), 100, 1);
  }
  /// Ends all tasks. Hosts wait for 250 ms after a reset (SCSI-2 5.7.15, reset to selection).
  void reset() {
    host(0).reset_bus();
    run_for(500 * kMillisecond);
  }

  static constexpr std::uint16_t kOtherTag = 0x1234;

 private:
  Ticket first_ = 0;
  LoopWatch watch_{*test::vp_firmware()};
};

TEST_F(MainLoop, Commands) {
  const Bytes pattern(8 * kBlockBytes, 0x5A);
  for (const Command& command : {inquiry(),
                                 request_sense(),
                                 report_luns(),
                                 read_capacity_10(),
                                 read_capacity_16(),
                                 mode_sense_10(0x3F),
                                 reads({0x5A, 0x08, 0x3F, 0xFF, 0, 0, 0, 4, 0, 0}, 1024),
                                 log_sense(0x00),
                                 log_sense(0x03),
                                 log_sense(0x15),
                                 log_sense(0x32),
                                 log_sense(0x34),
                                 read_10(0, 64),
                                 write_10(64, pattern),
                                 write_and_verify(64, pattern),
                                 verify_10(0, 64),
                                 seek_10(2000),
                                 reassign_blocks({100, 200}),
                                 read_defect_data_10(true, true, kBlockFormat),
                                 send_diagnostic(true),
                                 synchronize_cache(),
                                 start_stop(false),
                                 start_stop(true)}) {
    SCOPED_TRACE(testing::Message() << std::hex << int{command.cdb[0]});
    (void)execute(command);
    expect_bound();
  }
  const Ticket format = submit(format_unit());
  EXPECT_EQ(outcome(await(format, 100 * kPicosecondsPerSecond)), "GOOD");
  expect_bound();
}

// For hosts the tasks end at once: none of them sends data or a status any more. Until the last of
// them is aborted, a command that needs a task is answered with QUEUE FULL, and others are served.
TEST_F(MainLoop, ClearQueue) {
  fill_queue();
  const Ticket clear = manage(initiator::ManagementKind::kClearQueue, 0, 3);
  await(clear);
  const std::size_t ended = ended_of_others();
  EXPECT_EQ(run(tagged(read_10(0, 1), kOtherTag), 3), "QUEUE FULL");
  EXPECT_EQ(run(inquiry(), 3), "GOOD");
  EXPECT_EQ(run(tagged(test_unit_ready(), kOtherTag), 5), "6/2F/00");
  run_for(100 * kMillisecond);
  EXPECT_EQ(ended_of_others(), ended);
  expect_bound();
  expect_read();
  reset();
}

// Each ORDERED task holds all younger ones.
TEST_F(MainLoop, ClearQueueOfOrderedTasks) {
  fill_queue(TagType::kOrdered);
  await(manage(initiator::ManagementKind::kClearQueue, 0, 3));
  run_for(100 * kMillisecond);
  expect_bound();
  expect_read();
  reset();
}

TEST_F(MainLoop, Abort) {
  fill_queue();
  const Ticket abort = manage(initiator::ManagementKind::kAbort, 0, 3);
  await(abort);
  EXPECT_EQ(run(tagged(read_10(0, 1), 0), 3), "QUEUE FULL");
  run_for(100 * kMillisecond);
  expect_bound();
  expect_read();
  reset();
}

TEST_F(MainLoop, BusReset) {
  fill_queue();
  reset();
  expect_bound();
  EXPECT_EQ(run(test_unit_ready(), 3), "6/29/02");
  expect_read();
}

// A reset in the middle of the slices of another one, and of a CLEAR QUEUE.
TEST_F(MainLoop, TwoAtOnce) {
  fill_queue();
  await(manage(initiator::ManagementKind::kClearQueue, 0, 3));
  run_for(300 * kMicrosecond);
  host(3).reset_bus();
  run_for(60 * kMicrosecond);
  host(4).reset_bus();
  run_for(500 * kMillisecond);
  expect_bound();
  EXPECT_EQ(run(test_unit_ready(), 3), "6/29/02");
  expect_read();
}

class QueueError : public MainLoop, public testing::WithParamInterface<std::uint8_t> {};

// SPC-2 table 157: QERR 01b ends the tasks of all initiators, 11b those of the same one.
TEST_P(QueueError, EndsTasksInSlices) {
  const auto byte = static_cast<std::uint8_t>(GetParam() << 1U);
  ASSERT_EQ(run(mode_select_6(control_page(byte))), "GOOD");
  for (std::size_t i = 1; i < kHosts; ++i) EXPECT_EQ(run(test_unit_ready(), i), "6/2A/01");
  fill_queue();
  EXPECT_EQ(run(tagged(read_10(0xFFFFFF, 1), kOtherTag), 3), "5/21/00");
  const std::size_t ended = ended_of_others();
  if (GetParam() == 1) {
    // The second CHECK CONDITION finds no further task, and raises no attention.
    EXPECT_EQ(run(tagged(test_unit_ready(), kOtherTag), 5), "6/2F/00");
    EXPECT_EQ(run(tagged(test_unit_ready(), kOtherTag), 3), "GOOD");
  }
  run_for(100 * kMillisecond);
  expect_bound();
  if (GetParam() == 1) {
    EXPECT_EQ(ended_of_others(), ended);
  } else {
    EXPECT_GT(ended_of_others(), ended) << "the tasks of other hosts are served";
  }
  expect_read();
  reset();
}
INSTANTIATE_TEST_SUITE_P(Values, QueueError, testing::Values(1, 3));

TEST_F(MainLoop, ContingentAllegiance) {
  fill_queue();
  EXPECT_EQ(run(tagged(read_10(0xFFFFFF, 1), kOtherTag), 3), "5/21/00");
  EXPECT_EQ(run(tagged(test_unit_ready(), kOtherTag), 3), "GOOD");
  expect_bound(kAllegianceBound);
  reset();
}

TEST_F(MainLoop, ChangeOfThePolicy) {
  fill_queue();
  for (const std::uint8_t policy : {kSstf, kFcfs}) {
    EXPECT_EQ(run(tagged(mode_select_6(scheduler_page(policy)), kOtherTag), 3), "GOOD");
    expect_bound(kPolicyBound);
  }
  reset();
}

}  // namespace
}  // namespace headstack::scenario
