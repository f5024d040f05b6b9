// SPDX-License-Identifier: Apache-2.0
#include "host/debug/monitor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headstack::debug {
namespace {

using testing::HasSubstr;

class FakeRun : public MonitorTarget {
 public:
  std::string when() const override { return "now\n"; }
  std::string queue() const override { return "tasks\n"; }
  std::string drive() const override { return "spins\n"; }
  std::string block_registers(const std::string& name) override { return "of '" + name + "'\n"; }
  std::string set_until(const Until& asked) override {
    if (asked.command == 0U) return "request 0 is past\n";
    until = asked;
    return "";
  }
  std::string go_to(const Until& asked, const std::string& words) override {
    until = asked;
    place = words;
    return "";
  }
  std::string go_to_start() override {
    place = "start";
    return "";
  }
  std::string open_waves(const std::string& path) override { return "to " + path + "\n"; }
  std::string close_waves() override { return "closed\n"; }
  std::string fork_history() override { return "forked\n"; }

  Until until;
  std::string place;
};

TEST(Monitor, Help_ListsEveryCommand) {
  FakeRun run;
  const std::string text = run_monitor_command(run, "help");
  for (const char* name : {"help", "when", "goto", "run-until", "stepi-isr", "queue", "drive",
                           "reg", "wave", "fork-history"}) {
    EXPECT_THAT(text, HasSubstr(name));
  }
  EXPECT_EQ(run_monitor_command(run, "  "), text) << "nothing said is a question, too";
}

TEST(Monitor, Commands_ReachTheRun) {
  FakeRun run;
  EXPECT_EQ(run_monitor_command(run, "when"), "now\n");
  EXPECT_EQ(run_monitor_command(run, " queue "), "tasks\n");
  EXPECT_EQ(run_monitor_command(run, "wave on a.fst"), "to a.fst\n");
  EXPECT_EQ(run_monitor_command(run, "wave off"), "closed\n");
  EXPECT_EQ(run_monitor_command(run, "reg"), "of ''\n");
  EXPECT_EQ(run_monitor_command(run, "reg servo.status"), "of 'servo.status'\n");
}

// Edge n is at n * 25 ns: 1 us is edge 40, and a picosecond more is edge 41.
TEST(Monitor, Times_AreTheEdgeAtOrBehindThem) {
  FakeRun run;
  run_monitor_command(run, "run-until time 1us");
  EXPECT_EQ(run.until.edge, 40U);
  run_monitor_command(run, "run-until time 1000001ps");
  EXPECT_EQ(run.until.edge, 41U);
  run_monitor_command(run, "run-until time 12.5ms");
  EXPECT_EQ(run.until.edge, 500'000U);
}

TEST(Monitor, RunUntil_TakesRequestsAndEvents) {
  FakeRun run;
  run_monitor_command(run, "run-until cmd 7");
  EXPECT_EQ(run.until.command, 7U);
  EXPECT_FALSE(run.until.edge);
  run_monitor_command(run, "run-until event PLAN_END");
  EXPECT_EQ(run.until.event, 3U) << "firmware/events.h";
  run_monitor_command(run, "stepi-isr");
  EXPECT_TRUE(run.until.next);
}

// The words go to a woken run, and must be those of parse_until().
TEST(Monitor, Goto_TakesPlaces) {
  FakeRun run;
  EXPECT_EQ(run_monitor_command(run, "goto command 7"), "the next 'continue' goes to command 7\n");
  EXPECT_EQ(run.until.command, 7U);
  EXPECT_EQ(parse_until(run.place).command, 7U);
  run_monitor_command(run, "goto time 1us");
  EXPECT_EQ(parse_until(run.place).edge, 40U);
  run_monitor_command(run, "goto event PLAN_END:2");
  EXPECT_EQ(parse_until(run.place).event, 3U);
  EXPECT_EQ(parse_until(run.place).event_number, 2U);
  run_monitor_command(run, "goto end");
  EXPECT_TRUE(run.until.empty());
  run_monitor_command(run, "goto start");
  EXPECT_EQ(run.place, "start");
  for (const char* words : {"goto", "goto request 3", "goto start now", "goto 12ms"}) {
    EXPECT_THAT(run_monitor_command(run, words), HasSubstr("start, end, command N")) << words;
  }
  EXPECT_THAT(run_monitor_command(run, "goto event PLAN_END:0"), HasSubstr("write PLAN_END:2"));
}

// A name with 00h is cut when it is opened: "nul\\0.fst" would make a file "nul".
TEST(Monitor, ControlCharacters_AreRefusedEverywhere) {
  for (int byte = 0; byte < 256; ++byte) {
    FakeRun run;
    const auto character = static_cast<char>(byte);
    const bool is_control = (byte < 0x20 && character != '\t') || byte == 0x7F;
    const std::string name = std::string("nul") + character + ".fst";
    const std::string answer = run_monitor_command(run, "wave on " + name);
    EXPECT_EQ(answer.find("no control characters") != std::string::npos, is_control) << byte;
    if (is_control) {
      EXPECT_THAT(answer, HasSubstr("byte 11 is "));
    } else if (byte > 0x20) {
      EXPECT_EQ(answer, "to " + name + "\n");
    }
  }
}

TEST(Monitor, Mistakes_AreNamed) {
  FakeRun run;
  EXPECT_THAT(run_monitor_command(run, "ques"), HasSubstr("no command 'ques'"));
  EXPECT_THAT(run_monitor_command(run, "run-until time 5"), HasSubstr("'5' is not a time"));
  EXPECT_THAT(run_monitor_command(run, "run-until time -1us"), HasSubstr("'-1us' is not a time"));
  EXPECT_THAT(run_monitor_command(run, "run-until cmd x"), HasSubstr("'x'"));
  EXPECT_THAT(run_monitor_command(run, "run-until event PLAN"), HasSubstr("firmware/events.h"));
  EXPECT_EQ(run_monitor_command(run, "run-until cmd 0"), "request 0 is past\n");
  EXPECT_THAT(run_monitor_command(run, "run-until soon"), HasSubstr("cmd N"));
  EXPECT_THAT(run_monitor_command(run, "queue all"), HasSubstr("takes no 'all'"));
  EXPECT_THAT(run_monitor_command(run, "wave"), HasSubstr("wave off"));
  EXPECT_THAT(run_monitor_command(run, "reg SERVO STATUS"), HasSubstr("BLOCK[.REGISTER]"));
  EXPECT_FALSE(run.until.edge || run.until.command || run.until.event || run.until.next);
}

}  // namespace
}  // namespace headstack::debug
