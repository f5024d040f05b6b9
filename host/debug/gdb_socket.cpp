// SPDX-License-Identifier: Apache-2.0
#include "host/debug/gdb_socket.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>

#include "host/output/message.hpp"

namespace headstack::debug {
namespace {

constexpr const char* kRemedy = "give :PORT, HOST:PORT or unix:PATH";
constexpr const char* kUnix = "unix:";
constexpr int kMostCallers = 8;  // most silent callers; the oldest of more is disconnected
constexpr std::size_t kReadBytes = 4096;
constexpr int kMostReads = 16;  // most reads of kReadBytes at a time

void say_foreign(char byte) {
  output::say("headstack: closed a connection: {:02x}h came outside of a packet, not as from GDB\n",
              static_cast<unsigned>(static_cast<unsigned char>(byte)));
}

enum class Arrival { kSome, kNothing, kEnd };

/// Feeds the available bytes to a reader.
Arrival receive(int socket, PacketReader& reader) {
  std::array<char, kReadBytes> bytes{};
  for (;;) {
    const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got > 0) {
      reader.feed({bytes.data(), static_cast<std::size_t>(got)});
      return Arrival::kSome;
    }
    if (got < 0 && errno == EINTR) continue;
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? Arrival::kNothing : Arrival::kEnd;
  }
}

[[noreturn]] void fail(const std::string& address, const std::string& what,
                       const std::string& remedy = kRemedy) {
  throw AddressError(fmt::format("--gdb {}: {}; {}", address, what, remedy));
}

[[noreturn]] void fail_to_listen(const std::string& address, int error) {
  fail(address, std::strerror(error),
       error == EADDRINUSE ? "another run may use it: give another address" : kRemedy);
}

Descriptor bound_to(const std::string& address, const sockaddr* place, socklen_t bytes) {
  Descriptor socket(::socket(place->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  const int yes = 1;
  if (!socket.open()) fail(address, std::strerror(errno));
  // A run that has just ended must not block its port.
  ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (::bind(socket.get(), place, bytes) != 0) fail_to_listen(address, errno);
  return socket;
}

void listen(const std::string& address, const Descriptor& socket) {
  if (::listen(socket.get(), kMostCallers) != 0) fail_to_listen(address, errno);
}

sockaddr_un place_of(const std::string& address, const std::string& path) {
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  if (path.empty()) fail(address, "not a socket's path");
  if (path.size() >= sizeof place.sun_path) {
    fail(address,
         fmt::format("the path of a socket may have {} bytes, but this one has {}",
                     sizeof place.sun_path - 1, path.size()),
         "start from a folder closer to it and give a relative path, or a shorter --out, or "
         "another address: --gdb unix:PATH or :PORT");
  }
  std::memcpy(place.sun_path, path.c_str(), path.size());
  return place;
}

/// A socket at a path where no debugger looks for it.
struct EarlySocket {
  Descriptor socket;
  std::string path;
};

EarlySocket bound_near(const std::string& address, const std::string& path) {
  const sockaddr_un place = place_of(address, path);
  struct stat status {};
  if (::stat(place.sun_path, &status) == 0 && !S_ISSOCK(status.st_mode)) {
    fail(address, "something else is there", "give another path");
  }
  // The name is short, so that it fits if the path does.
  const std::size_t name = path.rfind('/') + 1;
  std::string early = path.substr(0, name) + fmt::format(".{:x}", ::getpid());
  const sockaddr_un early_place = place_of(address, early);
  return {bound_to(address, reinterpret_cast<const sockaddr*>(&early_place), sizeof early_place),
          std::move(early)};
}

/// Listens at a path, which exists only when debuggers can connect. An existing socket, most likely
/// from a run that is over, is replaced.
Descriptor listen_at_path(const std::string& address, const std::string& path) {
  EarlySocket early = bound_near(address, path);
  listen(address, early.socket);
  if (::rename(early.path.c_str(), path.c_str()) != 0) fail(address, std::strerror(errno));
  return std::move(early.socket);
}

/// Whether the address is one of 127.0.0.0/8 (RFC 1122 3.2.1.3).
bool of_this_machine(const sockaddr& place) {
  const auto& internet = reinterpret_cast<const sockaddr_in&>(place);
  return ntohl(internet.sin_addr.s_addr) >> 24 == 127;
}

struct Port {
  std::string host;
  std::string number;
};

Port port_of(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string::npos) fail(address, "not an address");
  Port port{colon == 0 ? "127.0.0.1" : address.substr(0, colon), address.substr(colon + 1)};
  std::uint16_t number = 0;
  const char* end = port.number.data() + port.number.size();
  const auto result = std::from_chars(port.number.data(), end, number);
  if (result.ec == std::errc::invalid_argument || result.ptr != end) {
    fail(address, "its port is not a number");
  }
  if (result.ec != std::errc()) {
    fail(address, "there is no such port", "give one from 0 (any that is free) to 65535");
  }
  return port;
}

Descriptor bound_to_port(const std::string& address, const Port& port, bool warns) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(port.host.c_str(), port.number.c_str(), &hints, &found);
  if (error != 0) fail(address, ::gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, ::freeaddrinfo);
  if (warns && !of_this_machine(*found->ai_addr)) {
    output::say(
        "headstack: warning: --gdb {}: anyone who reaches this address can control the run, and "
        "write wave files into its folder; :{} serves this machine alone\n",
        address, port.number);
  }
  return bound_to(address, found->ai_addr, found->ai_addrlen);
}

/// The address for GDB. The actual port replaces port 0, which means any.
std::string name_of(const std::string& address, const Descriptor& socket) {
  sockaddr_in place{};
  socklen_t bytes = sizeof place;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&place), &bytes) != 0) {
    return address;
  }
  return address.substr(0, address.rfind(':') + 1) + std::to_string(ntohs(place.sin_port));
}

}  // namespace

