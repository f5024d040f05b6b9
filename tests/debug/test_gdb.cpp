// SPDX-License-Identifier: Apache-2.0
// A debugger on a whole run: it stops and looks without any effect on the run.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdio>
#include <map>
#include <optional>
#include <sstream>

#include "tests/debug/gdb_fixture.hpp"

namespace headstack::scenario {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Gdb : public GdbOnPlatforms {
 protected:
  /// The name of a block's register, by the addresses in the monitor's output.
  std::string register_at(RawClient& client, unsigned address) {
    if (names_.empty()) {
      for (const char* block :
           {"IRQ_CTRL", "TESTDEV", "SCSI_TARGET", "BUFFER_MGR", "FORMATTER", "SERVO"}) {
        std::istringstream lines(client.monitor(std::string("reg ") + block));
        std::string line;
        while (std::getline(lines, line)) {
          const std::size_t at = line.find(" at ");
          if (line.front() == ' ' || at == std::string::npos) continue;
          names_[static_cast<unsigned>(std::stoul(line.substr(at + 4), nullptr, 16))] =
              line.substr(0, at);
        }
      }
    }
    return names_[address & ~3U];
  }

 private:
  std::map<unsigned, std::string> names_;
};
INSTANTIATE_TEST_SUITE_P(On, Gdb, testing::Values("rtl", "vp"), platform_of);

class GdbOnRtl : public GdbFixture {};

/// The state of a run as a debugger sees it.
class GdbSight : public GdbFixture {
 protected:
  struct Look {
    std::string what;
    std::string registers;
    std::string memory;
  };

  /// Goes through a run by every kind of step, and looks at each stop.
  std::vector<Look> go_through(const std::string& platform) {
    go_to_platform(platform);
    std::vector<Look> looks;
    start_run(platform);
    RawClient client(socket());
    const auto look = [&](const std::string& what) {
      // Registers of the core, its control and status registers, and those of the drive:
      // host/debug.
      Look seen{what + ", " + client.monitor("when"), "", ""};
      for (unsigned number = 0; number < kRegisters; ++number) {
        if (number == kMip) continue;
        seen.registers += client.ask(fmt::format("p{:x}", number)) + ' ';
      }
      for (unsigned address = 0; address < 0x8'0000; address += 0x800) {
        seen.memory += client.ask(fmt::format("m{:x},800", address));
      }
      seen.memory += client.monitor("queue");
      looks.push_back(std::move(seen));
    };
    const auto go = [&](const std::string& packet) {
      const std::string reply = client.ask(packet);
      ASSERT_EQ(reply.rfind("T05", 0), 0U) << packet << ": " << reply;
      look(packet + ": " + reply);
    };
    look("the beginning");
    for (int i = 0; i < 30; ++i) go("s");
    for (const char* until : {"time 3ms", "cmd 8", "event TASK_CHOSEN"}) {
      client.monitor(std::string("run-until ") + until);
      go("c");
      for (int i = 0; i < 20; ++i) go("s");
    }
    // Most of these stops are in a sleep.
    for (int i = 0; i < 5; ++i) {
      const std::uint64_t us = number_of(client.ask("p29")) / 1'000'000 + 1'337;
      client.monitor(fmt::format("run-until time {}us", us));
      go("c");
      for (int steps = 0; steps < 20; ++steps) go("s");
    }
    client.ask("Z2,40004000,1000");  // its writes to the SCSI target
    for (int i = 0; i < 10; ++i) go("c");
    client.ask("z2,40004000,1000");
    for (int i = 0; i < 5; ++i) go("bs");
    client.ask("Z4,40006000,1000");  // its accesses to the formatter
    go("c");
    go("bc");
    go("bc");
    EXPECT_EQ(client.ask("D"), "OK");
    EXPECT_EQ(end_run(), 0);
    return looks;
  }

