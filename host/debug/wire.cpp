// SPDX-License-Identifier: Apache-2.0
#include "host/debug/wire.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace headstack::debug {
namespace {

constexpr std::size_t kFilesMax = 8;
constexpr std::size_t kTextMax = 128 * 1024;  // below what a socket accepts at once

struct Header {
  MessageKind kind;
  std::uint64_t value;
};

using FileSpace = std::array<char, CMSG_SPACE(kFilesMax * sizeof(int))>;

}  // namespace

std::pair<Descriptor, Descriptor> message_sockets() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::system_error(errno, std::generic_category(), "a socket for snapshots");
  }
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

bool send_message(int socket, MessageKind kind, std::uint64_t value, const std::string& text,
                  const std::vector<int>& files) {
  Header header{kind, value};
  std::array<iovec, 2> parts = {iovec{&header, sizeof header},
                                iovec{const_cast<char*>(text.data()), text.size()}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  alignas(cmsghdr) FileSpace space{};
  if (!files.empty()) {
    message.msg_control = space.data();
    message.msg_controllen = CMSG_SPACE(files.size() * sizeof(int));
    cmsghdr* control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_SOCKET;
    control->cmsg_type = SCM_RIGHTS;
    control->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
    std::memcpy(CMSG_DATA(control), files.data(), files.size() * sizeof(int));
  }
  ssize_t sent = 0;
  do {
    sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  return sent >= 0;
}

std::optional<Message> receive_message(int socket) {
  Header header{};
  std::string text(kTextMax, '\0');
  std::array<iovec, 2> parts = {iovec{&header, sizeof header}, iovec{text.data(), text.size()}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  alignas(cmsghdr) FileSpace space{};
  message.msg_control = space.data();
  message.msg_controllen = space.size();
  ssize_t got = 0;
  do {
    got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  } while (got < 0 && errno == EINTR);
  if (got < static_cast<ssize_t>(sizeof header)) return std::nullopt;
  Message result{header.kind, header.value, {}, {}};
  result.text.assign(text, 0, static_cast<std::size_t>(got) - sizeof header);
  for (cmsghdr* control = CMSG_FIRSTHDR(&message); control != nullptr;
       control = CMSG_NXTHDR(&message, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (control->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(control) + i * sizeof(int), sizeof number);
      result.files.emplace_back(number);
    }
  }
  return result;
}

}  // namespace headstack::debug
