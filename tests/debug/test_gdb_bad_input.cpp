// SPDX-License-Identifier: Apache-2.0
// Mistakes and bad input of debuggers, and of users who start them.
#include <gmock/gmock.h>
#include <netinet/in.h>

#include "tests/debug/browser_bytes.hpp"
#include "tests/debug/gdb_fixture.hpp"
#include "tests/paths.hpp"

namespace headstack::scenario {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class GdbBadInput : public GdbFixture {
 protected:
  int run_at(const std::string& address, const std::string& arguments = "") {
    return run(this->arguments() + "--gdb '" + address + "' " + arguments, "out");
  }
};

TEST_F(GdbBadInput, AddressThatIsNone_IsAnError) {
  for (const char* address : {"1234", "here", ":x", "unix:", ":"}) {
    EXPECT_EQ(run_at(address), 1) << address;
    EXPECT_THAT(errors(), AllOf(HasSubstr("headstack: error: --gdb " + std::string(address)),
                                HasSubstr("give :PORT")))
        << address;
  }
}

TEST_F(GdbBadInput, PortInUse_IsAnError) {
  const int taken = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(::bind(taken, reinterpret_cast<sockaddr*>(&place), sizeof place), 0);
  ASSERT_EQ(::listen(taken, 1), 0);
  socklen_t bytes = sizeof place;
  ASSERT_EQ(::getsockname(taken, reinterpret_cast<sockaddr*>(&place), &bytes), 0);
  const std::string address = ":" + std::to_string(ntohs(place.sin_port));
  EXPECT_EQ(run_at(address), 1);
  EXPECT_THAT(errors(), AllOf(HasSubstr("--gdb " + address), HasSubstr("in use"),
                              HasSubstr("another address")));
  ::close(taken);
}

/// A port of this machine that was free a moment ago.
std::string free_port() {
  const int taken = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::bind(taken, reinterpret_cast<sockaddr*>(&place), sizeof place), 0);
  socklen_t bytes = sizeof place;
  EXPECT_EQ(::getsockname(taken, reinterpret_cast<sockaddr*>(&place), &bytes), 0);
  ::close(taken);
  return ":" + std::to_string(ntohs(place.sin_port));
}

/// `monitor COMMAND`, as GDB sends it.
std::string monitor_packet(const std::string& command) {
  return debug::frame("qRcmd," + debug::to_hex(std::string_view(command)));
}

// A web page can make the browser send this without an action of its user. The run must neither
// obey it nor stop waiting for the debugger.
TEST_F(GdbBadInput, WebPage_IsNotHeard_AndTheRunStillWaits) {
  std::ofstream(file("thesis.fst")) << "my thesis";
  const std::string address = free_port();
  start_run_at(address, "out");
  for (const std::string& packets :
       {monitor_packet("wave on " + file("thesis.fst")), monitor_packet("wave on page.fst"),
        debug::frame("k"), debug::frame("D")}) {
    for (const std::string& bytes :
         {debug::browser_post("+" + packets), debug::browser_get() + packets}) {
      RawClient page(address);
      page.send(bytes);
      EXPECT_EQ(page.receive(), "") << "hung up";
    }
  }
  EXPECT_TRUE(slurp(file("thesis.fst")) == "my thesis");
  EXPECT_FALSE(std::filesystem::exists(file("out/page.fst")));
  {
    RawClient silent(address);  // silent, like a browser that connects in advance
    RawClient client(address);
    EXPECT_EQ(client.ask("qC"), "QC1");
    EXPECT_THAT(client.monitor("when"), HasSubstr("0 requests issued, 0 events"))
        << "nothing has run";
    EXPECT_EQ(client.ask("D"), "OK");
  }
  EXPECT_EQ(end_run(), 0);
  EXPECT_THAT(errors(),
              HasSubstr("closed a connection: 50h came outside of a packet, not as from GDB"));
  expect_as_plain("out");
}

// The same while the run continues, with snapshots that are taken while callers wait.
TEST_F(GdbBadInput, WebPageDuringTheRun_DoesNotStopIt) {
  const std::string address = free_port();
  start_run_at(address, "out");
  RawClient client(address);
  client.send(debug::frame("D"));
  EXPECT_EQ(client.receive(), "+");
  RawClient silent(address);
  RawClient page(address);
  page.send(debug::browser_post(debug::frame("?")));
  EXPECT_EQ(page.receive(), "");
  EXPECT_EQ(end_run(), 0);
  EXPECT_EQ(silent.receive(), "") << "nobody holds the connection any more";
  expect_as_plain("out");
}

