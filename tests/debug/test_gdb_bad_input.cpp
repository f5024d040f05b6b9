// What a debugger, or who starts it, does wrong.
#include <gmock/gmock.h>
#include <netinet/in.h>

#include "tests/debug/gdb_fixture.hpp"

namespace headstack::scenario {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class GdbBadInput : public GdbFixture {
 protected:
  int run_at(const std::string& address, const std::string& arguments = "") {
    return run(kArguments + ("--gdb '" + address + "' ") + arguments, "out");
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

// What a run that was killed left behind is no hindrance; a file is.
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
  EXPECT_EQ(run_at(":1", "--platform vp"), 2);
  EXPECT_THAT(errors(), AllOf(HasSubstr("--gdb"), HasSubstr("--platform rtl only")));
  EXPECT_EQ(run_at(":1", "--wave x.fst"), 2);
  EXPECT_THAT(errors(), AllOf(HasSubstr("--wave"), HasSubstr("monitor wave on")));
  EXPECT_EQ(run_at(":1", "--run-until 'time 5'"), 2);
  EXPECT_THAT(errors(), AllOf(HasSubstr("--run-until"), HasSubstr("'5' is no time")));
  EXPECT_EQ(run(std::string(kArguments) + "--run-until 'cmd 1'", "out"), 2);
  EXPECT_THAT(errors(), HasSubstr("goes with --gdb"));
  EXPECT_EQ(run(std::string(kArguments) + "--snapshots 5", "out"), 2);
  EXPECT_THAT(errors(), HasSubstr("--snapshot-every"));
}

TEST_F(GdbBadInput, FirmwareWithoutSymbols_RunsButHasNoQueueToShow) {
  const std::string stripped = file("stripped.elf");
  ASSERT_EQ(std::system((std::string(HEADSTACK_OBJCOPY) + " --strip-all '" + HEADSTACK_DRIVE_ELF +
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
  EXPECT_THAT(errors(), HasSubstr("second debugger was turned away"));
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
