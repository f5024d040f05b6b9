// Packets of GDB's remote protocol (GDB manual, "Remote Protocol", Overview), apart from any
// socket: bytes in, packets out, and the reverse.
//
// On the wire: `$payload#hh`, hh the sum of the payload's bytes modulo 256; `}` escapes the next
// byte, which is XORed with 20h. Between packets: `+` and `-` for a packet received well or not,
// and 03h, which stops the program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headstack::debug {

/// The longest payload that is taken; told to GDB in qSupported.
constexpr std::size_t kPacketBytes = 16 * 1024;

class PacketReader {
 public:
  enum class Kind {
    kPacket,       // `payload` without escapes
    kInterrupt,    // 03h
    kReceived,     // +
    kNotReceived,  // -
    kDamaged,      // wrong sum, or longer than kPacketBytes: ask for it again
  };
  struct Item {
    Kind kind = Kind::kPacket;
    std::string payload;
  };

  void feed(std::string_view bytes) { bytes_ += bytes; }
  /// The next item that is complete. What belongs to none is skipped.
  std::optional<Item> next();

 private:
  std::optional<Item> packet();

  std::string bytes_;  // not consumed yet
};

/// As it goes over the wire.
std::string frame(std::string_view payload);

/// Two digits a byte.
std::string to_hex(std::string_view bytes);
std::string to_hex(const std::vector<std::uint8_t>& bytes);
/// As the core has it in memory: low byte first.
std::string to_hex(std::uint64_t value, std::size_t bytes);
/// None for an odd count, or for what is no digit.
std::optional<std::string> from_hex(std::string_view digits);

/// Takes a number in hexadecimal, of 16 digits at most, off the front of `text`.
std::optional<std::uint64_t> take_number(std::string_view& text);
/// Takes this text off the front; false when it does not stand there.
bool take(std::string_view& text, std::string_view expected);

}  // namespace headstack::debug