// Waves go below OUT for any caller of the port, even one that behaves like GDB.
TEST_F(GdbBadInput, WavesByHand_GoBelowOut_AndOverWavesOnly) {
  std::ofstream(file("thesis.fst")) << "my thesis";
  start_run("out");
  std::ofstream(file("out/notes.fst")) << "my notes";
  std::filesystem::create_symlink(file("thesis.fst"), file("out/link.fst"));
  RawClient client(socket());
  EXPECT_THAT(client.monitor("wave on " + file("thesis.fst")), HasSubstr("outside"));
  EXPECT_THAT(client.monitor("wave on ../thesis.fst"), HasSubstr("outside"));
  EXPECT_THAT(client.monitor("wave on link.fst"), HasSubstr("not a wave file"));
  EXPECT_THAT(client.monitor("wave on notes.fst"), HasSubstr("not a wave file"));
  EXPECT_THAT(client.monitor("wave on records.csv"), HasSubstr("ends in .fst"));
  EXPECT_THAT(client.monitor("wave on good.fst"), HasSubstr("waves go to"));
  EXPECT_EQ(client.monitor("wave off"), "");
  EXPECT_THAT(client.monitor("wave on good.fst"), HasSubstr("waves go to")) << "over a wave file";
  EXPECT_EQ(client.monitor("wave off"), "");
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  EXPECT_TRUE(slurp(file("thesis.fst")) == "my thesis");
  EXPECT_TRUE(slurp(file("out/notes.fst")) == "my notes");
}

TEST_F(GdbBadInput, OwnSocket_LiesInOut_IsSaidToGdb_AndGoesWithTheRun) {
  start_run_at("unix", "out");
  EXPECT_THAT(errors(), AllOf(HasSubstr("waiting for a debugger at " + file("out/gdb.socket")),
                              HasSubstr("'target extended-remote " + file("out/gdb.socket") + "'"),
                              HasSubstr("headstack_gdb.py"), HasSubstr("drive.elf")));
  {
    RawClient client(file("out/gdb.socket"));
    EXPECT_EQ(client.ask("qC"), "QC1");
    EXPECT_EQ(client.ask("D"), "OK");
  }
  EXPECT_EQ(end_run(), 0);
  EXPECT_FALSE(std::filesystem::exists(file("out/gdb.socket")));
}

// unix(7): a path has 107 bytes at most. A socket in a folder with a longer name is reached by a
// relative path, or not at all.
TEST_F(GdbBadInput, OwnSocket_InAFolderTooFarDown_IsAnErrorWithTheRemedy) {
  const std::string deep(120, 'd');
  EXPECT_EQ(run(arguments() + "--gdb unix", deep), 1);
  EXPECT_THAT(errors(), AllOf(HasSubstr("may have 107 bytes"), HasSubstr("shorter --out")));
}

// The socket of a killed run is replaced; a file is not.
TEST_F(GdbBadInput, StaleSocket_IsReplaced_AFileIsNot) {
  start_run("first");
  signal_run(SIGKILL);
  end_run();
  start_run("out");
  {
    RawClient client(socket());
    EXPECT_EQ(client.ask("D"), "OK");
  }
  EXPECT_EQ(end_run(), 0);
  EXPECT_EQ(run_at("unix:" + file("trace")), 1);
  EXPECT_THAT(errors(), HasSubstr("something else is there"));
}

TEST_F(GdbBadInput, OptionsThatDoNotGoTogether_AreErrors) {
  EXPECT_EQ(run("--drive hp_c3323a --platform native --gdb :1", "out"), 2);
  EXPECT_THAT(errors(), AllOf(HasSubstr("platform.kind"), HasSubstr("set it to vp or rtl")));
  EXPECT_EQ(run_at(":1", "--wave x.fst"), 2);
  EXPECT_THAT(errors(), AllOf(HasSubstr("observe.waves.file"), HasSubstr("cannot be rewound")));
  EXPECT_EQ(run_at(":1", "--run-until 'time 5'"), 2);
  EXPECT_THAT(errors(), AllOf(HasSubstr("--run-until"), HasSubstr("'5' is not a time")));
  EXPECT_EQ(run(arguments() + "--run-until 'cmd 1'", "out"), 2);
  EXPECT_THAT(errors(), HasSubstr("--run-until: is for `headstack debug`"));
}

TEST_F(GdbBadInput, FirmwareWithoutSymbols_RunsButHasNoQueueToShow) {
  const std::string stripped = file("stripped.elf");
  ASSERT_EQ(std::system((std::string(HEADSTACK_OBJCOPY) + " --strip-all '" + test::drive_elf() +
                         "' '" + stripped + "'")
                            .c_str()),
            0);
  start_run("out", "--firmware '" + stripped + "'");
  RawClient client(socket());
  EXPECT_THAT(client.monitor("queue"), AllOf(HasSubstr("stripped.elf"), HasSubstr("the_drive")));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
}

