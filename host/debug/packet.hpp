// SPDX-License-Identifier: Apache-2.0
// Packets of GDB's remote protocol (GDB manual, "Remote Protocol", Overview), independent of
// sockets: converts bytes to packets, and packets to bytes.
//
// On the wire: `$payload#hh`, hh the sum of the payload's bytes modulo 256; `}` escapes the next
// byte, which is XORed with 20h. Between packets: `+` and `-` for a packet received correctly or
// not, and 03h, which stops the program. A debugger sends no other byte there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headstack::debug {

/// The longest accepted payload; qSupported reports it to GDB.
constexpr std::size_t kPacketBytes = 16 * 1024;

class PacketReader {
 public:
  enum class Kind {
    kPacket,       // `payload` without escapes
    kInterrupt,    // 03h
    kReceived,     // +
    kNotReceived,  // -
    kDamaged,      // wrong sum, or longer than kPacketBytes: request it again
    kForeign,      // `payload` is another byte outside of a packet: nothing comes after it
  };
  struct Item {
    Kind kind = Kind::kPacket;
    std::string payload;
  };

  void feed(std::string_view bytes);
  /// The next complete item. All calls together take a time that is proportional to the bytes.
  std::optional<Item> next();

 private:
  std::optional<Item> packet();
  std::optional<Item> damaged(std::size_t end);

  std::string bytes_;
  std::size_t begin_ = 0;    // of what is not consumed yet
  std::size_t scanned_ = 0;  // up to here the packet at begin_ has no end
  bool is_foreign_ = false;
};

/// The packet of a payload, as it goes over the wire.
std::string frame(std::string_view payload);

/// Two digits per byte.
std::string to_hex(std::string_view bytes);
std::string to_hex(const std::vector<std::uint8_t>& bytes);
/// In the order of the core's memory: low byte first.
std::string to_hex(std::uint64_t value, std::size_t bytes);
/// None for an odd count, or for a character that is no digit.
std::optional<std::string> from_hex(std::string_view digits);

/// Removes a hexadecimal number of at most 16 digits from the front of `text`.
std::optional<std::uint64_t> take_number(std::string_view& text);
/// Removes this text from the front; false if `text` does not begin with it.
bool take(std::string_view& text, std::string_view expected);

}  // namespace headstack::debug
