// SPDX-License-Identifier: Apache-2.0
// Messages between the processes of one run, with open files attached. Their sockets keep message
// boundaries.
//
// All processes run the same program, so a message is a struct followed by text.
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
  kAlive,   // reports to the broker: this process, of id `value`, is the run
  kParked,  // reports to the broker: snapshot `value` exists; its socket is attached
  kDrop,    // orders the broker to drop snapshot `value`
  kWake,    // orders the broker to continue from snapshot `value`; `text` is the order that it
            // passes on
};

struct Message {
  MessageKind kind = MessageKind::kAlive;
  std::uint64_t value = 0;
  std::string text;
  std::vector<Descriptor> files;
};

/// A pair of sockets for messages, closed on exec. Throws std::system_error.
std::pair<Descriptor, Descriptor> message_sockets();

/// Sends a message. The caller keeps `files`. Returns false when the other side is closed.
bool send_message(int socket, MessageKind kind, std::uint64_t value, const std::string& text = {},
                  const std::vector<int>& files = {});
/// Waits for a message. Returns nothing when the other side is closed.
std::optional<Message> receive_message(int socket);

}  // namespace headstack::debug
