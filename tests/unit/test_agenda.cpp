// SPDX-License-Identifier: Apache-2.0
// The agenda: what happens when, on the fast platform. Expectations are agenda.hpp's own promises.
#include "sim/tlm/kernel/agenda.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace headstack::tlm {
namespace {

/// The alarms that went off, with their times.
using Log = std::vector<std::pair<std::string, Picoseconds>>;

struct AgendaTest : testing::Test {
  Alarm& alarm(const std::string& name) {
    return alarms.emplace_back(agenda, [this, name] { log.emplace_back(name, agenda.now()); });
  }

  Agenda agenda;
  Log log;
  std::deque<Alarm> alarms;  // gone before the agenda
};

TEST_F(AgendaTest, Empty_IsNeverDue) {
  EXPECT_EQ(agenda.now(), 0);
  EXPECT_EQ(agenda.next(), Agenda::kNever);
  agenda.run_to(100);
  EXPECT_EQ(agenda.now(), 100);
}

TEST_F(AgendaTest, Alarms_GoOffInTheOrderOfTime) {
  alarm("c").set(30);
  alarm("a").set(10);
  alarm("b").set(20);
  EXPECT_EQ(agenda.next(), 10);
  agenda.run_to(100);
  EXPECT_EQ(log, (Log{{"a", 10}, {"b", 20}, {"c", 30}}));
}

TEST_F(AgendaTest, OfOneTime_ByTheOrderInWhichTheyWereSet) {
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) alarm(name).set(5);
  agenda.run_to(5);
  EXPECT_EQ(log, (Log{{"a", 5}, {"b", 5}, {"c", 5}, {"d", 5}, {"e", 5}, {"f", 5}, {"g", 5}}));
}

TEST_F(AgendaTest, SetAgain_MovesToTheEndOfItsNewTime) {
  Alarm& a = alarm("a");
  a.set(10);
  alarm("b").set(10);
  a.set(10);
  agenda.run_to(10);
  EXPECT_EQ(log, (Log{{"b", 10}, {"a", 10}}));
  a.set(20);
  a.set(15);
  EXPECT_EQ(a.due(), 15);
  agenda.run_to(30);
  EXPECT_EQ(log.size(), 3U);
  EXPECT_EQ(log.back(), (std::pair<std::string, Picoseconds>{"a", 15}));
}

TEST_F(AgendaTest, RunTo_IncludesItsTime_AndNothingBehind) {
  alarm("at").set(50);
  alarm("behind").set(51);
  agenda.run_to(49);
  EXPECT_TRUE(log.empty());
  agenda.run_to(50);
  EXPECT_EQ(log, (Log{{"at", 50}}));
  EXPECT_EQ(agenda.now(), 50);
  EXPECT_EQ(agenda.next(), 51);
  agenda.run_to(51);
  EXPECT_EQ(log.size(), 2U);
}

TEST_F(AgendaTest, Cancelled_DoesNotGoOff) {
  Alarm& a = alarm("a");
  alarm("b").set(10);
  a.set(10);
  alarm("c").set(10);
  a.cancel();
  EXPECT_FALSE(a.is_set());
  a.cancel();
  agenda.run_to(20);
  EXPECT_EQ(log, (Log{{"b", 10}, {"c", 10}}));
}

TEST_F(AgendaTest, Destroyed_DoesNotGoOff) {
  {
    Alarm gone(agenda, [this] { log.emplace_back("gone", agenda.now()); });
    gone.set(10);
  }
  EXPECT_EQ(agenda.next(), Agenda::kNever);
}

TEST_F(AgendaTest, Step_LetsOneAlarmGoOff) {
  alarm("a").set(10);
  alarm("b").set(10);
  agenda.step();
  EXPECT_EQ(log, (Log{{"a", 10}}));
  EXPECT_EQ(agenda.now(), 10);
  agenda.step();
  EXPECT_EQ(log.size(), 2U);
}

