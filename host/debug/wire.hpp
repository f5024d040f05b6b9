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

namespace headstack::debug {

/// An open file, which closes with its owner.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }

  int get() const { return number_; }
  bool open() const { return number_ >= 0; }
  void close();
  /// Forgets a file that is closed already, or somebody else's.
  void release() { number_ = -1; }

 private:
  int number_ = -1;
};

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
