// SPDX-License-Identifier: Apache-2.0
// The drive's rules for the bus, the media and the buffer: no order of events leads to a circle of
// waits. With a rule left out, the search finds the circle that the rule prevents.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/waits/bus_model.hpp"

namespace headstack::test {
namespace {

constexpr BusCommand kRead = {};
constexpr BusCommand kLongRead = {TASK_READ, true};
constexpr BusCommand kReadHead = {TASK_READ, false, false, true, TASK_HEAD_OF_QUEUE};
constexpr BusCommand kReadAlone = {TASK_READ, false, false, false};
constexpr BusCommand kLongReadAlone = {TASK_READ, true, false, false};
constexpr BusCommand kReadOver = {TASK_READ, false, true};
constexpr BusCommand kReadOverAlone = {TASK_READ, false, true, false};
constexpr BusCommand kReadOverHead = {TASK_READ, false, true, true, TASK_HEAD_OF_QUEUE};
constexpr BusCommand kWrite = {TASK_WRITE};
constexpr BusCommand kLongWrite = {TASK_WRITE, true};
constexpr BusCommand kWriteOver = {TASK_WRITE, false, true};
constexpr BusCommand kWriteOverAlone = {TASK_WRITE, false, true, false};
constexpr BusCommand kWriteOverHead = {TASK_WRITE, false, true, true, TASK_HEAD_OF_QUEUE};
constexpr BusCommand kWriteOrdered = {TASK_WRITE, false, false, true, TASK_ORDERED};

struct Load {
  const char* name;
  std::vector<BusCommand> commands;
  bool refuses_disconnect;
  bool media_fail;
  std::uint32_t tasks = 4;
};

void PrintTo(const Load& load, std::ostream* out) { *out << load.name; }

class BusModel : public testing::TestWithParam<Load> {};

TEST_P(BusModel, NoStateIsWithoutAWayOn) {
  std::size_t states = 0;
  std::size_t most = 0;
  int configurations = 0;
  for (const enum mode_dtdc dtdc : {MODE_DTDC_NONE, MODE_DTDC_DATA, MODE_DTDC_COMMAND}) {
    for (std::uint32_t bits = 0; bits < 12; ++bits) {
      BusConfiguration configuration;
      configuration.dtdc = dtdc;
      configuration.cache_writes = bits % 2 != 0;
      configuration.restricted = bits / 2 % 2 != 0;
      configuration.segments = bits / 4 + 1;
      configuration.tasks = GetParam().tasks;
      configuration.refuses_disconnect = GetParam().refuses_disconnect;
      configuration.media_fail = GetParam().media_fail;
      configuration.commands = GetParam().commands;
      const BusVerdict verdict = search_bus(configuration);
      EXPECT_EQ(verdict.fault, "") << configuration.name() << ": " << verdict.text();
      states += verdict.states;
      most = std::max(most, verdict.states);
      ++configurations;
    }
  }
  std::cout << GetParam().name << ": " << configurations << " configurations, " << states
            << " states, at most " << most << " in one\n";
}

INSTANTIATE_TEST_SUITE_P(
    Loads, BusModel,
    testing::Values(Load{"streams", {kLongRead, kWrite, kReadAlone}, true, false},
                    Load{"overlaps", {kReadOver, kWriteOver, kWriteOverAlone}, true, false},
                    Load{"heads", {kLongRead, kWriteOverHead, kReadOverAlone}, false, false},
                    Load{"ordered", {kWriteOrdered, kRead, kLongReadAlone}, true, false},
                    Load{"failures", {kWrite, kReadAlone}, false, true},
                    Load{"long_failures", {kLongRead, kLongWrite}, false, true, 3}),
    [](const auto& one) { return std::string(one.param.name); });

// Each of these larger loads takes minutes.
INSTANTIATE_TEST_SUITE_P(
    WideLoads, BusModel,
    testing::Values(Load{"long", {kLongRead, kLongWrite, kReadAlone, kWriteOver}, true, false},
                    Load{"heads", {kLongRead, kWrite, kReadOverAlone, kWriteOverHead}, true, false},
                    Load{"failures", {kLongRead, kLongWrite}, false, true}),
    [](const auto& one) { return std::string(one.param.name); });

// The rules that are left out, and what the search then finds.
struct Planted {
  const char* name;
  std::vector<BusRule> off;
  BusConfiguration configuration;
  const char* fault;
  const char* circle;
};

void PrintTo(const Planted& planted, std::ostream* out) { *out << planted.name; }

class PlantedFault : public testing::TestWithParam<Planted> {};

TEST_P(PlantedFault, IsFoundWithItsCircle) {
  BusConfiguration configuration = GetParam().configuration;
  EXPECT_EQ(search_bus(configuration).fault, "") << "the rules as they are";
  for (const BusRule rule : GetParam().off) {
    configuration.is_off.at(static_cast<std::size_t>(rule)) = true;
  }
  const BusVerdict verdict = search_bus(configuration);
  EXPECT_EQ(verdict.fault, GetParam().fault) << verdict.text();
  EXPECT_EQ(verdict.circle, GetParam().circle) << verdict.text();
}

BusConfiguration three_tasks(std::vector<BusCommand> commands, std::uint32_t segments) {
  BusConfiguration configuration;
  configuration.tasks = 3;
  configuration.segments = segments;
  configuration.commands = std::move(commands);
  return configuration;
}

BusConfiguration failing_long_reads() {
  BusConfiguration configuration = three_tasks({kLongRead}, 2);
  configuration.dtdc = MODE_DTDC_DATA;
  configuration.media_fail = true;
  return configuration;
}

BusConfiguration refusing_hosts(std::vector<BusCommand> commands, std::uint32_t segments) {
  BusConfiguration configuration = three_tasks(std::move(commands), segments);
  configuration.refuses_disconnect = true;
  return configuration;
}

BusConfiguration cached(BusConfiguration configuration) {
  configuration.cache_writes = true;
  return configuration;
}

BusConfiguration unordered_dtdc() {
  BusConfiguration configuration = three_tasks({kReadOver, kWriteOver}, 3);
  configuration.dtdc = MODE_DTDC_COMMAND;
  configuration.restricted = false;
  return configuration;
}

BusConfiguration failing_heads() {
  BusConfiguration configuration = three_tasks({kRead, kWrite, kReadHead}, 2);
  configuration.tasks = 4;
  configuration.media_fail = true;
  return configuration;
}

INSTANTIATE_TEST_SUITE_P(
    Rules, PlantedFault,
    testing::Values(
        Planted{
            "suspended_holder",
            {BusRule::kSuspendedHolderDecides},
            failing_long_reads(),
            "deadlock",
            "bus: held by A > A: is suspended > media: stand still for B > B: needs the bus > bus"},
        Planted{"stuck_task",
                {BusRule::kStuckMakesWay},
                refusing_hosts({kLongRead}, 2),
                "deadlock",
                "bus: held by B > B: waits for the media > media: stand still for A > A: needs the "
                "bus > bus"},
        Planted{"reported_write",
                {BusRule::kReportBeforeHolder},
                cached(refusing_hosts({kWriteOver, kReadOver}, 3)),
                "deadlock",
                "bus: held by B > B: must not pass A > A: comes after B > B"},
        Planted{"holder_without_room",
                {BusRule::kHolderHasRoom},
                refusing_hosts({kLongRead}, 1),
                "deadlock",
                "bus: held by B > B: waits for the room of A > A: makes way for B > B"},
        // Two rules guard the buffer's room: it is lost only if both are left out.
        Planted{"room_of_holder",
                {BusRule::kRoomForHolder, BusRule::kReserve},
                three_tasks({kRead, kWrite, kReadAlone}, 1),
                "deadlock",
                "bus: held by C > C: waits for the room of B > B: comes after C > C"},
        Planted{"room_of_oldest",
                {BusRule::kOldestMakesRoom, BusRule::kReserve},
                three_tasks({kWrite, kReadHead}, 1),
                "deadlock",
                "A: comes after B > B: waits for the room of A > A"},
        Planted{"room_behind_a_head",
                {BusRule::kHeadsLetOwnersPass, BusRule::kReserve},
                failing_heads(),
                "deadlock",
                "A: waits for C > C: waits for the room of A > A"},
        Planted{"early_data",
                {BusRule::kEarlyDataAreWhole, BusRule::kDataInTurn},
                unordered_dtdc(),
                "refused by its own drive",
                ""},
        Planted{"report_behind_a_head",
                {BusRule::kReportPassesHeads},
                cached(three_tasks({kWriteOver, kReadOverHead}, 3)),
                "deadlock",
                "A: comes after B > B: must not pass A > A"}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace headstack::test
