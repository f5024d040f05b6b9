// SPDX-License-Identifier: Apache-2.0
// Many commands at a time: disconnection, reselection, reordering, and a full queue (SCSI-2 6.6.6,
// 6.6.7, 6.6.17, 7.8).
#include <algorithm>
#include <map>
#include <random>

#include "tests/scenario/drive_bench.hpp"
#include "tests/support.hpp"

namespace headstack::scenario {
namespace {

class Queueing : public DriveBench {
 protected:
  struct Request {
    std::uint32_t lba = 0;
    std::uint32_t count = 0;
    bool is_write = false;
    Bytes expected;  // expected data of a read
  };

  /// Half of the requests anywhere, half in a corner of 100 blocks, so that reads meet writes. The
  /// data that a read must bring are known when it is sent. With restricted reordering (SPC-2 table
  /// 156, the default) they are what the writes before it left.
  Ticket submit_random(std::mt19937& random, std::uint16_t tag) {
    constexpr std::uint32_t kSizes[] = {1, 2, 4, 8, 8, 13};
    Request request;
    request.count = kSizes[random() % 6];
    request.lba = (random() % 2 == 0 ? capacity() : 100) - request.count;
    request.lba = static_cast<std::uint32_t>(random() % request.lba);
    request.is_write = random() % 2 == 0;
    if (!request.is_write) request.expected = blocks().expected(request.lba, request.count);
    const Ticket ticket = submit(
        tagged(request.is_write ? write_10(request.lba, blocks().write(request.lba, request.count))
                                : read_10(request.lba, request.count),
               tag));
    requests_[ticket] = std::move(request);
    return ticket;
  }

  /// Keeps `depth` commands outstanding until `count` have ended. Returns the most that the drive
  /// had at once.
  std::size_t run_load(std::size_t depth, std::size_t count) {
    std::mt19937 random(20);
    std::size_t deepest = 0;
    std::uint16_t tag = 0;
    run_until(
        [&] {
          while (tag < count && tag < order().size() - done_before_ + depth) {
            submit_random(random, tag++);
          }
          deepest = std::max(deepest, host().in_flight_count());
          return order().size() == done_before_ + count;
        },
        20 * kPicosecondsPerSecond, 20 * kMicrosecond);
    return deepest;
  }

  void power_on_with_policy(std::uint8_t policy) {
    power_on_fast();
    ASSERT_EQ(run(mode_select_6(scheduler_page(policy))), "GOOD");
    done_before_ = order().size();
  }

  void expect_sound() {
    for (const auto& [ticket, request] : requests_) {
      const Completion& done = result(ticket);
      SCOPED_TRACE(testing::Message() << "ticket " << ticket);
      EXPECT_EQ(outcome(done), "GOOD");
      EXPECT_EQ(done.times.disconnected.size(), done.times.reselected.size());
      if (request.is_write) continue;
      EXPECT_GE(done.times.disconnected.size(), 1U) << "no cache: the media takes its time";
      EXPECT_EQ(blocks().first_difference(done.data, request.expected, request.lba), std::nullopt);
    }
    // The media have the newest version of all blocks, too.
    EXPECT_EQ(blocks().first_difference(peek(0, capacity()), blocks().expected(0, capacity()), 0),
              std::nullopt);
  }

  bool served_in_order() const {
    return std::is_sorted(order().begin() + static_cast<std::ptrdiff_t>(done_before_),
                          order().end());
  }

