// SPDX-License-Identifier: Apache-2.0
// From events and physical instants to a command's stages: the rules at the head of
// host/observe/stage_log.hpp, one by one. Times in microseconds; a script tells what is heard, in
// order.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "firmware/events.h"
#include "host/observe/stage_log.hpp"

namespace headstack::observe {
namespace {

using channel::HdaLevels;
using traces::Operation;

constexpr std::uint32_t kTask = 3;
constexpr std::uint16_t kTag = 17;
constexpr HdaLevels kMoving{false, false, true, false};
constexpr HdaLevels kReadReady{true, false, true, false};
constexpr HdaLevels kReady{true, true, true, false};

Picoseconds us(int time) { return time * kPicosecondsPerMicrosecond; }

class StageLogTest : public testing::Test {
 protected:
  void open(bool is_write) {
    log_.open(kTag, is_write ? Operation::kWrite : Operation::kRead);
    event(1, TRACE_TASK_QUEUED, std::uint32_t{kTag} << 16 | kTask);
    event(2, TRACE_TASK_CHOSEN, kTask);
  }
  void event(int time, trace_event number, std::uint32_t argument) {
    log_.firmware_event(static_cast<std::uint64_t>(us(time) / soc::kClockPeriodPs), number,
                        argument);
  }
  /// 30 us of seek, 10 of settling, 5 of head switch, write settle: as `parts` has it.
  void seek(int time, int write_settle = 0) {
    const mechanics::Positioning parts{us(30), us(10), us(5), us(write_settle)};
    log_.seek_began(us(time), {1, 1, 0}, parts);
    log_.levels_changed(us(time), kMoving);
  }
  void ready(int time) { log_.levels_changed(us(time), kReady); }
  /// The formatter starts on a run and one pass after the other goes by, 10 us each. 8 of them pass
  /// up to the last check byte.
  void run(int time, std::uint32_t count, std::initializer_list<int> passes) {
    event(time, TRACE_RUN_START, count);
    std::uint32_t sector = 0;
    for (const int begin : passes) {
      log_.sector_began(us(begin), {1, 1, sector});
      log_.sector_ended(us(begin + 8), {1, 1, sector++});
    }
  }
  void media_done(int time) { event(time, TRACE_MEDIA_DONE, kTask); }

  report::CommandRecord close(HostTag tag, int finished = 1000) {
    initiator::Completion completion;
    completion.outcome = outcome_;
    completion.times.submitted = submitted_;
    completion.times.finished = us(finished);
    const traces::TraceRequest request{0, traces::Operation::kRead, 0, 1, std::nullopt};
    return log_.close(tag, 1, request, completion);
  }

  /// "stage time" for each change, when all is over.
  std::string stages(int finished = 1000) {
    const report::CommandRecord record = close(kTag, finished);
    EXPECT_EQ(record.find_fault().text, "");
    std::string text;
    for (const auto& change : record.changes()) {
      const Picoseconds time = change.at / kPicosecondsPerMicrosecond;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_string(change.stage), time);
    }
    return text;
  }

