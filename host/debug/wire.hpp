// Messages between the processes of one run, over sockets that keep message boundaries, with open
// files attached.
//
// All of them are the same program, so that a message is a struct and text behind it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/output/descriptor.hpp"

namespace headstack::debug {

using output::Descriptor;

enum class MessageKind : std::uint32_t {
  kAlive,   // to the broker: this process runs now; `value`: its id
  kParked,  // to the broker: there is a snapshot, `value` is its name; its socket is attached
  kDrop,    // to the broker: forget snapshot `value`
  kWake,    // to the broker, and on to the snapshot: go on from `value`; `text` is the order
};

struct Message {
  MessageKind kind = MessageKind::kAlive;
  std::uint64_t value = 0;
  std::string text;
  std::vector<Descriptor> files;
};

/// A pair of sockets for messages, closed on exec. Throws std::system_error.
std::pair<Descriptor, Descriptor> message_sockets();

/// `files` stay the caller's. False when nobody is on the other side any more.
bool send_message(int socket, MessageKind kind, std::uint64_t value, const std::string& text = {},
                  const std::vector<int>& files = {});
/// Waits for one; none when nobody is on the other side any more.
std::optional<Message> receive_message(int socket);

}  // namespace headstack::debug