  static constexpr unsigned kRegisters = 33 + 8 + 16;
  // On vp, the interrupt line is that just before the stop's edge.
  static constexpr unsigned kMip = 33 + 7;
};

// Both platforms have the same registers and memory at the same edges.
TEST_F(GdbSight, IsTheSameOnBothPlatforms) {
  const std::vector<Look> expected = go_through("rtl");
  const std::vector<Look> found = go_through("vp");
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(found[i].what, expected[i].what) << i;
    EXPECT_EQ(found[i].registers, expected[i].registers) << i << ": " << expected[i].what;
    EXPECT_TRUE(found[i].memory == expected[i].memory) << i << ": " << expected[i].what;
  }
}

TEST_P(Gdb, BreakOnTheChoice_ShowsQueueAndDrive) {
  SKIP_WITHOUT_GDB();
  const std::string said = debug(
      "break scheduler_take_best\n"
      "continue\n"
      "print the_drive.tasks\n"
      "queue\n"
      "drive\n"
      "info registers drive\n"
      "stepi\n"
      "print $pc\n"
      // The first line may be of an inlined function, whose end comes first.
      "finish\n"
      "finish\n"
      "detach\n",
      "out");
  EXPECT_EQ(end_run(), 0);
  EXPECT_THAT(said, HasSubstr("Breakpoint 1, scheduler_take_best"));
  EXPECT_THAT(said, ContainsRegex("1 tasks, 1 may be chosen = .*enabled"));
  EXPECT_THAT(said, ContainsRegex("\n +0 +[0-9]+ +7 (read|write) +simple"));
  EXPECT_THAT(said, ContainsRegex("bus_phase +0x[0-9a-f]+[ \t]+(COMMAND|BUS_FREE|MESSAGE_IN)"));
  EXPECT_THAT(said, ContainsRegex("arm +0x0[ \t]+on_track"));
  EXPECT_THAT(said, HasSubstr("<scheduler_take_best+2>"));
  EXPECT_THAT(said, ContainsRegex("Value returned is .*struct candidate"));
  expect_as_plain("out");
}

// Makes 50 stops, with steps of each kind between them.
TEST_P(Gdb, FiftyStops_ChangeNoBit) {
  SKIP_WITHOUT_GDB();
  std::string script = "break on_scsi\n";
  for (int i = 0; i < 50; ++i) script += i % 10 == 0 ? "continue\nstepi 5\nnext\n" : "continue\n";
  debug(script + "detach\n", "out");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
}

// The reply has the addresses of the accesses, which have taken effect.
TEST_P(Gdb, Watchpoints_StopBehindTheAccess) {
  SKIP_WITHOUT_GDB();
  const std::string said = debug(
      "break scheduler_take_best\n"
      "continue\n"
      "delete\n"
      "watch the_drive.tasks.count\n"
      "continue\n"
      "delete\n"
      "rwatch the_drive.tasks.limit\n"
      "continue\n"
      "detach\n",
      "out");
  EXPECT_EQ(end_run(), 0);
  EXPECT_THAT(said, ContainsRegex("Old value = 1\nNew value = 2\n.*task_set"));
  EXPECT_THAT(said, ContainsRegex("Hardware read watchpoint [0-9]+: .*limit\n\nValue = 5120"));
  expect_as_plain("out");
}

TEST_P(Gdb, RunUntil_StopsWhereItWasAsked) {
  start_run("out");
  RawClient client(socket());
  EXPECT_THAT(client.ask("?"), StartsWith("T05"));
  EXPECT_EQ(client.ask("p20"), "80000000") << "the reset vector, hdl/README.md";
  EXPECT_THAT(client.monitor("run-until time 3ms"), HasSubstr("continue"));
  EXPECT_THAT(client.ask("c"), StartsWith("T05"));
  EXPECT_THAT(client.monitor("when"), ContainsRegex("^[0-9]+\\.[0-9]+ us, clock edge"));
  double us = 0;
  ASSERT_EQ(std::sscanf(client.monitor("when").c_str(), "%lf", &us), 1);
  EXPECT_GE(us, 3000);
  client.monitor("run-until cmd 9");
  client.ask("c");
  EXPECT_THAT(client.monitor("when"), HasSubstr("; 10 requests issued")) << "0 to 9";
  client.monitor("run-until event MEDIA_DONE");
  client.ask("c");
  unsigned before = 0;
  ASSERT_EQ(
      std::sscanf(std::strstr(client.monitor("when").c_str(), "issued, "), "issued, %u", &before),
      1);
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
  // The run stopped after the event with that number.
  std::istringstream events(slurp(file("out") + "/events.txt"));
  std::string line;
  for (unsigned i = 0; i < before; ++i) std::getline(events, line);
  EXPECT_THAT(line, HasSubstr("MEDIA_DONE"));
}

