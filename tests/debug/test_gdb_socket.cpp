// SPDX-License-Identifier: Apache-2.0
// Callers that are accepted at the debugger's address, and callers that are not.
#include "host/debug/gdb_socket.hpp"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>
#include <vector>

#include "tests/debug/browser_bytes.hpp"
#include "tests/support.hpp"

namespace headstack::debug {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::chrono::milliseconds kSoon{2000};

/// The other end of a connection.
class Caller {
 public:
  explicit Caller(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(port));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&place), sizeof place), 0);
  }
  void say(const std::string& bytes) const {
    EXPECT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  /// Whether the connection ended without an answer; a reset is an end, too.
  bool is_hung_up_on() const {
    timeval limit{2, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    char byte = 0;
    const ssize_t got = ::recv(socket_.get(), &byte, 1, 0);
    return got == 0 || (got < 0 && errno == ECONNRESET);
  }

 private:
  Descriptor socket_;
};

class GdbSocketTest : public testing::Test {
 protected:
  int port() const {
    sockaddr_in place{};
    socklen_t bytes = sizeof place;
    EXPECT_EQ(
        ::getsockname(socket_.descriptors().front(), reinterpret_cast<sockaddr*>(&place), &bytes),
        0);
    return ntohs(place.sin_port);
  }
  /// Serves the socket for a while. @return whether a debugger was accepted.
  bool serve() {
    for (int i = 0; i < 20; ++i) {
      if (socket_.accept()) return true;
      socket_.wait(-1, std::chrono::milliseconds(10));
    }
    return false;
  }

  GdbSocket socket_{":0"};
};

struct Opening {
  const char* what;
  std::string bytes;
};

class StrangerAtTheSocket : public GdbSocketTest, public testing::WithParamInterface<Opening> {};

TEST_P(StrangerAtTheSocket, IsHungUpOn_AndNothingItSaidIsHeard) {
  const Caller stranger(port());
  stranger.say(GetParam().bytes);
  EXPECT_FALSE(serve());
  EXPECT_FALSE(socket_.connected());
  EXPECT_FALSE(socket_.next());
  EXPECT_TRUE(stranger.is_hung_up_on());
  // A silent caller does not disturb others.
  const Caller debugger(port());
  debugger.say("+" + frame("qC"));
  EXPECT_TRUE(serve());
}

const Opening kStrangers[] = {
    {"Post", browser_post(frame("qRcmd,77"))},
    {"PostOfPacketsAlone", browser_post("+" + frame("k"))},
    {"GetOfAReboundName", browser_get()},
    {"Preflight", browser_preflight()},
    {"Encrypted", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11)},
    {"EmptyLine", "\r\n" + frame("qC")},
    {"Space", " " + frame("qC")},
    {"Zero", std::string(1, '\0') + frame("qC")},
    {"OneByte", "x"},
    {"Hash", "#00"},
    // A method of HTTP may have these characters (RFC 9110 5.6.2, token).
    {"MethodPlus", "+ / HTTP/1.1\r\n\r\n" + frame("k")},
    {"MethodMinus", "- / HTTP/1.1\r\n\r\n" + frame("k")},
    {"MethodOfBoth", "+-+ / HTTP/1.1\r\n\r\n" + frame("k")},
    {"MethodThatBeginsAPacket", "$ / HTTP/1.1\r\n\r\n" + frame("k")},
    {"MethodThatIsADamagedPacket", "$k#00 / HTTP/1.1\r\n\r\n" + frame("k")},
    {"NoiseBehindThePlus", "+" + std::string(1'000'000, 'x')},
};
INSTANTIATE_TEST_SUITE_P(Gdb, StrangerAtTheSocket, testing::ValuesIn(kStrangers),
                         test::case_name<Opening>);

// The end of the old connection may be unread when the next debugger calls.
TEST_F(GdbSocketTest, DebuggerBehindOneThatHasLeft_IsNotRefused) {
  {
    const Caller first(port());
    first.say(frame("qC"));
    ASSERT_TRUE(serve());
  }
  const Caller next(port());
  next.say(frame("qC"));
  EXPECT_FALSE(socket_.accept());
  EXPECT_FALSE(socket_.connected()) << "first of all the old one has left";
  EXPECT_TRUE(serve());
}

class DebuggerAtTheSocket : public GdbSocketTest, public testing::WithParamInterface<Opening> {};

TEST_P(DebuggerAtTheSocket, IsLetIn_AndHeardFromItsFirstByteOn) {
  const Caller debugger(port());
  EXPECT_FALSE(serve()) << "it has said nothing yet";
  debugger.say(GetParam().bytes);
  ASSERT_TRUE(serve());
  EXPECT_TRUE(socket_.read());
  EXPECT_TRUE(socket_.next());
}

// GDB manual, "Remote Protocol", Overview: possible first bytes.
const Opening kDebuggers[] = {{"Packet", frame("qC")},
                              {"Received", "+" + frame("qC")},
                              {"NotReceived", "-" + frame("qC")},
                              {"Interrupt", "\x03"}};
INSTANTIATE_TEST_SUITE_P(Gdb, DebuggerAtTheSocket, testing::ValuesIn(kDebuggers),
                         test::case_name<Opening>);

