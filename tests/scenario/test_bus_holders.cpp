// SPDX-License-Identifier: Apache-2.0
// Initiators that hold the bus until their command is done: no disconnect privilege, or DISCONNECT
// rejected (SCSI-2 6.1.4, 6.6.6, 6.6.7). No such command may wait for a task that needs the bus. It
// ends within a second, with BUSY or QUEUE FULL counted as answers after which the host repeats it.
#include "tests/firmware/tenancy_page.hpp"
#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

constexpr std::size_t kA = 0;  // disconnects, and keeps the drive busy
constexpr std::size_t kB = 1;  // does not

class BusHolders : public DriveBench {
 protected:
  static constexpr Picoseconds kSecond = kPicosecondsPerSecond;

  static Setup two_hosts() {
    Setup setup = plain_setup();
    setup.hosts = {host_config(initiator::kFast10Wide, 7),
                   host_config(initiator::kAsynchronous, 6)};
    return setup;
  }
  void power_on_two() {
    power_on_ready(two_hosts());
    prepare(0, 2100);
  }
  static Command holding(Command command) {
    command.may_disconnect = false;
    return command;
  }
  /// Repeats a command while the drive answers BUSY or QUEUE FULL. @return its end.
  Completion insist(const Command& command, std::size_t host, Picoseconds limit = kSecond) {
    const Picoseconds until = platform().now() + limit;
    for (;;) {
      const Ticket ticket = submit(command, host);
      run_until([&] { return is_done(ticket); }, limit, kMicrosecond * 50);
      const std::string text = outcome(result(ticket));
      if (text != "BUSY" && text != "QUEUE FULL") return result(ticket);
      if (platform().now() > until) return result(ticket);
      run_for(2 * kMillisecond);
    }
  }
  /// Loads the drive with reads and writes of A, anywhere, `count` at once.
  void load(std::uint16_t count, TagType type = TagType::kSimple) {
    for (std::uint16_t i = 0; i < count; ++i) {
      const std::uint32_t lba = (i * 211U) % 1500;
      Command command = i % 3 == 2 ? write_10(lba, blocks().write(lba, 12)) : read_10(lba, 40);
      submit(tagged(std::move(command), static_cast<std::uint16_t>(100 + i), type), kA);
    }
  }
};

struct Held {
  const char* name;
  Command command;
  const char* outcome;
};

std::vector<Held> held_commands() {
  const Bytes data(8 * kBlockBytes, 0x77);
  return {{"Read", read_10(1800, 8), "GOOD"},
          {"LongRead", read_10(1700, 200), "GOOD"},
          {"Write", write_10(2000, data), "GOOD"},
          {"Verify", verify_10(1800, 8), "GOOD"},
          {"Synchronize", synchronize_cache(), "GOOD"},
          {"StartUnit", start_stop(true), "GOOD"},
          {"OrderedRead", tagged(read_10(1800, 8), 9, TagType::kOrdered), "GOOD"},
          {"SimpleRead", tagged(read_10(1800, 8), 9), "GOOD"},
          {"HeadOfQueueRead", tagged(read_10(1800, 8), 9, TagType::kHeadOfQueue), "GOOD"},
          {"ReadThatOverlaps", read_10(422, 8), "GOOD"}};
}

class HeldCommand : public BusHolders, public testing::WithParamInterface<std::size_t> {};

TEST_P(HeldCommand, EndsWithinASecond_UnderLoad) {
  const Held held = held_commands()[GetParam()];
  for (const int depth : {1, 2, 7, 24}) {
    SCOPED_TRACE(depth);
    if (depth == 1) power_on_two();
    load(static_cast<std::uint16_t>(depth));
    run_for(3 * kMillisecond);
    EXPECT_EQ(outcome(insist(holding(held.command), kB)), held.outcome);
    await_all();
  }
}

TEST_P(HeldCommand, EndsWithinASecond_AfterOrderedTasks) {
  const Held held = held_commands()[GetParam()];
  power_on_two();
  load(12, TagType::kOrdered);
  run_for(3 * kMillisecond);
  EXPECT_EQ(outcome(insist(holding(held.command), kB)), held.outcome);
  await_all();
}

INSTANTIATE_TEST_SUITE_P(Of, HeldCommand, testing::Range(std::size_t{0}, held_commands().size()),
                         [](const auto& test) {
                           return std::string(held_commands()[test.param].name);
                         });

