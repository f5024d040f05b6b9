// SPDX-License-Identifier: Apache-2.0
// A command's stages, made from events and physical instants. Each case tests a rule at the head of
// host/observe/stage_log.hpp. Times are in microseconds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "firmware/events.h"
#include "host/observe/stage_log.hpp"
#include "tests/support.hpp"

namespace headstack::observe {
namespace {

using channel::HdaLevels;
using traces::Operation;

constexpr std::uint32_t kTask = 3;
constexpr std::uint16_t kTag = 17;
constexpr HdaLevels kMoving{false, false, true, false};
constexpr HdaLevels kReadReady{true, false, true, false};
constexpr HdaLevels kWriteReady{false, true, true, false};
constexpr HdaLevels kReady{true, true, true, false};

Picoseconds us(int time) { return time * kPicosecondsPerMicrosecond; }

// ------------------------------------------------------------------------------------------ steps

/// A part of a case: reports to the log, in order.
using Step = std::function<void(StageLog&)>;
using Steps = std::vector<Step>;

Step all(const Steps& steps) {
  return [steps](StageLog& log) {
    for (const Step& step : steps) step(log);
  };
}

Step event(int time, trace_event number, std::uint32_t argument) {
  return [=](StageLog& log) {
    log.firmware_event(static_cast<std::uint64_t>(us(time) / soc::kClockPeriodPs), number,
                       argument);
  };
}
Step open(Operation operation) {
  return [=](StageLog& log) { log.open(kTag, operation); };
}
Step queued(int time, std::uint32_t task = kTask) {
  return event(time, TRACE_TASK_QUEUED, std::uint32_t{kTag} << 16 | task);
}
/// The command arrives, and is chosen.
Step begin(Operation operation, int queued_at, int chosen_at) {
  return all({open(operation), queued(queued_at), event(chosen_at, TRACE_TASK_CHOSEN, kTask)});
}
Step read() { return begin(Operation::kRead, 1, 2); }
Step write() { return begin(Operation::kWrite, 1, 2); }

Step levels(int time, HdaLevels to) {
  return [=](StageLog& log) { log.levels_changed(us(time), to); };
}
Step ready(int time) { return levels(time, kReady); }
/// A movement of 30 us seek, 10 us settling, 5 us head switch, and a write settle.
Step seek(int time, int write_settle = 0) {
  return [=](StageLog& log) {
    log.seek_began(us(time), {1, 1, 0}, {us(30), us(10), us(5), us(write_settle)});
    log.levels_changed(us(time), kMoving);
  };
}
/// A pass of a sector takes 10 us. Its last check byte ends after 8 us.
Step sector(int begin, std::uint32_t number) {
  return [=](StageLog& log) {
    log.sector_began(us(begin), {1, 1, number});
    log.sector_ended(us(begin + 8), {1, 1, number});
  };
}
/// The formatter starts a run; its sectors pass at these times.
Step run(int time, std::uint32_t count, const std::vector<int>& passes) {
  Steps steps = {event(time, TRACE_RUN_START, count)};
  for (std::uint32_t i = 0; i < passes.size(); ++i) steps.push_back(sector(passes[i], i));
  return all(steps);
}
Step run_done(int time, std::uint32_t count) { return event(time, TRACE_RUN_DONE, count); }
Step media_done(int time, std::uint32_t status = 0) {
  return event(time, TRACE_MEDIA_DONE, status << 16 | kTask);
}
/// The last run ends, and the work of the media with it.
Step finish(int time, std::uint32_t count) {
  return all({run_done(time, count), media_done(time + 1)});
}

// ------------------------------------------------------------------------------------------ bench

class StageLogTest : public testing::Test {
 protected:
  void report(const Steps& steps) { all(steps)(log_); }

  report::CommandRecord close(HostTag tag, int finished = 1000) {
    initiator::Completion completion;
    completion.outcome = outcome_;
    completion.times.submitted = submitted_;
    completion.times.finished = us(finished);
    const traces::TraceRequest request{0, traces::Operation::kRead, 0, 1, std::nullopt};
    return log_.close(tag, 1, request, completion);
  }

