// SPDX-License-Identifier: Apache-2.0
// On `vp`: the longest time that the firmware takes between two returns to its main loop. Meanwhile
// it looks at no event of any block. The queue is that of 15 hosts with all their tags: 3,840
// tasks. The policy is `fcfs`, so that no search of a policy is among the work.
#include <gmock/gmock.h>

#include "host/replay/map_transfer.hpp"
#include "host/replay/urgency_message.hpp"
#include "tests/scenario/drive_bench.hpp"
#include "tests/scenario/duration_bench.hpp"
#include "tests/scenario/loop_watch.hpp"
#include "tests/vp_firmware.hpp"

namespace headstack::scenario {
namespace {

enum LoopBound : core::Cycle {
#define LOOP_BOUND(NAME, cycles, what) NAME = cycles,
#define LOOP_CHOICE(policy, cycles, what)
#include "firmware/loop_bounds.def"
#undef LOOP_BOUND
#undef LOOP_CHOICE
};

// Cycles of a choice for each candidate, by policy.
const std::map<std::string, core::Cycle> kChoices = {
#define LOOP_BOUND(NAME, cycles, what)
#define LOOP_CHOICE(policy, cycles, what) {#policy, cycles},
#include "firmware/loop_bounds.def"
#undef LOOP_BOUND
#undef LOOP_CHOICE
};

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
    watch();
  }
  /// Watches the main loop from now on.
  void watch() {
    platform().hart()->watch(&watch_);
    ASSERT_EQ(run(test_unit_ready()), "GOOD");
    expect_bound();
  }
  /// A drive of 96,000 sectors, of which the store and the slips are among the spares.
  void power_on_large(std::uint32_t spares, std::uint32_t store_sectors,
                      const std::vector<std::uint32_t>& slips = {}) {
    Setup setup = stored_setup();
    drive::Design& design = setup.description.design;
    design.cylinders = 400;
    design.heads = 4;
    design.seek.pieces = {{399, 2.0, 0, 0.01, 0}};
    drive::Zone& zone = design.zones[0];
    zone.last_cylinder = 399;
    zone.sectors_per_track = 60;
    zone.spares = spares;
    zone.store_sectors = store_sectors;
    for (const std::uint32_t slip : slips) zone.slips.push_back(slip);
    design.zones.resize(1);
    power_on_ready(setup);
    watch();
    run_for(3 * kPicosecondsPerSecond);
    expect_bound();
  }
  /// Some of the deadlines are missed, and most are not.
  static void add_deadline(Command& command, std::size_t tag) {
    traces::TraceRequest request;
    request.deadline = (500 + 31 * tag) * kMillisecond;
    command.dated_message = [request](Picoseconds) {
      return replay::urgency_message(request, *request.deadline, 0);
    };
  }
  void fill_queue(TagType type = TagType::kSimple, std::size_t hosts = kHosts) {
    for (std::size_t host = 0; host < hosts; ++host) {
      for (std::size_t tag = 0; tag < kTags; ++tag) {
        const auto lba = static_cast<std::uint32_t>((7 * tag + 131 * host) % (capacity() - 1));
        Command read = tagged(read_10(lba, 1), static_cast<std::uint16_t>(tag), type);
        if (have_deadlines_ && tag % 3 != 0) add_deadline(read, tag);
        const Ticket ticket = submit(std::move(read), host);
        if (host == 0 && tag == 0) first_ = ticket;
      }
    }
    filled_ = hosts * kTags;
    run_for(2 * kPicosecondsPerSecond);
    expect_bound();
  }
  /// Commands of fill_queue() that are done, but those of `but`.
  std::size_t ended(const std::set<std::size_t>& but = {}) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < filled_; ++i) {
      if (but.count(i / kTags) == 0 && is_done(first_ + i)) ++count;
    }
    return count;
  }
  /// The adapters of hosts 3 and 5 end their commands themselves when they learn of a loss.
  std::size_t ended_of_others() const { return ended({3, 5}); }
  /// Checks the longest stretch since the last call.
  void expect_bound(core::Cycle bound = HANDLER) {
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
  bool have_deadlines_ = false;  // of fill_queue()

 private:
  LoopWatch watch_{*test::vp_firmware()};
  Ticket first_ = 0;
  std::size_t filled_ = 0;
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

// A drive with 5,000 defects from the factory, slipped, and with as many as its list of grown
// defects holds.
class ManyDefects : public MainLoop {
 protected:
  static constexpr std::uint32_t kPrimary = 5000;
  static constexpr std::uint32_t kGrown = 594;
  static constexpr std::uint32_t kDistance = 17;  // sectors between two slips

  void SetUp() override {
    std::vector<std::uint32_t> slips;
    for (std::uint32_t i = 0; i < kPrimary; ++i) slips.push_back(kDistance * i);
    power_on_large(kPrimary + kGrown, 32, slips);
  }
};

TEST_F(ManyDefects, Commands) {
  constexpr std::uint32_t kAtOnce = 66;
  std::string ended = "GOOD";
  std::uint32_t grown = 0;
  for (; ended == "GOOD"; grown += kAtOnce) {
    ASSERT_LT(grown, kGrown);
    std::vector<std::uint32_t> blocks;
    for (std::uint32_t i = 0; i < kAtOnce; ++i) blocks.push_back(100 * (grown + i));
    ended = outcome(await(submit(reassign_blocks(blocks)), 100 * kPicosecondsPerSecond));
    expect_bound();
  }
  EXPECT_EQ(ended, "4/32/00") << "no spare, or the list is full";
  EXPECT_GT(grown, 400U);
  for (const std::uint8_t format : {kBlockFormat, kBytesFromIndex, kPhysicalSector}) {
    (void)execute(read_defect_data_12(true, true, format, 0xFFFF));
    expect_bound(DEFECTS);
  }
  for (const Command& command :
       {log_sense(0x03), send_diagnostic(true), reassign_blocks({7}), synchronize_cache()}) {
    SCOPED_TRACE(testing::Message() << std::hex << int{command.cdb[0]});
    (void)execute(command);
    expect_bound();
  }
  for (const Command& command :
       {read_10(40'000, 200), write_10(40'000, Bytes(200 * kBlockBytes)), verify_10(50'000, 500)}) {
    SCOPED_TRACE(testing::Message() << std::hex << int{command.cdb[0]});
    EXPECT_EQ(run(command), "GOOD");
    expect_bound(TRANSFER);
  }
  const Ticket format = submit(format_unit());
  EXPECT_EQ(outcome(await(format, 1000 * kPicosecondsPerSecond)), "GOOD");
  expect_bound(STORE);
}

// A map of as many units as a drive has room for.
class LargestMap : public MainLoop {
 protected:
  static constexpr std::uint32_t kUnits = 40'960;
  static constexpr std::uint16_t kUnitBlocks = 2;

  void SetUp() override { power_on_large(1600, 1600); }
  /// Page 23h (docs/remapping.md): moves to this map, at once when no host has a command.
  static Bytes remap_page(std::uint8_t map) {
    constexpr std::uint8_t kMoves = 0x02;
    return {0x23, 18, kMoves, map, 128, 0, 0, 1, 0, 0, 0, 0, 0, kUnitBlocks, 0, 0, 0, 0, 0, 0};
  }
};

TEST_F(LargestMap, IsSentAndUsed) {
  remap::Map map{0, kUnitBlocks, {}};
  for (std::uint32_t i = 0; i < kUnits; ++i) {
    map.slots.push_back(static_cast<std::uint16_t>(kUnits - 1 - i));
  }
  ASSERT_EQ(run(mode_select_10(remap_page(0))), "GOOD");
  expect_bound();
  for (std::uint8_t number = 1; number <= 2; ++number) {
    for (const Command& command : replay::map_commands(map, number)) {
      std::string ended = "BUSY";
      for (int tries = 0; ended == "BUSY" && tries < 100; ++tries) {
        ended = run(command);
        run_for(100 * kMillisecond);
      }
      ASSERT_EQ(ended, "GOOD");
      expect_bound();
    }
    std::reverse(map.slots.begin() + 100, map.slots.end());
  }
  for (std::uint8_t number : Bytes{1, 2, 0}) {
    SCOPED_TRACE(int{number});
    ASSERT_EQ(run(mode_select_10(remap_page(number))), "GOOD");
    for (std::uint32_t i = 0; i < 50; ++i) {
      (void)submit(tagged(read_10(1600 * i, 8), static_cast<std::uint16_t>(i)));
    }
    run_for(5 * kPicosecondsPerSecond);
    EXPECT_EQ(run(log_sense(0x33)), "GOOD");
    expect_bound();
  }
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
  run_for(100 * kMillisecond);
  expect_bound();
  reset();
}

TEST_F(MainLoop, ChangeOfThePolicy) {
  fill_queue();
  for (const std::uint8_t policy : {kSstf, kFcfs}) {
    EXPECT_EQ(run(tagged(mode_select_6(scheduler_page(policy)), kOtherTag), 3), "GOOD");
    expect_bound();
  }
  reset();
}

/// A policy's name and number, and whether the commands have deadlines.
using ChoiceRow = std::tuple<std::string, std::uint8_t, bool>;

std::vector<ChoiceRow> all_choices() {
  std::vector<ChoiceRow> rows;
  for (const bool have_deadlines : {false, true}) {
#define POLICY(number, name, selections) rows.emplace_back(#name, number, have_deadlines);
#include "firmware/queue/policies.def"
#undef POLICY
  }
  return rows;
}

class Choice : public MainLoop, public testing::WithParamInterface<ChoiceRow> {};

// About 600 commands wait when the policy changes: all of them are announced to it. With deadlines,
// two of three commands have one, and most of these can be met.
TEST_P(Choice, AfterAChangeOfThePolicy) {
  const auto& [policy, number, have_deadlines] = GetParam();
  constexpr std::size_t kWaitingHosts = 4;
  have_deadlines_ = have_deadlines;
  fill_queue(TagType::kSimple, kWaitingHosts);
  const std::size_t waiting = kWaitingHosts * kTags - ended();
  EXPECT_GT(waiting, 512U);
  EXPECT_EQ(run(tagged(mode_select_6(scheduler_page(number)), kOtherTag), 3), "GOOD");
  run_for(kPicosecondsPerSecond);
  const auto row = kChoices.find(policy);
  const core::Cycle handler = HANDLER;
  expect_bound(row == kChoices.end() ? handler : row->second * waiting);
  reset();
}
INSTANTIATE_TEST_SUITE_P(Policies, Choice, testing::ValuesIn(all_choices()), [](const auto& row) {
  return std::get<0>(row.param) + (std::get<2>(row.param) ? "_Deadlines" : "");
});

// A thousand tasks wait for an ORDERED one, and are enabled when it has ended.
TEST_F(MainLoop, EndOfAnOrderedTask) {
  Command verify = verify_10(0, static_cast<std::uint16_t>(capacity()));
  const Ticket first = submit(tagged(verify, kOtherTag, TagType::kOrdered), 3);
  run_for(3 * kMillisecond);
  expect_bound(TRANSFER);
  fill_queue();
  EXPECT_EQ(outcome(await(first)), "GOOD");
  run_for(100 * kMillisecond);
  expect_bound();
  reset();
}

// The write is longer than a region of the task set (firmware/queue/task_set.h).
TEST_F(MainLoop, LongWrite) {
  fill_queue();
  const Ticket write =
      submit(tagged(write_10(0, Bytes(1024 * kBlockBytes)), kOtherTag, TagType::kHeadOfQueue), 3);
  EXPECT_EQ(outcome(await(write)), "GOOD");
  run_for(100 * kMillisecond);
  expect_bound(CONFLICT);
  reset();
}

TEST_F(MainLoop, WritesAmongReads) {
  fill_queue();
  for (std::uint16_t i = 0; i < 16; ++i) {
    const auto tag = static_cast<std::uint16_t>(kOtherTag + i);
    submit(tagged(write_10(100U * i, Bytes(kBlockBytes)), tag, TagType::kHeadOfQueue), 3);
  }
  run_for(200 * kMillisecond);
  expect_bound(CONFLICT);
  reset();
}

}  // namespace
}  // namespace headstack::scenario
