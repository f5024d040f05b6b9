// SPDX-License-Identifier: Apache-2.0
// The vendor's page 21h, bytes 20 to 37, from a host's side: times of an older controller that are
// spent later in a command. firmware/unit/mode_page.h defines where.
//
// small_drive() turns in 10 ms. If a time comes after the media, the same blocks are read or
// written with it and without it. Both then happen at one angle, so the times differ by it, and by
// whole turns.
#include "firmware/kernel/bytes.h"
#include "tests/firmware/controller_page.hpp"
#include "tests/scenario/drive_bench.hpp"

namespace headstack::scenario {
namespace {

constexpr Picoseconds kTurn = 10 * kMillisecond;
constexpr Picoseconds kStage = 3 * kMillisecond;
/// The firmware's own time differs by some events of 100 to 500 cycles, of 25 ns each. Its work at
/// a stage without a time comes before or after a stage that takes time.
constexpr Picoseconds kSlack = 50 * kMicrosecond;

class ControllerPage : public DriveBench {
 protected:
  struct Times {
    Picoseconds stage[MODE_CONTROLLER_STAGES] = {};
    Picoseconds write = 0;  // before a write's first action, whatever came before
    std::uint8_t bits = 0;  // byte 18
    Picoseconds reported_behind_read = 0, reported_behind_write = 0;
    Picoseconds access = 0;  // bytes 36 and 37
  };

  void SetUp() override { power_on_fast(); }

  void set(const Times& times) {
    Bytes page = test::controller_page();
    const auto put = [&page](std::size_t at, Picoseconds time) {
      bytes_put_be16(page.data() + at, static_cast<std::uint16_t>(time / (100 * kNanosecond)));
    };
    page[MODE_CONTROLLER_AT_AHEAD] = times.bits;
    for (const bool follows_write : {false, true}) {
      put(MODE_CONTROLLER_AT_TIMES + 2 * controller_row(true, follows_write, false), times.write);
    }
    put(MODE_CONTROLLER_AT_TIMES + 2 * controller_row(true, false, true),
        times.reported_behind_read);
    put(MODE_CONTROLLER_AT_TIMES + 2 * controller_row(true, true, true),
        times.reported_behind_write);
    for (std::size_t i = 0; i < MODE_CONTROLLER_STAGES; ++i) {
      put(MODE_CONTROLLER_AT_STAGES + 2 * i, times.stage[i]);
    }
    put(MODE_CONTROLLER_AT_ACCESS, times.access);
    ASSERT_EQ(run(mode_select_6(page)), "GOOD");
  }
  void set(mode_controller_stage stage, Picoseconds time = kStage) {
    Times times;
    times.stage[stage] = time;
    set(times);
  }

  void set_access(Picoseconds time) {
    Times times;
    times.access = time;
    set(times);
  }

  Completion read(std::uint32_t lba = 100, std::uint32_t count = 2) {
    Completion done = execute(read_10(lba, count));
    expect_data(done, lba, count);
    return done;
  }
  Completion write(std::uint32_t lba = 100, std::uint32_t count = 2) {
    Completion done = execute(write_10(lba, blocks().write(lba, count)));
    EXPECT_EQ(outcome(done), "GOOD");
    EXPECT_EQ(peek(lba, count), blocks().expected(lba, count));
    return done;
  }
  /// A write that does not follow a write.
  Completion write_behind_a_read(std::uint32_t lba = 100) {
    read(lba);
    return write(lba);
  }
  /// A write that follows a write, at another place.
  Completion far_write(std::uint32_t lba = 100) {
    write(lba + 900);
    return write(lba);
  }