// Data of another host fill the buffer: they need the bus to leave it.
TEST_F(BusHolders, ReadWithAFullBuffer_Ends) {
  power_on_two();
  for (std::uint16_t i = 0; i < 10; ++i) submit(tagged(read_10(i * 100U, 90), i), kA);
  for (int i = 0; i < 5; ++i) {
    run_for(7 * kMillisecond);
    const Completion done = insist(holding(read_10(1900, 30)), kB);
    expect_data(done, 1900, 30);
  }
  await_all();
}

// The task at the media is suspended in the middle of its data, and continues after the holder.
TEST_F(BusHolders, SuspendedReadAndWrite_ContinueWhereTheyStopped) {
  power_on_two();
  for (int i = 0; i < 2; ++i) {
    // More than a segment, an eighth of the buffer: they stream.
    const Ticket read = submit(tagged(read_10(0, 400), 1), kA);
    const Ticket write = submit(tagged(write_10(600, blocks().write(600, 400)), 2), kA);
    for (int k = 0; k < 5; ++k) {
      run_for((3 + 4 * i) * kMillisecond);
      expect_data(insist(holding(read_10(1500 + 10U * static_cast<std::uint32_t>(k), 60)), kB),
                  1500 + 10U * static_cast<std::uint32_t>(k), 60);
    }
    expect_data(await(read), 0, 400);
    EXPECT_EQ(outcome(await(write)), "GOOD");
    EXPECT_EQ(blocks().first_difference(peek(600, 400), blocks().expected(600, 400), 600),
              std::nullopt);
  }
}

// Page 01h, PER: errors recovered before another command took the media are reported at the end.
TEST_F(BusHolders, SuspendedRead_ReportsEarlierRecoveredErrors) {
  power_on_two();
  constexpr std::uint32_t kRecovered = 3;
  media::FlawSpec flaws;
  const auto index =
      platform().geometry().sector_index(platform().geometry().locate(kRecovered).chs());
  flaws.listed = {{index, media::FlawKind::kCorrectable, 1}};
  platform().surface().media().inject(flaws);
  constexpr std::uint8_t kPer = 0x04;
  ASSERT_EQ(
      outcome(await(submit(mode_select_6({0x01, 0x0A, kPer, 8, 0, 0, 0, 0, 8, 0, 0, 0}), kA))),
      "GOOD");
  ASSERT_EQ(outcome(insist(test_unit_ready(), kB)), "6/2A/01");
  for (int i = 0; i < 8; ++i) {
    const Ticket read = submit(tagged(read_10(0, 400), 1), kA);
    run_for((30 + 4 * i) * kMillisecond);
    for (int k = 0; k < 3; ++k) {
      expect_data(insist(holding(read_10(1500, 60)), kB), 1500, 60);
      run_for(5 * kMillisecond);
    }
    const Completion done = await(read);
    EXPECT_EQ(outcome(done), "1/17/01") << i;
    EXPECT_EQ(information(done.sense), kRecovered) << i;
    EXPECT_EQ(done.data, blocks().expected(0, 400)) << i;
  }
}

TEST_F(BusHolders, TwoThatHold_AndALoad_AllEnd) {
  power_on_two();
  load(16);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(outcome(insist(holding(read_10(1700, 20)), kB)), "GOOD");
    EXPECT_EQ(outcome(insist(holding(tagged(read_10(1600, 20), 50)), kA)), "GOOD");
  }
  await_all();
}

// WCE: the write that the holder overlaps has been reported and needs no bus. It is written first.
TEST_F(BusHolders, ReadOfAReportedWrite_ReturnsIt) {
  power_on_two();
  CachePage page;
  page.flags = kWriteCache;
  ASSERT_EQ(run(mode_select_6(caching_page(page)), kA), "GOOD");
  EXPECT_EQ(run(test_unit_ready(), kB), "6/2A/01");
  for (int i = 0; i < 5; ++i) {
    const Ticket busy = submit(tagged(read_10(1200, 100), 1), kA);
    EXPECT_EQ(outcome(await(submit(tagged(write_10(300, blocks().write(300, 20)), 2), kA))),
              "GOOD");
    expect_data(insist(holding(read_10(305, 8)), kB), 305, 8);
    await(busy);
  }
}