// If the core sleeps, the run stands at the time itself; if it works, at its next instruction. The
// longest instruction is a division of 37 cycles of 25 ns (Ibex user manual, "Pipeline Details").
TEST_P(Gdb, RunUntilTime_StopsThereAlsoInASleep) {
  constexpr std::uint64_t kLongestPs = 1'000'000;
  start_run("out", "--run-until 'time 7100us'");
  RawClient client(socket());
  unsigned exact = 0;
  const std::string sleeps_at = client.ask("p20");
  for (std::uint64_t us = 7'100; us < 60'000; us += 1'009) {
    if (us != 7'100) {
      client.monitor(fmt::format("run-until time {}us", us));
      EXPECT_EQ(client.ask("c"), "T05thread:1;");
    }
    const std::uint64_t asked_ps = us * 1'000'000;
    const std::uint64_t found_ps = number_of(client.ask("p29"));
    EXPECT_GE(found_ps, asked_ps);
    EXPECT_LE(found_ps, asked_ps + kLongestPs);
    EXPECT_EQ(number_of(client.ask("p2a")) * 25'000, found_ps) << "the clock edge of the same time";
    if (found_ps != asked_ps) continue;
    ++exact;
    EXPECT_EQ(client.ask("p20"), sleeps_at) << "after the only wfi of the firmware, " << us;
  }
  // An access takes some ms, of which the firmware works for a small part.
  EXPECT_GT(exact, 35U) << "of 53";
  // A step wakes no core: it ends where the core continues by itself.
  const std::uint64_t there = number_of(client.ask("p2a"));
  EXPECT_EQ(client.ask("s"), "T05thread:1;");
  EXPECT_GT(number_of(client.ask("p2a")), there);
  EXPECT_EQ(client.ask("bs"), "T05thread:1;");
  EXPECT_LT(number_of(client.ask("p2a")), there) << "the last instruction before the sleep";
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
}

// Edge n is at n * 25 ns: the present edge is in the past, and the next one is not.
TEST_P(Gdb, RunUntil_RefusesWhatIsPast) {
  start_run("out");
  RawClient client(socket());
  client.monitor("run-until cmd 9");
  client.ask("c");
  ASSERT_THAT(client.monitor("when"), HasSubstr("; 10 requests issued"));
  EXPECT_THAT(
      client.monitor("run-until cmd 9"),
      AllOf(HasSubstr("request 9 is past"), HasSubstr("0 to 9"), HasSubstr("reverse-continue")));
  EXPECT_THAT(client.monitor("run-until cmd 0"), HasSubstr("request 0 is past"));
  EXPECT_THAT(client.monitor("run-until cmd 10"), HasSubstr("continue"));
  const std::uint64_t now_ps = number_of(client.ask("p29"));
  EXPECT_THAT(client.monitor("run-until time 5us"),
              AllOf(StartsWith("5.000000 us are past"), HasSubstr("reverse-continue")));
  EXPECT_THAT(client.monitor(fmt::format("run-until time {}ps", now_ps)), HasSubstr("are past"));
  EXPECT_THAT(client.monitor(fmt::format("run-until time {}ps", now_ps + 1)),
              HasSubstr("continue"));
  EXPECT_EQ(client.ask("c"), "T05thread:1;");
  EXPECT_LE(number_of(client.ask("p29")), now_ps + 1'000'000) << "the next instruction";
  // In the past the same point is still to come.
  client.ask("R00");
  EXPECT_THAT(client.monitor("run-until cmd 9"), HasSubstr("continue"));
  EXPECT_EQ(client.ask("c"), "T05thread:1;");
  EXPECT_EQ(number_of(client.ask("p29")), now_ps);
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
}

// A debugger steps over a breakpoint at its place before it continues. That step does not count as
// the requested one.
TEST_P(Gdb, StepiIsr_FromABreakpoint_StopsAtTheNextInstruction) {
  SKIP_WITHOUT_GDB();
  const std::string said = debug(
      "break scheduler_take_best\n"
      "continue\n"
      "print $clock_edge\n"
      "stepi-isr\n"
      "print $clock_edge\n"
      "reverse-stepi\n"
      "print $clock_edge\n"
      "delete\n"
      "detach\n",
      "out");
  EXPECT_EQ(end_run(), 0);
  const auto printed = [&said](const char* number) {
    const std::size_t at = said.find(std::string(number) + " = ");
    return at == std::string::npos ? 0 : std::stoull(said.substr(at + std::strlen(number) + 3));
  };
  ASSERT_GT(printed("$1"), 0U) << said;
  EXPECT_GT(printed("$2"), printed("$1")) << said;
  EXPECT_LT(printed("$2"), printed("$1") + 40) << "25 ns each; the longest instruction has 37";
  EXPECT_EQ(printed("$3"), printed("$1")) << "one instruction, and no more";
  expect_as_plain("out");
}

// The request survives a debugger's step over its own breakpoint.
TEST_P(Gdb, RunUntil_StandsUntilItComes) {
  start_run("out");
  RawClient client(socket());
  client.monitor("run-until time 3ms");
  EXPECT_THAT(client.ask("s"), StartsWith("T05"));
  EXPECT_THAT(client.ask("s"), StartsWith("T05"));
  EXPECT_THAT(client.ask("c"), StartsWith("T05"));
  double us = 0;
  ASSERT_EQ(std::sscanf(client.monitor("when").c_str(), "%lf", &us), 1);
  EXPECT_GE(us, 3'000);
  EXPECT_LT(us, 10'000);
  EXPECT_THAT(debug::from_hex(client.ask("c").substr(1)).value_or(""), HasSubstr("over"))
      << "and then it is forgotten";
  EXPECT_THAT(client.receive(), StartsWith("T05"));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
}

TEST_P(Gdb, Interrupt_StopsARunThatGoesOn) {
  if (platform() == "vp") write_trace(21, 1'500, 2'056'008, 300);  // the run must not end first
  start_run("out");
  RawClient client(socket());
  client.send(debug::frame("c"));
  EXPECT_EQ(client.receive(), "+");
  client.send("\x03");
  EXPECT_THAT(client.receive(), StartsWith("T02"));
  EXPECT_THAT(client.monitor("drive"), HasSubstr("spindle"));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
}

TEST_P(Gdb, StepPacket_GoesFromInstructionToInstruction) {
  start_run("out");
  RawClient client(socket());
  EXPECT_THAT(client.ask("s"), StartsWith("T05"));
  const std::string second = client.ask("p20");
  EXPECT_NE(second, "80000000");
  EXPECT_THAT(client.ask("vCont;s:1"), StartsWith("T05"));
  EXPECT_NE(client.ask("p20"), second);
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
}

TEST_P(Gdb, Memory_IsReadWithoutAnEffect) {
  start_run("out");
  RawClient client(socket());
  EXPECT_EQ(client.ask("m0,4").size(), 8U);
  EXPECT_EQ(client.ask("m3ffffc,8").size(), 8U) << "the last word of firmware RAM";
  EXPECT_EQ(client.ask("m50000000,10").size(), 32U);
  EXPECT_THAT(client.ask("m40000000,4"), StartsWith("E.")) << "a register: a read may have effects";
  EXPECT_THAT(client.ask("m400000,1"), StartsWith("E."));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
}

/// The register that a load of a word writes (RISC-V, LW and C.LW); none for other instructions.
std::optional<unsigned> loaded_register(std::uint64_t instruction) {
  if ((instruction & 0x707F) == 0x2003) return static_cast<unsigned>(instruction >> 7 & 31);
  if ((instruction & 0xE003) == 0x4000) return static_cast<unsigned>(8 + (instruction >> 2 & 7));
  return std::nullopt;
}

// The value shown before a load of the firmware is the value loaded. Reading it twice removes
// nothing: the FIFO still has its byte.
TEST_P(Gdb, BlockRegisters_AreWhatTheNextLoadBrings) {
  start_run("out");
  RawClient client(socket());
  EXPECT_THAT(client.monitor("reg"), HasSubstr("SCSI_TARGET  CTRL STATUS"));
  for (const char* page : {"40001000", "40004000", "40005000", "40006000", "40007000"}) {
    EXPECT_EQ(client.ask(fmt::format("Z3,{},1000", page)), "OK") << "all but the timer";
  }
  unsigned compared = 0;
  unsigned from_fifo = 0;
  for (int i = 0; i < 60; ++i) {
    const std::string reply = client.ask("c");
    if (reply.front() == 'O') {  // the run is over
      EXPECT_THAT(client.receive(), StartsWith("T05"));
      break;
    }
    unsigned address = 0;
    ASSERT_EQ(std::sscanf(reply.c_str(), "T05thread:1;rwatch:%x;", &address), 1) << reply;
    // The load itself is the instruction before the one at which the run stands.
    ASSERT_THAT(client.ask("bc"), HasSubstr("rwatch"));
    const std::uint64_t pc = number_of(client.ask("p20"));
    const auto target = loaded_register(number_of(client.ask(fmt::format("m{:x},4", pc))));
    std::string seen;
    if (target) {
      seen = client.monitor(fmt::format("reg {}", register_at(client, address)));
      EXPECT_EQ(client.monitor(fmt::format("reg {}", register_at(client, address))), seen);
    }
    EXPECT_THAT(client.ask("s"), StartsWith("T05"));
    if (!target) continue;
    unsigned shown = 0;
    ASSERT_EQ(std::sscanf(seen.c_str(), "%*s at %*xh = %xh", &shown), 1) << seen;
    EXPECT_EQ(shown, number_of(client.ask(fmt::format("p{:x}", *target)))) << i << ' ' << seen;
    ++compared;
    if (address == 0x4000'4014) ++from_fifo;
  }
  EXPECT_GT(compared, 20U);
  EXPECT_GT(from_fifo, 3U) << "hdl/regs/scsi_target.rdl: FIFO, whose reads pop";
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
}

// There are many stops, some in a sleep. The fields' names and values are those of the description.
TEST_P(Gdb, BlockRegisters_ChangeNoBit) {
  start_run("out");
  RawClient client(socket());
  for (unsigned ms = 3; ms < 60; ms += 3) {
    client.monitor(fmt::format("run-until time {}ms", ms));
    EXPECT_THAT(client.ask("c"), StartsWith("T05"));
    for (const char* block :
         {"TIMER", "IRQ_CTRL", "TESTDEV", "SCSI_TARGET", "BUFFER_MGR", "FORMATTER", "servo"}) {
      EXPECT_THAT(client.monitor(std::string("reg ") + block), Not(HasSubstr("cannot be seen")));
    }
  }
  const std::string status = client.monitor("reg scsi_target.status");
  EXPECT_THAT(status, StartsWith("SCSI_TARGET.STATUS at 40004004h = "));
  EXPECT_THAT(status, ContainsRegex("\n  phase +[0-7] \\((data_out|data_in|command|status|"
                                    "message_out|message_in)\\)\n"));
  EXPECT_THAT(client.monitor("reg TESTDEV.PLATFORM"),
              HasSubstr(platform() == "vp" ? "2 (vp)" : "1 (rtl)"));
  EXPECT_THAT(client.monitor("reg SERVO.COMMAND"), HasSubstr("write only"));
  EXPECT_THAT(client.monitor("reg BUFFER_MGR.SEGMENT[2].LEVEL"), HasSubstr("at 400050a8h = "));
  EXPECT_THAT(client.monitor("reg SCSI"), HasSubstr("'monitor reg' lists them"));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
}

TEST_P(Gdb, BlockRegisters_AreACommandOfGdbThatCompletesNames) {
  SKIP_WITHOUT_GDB();
  const std::string said = debug(
      "complete reg servo.st\n"
      "complete reg FORM\n"
      "reg SERVO.STATUS\n"
      "detach\n",
      "out");
  EXPECT_EQ(end_run(), 0);
  EXPECT_THAT(said, HasSubstr("reg servo.STATUS\n"));
  EXPECT_THAT(said, HasSubstr("reg FORMATTER.NEXT_TRACK\n"));
  EXPECT_THAT(said, ContainsRegex("SERVO.STATUS at 40007008h = [0-9a-f]+h\n  on_track "));
}

TEST_P(Gdb, EndOfTheRun_IsAStop_AndThenAnExit) {
  start_run("out");
  RawClient client(socket());
  std::string reply = client.ask("c");
  EXPECT_THAT(debug::from_hex(reply.substr(1)).value_or(""), HasSubstr("the run is over"));
  EXPECT_THAT(client.receive(), StartsWith("T05"));
  EXPECT_THAT(client.monitor("when"), HasSubstr("12 requests issued"));
  EXPECT_EQ(client.ask("c"), "W00");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
}

TEST_P(Gdb, Kill_EndsTheRunAsASignalDoes) {
  start_run("out");
  RawClient client(socket());
  client.send(debug::frame("k"));
  EXPECT_EQ(end_run(), 143) << "128 + SIGTERM, as shells have it";
  EXPECT_EQ(summary("out")["interrupted"], true);
}

TEST_P(Gdb, Waves_AreRefusedWithoutElectronics) {
  if (platform() == "rtl") GTEST_SKIP() << "has waves";
  start_run("out");
  RawClient client(socket());
  EXPECT_THAT(client.monitor("wave on some.fst"), HasSubstr("cannot make waves"));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
}

// The file exists, and neither it nor its end changes the run.
TEST_F(GdbOnRtl, WavesByHand_AreWrittenFromThereOn) {
  start_run("out");
  RawClient client(socket());
  client.monitor("run-until time 20ms");
  client.ask("c");
  EXPECT_THAT(client.monitor("wave on no/folder.fst"), HasSubstr("there is no folder"));
  EXPECT_THAT(client.monitor("wave on some.fst"), HasSubstr("waves go to " + file("out/some.fst")));
  client.monitor("run-until time 21ms");
  client.ask("c");
  EXPECT_EQ(client.monitor("wave off"), "");
  EXPECT_GT(std::filesystem::file_size(file("out/some.fst")), 1'000U);
  EXPECT_THAT(client.ask("bs"), StartsWith("T05")) << "the way back is open";
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
}

TEST_P(Gdb, RunUntilOption_IsWhereTheDebuggerFindsTheRun) {
  start_run("out", "--run-until 'time 30ms'");
  RawClient client(socket());
  double us = 0;
  ASSERT_EQ(std::sscanf(client.monitor("when").c_str(), "%lf", &us), 1);
  EXPECT_GE(us, 30'000);
  EXPECT_THAT(client.ask("bs"), StartsWith("T05"));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
  // A point that never comes is the run's end.
  start_run("out", "--run-until 'time 1000s'");
  RawClient late(socket());
  EXPECT_THAT(late.monitor("when"), HasSubstr("12 requests issued"));
  EXPECT_EQ(late.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
}

TEST_P(Gdb, SnapshotsAlone_ChangeNoBit) {
  ASSERT_EQ(run(arguments() + "observe.snapshot_every=5ms observe.snapshots=4", "out"), 0)
      << errors();
  expect_as_plain("out");
}

}  // namespace
}  // namespace headstack::scenario
