// SPDX-License-Identifier: Apache-2.0
// Packets of GDB's remote protocol (GDB manual, "Remote Protocol", Overview), independent of
// sockets: converts bytes to packets, and packets to bytes.
//
// A packet on the wire is `$payload#hh`, where hh is the sum of the payload's bytes modulo 256. A
// `}` escapes the next byte, which is XORed with 20h. Between packets: `+` and `-` for a packet
// received correctly or not, and 03h, which stops the program. A debugger sends no other byte
// there.
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
    kPacket,       // a packet; `payload` is without escapes
    kInterrupt,    // the byte 03h
    kReceived,     // the byte +
    kNotReceived,  // the byte -
    kDamaged,      // a packet with a wrong sum, or longer than kPacketBytes; to be requested again
    kForeign,      // another byte outside of a packet, in `payload`; no item follows
  };
  struct Item {
    Kind kind = Kind::kPacket;
    std::string payload;
  };

  void feed(std::string_view bytes);
  /// The next complete item. The total time of all calls is proportional to the number of bytes.
  std::optional<Item> next();

 private:
  std::optional<Item> packet();
  std::optional<Item> damaged(std::size_t end);

  std::string bytes_;
  std::size_t begin_ = 0;    // first byte that has not been consumed
  std::size_t scanned_ = 0;  // up to here, no end of the packet at begin_ was found
  bool is_foreign_ = false;
};

/// The packet of a payload, as it is sent.
std::string frame(std::string_view payload);

/// The bytes in hexadecimal, two digits each.
std::string to_hex(std::string_view bytes);
std::string to_hex(const std::vector<std::uint8_t>& bytes);
/// The value in the order of the core's memory: low byte first.
std::string to_hex(std::uint64_t value, std::size_t bytes);
/// The bytes of the digits. Nothing for an odd number of digits, or for another character.
std::optional<std::string> from_hex(std::string_view digits);

/// Removes a hexadecimal number of at most 16 digits from the front of `text`, and returns it.
std::optional<std::uint64_t> take_number(std::string_view& text);
/// Removes `expected` from the front of `text`. Returns false if `text` does not begin with it.
bool take(std::string_view& text, std::string_view expected);

}  // namespace headstack::debug
