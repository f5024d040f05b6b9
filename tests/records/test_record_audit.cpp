// SPDX-License-Identifier: Apache-2.0
// The rules that the record audit applies to a command: a correct read, and that read with one
// mistake at a time. Times are in microseconds.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <regex>

#include "firmware/events.h"
#include "host/observe/record_audit.hpp"
#include "tests/support.hpp"

namespace headstack::observe {
namespace {

using geometry::Chs;
using report::Stage;

constexpr std::uint32_t kTask = 3;
constexpr HostTag kName = host_tag(7, 17);
constexpr traces::TraceRequest kRequest{0, traces::Operation::kRead, 1000, 2, std::nullopt};

constexpr Picoseconds us(int time) { return time * kPicosecondsPerMicrosecond; }

/// A script of a read of two blocks, for an observer.
struct Script {
  struct Event {
    int at;
    unsigned number;
    std::uint32_t argument;
  };
  struct Pass {
    int began, ended;
    std::uint32_t sector;  // counted from the command's first
  };
  struct Change {
    Stage stage;
    int at;
  };
  std::vector<Event> events{
      {10, TRACE_COMMAND_RECEIVED, 0x28U << 24 | kName},
      {11, TRACE_TASK_QUEUED, (kName & 0xFFFF) << 16 | kTask},
      {12, TRACE_TASK_CHOSEN, kTask},
      {65, TRACE_RUN_START, 2},
      {119, TRACE_RUN_DONE, 2},
      {120, TRACE_MEDIA_DONE, kTask},
      {130, TRACE_DATA_PHASE_BEGIN, kTask},
      {140, TRACE_DATA_PHASE_END, kTask},
      {147, TRACE_TASK_ENDED, kTask},
  };
  int seek_at = 15;
  mechanics::Positioning parts{us(30), us(10), us(5), 0};
  std::int32_t cylinder_off = 0;
  std::vector<Pass> passes{{100, 108, 0}, {110, 118, 1}};
  std::vector<Change> changes{
      {Stage::kSelection, 2},   {Stage::kCommand, 3},   {Stage::kQueued, 11},
      {Stage::kChosen, 12},     {Stage::kSeek, 15},     {Stage::kSettle, 45},
      {Stage::kHeadSwitch, 55}, {Stage::kRotation, 60}, {Stage::kMediaTransfer, 100},
      {Stage::kBusWait, 118},   {Stage::kBusData, 130}, {Stage::kBusWait, 140},
      {Stage::kStatus, 145},
  };
  std::uint8_t status = 0;