  std::map<Ticket, Request> requests_;
  std::size_t done_before_ = 0;
};

TEST_F(Queueing, TwoTagsInFlight_AllDataRight) {
  power_on_with_policy(kFcfs);
  EXPECT_EQ(run_load(2, 30), 2U);
  expect_sound();
}

TEST_F(Queueing, SixtyFourTagsInFlight_UnderStf_AllDataRight_AndReordered) {
  power_on_with_policy(kStf);
  EXPECT_EQ(run_load(64, 160), 64U);
  expect_sound();
  EXPECT_FALSE(served_in_order());
}

TEST_F(Queueing, WideTags_TravelBothWays) {
  power_on_fast();
  prepare(100, 8);
  const Ticket low = submit(tagged(read_10(100, 4), 0x0034));
  const Ticket high = submit(tagged(read_10(104, 4), 0x1234));  // differs in the high byte only
  expect_data(await(low), 100, 4);
  expect_data(await(high), 104, 4);
  EXPECT_GE(result(high).times.reselected.size(), 1U);
}

// SCSI-2 6.6.7: without the privilege in IDENTIFY the drive keeps the bus until it has finished.
TEST_F(Queueing, WithoutDisconnectPrivilege_TheBusStaysTaken) {
  power_on_fast();
  prepare(1800, 30);
  for (const bool is_tagged : {false, true}) {
    Command command = read_10(1800, 30);
    if (is_tagged) command = tagged(command, 3);
    command.may_disconnect = false;
    const Completion done = execute(command);
    expect_data(done, 1800, 30);
    EXPECT_TRUE(done.times.disconnected.empty());
    EXPECT_TRUE(done.times.reselected.empty());
  }
  Command write = write_10(1810, blocks().write(1810, 20));
  write.may_disconnect = false;
  const Completion done = execute(write);
  EXPECT_EQ(outcome(done), "GOOD");
  EXPECT_TRUE(done.times.disconnected.empty());
  EXPECT_EQ(done.bytes_moved, 20 * kBlockBytes);
  expect_reads_back(1800, 30);
}

// A command keeps the bus while others in the drive wait for it.
TEST_F(Queueing, CommandThatKeepsTheBus_AmongDisconnectingOnes) {
  power_on_fast();
  prepare(0, 20);
  prepare(2000, 20);
  const Ticket first = submit(tagged(read_10(0, 20), 1));
  Command keeps = tagged(read_10(2000, 20), 2);
  keeps.may_disconnect = false;
  const Ticket second = submit(keeps);
  expect_data(await(second), 2000, 20);
  expect_data(await(first), 0, 20);
  EXPECT_TRUE(result(second).times.disconnected.empty());
}

// SCSI-2 7.5.2: an untagged command beside tagged ones is an overlapped command. The drive ends all
// of them, and so does the host when it gets the report.
TEST_F(Queueing, UntaggedBesideTagged_IsOverlapped_AndEndsThemAll) {
  power_on_fast();
  prepare(1000, 100);
  std::vector<Ticket> reads;
  for (std::uint16_t tag = 1; tag <= 3; ++tag) {
    reads.push_back(submit(tagged(read_10(1000, 100), tag)));
  }
  run_until([&] { return host().waiting_count() == 0; });
  EXPECT_EQ(run(test_unit_ready()), "B/4E/00");
  for (const Ticket read : reads) {
    ASSERT_TRUE(is_done(read));
    EXPECT_EQ(outcome(result(read)), "cleared by an overlapped command");
  }
  EXPECT_TRUE(host().idle());
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
  expect_data(execute(tagged(read_10(1000, 100), 1)), 1000, 100);
}

struct QueueErrorCase {
  const char* what;
  std::uint8_t qerr;
  bool by_the_host;  // the host sets the page; else the drive has it from power-on
};

class QueueError : public Queueing, public testing::WithParamInterface<QueueErrorCase> {};

// SPC-2 8.3.6: with QERR a CHECK CONDITION ends the other tasks. 01b and 11b are alike for their
// own host, which gets no unit attention. With 00b they go on after REQUEST SENSE.
TEST_P(QueueError, OtherCommandsOfTheHost_EndOrContinue) {
  power_on_ready(stored_setup());
  prepare(0, 200);
  const auto qerr = static_cast<std::uint8_t>(GetParam().qerr << 1U);
  const Bytes page = {0x0A, 0x0A, 0, qerr, 0, 0, 0, 0, 0, 0, 0, 0};
  if (!GetParam().by_the_host) {
    // The saved page comes into force by a reset. The host adapter has never received it.
    EXPECT_EQ(run(mode_select_6(page, true)), "GOOD");
    host().reset_bus();
    run_until([&] { return host().idle(); });
    EXPECT_EQ(run(test_unit_ready()), "6/29/02");
  } else {
    EXPECT_EQ(run(mode_select_6(page)), "GOOD");
  }
  std::vector<Ticket> reads;
  for (std::uint16_t tag = 0; tag < 4; ++tag) {
    reads.push_back(submit(tagged(read_10(50U * tag, 50), tag)));
  }
  run_until([&] { return host().waiting_count() == 0; }, kPatience, kMicrosecond);
  ASSERT_FALSE(is_done(reads[0]));
  EXPECT_EQ(run(tagged(plain({0x00, 0, 0, 0, 1, 0}), 9)), "5/24/00");
  await_all();
  for (std::uint16_t tag = 0; tag < 4; ++tag) {
    if (qerr == 0) {
      expect_data(result(reads[tag]), 50U * tag, 50);
    } else {
      EXPECT_EQ(outcome(result(reads[tag])), "cleared, as QERR has it when another fails");
    }
  }
  EXPECT_EQ(run(test_unit_ready()), "GOOD") << "no unit attention for the host itself";
  expect_data(execute(tagged(read_10(0, 50), 1)), 0, 50);
}

const QueueErrorCase kQueueErrors[] = {
    {"Set00b", 0, true},    {"Set01b", 1, true},    {"Set11b", 3, true},
    {"Saved00b", 0, false}, {"Saved01b", 1, false}, {"Saved11b", 3, false},
};
INSTANTIATE_TEST_SUITE_P(Scenario, QueueError, testing::ValuesIn(kQueueErrors),
                         test::case_name<QueueErrorCase>);

// SCSI-2 7.6: sense data wait for their REQUEST SENSE, and no task of that host continues
// meanwhile.
TEST_F(Queueing, ContingentAllegiance_HoldsTheQueueUntilRequestSense) {
  power_on_fast();
  prepare(0, 200);
  std::vector<Ticket> reads;
  for (std::uint16_t tag = 0; tag < 4; ++tag) {
    reads.push_back(submit(tagged(read_10(50U * tag, 50), tag)));
  }
  Command bad = tagged(plain({0x00, 0, 0, 0, 1, 0}), 9);
  bad.auto_sense = false;
  const Completion check = await(submit(bad));
  EXPECT_EQ(check.status, 0x02);
  const std::size_t done = order().size();
  run_for(200 * kMillisecond);  // all four would take less than 120 ms
  EXPECT_EQ(order().size(), done);
  EXPECT_EQ(sense_text(execute(request_sense()).data), "5/24/00");
  for (std::uint16_t tag = 0; tag < 4; ++tag) expect_data(await(reads[tag]), 50U * tag, 50);
}

// SAM-2 5.3.1, SCSI-2 7.3: TASK SET FULL, which SCSI-2 calls QUEUE FULL. The drive has memory for
// 5,120 tasks (firmware/queue/task_set.h).
// SAM-2 4.8: a nexus is I_T_L_Q. A scan of logical units beside tasks of unit 0 leaves them alone.
TEST_F(Queueing, CommandsToOtherUnits_DoNotAffectTheTasksOfUnit0) {
  power_on_fast();
  std::vector<Ticket> reads;
  for (std::uint16_t tag = 0; tag < 8; ++tag) {
    prepare(200U * tag, 8);
    reads.push_back(submit(tagged(read_10(200U * tag, 8), tag)));
  }
  for (std::uint8_t lun = 1; lun < 8; ++lun) {
    Command scan = inquiry();
    scan.lun = lun;
    EXPECT_EQ(run(scan), "GOOD");
    Command ready = lun % 2 == 0 ? test_unit_ready() : tagged(test_unit_ready(), 3);
    ready.lun = lun;
    EXPECT_EQ(run(ready), "5/25/00");
  }
  for (std::uint16_t tag = 0; tag < 8; ++tag) expect_data(await(reads[tag]), 200U * tag, 8);
}

TEST_F(Queueing, OneCommandTooMany_IsQueueFull) {
  constexpr std::uint16_t kCapacity = 5120;
  Setup setup = fast_setup();
  setup.description.design.rpm = 1200;
  power_on_ready(setup);
  // The first passes over the whole drive, 120 revolutions of 50 ms: nothing ends meanwhile.
  std::vector<Ticket> out;
  for (std::uint16_t tag = 0; tag < kCapacity; ++tag) {
    out.push_back(
        submit(tagged(tag == 0 ? verify_10(0, capacity()) : read_10(tag % 1000, 1), tag)));
  }
  run_until([&] { return host().waiting_count() == 0; }, 20 * kPicosecondsPerSecond);
  ASSERT_FALSE(is_done(out[0])) << "the drive must still have them all";
  EXPECT_EQ(host().in_flight_count(), kCapacity);
  EXPECT_EQ(run(tagged(read_10(0, 1), kCapacity)), "QUEUE FULL");
  await(manage(initiator::ManagementKind::kAbortTag, 500));
  EXPECT_EQ(outcome(result(out[500])), "aborted");
  const Ticket fits = submit(tagged(read_10(0, 1), kCapacity));
  run_until([&] { return host().waiting_count() == 0; });
  EXPECT_FALSE(is_done(fits)) << "there is room again";
  await(manage(initiator::ManagementKind::kAbort));
  await_all();
  EXPECT_EQ(run(test_unit_ready()), "GOOD");
}

}  // namespace
}  // namespace headstack::scenario
