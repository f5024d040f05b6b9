// SPDX-License-Identifier: Apache-2.0
/// @file `headstack debug` from the user's side: gdb-multiarch with a script, and a client that
///   speaks the remote protocol itself.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <stdexcept>

#include "host/debug/packet.hpp"
#include "tests/paths.hpp"
#include "tests/scenario/replay_fixture.hpp"

namespace headstack::scenario {

/// Speaks the protocol over a socket; waits for each answer.
class RawClient {
 public:
  /// Connects to a path, or to a ":PORT" of this machine. Throws when no server answers in time.
  explicit RawClient(const std::string& address) {
    if (address.front() == ':') {
      sockaddr_in place{};
      place.sin_family = AF_INET;
      place.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(1))));
      place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      connect(address, reinterpret_cast<const sockaddr*>(&place), sizeof place);
    } else {
      sockaddr_un place{};
      place.sun_family = AF_UNIX;
      std::strncpy(place.sun_path, address.c_str(), sizeof place.sun_path - 1);
      connect(address, reinterpret_cast<const sockaddr*>(&place), sizeof place);
    }
  }
  ~RawClient() { close(); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void send(const std::string& bytes) const {
    EXPECT_EQ(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(bytes.size()));
  }
  /// Sends to a server that may close the connection before it has read everything.
  void send_until_closed(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  /// The next packet, or "+", "-"; "" when the server has closed the connection.
  std::string receive() {
    for (;;) {
      if (const auto item = reader_.next()) {
        using Kind = debug::PacketReader::Kind;
        if (item->kind == Kind::kReceived) return "+";
        if (item->kind == Kind::kNotReceived) return "-";
        return item->payload;
      }
      char bytes[4096];
      const ssize_t got = ::recv(socket_, bytes, sizeof bytes, 0);
      if (got <= 0) return "";
      reader_.feed({bytes, static_cast<std::size_t>(got)});
    }
  }
  /// The answer to a packet.
  std::string ask(const std::string& payload) {
    send(debug::frame(payload));
    EXPECT_EQ(receive(), "+") << payload;
    return receive();
  }
  /// The output of `monitor`.
  std::string monitor(const std::string& command) {
    std::string text;
    std::string packet = ask("qRcmd," + debug::to_hex(std::string_view(command)));
    for (; packet.size() > 1 && packet.front() == 'O' && packet != "OK"; packet = receive()) {
      text += debug::from_hex(packet.substr(1)).value_or("?");
    }
    return text;
  }
  void close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

 private:
  void connect(const std::string& address, const sockaddr* place, socklen_t bytes) {
    socket_ = ::socket(place->sa_family, SOCK_STREAM, 0);
    for (int tries = 0; tries < 500; ++tries) {
      if (::connect(socket_, place, bytes) == 0) return;
      ::usleep(10'000);
    }
    throw std::runtime_error(address + ": nobody listens");
  }

  int socket_ = -1;
  debug::PacketReader reader_;
};

class GdbFixture : public ReplayFixture {
 protected:
  explicit GdbFixture(std::string platform = "rtl") : platform_(std::move(platform)) {}

  void SetUp() override {
    ReplayFixture::SetUp();
    write_trace(21, kRequests, 2'056'008, 300);
  }
  /// A failing test leaves no process behind.
  void TearDown() override {
    if (run_ > 0) {
      ::kill(run_, SIGTERM);
      ::waitpid(run_, nullptr, 0);
    }
    ReplayFixture::TearDown();
  }

  static constexpr int kRequests = 12;
  std::string arguments() const {
    return "--drive hp_c3323a --policy stf --depth 8 observe.events=true --platform " + platform_ +
           " ";
  }
  const std::string& platform() const { return platform_; }
  /// Sets the platform of the following runs.
  void go_to_platform(const std::string& platform) { platform_ = platform; }

  std::string socket() const { return file("gdb"); }

  /// A register's value, of 8 bytes, low byte first.
  static std::uint64_t number_of(const std::string& answer) {
    const std::string bytes = debug::from_hex(answer).value_or("");
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data(), std::min(bytes.size(), sizeof number));
    return number;
  }

  /// Starts a run, and returns when it waits for a debugger.
  void start_run(const std::string& out, const std::string& arguments = "") {
    start_run_at("unix:" + socket(), out, arguments);
  }
  void start_run_at(const std::string& address, const std::string& out,
                    const std::string& arguments = "") {
    std::filesystem::remove(file("stderr"));  // of an earlier one
    run_ = start(this->arguments() + "--gdb '" + address + "' " + arguments, out);
    while (errors().find("waiting for a debugger") == std::string::npos &&
           ::waitpid(run_, nullptr, WNOHANG) == 0) {
      ::usleep(10'000);
    }
  }
  void signal_run(int signal) const { ::kill(run_, signal); }
  /// Waits for the run's end. @return its exit status.
  int end_run() {
    int status = 0;
    EXPECT_EQ(::waitpid(run_, &status, 0), run_);
    run_ = 0;
    return WEXITSTATUS(status);
  }

  /// The debugger's output for a script. The debugger reads the symbols of the run's program.
  std::string debug(const std::string& script, const std::string& out,
                    const std::string& arguments = "",
                    const std::string& program = test::drive_elf()) {
    start_run(out, arguments);
    std::ofstream(file("script")) << "set pagination off\nset confirm off\nset width 0\n"
                                  << "source " << test::source_dir().string()
                                  << "/host/debug/headstack_gdb.py\ntarget extended-remote "
                                  << socket() << '\n'
                                  << script;
    const std::string line = std::string("timeout -k 5 200 '") + HEADSTACK_GDB +
                             "' -q -nx -batch -x '" + file("script") + "' '" + program + "' >'" +
                             file("said") + "' 2>&1";
    const bool is_good = WEXITSTATUS(std::system(line.c_str())) == 0;
    EXPECT_TRUE(is_good) << slurp(file("said"));
    if (!is_good) signal_run(SIGTERM);  // It may still wait for a debugger.
    return slurp(file("said"));
  }

  /// Expects the same files as from a run without a debugger.
  void expect_as_plain(const std::string& out) {
    ASSERT_EQ(run(arguments(), "plain"), 0) << errors();
    EXPECT_EQ(summary(out)["event_hash"], summary("plain")["event_hash"]);
    for (const char* name : {"/records.csv", "/events.txt"}) {
      EXPECT_EQ(slurp(file(out) + name), slurp(file("plain") + name)) << name;
    }
  }

 private:
  std::string platform_;
  ::pid_t run_ = 0;
};

/// Tests on each of the platforms whose core executes the program.
class GdbOnPlatforms : public GdbFixture, public testing::WithParamInterface<const char*> {
 protected:
  GdbOnPlatforms() : GdbFixture(GetParam()) {}
};
inline std::string platform_of(const testing::TestParamInfo<const char*>& info) {
  return info.param;
}

/// The debugger is a separate package.
#define SKIP_WITHOUT_GDB()                                                         \
  if (*HEADSTACK_GDB == '\0') {                                                    \
    GTEST_SKIP() << "gdb-multiarch is not installed; headstack setup installs it"; \
  }

}  // namespace headstack::scenario
