// SPDX-License-Identifier: Apache-2.0
// Back in time: an earlier state is restored exactly, and files have their content once.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "firmware/kernel/status.h"
#include "tests/debug/gdb_fixture.hpp"
#include "tests/scenario/patched_program.hpp"

namespace headstack::scenario {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

class GdbHistory : public GdbOnPlatforms {
 protected:
  /// Prints all registers, and a hash of all memory, after a word.
  static constexpr const char* kState =
      "python\n"
      "import hashlib\n"
      "def state(word):\n"
      "    memory = bytes(gdb.selected_inferior().read_memory(0, 0x100000))\n"
      "    memory += bytes(gdb.selected_inferior().read_memory(0x50000000, 0x10000))\n"
      "    registers = gdb.execute('info registers general csr drive', to_string=True)\n"
      "    text = hashlib.sha256(memory).hexdigest() + hashlib.sha256(registers.encode())"
      ".hexdigest()\n"
      "    print(word, text)\n"
      "end\n";

  /// Begins a search backward from the end of the run, for code that never runs. @return the edge
  /// of the end.
  static std::uint64_t begin_search(RawClient& client) {
    EXPECT_THAT(client.ask("c"), StartsWith("O"));
    EXPECT_THAT(client.receive(), StartsWith("T05"));
    const std::uint64_t end = number_of(client.ask("p2a"));
    EXPECT_EQ(client.ask("Z0,c0000,2"), "OK");
    client.send(debug::frame("bc"));
    EXPECT_EQ(client.receive(), "+");
    ::usleep(30'000);
    return end;
  }

  static std::string breakpoint_at(const std::string& function) {
    const ProgramFunction found = find_function(slurp(test::drive_elf()), function);
    return fmt::format("0,{:x},2", found.address);
  }
  /// The text after a word.
  static std::string after(const std::string& text, const std::string& word) {
    const std::size_t at = text.find(word);
    if (at == std::string::npos) return "no " + word + " in " + text;
    return text.substr(at + word.size(), text.find('\n', at) - at - word.size());
  }
};

INSTANTIATE_TEST_SUITE_P(On, GdbHistory, testing::Values("rtl", "vp"), platform_of);

TEST_P(GdbHistory, HundredStepsBackAndForth_AreTheSameState) {
  SKIP_WITHOUT_GDB();
  const std::string said = debug(std::string(kState) +
                                     "break plan_next\n"
                                     "continue\n"
                                     "delete\n"
                                     "python state('HERE')\n"
                                     "reverse-stepi 100\n"
                                     "python state('BACK')\n"
                                     "stepi 100\n"
                                     "python state('AGAIN')\n"
                                     "detach\n",
                                 "out");
  EXPECT_EQ(end_run(), 0);
  EXPECT_EQ(after(said, "AGAIN"), after(said, "HERE"));
  EXPECT_NE(after(said, "BACK"), after(said, "HERE"));
  expect_as_plain("out");
}

TEST_P(GdbHistory, ReverseContinue_FindsTheChoiceAndTheWriteBefore) {
  SKIP_WITHOUT_GDB();
  const std::string said = debug(std::string(kState) +
                                     "break scheduler_take_best\n"
                                     "continue\n"
                                     "python state('CHOICE')\n"
                                     "watch the_drive.tasks.count\n"
                                     "continue\n"
                                     "python state('BEHIND')\n"
                                     "reverse-continue\n"
                                     "print the_drive.tasks.count\n"
                                     "reverse-continue\n"
                                     "python state('SAME')\n"
                                     "delete\n"
                                     "reverse-continue\n"
                                     "print $pc\n"
                                     "print $time_ps\n",
                                 "out");
  EXPECT_EQ(end_run(), 0);
  EXPECT_THAT(said, HasSubstr("Old value = 2\nNew value = 1")) << "the write undone";
  EXPECT_EQ(after(said, "SAME"), after(said, "CHOICE"));
  EXPECT_THAT(said, HasSubstr("No more reverse-execution history."));
  EXPECT_THAT(said, ContainsRegex("0x80 <reset_vector>"));
  expect_as_plain("out");
}

// The way back goes to a snapshot in the middle, and to the beginning. The bytes of every file are
// compared.
TEST_P(GdbHistory, RunThatWentBack_LeavesTheSameFiles) {
  start_run("out", "observe.snapshot_every=2ms observe.snapshots=6");
  RawClient client(socket());
  client.monitor("run-until time 60ms");
  EXPECT_THAT(client.ask("c"), StartsWith("T05"));
  const std::string there = client.monitor("when");
  client.monitor("run-until time 90ms");
  EXPECT_THAT(client.ask("c"), StartsWith("T05"));
  EXPECT_THAT(client.ask("bs"), StartsWith("T05"));
  EXPECT_THAT(client.monitor("when"), HasSubstr("in the past"));
  EXPECT_THAT(client.ask("R00"), StartsWith("T05"));
  EXPECT_EQ(client.ask("p20"), "80000000");
  EXPECT_THAT(client.ask("bs"), HasSubstr("replaylog:begin")) << "there is nothing before";
  client.monitor("run-until time 60ms");
  EXPECT_THAT(client.ask("c"), StartsWith("T05"));
  EXPECT_THAT(client.monitor("when"), StartsWith(there));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
}

// A run writes its files every half second of the wall clock. So a repetition up to a snapshot may
// not find the same content on the disk.
TEST_P(GdbHistory, FilesWrittenBetweenSnapshots_AreWholeAfterWaysBackAndForth) {
  start_run("out", "observe.snapshot_every=10ms observe.timeline=true");
  RawClient client(socket());
  const auto run_until = [&client](const char* time) {
    client.monitor(std::string("run-until time ") + time);
    EXPECT_THAT(client.ask("c"), StartsWith("T05"));
  };
  run_until("30ms");
  ::usleep(700'000);  // longer than that half second: the next look at the clock writes
  run_until("60ms");
  run_until("75ms");
  EXPECT_THAT(client.ask("bc"), HasSubstr("replaylog:begin")) << "from the beginning";
  run_until("78ms");
  EXPECT_THAT(client.ask("bs"), StartsWith("T05")) << "from a snapshot after the writing";
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0) << errors();
  expect_as_plain("out");
  // `vp` steps its core by instructions, with snapshots: events at one time then come in another
  // order.
  ASSERT_EQ(run(arguments() + "observe.snapshot_every=10ms observe.timeline=true", "timed"), 0);
  EXPECT_TRUE(slurp(file("out/timeline.perfetto")) == slurp(file("timed/timeline.perfetto")));
}

// The core sleeps there, and no instruction begins any more. Every way to a place gives the same
// state: for the first time, and from behind. At the beginning the hosts issue the requests 0 to 7
// together, so 8 is the first that comes alone.
TEST_P(GdbHistory, Goto_IsThereForwardAndBack) {
  SKIP_WITHOUT_GDB();
  const auto place = [](const std::string& words, const std::string& name) {
    return fmt::format("goto {}\npython state('{}')\n", words, name);
  };
  const std::string said =
      debug(std::string(kState) + place("time 30ms", "TIME") + place("command 8", "COMMAND") +
                place("event TASK_CHOSEN:3", "EVENT") + place("end", "END") +
                place("event TASK_CHOSEN:3", "BACK_EVENT") + place("command 8", "BACK_COMMAND") +
                place("time 30ms", "BACK_TIME") + place("start", "START") +
                place("command 8", "AGAIN_COMMAND") + "when\ngoto end\ndetach\n",
            "out", "observe.snapshot_every=7ms");
  EXPECT_EQ(end_run(), 0);
  EXPECT_EQ(after(said, "BACK_TIME"), after(said, "TIME"));
  EXPECT_EQ(after(said, "BACK_COMMAND"), after(said, "COMMAND"));
  EXPECT_EQ(after(said, "AGAIN_COMMAND"), after(said, "COMMAND"));
  EXPECT_EQ(after(said, "BACK_EVENT"), after(said, "EVENT"));
  EXPECT_NE(after(said, "START"), after(said, "TIME"));
  EXPECT_THAT(said, HasSubstr("; 9 requests issued"));
  expect_as_plain("out");
}

TEST_P(GdbHistory, Goto_TakesPlacesAlone) {
  start_run("out");
  RawClient client(socket());
  EXPECT_THAT(client.monitor("goto"), HasSubstr("start, end, command N"));
  EXPECT_THAT(client.monitor("goto request 3"), HasSubstr("start, end, command N"));
  EXPECT_THAT(client.monitor("goto command x"), HasSubstr("'x' is not the number of a request"));
  EXPECT_THAT(client.monitor("goto event NO"), HasSubstr("there is no event 'NO'"));
  EXPECT_THAT(client.monitor("goto event TASK_CHOSEN:0"), HasSubstr("write TASK_CHOSEN:2"));
  EXPECT_EQ(client.monitor("goto command 8"), "the next 'continue' goes to command 8\n");
  EXPECT_THAT(client.ask("c"), StartsWith("T05"));
  EXPECT_THAT(client.monitor("when"), HasSubstr("; 9 requests issued"));
  client.close();
  EXPECT_EQ(end_run(), 0);
}

// If nothing could stop it on the way, the search does not examine each instruction.
TEST_P(GdbHistory, ReverseContinue_WithoutAStopPoint_IsAtTheStart) {
  start_run("out");
  RawClient client(socket());
  EXPECT_EQ(client.monitor("goto command 5"), "the next 'continue' goes to command 5\n");
  EXPECT_THAT(client.ask("c"), StartsWith("T05"));
  EXPECT_THAT(client.ask("bc"), HasSubstr("replaylog:begin"));
  EXPECT_THAT(client.monitor("when"), HasSubstr("clock edge 2; 0 requests issued, 0 events"));
  client.close();
  EXPECT_EQ(end_run(), 0);
}

TEST_P(GdbHistory, EndOfTheRun_IsNoDeadEnd) {
  start_run("out");
  RawClient client(socket());
  const std::string seek_start = breakpoint_at("seek_start");
  client.ask("Z" + seek_start);
  std::string last;  // the place of the last seek
  std::string reply = client.ask("c");
  for (; reply.front() == 'T'; reply = client.ask("c")) last = client.ask("p2a");
  ASSERT_THAT(debug::from_hex(reply.substr(1)).value_or(""), HasSubstr("the run is over"));
  EXPECT_THAT(client.receive(), StartsWith("T05"));
  const std::string end = client.ask("p2a");
  EXPECT_THAT(client.ask("bc"), HasSubstr("swbreak"));
  EXPECT_EQ(client.ask("p2a"), last);
  // Then the run goes to the end once more. From there a step back leads to the instruction before,
  // and a step from that to the end.
  client.ask("z" + seek_start);
  EXPECT_THAT(client.ask("c"), StartsWith("O"));
  EXPECT_THAT(client.receive(), StartsWith("T05"));
  EXPECT_EQ(client.ask("p2a"), end);
  EXPECT_EQ(client.ask("bs"), "T05thread:1;");
  const std::uint64_t before = number_of(client.ask("p2a"));
  EXPECT_LT(before, number_of(end));
  EXPECT_GT(before, number_of(last));
  EXPECT_THAT(client.ask("s"), StartsWith("O"));
  EXPECT_THAT(client.receive(), StartsWith("T05"));
  EXPECT_EQ(client.ask("p2a"), end);
  EXPECT_EQ(client.ask("c"), "W00");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
}

// c.li a0, STATUS_BUSY; c.jr ra
static_assert(STATUS_BUSY == 5);
constexpr std::string_view kReturnBusy = "\x15\x45\x82\x80";

// A firmware that starts no seek waits for its end for ever, asleep.
TEST_P(GdbHistory, Hang_LeadsBackToItsCause) {
  write_patched_firmware("seek_start", kReturnBusy, file("hangs.elf"));
  start_run("out", "stop.watchdog=50ms --firmware '" + file("hangs.elf") + "'");
  RawClient client(socket());
  const std::string reply = client.ask("c");
  ASSERT_THAT(debug::from_hex(reply.substr(1)).value_or(""), HasSubstr("the run is over"));
  EXPECT_THAT(client.receive(), StartsWith("T05"));
  const std::uint64_t end = number_of(client.ask("p2a"));
  client.ask("Z" + breakpoint_at("seek_start"));
  EXPECT_THAT(client.ask("bc"), HasSubstr("swbreak"));
  EXPECT_LT(number_of(client.ask("p2a")), end);
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 1);
  EXPECT_THAT(errors(), HasSubstr("watchdog"));
}

// The way back is a repetition from the beginning here, which takes some time.
TEST_P(GdbHistory, SearchThatIsInterrupted_StopsInThePast) {
  if (platform() == "vp") write_trace(21, 1'500, 2'056'008, 300);
  start_run("out", "observe.snapshot_every=100s");
  RawClient client(socket());
  const std::uint64_t end = begin_search(client);
  client.send("\x03");
  EXPECT_EQ(client.receive(), "T02thread:1;");
  EXPECT_LT(number_of(client.ask("p2a")), end);
  EXPECT_THAT(client.monitor("when"), HasSubstr("in the past"));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
}

TEST_P(GdbHistory, DebuggerThatLeavesInASearch_MakesRoomForTheNext) {
  if (platform() == "vp") write_trace(21, 1'500, 2'056'008, 300);
  start_run("out", "observe.snapshot_every=100s");
  {
    RawClient client(socket());
    begin_search(client);
  }
  RawClient next(socket());
  EXPECT_EQ(next.ask("?"), "T05thread:1;");
  EXPECT_EQ(next.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  EXPECT_EQ(errors().find("was refused"), std::string::npos) << errors();
  expect_as_plain("out");
}

TEST_P(GdbHistory, Past_IsChangedOnlyWhenThatWasAllowed) {
  start_run("out");
  RawClient client(socket());
  client.monitor("run-until time 20ms");
  client.ask("c");
  EXPECT_THAT(client.monitor("fork-history"), HasSubstr("present"));
  EXPECT_THAT(client.ask("bs"), StartsWith("T05"));
  const std::string word = client.ask("m7fffc,4");
  EXPECT_THAT(client.ask("P6=01000000"), AllOf(StartsWith("E."), HasSubstr("fork-history")));
  EXPECT_THAT(client.ask("M7fffc,4:11223344"), AllOf(StartsWith("E."), HasSubstr("the past")));
  EXPECT_EQ(client.ask("m7fffc,4"), word);
  EXPECT_THAT(client.monitor("fork-history"), HasSubstr("drops what came after"));
  EXPECT_EQ(client.ask("M7fffc,4:11223344"), "OK");
  EXPECT_EQ(client.ask("P6=78563412"), "OK");
  EXPECT_EQ(client.ask("p6"), "78563412");
  EXPECT_THAT(client.monitor("when"), testing::Not(HasSubstr("in the past")));
  // The change stays forward, and back to where it was made; further back it has not happened.
  EXPECT_THAT(client.ask("s"), StartsWith("T05"));
  EXPECT_EQ(client.ask("m7fffc,4"), "11223344");
  EXPECT_THAT(client.ask("bs"), StartsWith("T05"));
  EXPECT_EQ(client.ask("m7fffc,4"), "11223344");
  EXPECT_THAT(client.ask("bs"), StartsWith("T05"));
  EXPECT_EQ(client.ask("m7fffc,4"), word);
  EXPECT_THAT(client.ask("s"), StartsWith("T05"));
  EXPECT_EQ(client.ask("m7fffc,4"), word) << "undone";
  EXPECT_THAT(client.ask("bs"), StartsWith("T05"));
  EXPECT_THAT(client.ask("P6=00000000"), StartsWith("E.")) << "it was allowed once";
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
}

}  // namespace
}  // namespace headstack::scenario