  /// "stage time" for each change, from the complete record.
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

// ------------------------------------------------------------------------------------------ cases

struct StagesCase {
  const char* what;
  Steps steps;
  const char* stages;  // after "issued 0"
  std::uint64_t retries = 0;
};
void PrintTo(const StagesCase& row, std::ostream* out) { *out << row.what; }

class StageLogStages : public StageLogTest, public testing::WithParamInterface<StagesCase> {};

TEST_P(StageLogStages, AreThoseOfTheTable) {
  report(GetParam().steps);
  EXPECT_EQ(stages(), std::string("issued 0, ") + GetParam().stages);
  EXPECT_EQ(log_.media_retries(), GetParam().retries);
}

const StagesCase kStages[] = {
    // SEEK_START is the firmware's event; the movement begins a little later. A read does not wait
    // for the level at 58.
    {"Read_MovementThenRotationThenTransfer",
     {read(), event(9, TRACE_SEEK_START, 0), seek(10), levels(55, kReadReady), ready(58),
      event(57, TRACE_ON_TRACK, 0), run(60, 2, {100, 110}), event(109, TRACE_FIRST_SECTOR, kTask),
      finish(120, 2)},
     "queued 1, chosen 2, seek 10, settle 40, head_switch 50, rotation 55, media_transfer 100, "
     "bus_wait 118"},
    {"Write_SettlesUntilWriteReady",
     {write(), seek(10, 7), levels(55, kReadReady), ready(62), run(65, 1, {100}), finish(109, 1)},
     "queued 1, chosen 2, seek 10, settle 40, head_switch 50, settle 55, rotation 62, "
     "media_transfer 100, bus_wait 108"},
    // The electronics read the header before they write, so a published write settle below 0 counts
    // as 0.
    {"WriteReadyBeforeReadReady_WaitsForBoth",
     {write(), seek(10, -7), levels(48, kWriteReady), ready(55), run(60, 1, {100}), finish(109, 1)},
     "queued 1, chosen 2, seek 10, settle 40, head_switch 50, rotation 55, media_transfer 100, "
     "bus_wait 108"},
    // A sector's header passes before its data, so the heads may become ready to write, at 75,
    // after the sector's begin.
    {"WriteReadyWithinItsFirstSector_TransfersFromItsBegin",
     {write(), event(5, TRACE_RUN_START, 1), seek(10, 20),
      [](StageLog& log) {
        log.sector_began(us(74), {1, 1, 0});
      },
      ready(75),
      [](StageLog& log) {
        log.sector_ended(us(82), {1, 1, 0});
      },
      finish(90, 1)},
     "queued 1, chosen 2, rotation 5, seek 10, settle 40, head_switch 50, settle 55, "
     "media_transfer 74, bus_wait 82"},
    {"WriteOnATrackThatStillSettles_IsSettle",
     {write(), ready(20), event(21, TRACE_ON_TRACK, 0), run(25, 1, {50}), finish(60, 1)},
     "queued 1, settle 2, rotation 20, media_transfer 50, bus_wait 58"},
    {"MovementWithoutDuration_ChangesNoLevel",
     {read(),
      [](StageLog& log) {
        log.seek_began(us(10), {0, 1, 0}, mechanics::Positioning{});
      },
      run(20, 1, {50}), finish(60, 1)},
     "queued 1, chosen 2, rotation 10, media_transfer 50, bus_wait 58"},
    {"NoMovement_IsRotationFromTheRunOn",
     {read(), run(10, 1, {50}), finish(60, 1)},
     "queued 1, chosen 2, rotation 10, media_transfer 50, bus_wait 58"},
    // The arm moves already when the read is chosen.
    {"ReadChosenDuringAMovement_HasTheRestOfItsStages",
     {seek(10), begin(Operation::kRead, 20, 42), event(43, TRACE_CACHE_HIT, 1U << 16 | kTask),
      run(60, 1, {70}), finish(80, 1)},
     "queued 20, settle 42, head_switch 50, rotation 55, media_transfer 70, bus_wait 78"},
    // The run's first sectors have passed when the read is chosen, and the next one is bad. The
    // read waits only for that one.
    {"ReadChosenDuringARunThatStops_WaitsForTheBadSector",
     {run(60, 3, {70}), begin(Operation::kRead, 90, 100),
      event(101, TRACE_CACHE_HIT, 1U << 16 | kTask), sector(120, 1), run_done(130, 1),
      run(140, 2, {150, 160}), finish(169, 2)},
     "queued 90, rotation 100, chosen 128, rotation 140, media_transfer 150, bus_wait 168"},
    // The formatter chains the next run at 118. The firmware reports the run after its first sector
    // has passed.
    {"ChainedRun_HasTheStagesOfItsMovement",
     {read(), run(60, 2, {100, 110}), seek(119), ready(164), sector(170, 0),
      event(179, TRACE_RUN_NEXT, 2), sector(180, 1), run_done(195, 2), media_done(196)},
     "queued 1, chosen 2, rotation 60, media_transfer 100, chosen 118, seek 119, settle 149, "
     "head_switch 159, rotation 164, media_transfer 170, bus_wait 188"},
    // Nothing moves between the runs: a sector is skipped on the track.
    {"ChainedRunOnTheSameTrack_IsRotationFromTheLastSectorOn",
     {write(), run(60, 1, {100, 120}), event(129, TRACE_RUN_NEXT, 1), finish(131, 1)},
     "queued 1, chosen 2, rotation 60, media_transfer 100, rotation 108, media_transfer 120, "
     "bus_wait 128"},
    // The media read beyond a command's last block. The formatter moves the heads for that before
    // the firmware reports it.
    {"MovementAfterTheLastBlock_BelongsToNoCommand",
     {read(), run(60, 1, {100}), seek(109), event(112, TRACE_READ_AHEAD, 1), media_done(113),
      event(114, TRACE_RUN_NEXT, 5), ready(154)},
     "queued 1, chosen 2, rotation 60, media_transfer 100, bus_wait 108"},
    // The flush waits for the bus while the media read ahead for no command.
    {"Flush_HasNoStageOfTheMedia",
     {begin(Operation::kFlush, 1, 2), seek(10), run(60, 1, {70}), run_done(80, 1)},
     "queued 1, chosen 2"},
    // Sectors that pass while the formatter searches for its own are no transfer.
    {"OtherSectorsBefore_AreRotation",
     {read(), event(10, TRACE_RUN_START, 1),
      [](StageLog& log) {
        for (const int time : {20, 30, 40}) log.sector_began(us(time), {1, 1, 7});
        log.sector_ended(us(48), {1, 1, 7});
      },
      finish(50, 1)},
     "queued 1, chosen 2, rotation 10, media_transfer 40, bus_wait 48"},
    // Free blocks pass while the command waits for its own.
    {"FreeBlocks_AreRotation",
     {read(), run(10, 4, {20, 30, 40, 50}), event(11, TRACE_FREE_BLOCKS, 2), finish(60, 4)},
     "queued 1, chosen 2, rotation 10, media_transfer 40, bus_wait 58"},
    {"FreeBlocksInAChainedRunBeforeReadAhead_AreRotation",
     {read(), run(10, 3, {20, 30, 40}), event(11, TRACE_FREE_BLOCKS, 1),
      event(50, TRACE_RUN_NEXT, 2), sector(60, 1), event(70, TRACE_READ_AHEAD, 1), media_done(71)},
     "queued 1, chosen 2, rotation 10, media_transfer 30, rotation 48, media_transfer 60, "
     "bus_wait 68"},
    // The run stops in a free block, and the next one begins with the command's own.
    {"ErrorInAFreeBlock_IsNoTransfer",
     {read(), run(10, 3, {20, 30}), event(11, TRACE_FREE_BLOCKS, 2), run_done(42, 1),
      run(45, 1, {50}), finish(60, 1)},
     "queued 1, chosen 2, rotation 10, chosen 38, rotation 45, media_transfer 50, bus_wait 58"},
    // The third run is on the track of the second.
    {"TimeOfTheFirmwareBetweenRuns_IsChosen",
     {read(), run(10, 2, {20, 30}), run_done(45, 2), seek(50), ready(95), run(100, 1, {120}),
      run_done(130, 1), run(135, 1, {140}), finish(150, 1)},
     "queued 1, chosen 2, rotation 10, media_transfer 20, chosen 38, seek 50, settle 80, "
     "head_switch 90, rotation 95, media_transfer 120, chosen 128, rotation 135, "
     "media_transfer 140, bus_wait 148"},
    {"FailedPassIsRotation_ItsRetryIsTheTransfer",
     {read(), run(10, 1, {20}), run_done(30, 0), event(31, TRACE_MEDIA_RETRY, 2U << 16),
      run(35, 1, {120}), finish(130, 1)},
     "queued 1, chosen 2, rotation 10, chosen 28, rotation 35, media_transfer 120, bus_wait 128",
     1},
    // The third sector is bad.
    {"RunThatStopsEarly_TransfersUpToItsLastGoodSector",
     {read(), run(10, 4, {20, 30, 40}), run_done(50, 2), run(55, 2, {140, 150}), finish(160, 2)},
     "queued 1, chosen 2, rotation 10, media_transfer 20, rotation 38, chosen 48, rotation 55, "
     "media_transfer 140, bus_wait 158"},
    // The run has no room, or finds no sector, so that no pass ends.
    {"RunWithoutAPass_IsRotationUntilItsEnd",
     {read(), run(10, 2, {20}), run_done(60, 1), run(65, 1, {}), run_done(90, 0),
      media_done(91, 1)},
     "queued 1, chosen 2, rotation 10, media_transfer 20, rotation 28, chosen 60, rotation 65, "
     "bus_wait 90"},
    // The second wait follows a data phase that did not move enough.
    {"WaitForTheBuffer_BelongsToTheBus",
     {write(), seek(10), ready(55), event(60, TRACE_MEDIA_WAIT, kTask),
      event(70, TRACE_DATA_PHASE_BEGIN, kTask), event(80, TRACE_DATA_PHASE_END, kTask),
      event(82, TRACE_MEDIA_WAIT, kTask), event(85, TRACE_DATA_PHASE_BEGIN, kTask),
      run(90, 1, {100}), event(95, TRACE_DATA_PHASE_END, kTask), finish(110, 1)},
     "queued 1, chosen 2, seek 10, settle 40, head_switch 50, rotation 55, bus_wait 60, "
     "bus_data 70, bus_wait 80, bus_data 85, rotation 90, media_transfer 100, bus_wait 108"},
    // A task that waits for a segment has not been chosen.
    {"WaitForASegment_IsQueued",
     {open(Operation::kRead), queued(1), event(5, TRACE_MEDIA_WAIT, kTask)},
     "queued 1"},
    // The bus moves data before the firmware reports the end of the media's work.
    {"DataPhaseAfterTheLastSector_ShowsBeforeTheFirmwaresReport",
     {read(), run(10, 2, {20, 30}), event(33, TRACE_DATA_PHASE_BEGIN, kTask),
      event(40, TRACE_DATA_PHASE_END, kTask), event(41, TRACE_DATA_PHASE_BEGIN, kTask),
      finish(42, 2), event(50, TRACE_DATA_PHASE_END, kTask)},
     "queued 1, chosen 2, rotation 10, media_transfer 20, bus_data 38, bus_wait 40, bus_data 41, "
     "bus_wait 50"},
    {"AbortInARun_EndsAfterTheSectorsDone",
     {read(), run(10, 3, {20}), run_done(32, 1), media_done(33, 9)},
     "queued 1, chosen 2, rotation 10, media_transfer 20, rotation 28, bus_wait 32"},
};
INSTANTIATE_TEST_SUITE_P(Case, StageLogStages, testing::ValuesIn(kStages),
                         test::case_name<StagesCase>);

struct FaultCase {
  const char* what;
  Steps steps;
  const char* fault;
  int submitted = 0, finished = 1000;
};
void PrintTo(const FaultCase& row, std::ostream* out) { *out << row.what; }

class StageLogFaults : public StageLogTest, public testing::WithParamInterface<FaultCase> {};

TEST_P(StageLogFaults, IsReported) {
  submitted_ = us(GetParam().submitted);
  report(GetParam().steps);
  EXPECT_EQ(close(kTag, GetParam().finished).find_fault().text,
            std::string("command 1: ") + GetParam().fault);
}

const FaultCase kFaults[] = {
    {"ChangeAfterTheEndOfTheCommand",
     {begin(Operation::kRead, 3, 31)},
     "'chosen' at 0.031000000 ms lies after its end, at 0.030000000 ms",
     0,
     30},
    {"ChangeBeforeTheCommandWasSubmitted",
     {open(Operation::kRead), queued(3)},
     "'queued' at 0.003000000 ms lies before it was submitted, at 0.004000000 ms",
     4,
     30},
    {"RunChainedBeforeItsSectorsPassed",
     {read(), run(60, 2, {100}), event(120, TRACE_RUN_NEXT, 1)},
     "RUN_NEXT after a run of 2 sectors at 0.120000000 ms, of which 1 passed"},
    {"MoreFreeBlocksThanTheRunHas",
     {read(), run(10, 2, {20, 30}), event(11, TRACE_FREE_BLOCKS, 2)},
     "2 free blocks in a run of 2 sectors"},
};
INSTANTIATE_TEST_SUITE_P(Case, StageLogFaults, testing::ValuesIn(kFaults),
                         test::case_name<FaultCase>);

// A reset ends a command, and the host gives its tag to another one at once. Later events of the
// ended task belong to no command.
TEST_F(StageLogTest, EventsOfATaskAfterAReset_AreNotOfTheNextCommandWithItsTag) {
  report({read(), event(5, TRACE_DATA_PHASE_BEGIN, kTask)});
  static_cast<void>(close(kTag, 8));
  report({open(Operation::kWrite), event(9, TRACE_DATA_PHASE_END, kTask),
          event(10, TRACE_TASK_ENDED, kTask), queued(20, kTask + 1),
          event(21, TRACE_WRITE_REPORTED, kTask + 1)});
  EXPECT_EQ(stages(), "issued 0, queued 20");
}

// The arm completes its movement. The media's end is reported when the index may name another task.
TEST_F(StageLogTest, AbortDuringAMovement_LeavesTheNextTaskOfThatIndexAlone) {
  report({read(), seek(10), event(20, TRACE_TASK_ENDED, kTask)});
  outcome_ = initiator::Outcome::kAborted;
  EXPECT_EQ(stages(30), "issued 0, queued 1, chosen 2, seek 10");
  report({open(Operation::kRead), queued(40), ready(55), media_done(56, 9)});
  EXPECT_EQ(stages(60), "issued 0, queued 40");
}

// A search that ends in time costs nothing. One that ends after the last sector (98 us) costs the
// difference. One that begins when the heads are free costs all its time.
TEST_F(StageLogTest, SearchExposed_IsTheTimeThatTheMediaWaitForTheChoice) {
  struct Case {
    int begin, end, chosen, exposed;
  };
  for (const Case& at : {Case{70, 90, 110, 0},
                         {70, 98, 110, 0},
                         {70, 103, 110, 5},
                         {99, 0, 107, 8},
                         {95, 0, 107, 9},
                         {0, 0, 107, 0}}) {
    report({read(), run(60, 1, {90})});
    if (at.begin != 0) report({event(at.begin, TRACE_PLAN_BEGIN, 5)});
    if (at.end != 0) report({event(at.end, TRACE_PLAN_END, kTask)});
    report({finish(100, 1)});
    constexpr std::uint16_t kNext = 18;
    log_.open(kNext, Operation::kRead);
    report({event(102, TRACE_TASK_QUEUED, std::uint32_t{kNext} << 16 | (kTask + 1)),
            event(at.chosen, TRACE_TASK_CHOSEN, kTask + 1)});
    EXPECT_EQ(close(kTag).search_exposed(), 0) << "there was no search for the first one";
    EXPECT_EQ(close(kNext).search_exposed(), us(at.exposed)) << at.begin << ' ' << at.end;
  }
}

TEST_F(StageLogTest, EventHash_DependsOnEveryFieldAndTheOrder) {
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

// Each host has tags of its own. COMMAND_RECEIVED names the host of the task that is queued next.
TEST_F(StageLogTest, TwoHostsWithTheSameTag_HaveARecordEach) {
  constexpr HostTag kOfSeven = host_tag(7, kTag);
  constexpr HostTag kOfSix = host_tag(6, kTag);
  constexpr std::uint32_t kRead10 = 0x28;
  log_.open(kOfSeven, Operation::kRead);
  log_.open(kOfSix, Operation::kRead);
  report({event(10, TRACE_COMMAND_RECEIVED, kRead10 << 24 | kOfSix), queued(11, 0),
          event(20, TRACE_COMMAND_RECEIVED, kRead10 << 24 | kOfSeven), queued(21, 1),
          event(30, TRACE_TASK_CHOSEN, 1), event(50, TRACE_MEDIA_DONE, 1),
          event(60, TRACE_TASK_CHOSEN, 0)});
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