// A write that was reported has left the bus: the next one that cannot disconnect may hold it.
TEST_F(BusHolders, HeldWritesInSequence_WithAWriteCache) {
  power_on_two();
  CachePage page;
  page.flags = kWriteCache;
  ASSERT_EQ(run(mode_select_6(caching_page(page)), kA), "GOOD");
  EXPECT_EQ(run(test_unit_ready(), kB), "6/2A/01");
  for (std::uint32_t i = 0; i < 12; ++i) {
    const Command write = write_10(300 + 2 * i, blocks().write(300 + 2 * i, 6));
    EXPECT_EQ(outcome(insist(holding(write), i % 2)), "GOOD");
  }
  EXPECT_EQ(run(synchronize_cache(), kA), "GOOD");
  EXPECT_EQ(blocks().first_difference(peek(300, 28), blocks().expected(300, 28), 300),
            std::nullopt);
}

// A write suspended for one holder is reported meanwhile. The next holder waits for it.
TEST_F(BusHolders, SynchronizeAfterAWriteReportedWhileSuspended_Ends) {
  power_on_two();
  CachePage page;
  page.flags = kWriteCache;
  ASSERT_EQ(run(mode_select_6(caching_page(page)), kA), "GOOD");
  EXPECT_EQ(run(test_unit_ready(), kB), "6/2A/01");
  for (int i = 0; i < 20; ++i) {
    const std::uint32_t lba = 300 + 40U * static_cast<std::uint32_t>(i);
    const Ticket busy = submit(tagged(read_10(1800, 4), 9), kA);
    const Ticket write = submit(tagged(write_10(lba, blocks().write(lba, 3)), 1), kA);
    run_for((1 + i) * kMillisecond / 2);
    const Ticket read = submit(holding(tagged(read_10(lba + 20, 1), 2)), kA);
    const Ticket sync = submit(holding(tagged(synchronize_cache(), 3)), kA);
    for (const Ticket ticket : {busy, write, read, sync}) await(ticket, kSecond);
  }
}

// Page 02h, DTDC 3: from its first data on a command stays connected (SCSI-2 table 99). A read was
// suspended, because its initiator owed a REQUEST SENSE. It then holds the bus while another read
// is stopped at the media because it needs the bus. The media go on with the holder first.
TEST_F(BusHolders, SuspendedReadThatMustStay_IsServedBeforeOneThatNeedsTheBus) {
  power_on_two();
  test::TenancyPage page;
  page.dtdc = 3;
  ASSERT_EQ(run(mode_select_6(page.bytes()), kA), "GOOD");
  EXPECT_EQ(run(test_unit_ready(), kB), "6/2A/01");
  Command wrong = read_10(capacity(), 1);
  for (int i = 0; i < 24; i += moment_step()) {
    const Ticket held = submit(holding(read_10(1200, 40)), kB);
    const Ticket first = submit(tagged(read_10(20, 300), 1), kA);
    const Ticket second = submit(tagged(read_10(700, 300), 2), kB);
    run_for((4 + i) * kMillisecond);
    const Ticket fails = submit(tagged(Command(wrong), 3), kA);
    for (const Ticket ticket : {held, first, second, fails}) await(ticket, 2 * kSecond);
    expect_data(result(first), 20, 300);
  }
}

// START and STOP UNIT take the spindle's time, in which other hosts have the bus. BUSY would mean
// that nothing was done (SCSI-2 7.3).
TEST_F(BusHolders, StartAndStopUnit_ReleaseTheBus_AndReportTheUnitsState) {
  power_on_two();
  EXPECT_EQ(outcome(insist(holding(start_stop(false)), kB)), "2/04/02");
  EXPECT_EQ(run(test_unit_ready(), kA), "2/04/02");
  run_for(kSecond / 2);  // The spindle stops.
  const Ticket start = submit(holding(start_stop(true)), kB);
  EXPECT_EQ(outcome(await(start, 10 * kMillisecond)), "2/04/01");
  EXPECT_EQ(run(test_unit_ready(), kA), "2/04/01") << "the bus is free, the drive becomes ready";
  EXPECT_EQ(outcome(insist(holding(start_stop(true)), kB)), "GOOD");
  EXPECT_EQ(run(test_unit_ready(), kA), "GOOD");
}

// A refused command that is not repeated: the others are served as before.
TEST_F(BusHolders, CommandThatIsAlwaysRefused_DoesNotStopTheOthers) {
  power_on_two();
  load(12, TagType::kOrdered);
  run_for(3 * kMillisecond);
  const Ticket once = submit(holding(tagged(read_10(422, 8), 9, TagType::kOrdered)), kB);
  await(once, kSecond);
  await_all();
  const Picoseconds since = platform().now();
  EXPECT_EQ(outcome(insist(read_10(100, 8), kA)), "GOOD");
  EXPECT_LT(platform().now() - since, kSecond / 2);
}

}  // namespace
}  // namespace headstack::scenario