TEST_F(GdbBadInput, DamagedPacket_IsAskedForAgain) {
  start_run("out");
  RawClient client(socket());
  EXPECT_EQ(client.ask("qC"), "QC1");
  client.send("$g#00");
  EXPECT_EQ(client.receive(), "-");
  client.send("$m0,4");
  client.send(debug::frame("qC"));
  EXPECT_EQ(client.receive(), "-") << "broken off by the next";
  EXPECT_EQ(client.receive(), "+");
  EXPECT_EQ(client.receive(), "QC1");
  EXPECT_EQ(client.ask("QStartNoAckMode"), "OK");
  client.send("$g#00" + debug::frame("qC"));
  EXPECT_EQ(client.receive(), "QC1") << "and not, where nobody acknowledges";
  client.send(debug::frame("D"));
  EXPECT_EQ(client.receive(), "OK");
  EXPECT_EQ(end_run(), 0);
}

TEST_F(GdbBadInput, SecondDebugger_IsTurnedAway) {
  start_run("out");
  RawClient client(socket());
  EXPECT_EQ(client.ask("qC"), "QC1");
  RawClient second(socket());
  EXPECT_EQ(second.receive(), "") << "hung up";
  EXPECT_EQ(client.ask("qC"), "QC1") << "the first is not disturbed";
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  EXPECT_THAT(errors(), HasSubstr("second debugger was refused"));
}

TEST_F(GdbBadInput, DebuggerThatDisappears_LeavesTheRunToGoOn) {
  start_run("out");
  {
    RawClient client(socket());
    EXPECT_EQ(client.ask("Z0,42d0,2"), "OK");
    EXPECT_THAT(client.ask("s"), StartsWith("T05"));
  }
  EXPECT_EQ(end_run(), 0);
  EXPECT_THAT(errors(), HasSubstr("the debugger has left"));
  expect_as_plain("out");
}

// GDB disconnects if it cannot use the target, as with `set non-stop on`. The run has not begun,
// and the user tries again.
TEST_F(GdbBadInput, DebuggerThatLeavesBeforeItHasBegun_LeavesTheRunToWait) {
  start_run("out");
  {
    RawClient client(socket());
    EXPECT_EQ(client.ask("qC"), "QC1");
  }
  RawClient client(socket());
  EXPECT_THAT(client.monitor("when"), HasSubstr("0 requests issued, 0 events"));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  // The message names the program again, as the next debugger needs its symbols.
  EXPECT_THAT(errors(), testing::ContainsRegex("the debugger has left before it let the run go on\n"
                                               "headstack: the core executes [^\n]*\n"
                                               "headstack: waiting for a debugger at "));
  expect_as_plain("out");
}

TEST_F(GdbBadInput, GdbInNonStopMode_IsRefused_AndTheRunStillWaits) {
  SKIP_WITHOUT_GDB();
  start_run("out");
  const std::string line = std::string("timeout -k 5 60 '") + HEADSTACK_GDB +
                           "' -q -nx -batch -ex 'set non-stop on' -ex 'target extended-remote " +
                           socket() + "' >'" + file("said") + "' 2>&1";
  (void)std::system(line.c_str());
  EXPECT_THAT(slurp(file("said")), HasSubstr("does not support non-stop"));
  RawClient client(socket());
  EXPECT_THAT(client.monitor("when"), HasSubstr("0 requests issued, 0 events"));
  EXPECT_EQ(client.ask("D"), "OK");
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
}

// The method is a token of RFC 9110, and `+` is one.
TEST_F(GdbBadInput, NoiseAfterAGoodPacket_HoldsUpNothing_AndIsNotObeyed) {
  start_run("out");
  {
    RawClient client(socket());
    client.send(debug::frame("c"));
    EXPECT_EQ(client.receive(), "+");
    client.send_until_closed("+ / HTTP/1.1\r\n" + std::string(1'000'000, 'x') + debug::frame("k"));
  }
  EXPECT_EQ(end_run(), 0) << "and was not killed";
  EXPECT_THAT(errors(), HasSubstr("20h came outside of a packet"));
  expect_as_plain("out");
}

TEST_F(GdbBadInput, DebuggerThatDisappearsWhileTheRunGoesOn_IsNoHarm) {
  start_run("out");
  {
    RawClient client(socket());
    client.send(debug::frame("c"));
    EXPECT_EQ(client.receive(), "+");
  }
  EXPECT_EQ(end_run(), 0);
  expect_as_plain("out");
}

TEST_F(GdbBadInput, SignalWhileItStands_EndsTheRun) {
  start_run("out");
  RawClient client(socket());
  EXPECT_EQ(client.ask("qC"), "QC1");
  signal_run(SIGINT);
  EXPECT_EQ(end_run(), 130);
  EXPECT_EQ(summary("out")["interrupted"], true);
}

}  // namespace
}  // namespace headstack::scenario