  static constexpr Picoseconds kNanosecond = 1'000;
};

/// The difference of `b` from `a`, less whole turns: -kTurn / 2 .. kTurn / 2.
Picoseconds later(Picoseconds a, Picoseconds b) {
  const Picoseconds apart = ((b - a) % kTurn + kTurn) % kTurn;
  return apart > kTurn / 2 ? apart - kTurn : apart;
}

#define EXPECT_ABOUT(time, wanted) \
  EXPECT_NEAR(static_cast<double>(time), static_cast<double>(wanted), static_cast<double>(kSlack))

Picoseconds until_data(const Completion& done) {
  return done.times.data_first - done.times.command_sent;
}
Picoseconds from_data_to_status(const Completion& done) {
  return done.times.status - done.times.data_last;
}

TEST_F(ControllerPage, ReadData_AreSentLaterByThePagesTime) {
  prepare(100, 2);
  const Completion before = read();
  set(MODE_STAGE_READ_DATA);
  const Completion after = read();
  EXPECT_ABOUT(later(before.times.data_first, after.times.data_first), kStage);
  EXPECT_ABOUT(later(before.times.reselected.at(0), after.times.reselected.at(0)), kStage);
  EXPECT_ABOUT(from_data_to_status(after), from_data_to_status(before)) << "once in a command";
}

TEST_F(ControllerPage, ReadData_AHitHasItAtOnce) {
  prepare(100, 8);
  ASSERT_EQ(run(mode_select_6(caching_page({}))), "GOOD");
  set(MODE_STAGE_READ_DATA);
  read(100, 8);
  EXPECT_LT(until_data(read(102)), kMillisecond / 2);
}

// At power-on half of a run is the share: one of two blocks, or one of one, which is all of it.
TEST_F(ControllerPage, ReselectsAhead_OverlapsItsTimeWithAShare_AndFollowsTheMediaForAWholeRead) {
  prepare(100, 2);
  for (const std::uint32_t count : {1U, 2U}) {
    set(Times{});
    const Completion before = read(100, count);
    Times times;
    times.stage[MODE_STAGE_READ_DATA] = kStage;
    times.bits = MODE_CONTROLLER_RESELECTS_AHEAD;
    set(times);
    const Completion after = read(100, count);
    EXPECT_ABOUT(later(before.times.data_first, after.times.data_first), count == 1 ? kStage : 0)
        << count;
  }
}

TEST_F(ControllerPage, ReadStatus_TheBusIsHeldAfterTheData) {
  prepare(100, 2);
  const Completion before = read();
  set(MODE_STAGE_READ_STATUS);
  const Completion after = read();
  EXPECT_ABOUT(later(before.times.data_first, after.times.data_first), 0);
  EXPECT_ABOUT(from_data_to_status(after), from_data_to_status(before) + kStage);
  EXPECT_EQ(after.times.disconnected.size(), before.times.disconnected.size());
  EXPECT_LT(from_data_to_status(write()), kTurn + kTurn) << "a write has no such time";
}

TEST_F(ControllerPage, WriteStatus_FollowsTheMediaByThePagesTime) {
  const Completion before = write_behind_a_read();
  set(MODE_STAGE_WRITE_STATUS);
  const Completion after = write_behind_a_read();
  EXPECT_ABOUT(later(before.times.status, after.times.status), kStage);
  EXPECT_ABOUT(until_data(after), until_data(before));
}

// Without a time of its own a far write has the time of any write.
TEST_F(ControllerPage, FarWrite_ItsTimeReplacesThatOfOtherWrites) {
  Times times;
  times.write = kMillisecond;
  set(times);
  const Completion any = far_write();
  EXPECT_GE(until_data(any), kMillisecond - kSlack);
  EXPECT_LT(until_data(any), kMillisecond + kMillisecond / 2);
  times.stage[MODE_STAGE_FAR_WRITE] = kStage;
  set(times);
  EXPECT_ABOUT(until_data(far_write()), until_data(any) - kMillisecond + kStage);
  write(200);
  EXPECT_ABOUT(until_data(write(202)), until_data(any)) << "it follows the write before";
  EXPECT_ABOUT(until_data(write_behind_a_read()), until_data(any)) << "it follows a read";
}

TEST_F(ControllerPage, FarWrite_OneInSequenceIsAnother_WithItsBit) {
  Times times;
  times.write = kMillisecond;
  times.stage[MODE_STAGE_FAR_WRITE] = kStage;
  for (const bool in_sequence : {false, true}) {
    times.bits = in_sequence ? MODE_CONTROLLER_FAR_IN_SEQUENCE : 0;
    set(times);
    const Picoseconds first = until_data(write_behind_a_read(200));
    EXPECT_ABOUT(until_data(write(202)), in_sequence ? first - kMillisecond + kStage : first);
    EXPECT_ABOUT(until_data(far_write()), first - kMillisecond + kStage);
  }
}

TEST_F(ControllerPage, FarWriteData_AreFetchedLaterByThePagesTime) {
  Times times;
  times.stage[MODE_STAGE_FAR_WRITE] = kMillisecond;
  set(times);
  const Completion before = far_write();
  times.stage[MODE_STAGE_FAR_WRITE_DATA] = kStage;
  set(times);
  const Completion after = far_write();
  EXPECT_ABOUT(until_data(after), until_data(before) + kStage);
  EXPECT_LT(until_data(write_behind_a_read()), kMillisecond / 2);
}

TEST_F(ControllerPage, FarWriteStatus_ReplacesThatOfAnyWrite) {
  Times times;
  times.stage[MODE_STAGE_FAR_WRITE] = kMillisecond;
  set(times);
  const Completion before = far_write();
  const Completion near = write_behind_a_read();
  times.stage[MODE_STAGE_FAR_WRITE_STATUS] = kStage;
  times.stage[MODE_STAGE_WRITE_STATUS] = kMillisecond;
  set(times);
  EXPECT_ABOUT(later(before.times.status, far_write().times.status), kStage);
  EXPECT_ABOUT(later(near.times.status, write_behind_a_read().times.status), kMillisecond);
}

// A write of three blocks, and then a reported one that begins up to two tracks before it or
// after. The model's own geometry says which of them begin where the first ended.
TEST_F(ControllerPage, ReportedWrite_OnAnotherTrack_HasTheTimeOfOneAfterARead) {
  CachePage cache;
  cache.flags = kWriteCache;
  ASSERT_EQ(run(mode_select_6(caching_page(cache))), "GOOD");
  Times times;
  times.reported_behind_read = kStage;
  times.reported_behind_write = kMillisecond;
  set(times);
  const auto reported = [this](std::uint32_t lba, std::uint32_t count) {
    const Completion done = execute(write_10(lba, blocks().write(lba, count)));
    EXPECT_EQ(outcome(done), "GOOD");
    run_for(5 * kTurn);  // The media have it.
    return until_data(done);
  };
  const auto track = [this](std::uint32_t lba) {
    const geometry::Chs at = platform().geometry().locate(lba).chs();
    return std::pair(at.cylinder, at.head);
  };
  constexpr std::uint32_t kFirst = 100, kBlocks = 3;
  read(500);
  const Picoseconds behind_read = reported(kFirst, kBlocks);
  EXPECT_GE(behind_read, kStage - kSlack);
  int on_the_track = 0;
  for (std::uint32_t lba = kFirst - 42; lba < kFirst + 42; ++lba) {
    reported(kFirst, kBlocks);
    const bool stays = track(lba) == track(kFirst + kBlocks - 1);
    on_the_track += stays ? 1 : 0;
    EXPECT_ABOUT(reported(lba, 1), stays ? behind_read - kStage + kMillisecond : behind_read)
        << lba;
  }
  EXPECT_EQ(on_the_track, 20) << "sectors of a track";
}

// The block comes by every 10 ms. The writes are sent at angles that are 0.8 ms apart, so some of
// them come just in time. With a hold of 6 ms none begins sooner than that.
TEST_F(ControllerPage, WriteHold_NoWriteBeginsSooner) {
  constexpr Picoseconds kHold = 6 * kMillisecond;
  constexpr int kWrites = 12;
  for (const bool holds : {false, true}) {
    set(MODE_STAGE_WRITE_HOLD, holds ? kHold : 0);
    Picoseconds soonest = bus::kNever, latest = 0;
    write();
    for (int i = 0; i < kWrites; ++i) {
      run_for(i * kMillisecond * 8 / 10);
      const Completion done = write();
      const Picoseconds time = done.times.status - done.times.command_sent;
      soonest = soonest == bus::kNever ? time : std::min(soonest, time);
      latest = std::max(latest, time);
    }
    // The media take two blocks of 0.5 ms; firmware and bus are added.
    const Picoseconds media = kMillisecond;
    if (holds) {
      EXPECT_GE(soonest, kHold + media);
      EXPECT_LT(latest, kHold + kTurn + media + kMillisecond);
    } else {
      EXPECT_LT(soonest, 2 * kMillisecond + media);
    }
  }
}

// The block comes by every 10 ms. Reads are sent at angles that are 0.8 ms apart. Where nothing has
// to move, an access takes what the page says, then up to a turn, then the block's 0.5 ms.
TEST_F(ControllerPage, Access_OnTheTrackOfTheHeads_BeginsNoSooner) {
  constexpr Picoseconds kAccess = 4 * kMillisecond;
  prepare(100, 1);
  for (const Picoseconds access : {Picoseconds{0}, kAccess}) {
    set_access(access);
    read(100, 1);
    Picoseconds soonest = bus::kNever, latest = 0;
    for (int i = 0; i < 13; ++i) {
      run_for(i * kMillisecond * 8 / 10);
      const Completion done = read(100, 1);
      const Picoseconds time = done.times.data_first - done.times.command_sent;
      soonest = soonest == bus::kNever ? time : std::min(soonest, time);
      latest = std::max(latest, time);
    }
    EXPECT_GE(soonest, access + kMillisecond / 2);
    EXPECT_LT(soonest, access + 2 * kMillisecond);
    EXPECT_GT(latest, access + kTurn - kMillisecond);
    EXPECT_LT(latest, access + kTurn + kMillisecond);
  }
}

// A SEEK has no rotation, so that its time alone is longer.
TEST_F(ControllerPage, Access_ComesBeforeAMovement) {
  const auto seek = [this](std::uint32_t lba) {
    const Completion done = execute(seek_10(lba));
    EXPECT_EQ(outcome(done), "GOOD");
    return done.times.status - done.times.command_sent;
  };
  seek(0);
  const Picoseconds there = seek(900), nowhere = seek(900);
  seek(0);
  set_access(kStage);
  EXPECT_ABOUT(seek(900), there + kStage);
  EXPECT_ABOUT(seek(900), nowhere + kStage);
}

// The blocks follow each other, and all reads are in the queue. Each block but the first has passed
// when its time is over, so that it takes a turn.
TEST_F(ControllerPage, Access_EachTaskOfAQueueHasIt) {
  constexpr std::uint32_t kFirst = 100, kCount = 6;
  prepare(kFirst, kCount);
  set_access(kMillisecond);
  read(kFirst, 1);
  std::vector<Ticket> tickets;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    tickets.push_back(submit(tagged(read_10(kFirst + i, 1), static_cast<std::uint8_t>(i + 1))));
  }
  Picoseconds last = 0;
  for (std::uint32_t i = 0; i < kCount; ++i) {
    const Completion done = await(tickets[i]);
    expect_data(done, kFirst + i, 1);
    if (i > 0) {
      EXPECT_ABOUT(done.times.data_first - last, kTurn + kTurn / 20) << i;
    }
    last = done.times.data_first;
  }
}

// The hold counts from when the arm may move.
TEST_F(ControllerPage, Access_PrecedesAWritesHold) {
  constexpr Picoseconds kHold = 3 * kMillisecond, kAccess = 2 * kMillisecond;
  Times times;
  times.access = kAccess;
  times.stage[MODE_STAGE_WRITE_HOLD] = kHold;
  set(times);
  write();
  Picoseconds soonest = bus::kNever;
  for (int i = 0; i < 13; ++i) {
    run_for(i * kMillisecond * 8 / 10);
    const Completion done = write();
    const Picoseconds time = done.times.status - done.times.command_sent;
    soonest = soonest == bus::kNever ? time : std::min(soonest, time);
  }
  EXPECT_GE(soonest, kAccess + kHold + kMillisecond);
  EXPECT_LT(soonest, kAccess + kHold + 3 * kMillisecond);
}

// Nothing of the aborted read has begun, so that it ends at once. The next one has a time of its
// own, and what is left of the first one's moves nothing.
TEST_F(ControllerPage, Access_ATaskIsAbortedInIt) {
  prepare(100, 2);
  set_access(6 * kMillisecond);
  for (const Picoseconds after : {kMillisecond, 5 * kMillisecond}) {
    const Ticket first = submit(tagged(read_10(100, 2), 1));
    run_for(after);
    const Ticket abort = manage(initiator::ManagementKind::kAbortTag, 1);
    const Picoseconds asked = platform().now();
    EXPECT_EQ(outcome(await(abort)), "GOOD");
    EXPECT_LT(platform().now() - asked, kMillisecond);
    EXPECT_EQ(outcome(result(first)), "aborted");
    EXPECT_GE(until_data(read()), 6 * kMillisecond);
  }
}

}  // namespace
}  // namespace headstack::scenario