// Browsers connect in advance, and then send nothing.
TEST_F(GdbSocketTest, SilentCallers_KeepNobodyOut_AndGoWhenADebuggerComes) {
  std::vector<std::unique_ptr<Caller>> silent;
  for (int i = 0; i < 20; ++i) {
    silent.push_back(std::make_unique<Caller>(port()));
    EXPECT_FALSE(socket_.accept());
  }
  const Caller debugger(port());
  debugger.say("+" + frame("qC"));
  ASSERT_TRUE(serve());
  for (const auto& caller : silent) EXPECT_TRUE(caller->is_hung_up_on());
  const Caller late(port());
  late.say(browser_post(frame("k")));
  EXPECT_FALSE(serve());
  EXPECT_TRUE(socket_.connected()) << "the first is not disturbed";
  EXPECT_TRUE(late.is_hung_up_on());
}

/// The debugger's packets up to the end of its bytes.
std::vector<std::string> packets(GdbSocket& socket) {
  std::vector<std::string> payloads;
  for (int i = 0; i < 100 && socket.connected(); ++i) {
    socket.read();
    while (const auto item = socket.next()) payloads.push_back(item->payload);
    socket.wait(-1, std::chrono::milliseconds(2));
  }
  return payloads;
}

// A connection that began well ends, too, once it sends bytes that no debugger sends.
TEST_F(GdbSocketTest, ForeignByteOfTheDebugger_EndsTheConnection) {
  const Caller caller(port());
  caller.say("+" + frame("qC") + "+" + frame("?"));
  ASSERT_TRUE(serve());
  EXPECT_THAT(packets(socket_), testing::Contains("?"));
  EXPECT_TRUE(socket_.connected());
  caller.say("+\r\n" + frame("k"));
  EXPECT_THAT(packets(socket_), testing::Not(testing::Contains("k")));
  EXPECT_FALSE(socket_.connected());
  EXPECT_TRUE(caller.is_hung_up_on());
}

// A megabyte of acknowledgements is read in pieces, between which the run continues.
TEST_F(GdbSocketTest, ReadEnds_HoweverMuchIsThere) {
  const Caller caller(port());
  caller.say(frame("qC"));
  ASSERT_TRUE(serve());
  ASSERT_TRUE(socket_.read());
  ASSERT_TRUE(socket_.next());
  std::thread sender([&caller] { caller.say(std::string(4U << 20, '+')); });
  std::size_t count = 0;
  std::size_t most = 0;
  while (count < (4U << 20)) {
    socket_.wait(-1, kSoon);
    ASSERT_TRUE(socket_.read());
    std::size_t now = 0;
    while (socket_.next()) ++now;
    most = std::max(most, now);
    count += now;
  }
  sender.join();
  EXPECT_LE(most, 64U * 1024) << "host/debug/gdb_socket.cpp: sixteen pieces of 4,096 bytes";
}

class GdbSocketPath : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              ("headstack_socket_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

TEST_F(GdbSocketPath, IsRemovedWhenItRetires) {
  GdbSocket socket("unix:" + path("s"));
  EXPECT_EQ(socket.name(), path("s"));
  EXPECT_TRUE(std::filesystem::is_socket(path("s")));
  socket.retire();
  EXPECT_FALSE(std::filesystem::exists(path("s")));
  EXPECT_TRUE(socket.descriptors().empty());
}

// unix(7): sun_path has 108 bytes, the last of them 0.
TEST_F(GdbSocketPath, MayHave107Bytes_AndOneMoreIsAnErrorWithTheRemedy) {
  const std::size_t left = 107 - path("").size();
  EXPECT_NO_THROW(GdbSocket("unix:" + path(std::string(left, 's'))));
  try {
    GdbSocket("unix:" + path(std::string(left + 1, 's')));
    FAIL() << "taken";
  } catch (const AddressError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("may have 107 bytes, but this one has 108"),
                                    HasSubstr("shorter --out")));
  }
}

// GDB gets the port that was found, as it cannot connect to port 0.
TEST_F(GdbSocketTest, NameOfPort0_HasThePortThatWasFound) {
  EXPECT_EQ(socket_.name(), ":" + std::to_string(port()));
  EXPECT_EQ(GdbSocket("127.0.0.1:0").name().rfind("127.0.0.1:", 0), 0U);
}

// Beyond 65,535 getaddrinfo() takes the remainder.
TEST(GdbPort, OnBothSidesOfItsLimits) {
  const auto error_of = [](const std::string& address) -> std::string {
    try {
      require_address(address);
    } catch (const AddressError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(error_of(":65535"), "");
  for (const std::string port : {"65536", "99999", "99999999999999999999"}) {
    EXPECT_THAT(error_of(":" + port), AllOf(HasSubstr("--gdb :" + port + ": there is no such port"),
                                            HasSubstr("to 65535")));
  }
  for (const char* address : {":", ":-1", ":1x", ":+1", "host:"}) {
    EXPECT_THAT(error_of(address), HasSubstr("its port is not a number")) << address;
  }
}

}  // namespace
}  // namespace headstack::debug