TEST_F(AgendaTest, AnAction_MaySetItsOwnAlarmAgain) {
  int left = 3;
  Alarm* self = nullptr;
  Alarm ticking(agenda, [&] {
    log.emplace_back("tick", agenda.now());
    if (--left > 0) self->set(agenda.now() + 10);
  });
  self = &ticking;
  ticking.set(10);
  agenda.run_to(100);
  EXPECT_EQ(log, (Log{{"tick", 10}, {"tick", 20}, {"tick", 30}}));
}

TEST_F(AgendaTest, AnAction_MaySetAndCancelOthersOfItsTime) {
  Alarm& later = alarm("later");
  Alarm& never = alarm("never");
  Alarm first(agenda, [&] {
    later.set(agenda.now());
    never.cancel();
  });
  first.set(10);
  never.set(10);
  agenda.run_to(10);
  EXPECT_EQ(log, (Log{{"later", 10}}));
}

// An action may advance time itself, as firmware does.
TEST_F(AgendaTest, RunToWithinAnAction_MovesTime_AndTheOuterRunGoesOnFromThere) {
  Alarm firmware(agenda, [this] {
    log.emplace_back("begin", agenda.now());
    agenda.run_to(40);
    log.emplace_back("end", agenda.now());
  });
  firmware.set(10);
  alarm("within").set(30);
  alarm("at the end").set(40);
  alarm("behind").set(45);
  agenda.run_to(20);
  EXPECT_EQ(agenda.now(), 40) << "firmware may end after the time asked for";
  EXPECT_EQ(log, (Log{{"begin", 10}, {"within", 30}, {"at the end", 40}, {"end", 40}}));
  agenda.run_to(50);
  EXPECT_EQ(log.back(), (std::pair<std::string, Picoseconds>{"behind", 45}));
}

using AgendaDeathTest = AgendaTest;

TEST_F(AgendaDeathTest, ThePast_IsABug) {
  agenda.run_to(10);
  Alarm& a = alarm("a");
  EXPECT_DEATH(a.set(9), "nothing is due in the past");
  EXPECT_DEATH(agenda.run_to(9), "time runs forward");
  EXPECT_DEATH(a.due(), "only an alarm that is set is due");
  EXPECT_DEATH(agenda.step(), "there is no next alarm");
  a.set(10);
  agenda.run_to(10);
  EXPECT_EQ(log.size(), 1U) << "now is not the past";
}

// Against the order's definition, in an ordered container: (time, sequence of setting).
TEST_F(AgendaTest, RandomSettingAndCancelling_KeepsTheOrder) {
  constexpr std::uint64_t kSeed = 11;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  std::map<std::pair<Picoseconds, std::uint64_t>, std::size_t> reference;
  std::vector<std::map<std::pair<Picoseconds, std::uint64_t>, std::size_t>::iterator> where(
      40, reference.end());
  std::vector<std::size_t> fired;
  for (std::size_t i = 0; i < where.size(); ++i) {
    alarms.emplace_back(agenda, [&fired, i] { fired.push_back(i); });
  }
  std::uint64_t sequence = 0;
  for (int round = 0; round < 20'000; ++round) {
    const std::size_t i = random() % where.size();
    if (where[i] != reference.end()) reference.erase(where[i]);
    where[i] = reference.end();
    if (random() % 4 == 0) {
      alarms[i].cancel();
    } else {
      const Picoseconds time = agenda.now() + static_cast<Picoseconds>(random() % 16);
      alarms[i].set(time);
      where[i] = reference.emplace(std::make_pair(time, sequence++), i).first;
    }
    if (random() % 8 != 0 || reference.empty()) continue;
    const std::size_t expected = reference.begin()->second;
    ASSERT_EQ(agenda.next(), reference.begin()->first.first);
    agenda.step();
    ASSERT_EQ(fired.back(), expected);
    where[expected] = reference.end();
    reference.erase(reference.begin());
  }
  EXPECT_GT(fired.size(), 1'000U);
}

}  // namespace
}  // namespace headstack::tlm