void require_address(const std::string& address) {
  if (address.rfind(kUnix, 0) == 0) {
    ::unlink(bound_near(address, address.substr(std::strlen(kUnix))).path.c_str());
  } else {
    (void)bound_to_port(address, port_of(address), false);
  }
}

GdbSocket::GdbSocket(const std::string& address) {
  if (address.rfind(kUnix, 0) == 0) {
    name_ = path_ = address.substr(std::strlen(kUnix));
    listener_ = listen_at_path(address, path_);
    return;
  }
  listener_ = bound_to_port(address, port_of(address), true);
  listen(address, listener_);
  name_ = name_of(address, listener_);
}

bool GdbSocket::accept() {
  if (connected() && !read()) return false;
  take_callers();
  return !connected() && admit_caller();
}

void GdbSocket::take_callers() {
  for (;;) {
    Descriptor came(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!came.open()) return;
    if (connected()) {
      output::say("headstack: a second debugger was refused: one is connected already\n");
      continue;
    }
    if (callers_.size() == std::size_t{kMostCallers}) callers_.erase(callers_.begin());
    callers_.push_back(std::move(came));
  }
}

/// Admits the first caller that has sent what GDB sends, and disconnects the others.
bool GdbSocket::admit_caller() {
  for (std::size_t i = 0; i < callers_.size();) {
    switch (standing_of(callers_[i])) {
      case Standing::kWaits: ++i; continue;
      case Standing::kStranger:
        callers_.erase(callers_.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      case Standing::kDebugger: break;
    }
    // Answers are short, and GDB waits for each. A socket with a path has no such option, and the
    // call does no harm.
    const int yes = 1;
    ::setsockopt(callers_[i].get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    connection_ = std::move(callers_[i]);
    callers_.clear();
    reader_ = PacketReader();
    return true;
  }
  return false;
}

/// Reads a caller's bytes, which stay in the socket. During a search of the past another process
/// serves the debugger, and reads them from there.
GdbSocket::Standing GdbSocket::standing_of(const Descriptor& caller) {
  std::array<char, kReadBytes> bytes{};
  const ssize_t got = ::recv(caller.get(), bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
    return Standing::kWaits;
  if (got <= 0) return Standing::kStranger;
  PacketReader reader;
  reader.feed({bytes.data(), static_cast<std::size_t>(got)});
  while (const auto item = reader.next()) {
    using Kind = PacketReader::Kind;
    switch (item->kind) {
      case Kind::kReceived:
      case Kind::kNotReceived: continue;
      case Kind::kDamaged: return Standing::kStranger;
      case Kind::kForeign: say_foreign(item->payload[0]); return Standing::kStranger;
      case Kind::kPacket:
      case Kind::kInterrupt: return Standing::kDebugger;
    }
  }
  // The first packet of GDB, qSupported, is far shorter than these bytes.
  return got == static_cast<ssize_t>(bytes.size()) ? Standing::kStranger : Standing::kWaits;
}

bool GdbSocket::read() {
  for (int i = 0; i < kMostReads; ++i) {
    const Arrival arrival = receive(connection_.get(), reader_);
    if (arrival == Arrival::kNothing) return true;
    if (arrival == Arrival::kEnd) {
      connection_.close();
      return false;
    }
  }
  return true;
}

std::optional<PacketReader::Item> GdbSocket::next() {
  auto item = reader_.next();
  if (!item || item->kind != PacketReader::Kind::kForeign) return item;
  say_foreign(item->payload[0]);
  connection_.close();
  return std::nullopt;
}

void GdbSocket::send(const std::string& bytes) {
  std::size_t sent = 0;
  while (connected() && sent < bytes.size()) {
    const ssize_t now =
        ::send(connection_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (now >= 0) {
      sent += static_cast<std::size_t>(now);
    } else if (errno != EINTR) {
      return;  // read() will detect that the debugger is gone
    }
  }
}

bool GdbSocket::wait(int other, std::chrono::milliseconds limit) {
  std::vector<pollfd> sources = {pollfd{other, POLLIN, 0}};
  for (const int number : descriptors()) sources.push_back({number, POLLIN, 0});
  if (::poll(sources.data(), sources.size(), static_cast<int>(limit.count())) <= 0) return false;
  return sources[0].revents != 0;
}

void GdbSocket::retire() {
  listener_.close();
  connection_.close();
  callers_.clear();
  if (!path_.empty()) ::unlink(path_.c_str());
}

std::vector<int> GdbSocket::descriptors() const {
  std::vector<int> numbers = handed_on();
  for (const Descriptor& caller : callers_) numbers.push_back(caller.get());
  return numbers;
}

std::vector<int> GdbSocket::handed_on() const {
  std::vector<int> numbers;
  if (listener_.open()) numbers.push_back(listener_.get());
  if (connected()) numbers.push_back(connection_.get());
  return numbers;
}

void GdbSocket::adopt(std::vector<Descriptor> handed_on) {
  listener_.release();
  connection_.release();
  for (Descriptor& caller : callers_) caller.release();
  callers_.clear();
  if (!handed_on.empty()) listener_ = std::move(handed_on[0]);
  if (handed_on.size() > 1) connection_ = std::move(handed_on[1]);
  reader_ = PacketReader();
}

}  // namespace headstack::debug