  Event& event(unsigned number) {
    return *std::find_if(events.begin(), events.end(),
                         [number](const Event& one) { return one.number == number; });
  }
  Change& change(Stage stage) {
    return *std::find_if(changes.begin(), changes.end(),
                         [stage](const Change& one) { return one.stage == stage; });
  }
  void drop(Stage stage) { changes.erase(changes.begin() + (&change(stage) - changes.data())); }
  void drop(unsigned number) { events.erase(events.begin() + (&event(number) - events.data())); }
};

std::string check(const Script& script, Picoseconds* at = nullptr) {
  const geometry::Geometry geometry(test::shipped("eagle").design);
  RecordAudit audit(geometry, false);
  const Chs first = geometry.locate(kRequest.lba).chs();
  Chs track{first.cylinder + static_cast<std::uint32_t>(script.cylinder_off), first.head, 0};
  audit.seek_began(us(script.seek_at), track, script.parts);
  for (const Script::Pass& pass : script.passes) {
    const Chs sector{first.cylinder, first.head, first.sector + pass.sector};
    audit.sector_began(us(pass.began), sector);
    audit.sector_ended(us(pass.ended), sector);
  }
  for (const Script::Event& event : script.events) {
    const auto edge = static_cast<std::uint64_t>(us(event.at) / soc::kClockPeriodPs);
    audit.firmware_event(edge, event.number, event.argument);
  }
  initiator::Completion completion;
  completion.status = script.status;
  initiator::Times& times = completion.times;
  times.submitted = 0;
  times.arbitration_won = us(2);
  times.selected = us(3);
  times.command_sent = us(9);
  times.disconnected = {us(20)};
  times.reselected = {us(125)};
  times.data_first = us(131);
  times.data_last = us(139);
  times.status = us(145);
  times.complete = us(147);
  times.finished = us(148);
  report::CommandRecord record(0, kRequest, 0);
  for (const Script::Change& change : script.changes) record.enter(change.stage, us(change.at));
  record.complete(us(148), script.status);
  const report::RecordFault fault = audit.check(record, kName, completion);
  if (at != nullptr) *at = fault.at;
  return fault.text;
}

TEST(RecordAudit, AReadThatIsRight_HasNoFault) { EXPECT_EQ(check({}), ""); }

struct Case {
  const char* what;
  std::function<void(Script&)> spoil;
  const char* told;
};

void expect_told(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    Script script;
    one.spoil(script);
    Picoseconds at = 0;
    const std::string told = check(script, &at);
    EXPECT_NE(told.find(one.told), std::string::npos) << one.what << ": '" << told << "'";
    // The examination (a post-mortem's window, stop and waves) begins before the instant.
    const std::regex instant("(?:at|from) ([0-9]+)\\.([0-9]{9}) ms");
    for (std::sregex_iterator found(told.begin(), told.end(), instant), end; found != end;
         ++found) {
      EXPECT_LE(at, std::stoll((*found)[1].str() + (*found)[2].str())) << told;
    }
  }
}

TEST(RecordAudit, StagesOutOfOrder_AreFaults) {
  expect_told({
      {"status ahead of the media's work",
       [](Script& s) { s.change(Stage::kSeek).stage = Stage::kStatus; },
       "'status' at 0.015000000 ms follows 'chosen'"},
      {"the media without a choice", [](Script& s) { s.drop(Stage::kChosen); },
       "'seek' at 0.015000000 ms follows 'queued'"},
      {"no command phase", [](Script& s) { s.drop(Stage::kCommand); },
       "'queued' at 0.011000000 ms follows 'selection'"},
      {"no status", [](Script& s) { s.drop(Stage::kStatus); }, "its last stage is 'bus_wait'"},
      {"a read of the media that ends without them",
       [](Script& s) { s.drop(Stage::kMediaTransfer); }, "have not passed"},
  });
}

TEST(RecordAudit, MovementsThatDoNotFit_AreFaults) {
  expect_told({
      {"seek charged to rotation",
       [](Script& s) { s.change(Stage::kSeek).stage = Stage::kRotation; },
       "'seek' of the movement at 0.015000000 ms"},
      {"seek a microsecond late", [](Script& s) { s.change(Stage::kSeek).at += 1; },
       "'seek' of the movement"},
      {"settle too soon", [](Script& s) { s.change(Stage::kSettle).at -= 1; },
       "'seek' of the movement"},
      {"head switch too long", [](Script& s) { s.change(Stage::kRotation).at += 1; },
       "'head_switch' of the movement"},
      {"to another's cylinder", [](Script& s) { s.cylinder_off = 1; },
       "where none of its blocks is"},
      {"a seek that nobody made", [](Script& s) { s.parts = {}; },
       "the arm moved for 0.000000000 ms"},
  });
}

TEST(RecordAudit, SectorsThatDoNotFit_AreFaults) {
  expect_told({
      {"transfer begins late", [](Script& s) { s.change(Stage::kMediaTransfer).at += 1; },
       "media_transfer begins"},
      {"transfer ends late", [](Script& s) { s.change(Stage::kBusWait).at += 1; },
       "media_transfer ends"},
      {"one block short", [](Script& s) { s.change(Stage::kBusWait).at = 108; },
       "1 of its 2 blocks"},
      {"another's sectors",
       [](Script& s) {
         s.passes = {{100, 108, 5}, {110, 118, 6}};
       },
       "media_transfer begins"},
  });
}

TEST(RecordAudit, StagesThatTheBusContradicts_AreFaults) {
  expect_told({
      {"queued before the last byte of the CDB", [](Script& s) { s.change(Stage::kQueued).at = 8; },
       "'queued' at 0.008000000 ms"},
      {"bus_data while disconnected", [](Script& s) { s.change(Stage::kBusData).at = 124; },
       "not connected"},
      {"data after bus_data", [](Script& s) { s.changes[11].at = 138; },
       "data move at 0.139000000 ms in its 'bus_wait'"},
      {"data ahead of bus_data", [](Script& s) { s.change(Stage::kBusData).at = 132; },
       "data move at 0.131000000 ms in its 'bus_wait'"},
  });
}

TEST(RecordAudit, EventsThatLeaveTheirRules_AreFaults) {
  expect_told({
      {"queued twice", [](Script& s) { s.events.insert(s.events.begin() + 2, s.events[1]); },
       "in the queue already"},
      {"queued by another's tag",
       [](Script& s) { s.event(TRACE_TASK_QUEUED).argument += 1U << 16; }, "has tag 18"},
      {"chosen twice", [](Script& s) { s.events.insert(s.events.begin() + 3, s.events[2]); },
       "while the media serve task 3"},
      {"another chosen", [](Script& s) { s.event(TRACE_TASK_CHOSEN).argument = 4; },
       "TASK_CHOSEN names task 4"},
      {"another done", [](Script& s) { s.event(TRACE_MEDIA_DONE).argument = 4; },
       "MEDIA_DONE names task 0x4"},
      {"done within a run", [](Script& s) { s.drop(TRACE_RUN_DONE); },
       "MEDIA_DONE while a run is under way"},
      {"a run twice", [](Script& s) { s.events.insert(s.events.begin() + 4, s.events[3]); },
       "RUN_START while a run"},
      {"a run that never began", [](Script& s) { s.drop(TRACE_RUN_START); },
       "RUN_DONE without a run"},
      {"more than the run", [](Script& s) { s.event(TRACE_RUN_DONE).argument = 3; },
       "RUN_DONE of 3 sectors in a run of 2"},
      {"data of another", [](Script& s) { s.event(TRACE_DATA_PHASE_END).argument = 4; },
       "DATA_PHASE_END names task 4"},
      {"two data phases", [](Script& s) { s.events.insert(s.events.begin() + 7, s.events[6]); },
       "DATA_PHASE_BEGIN while"},
      {"ended twice", [](Script& s) { s.events.push_back(s.events.back()); },
       "TASK_ENDED names task 3"},
      {"back in time", [](Script& s) { s.event(TRACE_MEDIA_DONE).at = 118; },
       "comes after a later event"},
  });
}

// A failed command may end at any point. The firmware's events must follow their rules
// nevertheless.
TEST(RecordAudit, ACommandThatFails_IsHeldToTheEventsAlone) {
  Script script;
  script.status = 2;
  script.drop(Stage::kMediaTransfer);
  EXPECT_EQ(check(script), "");
  script.drop(TRACE_RUN_START);
  EXPECT_NE(check(script), "");
}

}  // namespace
}  // namespace headstack::observe