  StageLog log_;
  Picoseconds submitted_ = 0;
  initiator::Outcome outcome_ = initiator::Outcome::kComplete;
};

// Neither can be: such a change was clamped, or dropped, in silence once.
TEST_F(StageLogTest, ChangeOutsideOfTheCommand_IsAFault) {
  log_.open(kTag, Operation::kRead);
  event(3, TRACE_TASK_QUEUED, std::uint32_t{kTag} << 16 | kTask);
  event(31, TRACE_TASK_CHOSEN, kTask);
  EXPECT_EQ(close(kTag, 30).find_fault().text,
            "command 1: 'chosen' at 0.031000000 ms lies after its end, at 0.030000000 ms");
  submitted_ = us(4);
  log_.open(kTag, Operation::kRead);
  event(3, TRACE_TASK_QUEUED, std::uint32_t{kTag} << 16 | kTask);
  EXPECT_EQ(
      close(kTag, 30).find_fault().text,
      "command 1: 'queued' at 0.003000000 ms lies before it was submitted, at 0.004000000 ms");
}

// A reset ends a command, and the host gives its tag to another one at once. What the firmware then
// says of the ended task is of no command.
TEST_F(StageLogTest, WhatIsHeardOfATaskBehindAReset_IsNotOfTheNextCommandWithItsTag) {
  open(false);
  event(5, TRACE_DATA_PHASE_BEGIN, kTask);
  static_cast<void>(close(kTag, 8));
  log_.open(kTag, Operation::kWrite);
  event(9, TRACE_DATA_PHASE_END, kTask);
  event(10, TRACE_TASK_ENDED, kTask);
  event(20, TRACE_TASK_QUEUED, std::uint32_t{kTag} << 16 | (kTask + 1));
  event(21, TRACE_WRITE_REPORTED, kTask + 1);
  EXPECT_EQ(stages(), "issued 0, queued 20");
}

// The stage is that of the movement which the media were in already.
TEST_F(StageLogTest, ReadThatJoinsAMovement_IsInItsStages) {
  seek(10);
  log_.open(kTag, Operation::kRead);
  event(20, TRACE_TASK_QUEUED, std::uint32_t{kTag} << 16 | kTask);
  event(42, TRACE_TASK_CHOSEN, kTask);
  event(43, TRACE_CACHE_HIT, 1U << 16 | kTask);
  run(60, 1, {70});
  event(80, TRACE_RUN_DONE, 1);
  media_done(81);
  EXPECT_EQ(stages(),
            "issued 0, queued 20, settle 42, head_switch 50, rotation 55, media_transfer 70, "
            "bus_wait 78");
}

// Its first sectors had passed by then, and the next one is bad: it waits for that one alone.
TEST_F(StageLogTest, ReadThatJoinsARunThatStops_WaitsFromWhereItJoined) {
  run(60, 3, {70});
  log_.open(kTag, Operation::kRead);
  event(90, TRACE_TASK_QUEUED, std::uint32_t{kTag} << 16 | kTask);
  event(100, TRACE_TASK_CHOSEN, kTask);
  event(101, TRACE_CACHE_HIT, 1U << 16 | kTask);
  log_.sector_began(us(120), {1, 1, 1});
  log_.sector_ended(us(128), {1, 1, 1});
  event(130, TRACE_RUN_DONE, 1);
  run(140, 2, {150, 160});
  event(169, TRACE_RUN_DONE, 2);
  media_done(170);
  EXPECT_EQ(stages(),
            "issued 0, queued 90, rotation 100, chosen 128, rotation 140, media_transfer 150, "
            "bus_wait 168");
}

// A sector's header passes before its data: the heads may be ready to write only after its begin.
TEST_F(StageLogTest, WriteWhoseHeadsAreReadyWithinItsFirstSector_TransfersFromItsBegin) {
  open(true);
  event(5, TRACE_RUN_START, 1);
  seek(10, 20);  // ready at 75
  log_.sector_began(us(74), {1, 1, 0});
  ready(75);
  log_.sector_ended(us(82), {1, 1, 0});
  event(90, TRACE_RUN_DONE, 1);
  media_done(91);
  EXPECT_EQ(stages(),
            "issued 0, queued 1, chosen 2, rotation 5, seek 10, settle 40, head_switch 50, "
            "settle 55, media_transfer 74, bus_wait 82");
}

// A flush that waits for the bus while the media read ahead for nobody.
TEST_F(StageLogTest, CommandWithoutBlocks_HasNoStageOfTheMedia) {
  log_.open(kTag, Operation::kFlush);
  event(1, TRACE_TASK_QUEUED, std::uint32_t{kTag} << 16 | kTask);
  event(2, TRACE_TASK_CHOSEN, kTask);
  seek(10);
  run(60, 1, {70});
  event(80, TRACE_RUN_DONE, 1);
  EXPECT_EQ(stages(), "issued 0, queued 1, chosen 2");
}

// The formatter goes on by itself at 118, and the firmware is told when the next run's first sector
// has passed. The stages are those of the movement all the same.
TEST_F(StageLogTest, RunThatTheFormatterGoesOnWith_HasTheStagesOfItsMovement) {
  open(false);
  run(60, 2, {100, 110});
  seek(119);
  ready(164);
  log_.sector_began(us(170), {1, 1, 0});
  log_.sector_ended(us(178), {1, 1, 0});
  event(179, TRACE_RUN_NEXT, 2);
  log_.sector_began(us(180), {1, 1, 1});
  log_.sector_ended(us(188), {1, 1, 1});
  event(195, TRACE_RUN_DONE, 2);
  media_done(196);
  EXPECT_EQ(stages(),
            "issued 0, queued 1, chosen 2, rotation 60, media_transfer 100, chosen 118, seek 119, "
            "settle 149, head_switch 159, rotation 164, media_transfer 170, bus_wait 188");
}

// A sector is passed by on the track: nothing moves.
TEST_F(StageLogTest, RunThatTheFormatterGoesOnWith_OnTheSameTrack_IsRotationFromTheLastSectorOn) {
  open(true);
  run(60, 1, {100, 120});
  event(129, TRACE_RUN_NEXT, 1);
  event(131, TRACE_RUN_DONE, 1);
  media_done(132);
  EXPECT_EQ(stages(),
            "issued 0, queued 1, chosen 2, rotation 60, media_transfer 100, rotation 108, "
            "media_transfer 120, bus_wait 128");
}

// The media read on past a command's last block, and the formatter moves the heads for that
// before the firmware says so.
TEST_F(StageLogTest, MovementBehindTheLastBlock_IsNobodys) {
  open(false);
  run(60, 1, {100});
  seek(109);
  event(112, TRACE_READ_AHEAD, 1);
  media_done(113);
  event(114, TRACE_RUN_NEXT, 5);
  ready(154);
  EXPECT_EQ(stages(),
            "issued 0, queued 1, chosen 2, rotation 60, media_transfer 100, bus_wait 108");
}

TEST_F(StageLogTest, RunThatGoesOnBeforeItsSectorsPassed_IsAFault) {
  open(false);
  run(60, 2, {100});
  event(120, TRACE_RUN_NEXT, 1);
  EXPECT_EQ(close(kTag).find_fault().text,
            "command 1: RUN_NEXT after a run of 2 sectors at 0.120000000 ms, of which 1 passed");
}

TEST_F(StageLogTest, Read_ByThePartsOfItsMovement_ThenRotation_ThenTheSectors) {
  open(false);
  event(9, TRACE_SEEK_START, 0);  // the firmware's word; the movement is a little later
  seek(10);
  log_.levels_changed(us(55), kReadReady);
  ready(58);  // a read does not wait for it
  event(57, TRACE_ON_TRACK, 0);
  run(60, 2, {100, 110});
  event(109, TRACE_FIRST_SECTOR, kTask);
  event(120, TRACE_RUN_DONE, 2);
  media_done(121);
  EXPECT_EQ(stages(),
            "issued 0, queued 1, chosen 2, seek 10, settle 40, head_switch 50, rotation 55, "
            "media_transfer 100, bus_wait 118");
}

// A search that is over in time is free. One that outlasts the last sector's end (98 us) costs that
// much. So does one that begins when the heads are free.
TEST_F(StageLogTest, SearchExposed_IsWhatTheMediaWaitedForTheChoice) {
  struct Case {
    int begin, end, chosen, exposed;
  };
  for (const Case& at : {Case{70, 90, 110, 0},
                         {70, 98, 110, 0},
                         {70, 103, 110, 5},
                         {99, 0, 107, 8},
                         {95, 0, 107, 9},
                         {0, 0, 107, 0}}) {
    open(false);
    run(60, 1, {90});
    if (at.begin != 0) event(at.begin, TRACE_PLAN_BEGIN, 5);
    if (at.end != 0) event(at.end, TRACE_PLAN_END, kTask);
    event(100, TRACE_RUN_DONE, 1);
    media_done(101);
    constexpr std::uint16_t kNext = 18;
    log_.open(kNext, Operation::kRead);
    event(102, TRACE_TASK_QUEUED, std::uint32_t{kNext} << 16 | (kTask + 1));
    event(at.chosen, TRACE_TASK_CHOSEN, kTask + 1);
    EXPECT_EQ(close(kTag).search_exposed(), 0) << "nothing was searched for the first one";
    EXPECT_EQ(close(kNext).search_exposed(), us(at.exposed)) << at.begin << ' ' << at.end;
  }
}

TEST_F(StageLogTest, Write_SettlesOnUntilWriteReady) {
  open(true);
  seek(10, 7);
  log_.levels_changed(us(55), kReadReady);
  ready(62);
  run(65, 1, {100});
  event(109, TRACE_RUN_DONE, 1);
  media_done(110);
  EXPECT_EQ(stages(),
            "issued 0, queued 1, chosen 2, seek 10, settle 40, head_switch 50, settle 55, "
            "rotation 62, media_transfer 100, bus_wait 108");
}

// The electronics read the header before they write: a published write settle below 0 is one of 0.
TEST_F(StageLogTest, WriteReadyBeforeReadReady_WaitsForBoth) {
  open(true);
  seek(10, -7);
  log_.levels_changed(us(48), {false, true, true, false});
  ready(55);
  run(60, 1, {100});
  event(109, TRACE_RUN_DONE, 1);
  media_done(110);
  EXPECT_EQ(stages(),
            "issued 0, queued 1, chosen 2, seek 10, settle 40, head_switch 50, rotation 55, "
            "media_transfer 100, bus_wait 108");
}

TEST_F(StageLogTest, MovementThatTakesNoTime_ChangesNoLevel) {
  open(false);
  log_.seek_began(us(10), {0, 1, 0}, mechanics::Positioning{});
  run(20, 1, {50});
  event(60, TRACE_RUN_DONE, 1);
  media_done(61);
  EXPECT_EQ(stages(), "issued 0, queued 1, chosen 2, rotation 10, media_transfer 50, bus_wait 58");
}

TEST_F(StageLogTest, NothingMoves_RotationFromTheRunOn) {
  open(false);
  run(10, 1, {50});
  event(60, TRACE_RUN_DONE, 1);
  media_done(61);
  EXPECT_EQ(stages(), "issued 0, queued 1, chosen 2, rotation 10, media_transfer 50, bus_wait 58");
}

TEST_F(StageLogTest, WriteOnATrackStillSettling_IsSettle) {
  open(true);
  ready(20);
  event(21, TRACE_ON_TRACK, 0);
  run(25, 1, {50});
  event(60, TRACE_RUN_DONE, 1);
  media_done(61);
  EXPECT_EQ(stages(), "issued 0, queued 1, settle 2, rotation 20, media_transfer 50, bus_wait 58");
}

// Sectors that pass while the formatter looks for its own are no transfer.
TEST_F(StageLogTest, SectorsBefore_AreRotation) {
  open(false);
  event(10, TRACE_RUN_START, 1);
  for (const int time : {20, 30, 40}) log_.sector_began(us(time), {1, 1, 7});
  log_.sector_ended(us(48), {1, 1, 7});
  event(50, TRACE_RUN_DONE, 1);
  media_done(51);
  EXPECT_EQ(stages(), "issued 0, queued 1, chosen 2, rotation 10, media_transfer 40, bus_wait 48");
}

// Free blocks pass while the command waits for its own.
TEST_F(StageLogTest, FreeBlocks_AreRotation) {
  open(false);
  run(10, 4, {20, 30, 40, 50});
  event(11, TRACE_FREE_BLOCKS, 2);
  event(60, TRACE_RUN_DONE, 4);
  media_done(61);
  EXPECT_EQ(stages(), "issued 0, queued 1, chosen 2, rotation 10, media_transfer 40, bus_wait 58");
}

TEST_F(StageLogTest, FreeBlocksBeforeAReadAhead_AndInARunThatGoesOn) {
  open(false);
  run(10, 3, {20, 30, 40});
  event(11, TRACE_FREE_BLOCKS, 1);
  event(50, TRACE_RUN_NEXT, 2);
  log_.sector_began(us(60), {1, 1, 1});
  log_.sector_ended(us(68), {1, 1, 1});
  event(70, TRACE_READ_AHEAD, 1);
  media_done(71);
  EXPECT_EQ(stages(),
            "issued 0, queued 1, chosen 2, rotation 10, media_transfer 30, rotation 48, "
            "media_transfer 60, bus_wait 68");
}

// The run stopped in one of them, and the next one begins with the command's own.
TEST_F(StageLogTest, ErrorInAFreeBlock_MakesNoTransfer) {
  open(false);
  run(10, 3, {20, 30});
  event(11, TRACE_FREE_BLOCKS, 2);
  event(42, TRACE_RUN_DONE, 1);
  run(45, 1, {50});
  event(60, TRACE_RUN_DONE, 1);
  media_done(61);
  EXPECT_EQ(stages(),
            "issued 0, queued 1, chosen 2, rotation 10, chosen 38, rotation 45, media_transfer 50, "
            "bus_wait 58");
}

TEST_F(StageLogTest, MoreFreeBlocksThanTheRunHas_AreAFault) {
  open(false);
  run(10, 2, {20, 30});
  event(11, TRACE_FREE_BLOCKS, 2);
  EXPECT_EQ(close(kTag).find_fault().text, "command 1: 2 free blocks in a run of 2 sectors");
}

TEST_F(StageLogTest, BetweenRuns_TheFirmwaresTimeIsChosen) {
  open(false);
  run(10, 2, {20, 30});
  event(45, TRACE_RUN_DONE, 2);
  seek(50);
  ready(95);
  run(100, 1, {120});
  event(130, TRACE_RUN_DONE, 1);
  run(135, 1, {140});  // and once more, on the same track
  event(150, TRACE_RUN_DONE, 1);
  media_done(151);
  EXPECT_EQ(stages(),
            "issued 0, queued 1, chosen 2, rotation 10, media_transfer 20, chosen 38, seek 50, "
            "settle 80, head_switch 90, rotation 95, media_transfer 120, chosen 128, rotation 135, "
            "media_transfer 140, bus_wait 148");
}

TEST_F(StageLogTest, BadPass_IsRotation_TheGoodOneIsTheTransfer) {
  open(false);
  run(10, 1, {20});
  event(30, TRACE_RUN_DONE, 0);
  event(31, TRACE_MEDIA_RETRY, 2U << 16);
  run(35, 1, {120});
  event(130, TRACE_RUN_DONE, 1);
  media_done(131);
  EXPECT_EQ(stages(),
            "issued 0, queued 1, chosen 2, rotation 10, chosen 28, rotation 35, "
            "media_transfer 120, bus_wait 128");
  EXPECT_EQ(log_.media_retries(), 1U);
}

TEST_F(StageLogTest, RunThatStopsEarly_TransfersUpToItsLastGoodSector) {
  open(false);
  run(10, 4, {20, 30, 40});  // the third is bad
  event(50, TRACE_RUN_DONE, 2);
  run(55, 2, {140, 150});
  event(160, TRACE_RUN_DONE, 2);
  media_done(161);
  EXPECT_EQ(stages(),
            "issued 0, queued 1, chosen 2, rotation 10, media_transfer 20, rotation 38, chosen 48, "
            "rotation 55, media_transfer 140, bus_wait 158");
}

// No room, or not found: no pass came to its end, and the formatter's waiting is rotation.
TEST_F(StageLogTest, RunThatFindsNothing_IsRotationUntilTheFirmwareKnows) {
  open(false);
  run(10, 2, {20});
  event(60, TRACE_RUN_DONE, 1);
  run(65, 1, {});
  event(90, TRACE_RUN_DONE, 0);
  event(91, TRACE_MEDIA_DONE, 1U << 16 | kTask);
  EXPECT_EQ(stages(),
            "issued 0, queued 1, chosen 2, rotation 10, media_transfer 20, rotation 28, chosen 60, "
            "rotation 65, bus_wait 90");
}

TEST_F(StageLogTest, WaitForTheBuffer_BelongsToTheBus) {
  open(true);
  seek(10);
  ready(55);
  event(60, TRACE_MEDIA_WAIT, kTask);
  event(70, TRACE_DATA_PHASE_BEGIN, kTask);
  event(80, TRACE_DATA_PHASE_END, kTask);
  event(82, TRACE_MEDIA_WAIT, kTask);  // not enough yet
  event(85, TRACE_DATA_PHASE_BEGIN, kTask);
  run(90, 1, {100});
  event(95, TRACE_DATA_PHASE_END, kTask);
  event(110, TRACE_RUN_DONE, 1);
  media_done(111);
  EXPECT_EQ(stages(),
            "issued 0, queued 1, chosen 2, seek 10, settle 40, head_switch 50, rotation 55, "
            "bus_wait 60, bus_data 70, bus_wait 80, bus_data 85, rotation 90, media_transfer 100, "
            "bus_wait 108");
}

// A task that waits for a segment has not been chosen.
TEST_F(StageLogTest, WaitForASegment_IsQueued) {
  log_.open(kTag, Operation::kRead);
  event(1, TRACE_TASK_QUEUED, std::uint32_t{kTag} << 16 | kTask);
  event(5, TRACE_MEDIA_WAIT, kTask);
  EXPECT_EQ(stages(), "issued 0, queued 1");
}

// What the bus did while the firmware had not heard yet of the media's end, shows.
TEST_F(StageLogTest, BusBehindTheLastSector_ShowsFromThereOn) {
  open(false);
  run(10, 2, {20, 30});
  event(33, TRACE_DATA_PHASE_BEGIN, kTask);
  event(40, TRACE_DATA_PHASE_END, kTask);
  event(41, TRACE_DATA_PHASE_BEGIN, kTask);
  event(42, TRACE_RUN_DONE, 2);
  media_done(43);
  event(50, TRACE_DATA_PHASE_END, kTask);
  EXPECT_EQ(stages(),
            "issued 0, queued 1, chosen 2, rotation 10, media_transfer 20, bus_data 38, "
            "bus_wait 40, bus_data 41, bus_wait 50");
}

// The arm goes where it goes; the media's end comes when the index may name another task.
TEST_F(StageLogTest, AbortWhileTheArmMoves_LeavesTheNextTaskOfThatIndexAlone) {
  open(false);
  seek(10);
  event(20, TRACE_TASK_ENDED, kTask);
  outcome_ = initiator::Outcome::kAborted;
  EXPECT_EQ(stages(30), "issued 0, queued 1, chosen 2, seek 10");
  log_.open(kTag, Operation::kRead);
  event(40, TRACE_TASK_QUEUED, std::uint32_t{kTag} << 16 | kTask);
  ready(55);
  event(56, TRACE_MEDIA_DONE, 9U << 16 | kTask);
  EXPECT_EQ(stages(60), "issued 0, queued 40");
}

TEST_F(StageLogTest, AbortInARun_EndsWithWhatWasDone) {
  open(false);
  run(10, 3, {20});
  event(32, TRACE_RUN_DONE, 1);
  event(33, TRACE_MEDIA_DONE, 9U << 16 | kTask);
  EXPECT_EQ(stages(),
            "issued 0, queued 1, chosen 2, rotation 10, media_transfer 20, rotation 28, "
            "bus_wait 32");
}

TEST_F(StageLogTest, EventHash_TellsEveryFieldAndTheOrder) {
  const auto hash = [](std::initializer_list<std::array<unsigned, 3>> events) {
    StageLog log;
    for (const auto& e : events) log.firmware_event(e[0], e[1], e[2]);
    return log.event_hash();
  };
  const auto one = hash({{1, 33, 0}, {2, 33, 0}});
  EXPECT_EQ(one, hash({{1, 33, 0}, {2, 33, 0}}));
  EXPECT_NE(one, hash({{2, 33, 0}, {1, 33, 0}}));
  EXPECT_NE(one, hash({{1, 33, 0}, {3, 33, 0}}));
  EXPECT_NE(one, hash({{1, 33, 0}, {2, 32, 0}}));
  EXPECT_NE(one, hash({{1, 33, 0}, {2, 33, 1}}));
  EXPECT_NE(one, hash({{1, 33, 0}}));
}

// Tags are each host's own; COMMAND_RECEIVED tells whose the task is that is queued next.
TEST_F(StageLogTest, TwoHostsWithTheSameTag_HaveARecordEach) {
  constexpr HostTag kOfSeven = host_tag(7, kTag);
  constexpr HostTag kOfSix = host_tag(6, kTag);
  constexpr std::uint32_t kRead10 = 0x28;
  log_.open(kOfSeven, Operation::kRead);
  log_.open(kOfSix, Operation::kRead);
  event(10, TRACE_COMMAND_RECEIVED, kRead10 << 24 | kOfSix);
  event(11, TRACE_TASK_QUEUED, std::uint32_t{kTag} << 16 | 0);
  event(20, TRACE_COMMAND_RECEIVED, kRead10 << 24 | kOfSeven);
  event(21, TRACE_TASK_QUEUED, std::uint32_t{kTag} << 16 | 1);
  event(30, TRACE_TASK_CHOSEN, 1);
  event(50, TRACE_MEDIA_DONE, 1);
  event(60, TRACE_TASK_CHOSEN, 0);
  const auto chosen_at = [](const report::CommandRecord& record) {
    for (const auto& change : record.changes()) {
      if (change.stage == report::Stage::kChosen) return change.at;
    }
    return Picoseconds{-1};
  };
  EXPECT_EQ(chosen_at(close(kOfSeven)), us(30));
  EXPECT_EQ(chosen_at(close(kOfSix)), us(60));
}

}  // namespace
}  // namespace headstack::observe
