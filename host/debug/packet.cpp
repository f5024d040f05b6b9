// SPDX-License-Identifier: Apache-2.0
#include "host/debug/packet.hpp"

#include <algorithm>
#include <array>

namespace headstack::debug {
namespace {

constexpr char kBegin = '$';
constexpr char kEnd = '#';
constexpr char kEscape = '}';
constexpr char kEscapeBit = 0x20;
constexpr char kInterruptByte = 0x03;
constexpr std::size_t kSumDigits = 2;
constexpr std::size_t kNumberDigits = 16;

constexpr std::string_view kDigits = "0123456789abcdef";

int digit(char character) {
  const char lower =
      character >= 'A' && character <= 'F' ? static_cast<char>(character + 32) : character;
  const std::size_t value = kDigits.find(lower);
  return value == std::string_view::npos ? -1 : static_cast<int>(value);
}

std::uint8_t sum_of(std::string_view payload) {
  std::uint8_t sum = 0;
  for (const char byte : payload)
    sum = static_cast<std::uint8_t>(sum + static_cast<std::uint8_t>(byte));
  return sum;
}

std::string unescape(std::string_view raw) {
  std::string text;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] == kEscape && i + 1 < raw.size()) {
      text += static_cast<char>(raw[++i] ^ kEscapeBit);
    } else {
      text += raw[i];
    }
  }
  return text;
}

}  // namespace

void PacketReader::feed(std::string_view bytes) {
  if (is_foreign_) return;
  // The bytes to be moved are no more than those consumed before them.
  if (begin_ > bytes_.size() / 2) {
    bytes_.erase(0, begin_);
    scanned_ -= std::min(scanned_, begin_);
    begin_ = 0;
  }
  bytes_ += bytes;
}

std::optional<PacketReader::Item> PacketReader::next() {
  if (begin_ == bytes_.size()) return std::nullopt;
  const char first = bytes_[begin_];
  if (first == kBegin) return packet();
  ++begin_;
  if (first == kInterruptByte) return Item{Kind::kInterrupt, {}};
  if (first == '+') return Item{Kind::kReceived, {}};
  if (first == '-') return Item{Kind::kNotReceived, {}};
  is_foreign_ = true;
  bytes_.clear();
  begin_ = 0;
  return Item{Kind::kForeign, std::string(1, first)};
}

/// Skips a bad packet, from begin_ to `end`.
std::optional<PacketReader::Item> PacketReader::damaged(std::size_t end) {
  begin_ = end;
  return Item{Kind::kDamaged, {}};
}

/// The packet whose `$` is at begin_.
std::optional<PacketReader::Item> PacketReader::packet() {
  constexpr const char* kEnds = "#$";
  const std::size_t end = bytes_.find_first_of(kEnds, std::max(scanned_, begin_ + 1));
  scanned_ = std::min(end, bytes_.size());
  if (end == std::string::npos) {
    // Escapes can double the length of a packet.
    if (bytes_.size() - begin_ <= 2 * kPacketBytes) return std::nullopt;
    return damaged(bytes_.size());
  }
  // The packet is incomplete, and another begins.
  if (bytes_[end] == kBegin) return damaged(end);
  if (bytes_.size() < end + 1 + kSumDigits) return std::nullopt;
  const std::string_view raw = std::string_view(bytes_).substr(begin_ + 1, end - begin_ - 1);
  const int high = digit(bytes_[end + 1]);
  const int low = digit(bytes_[end + 2]);
  Item item;
  item.payload = unescape(raw);
  const bool good = high >= 0 && low >= 0 && high * 16 + low == sum_of(raw) &&
                    item.payload.size() <= kPacketBytes;
  if (!good) item = {Kind::kDamaged, {}};
  begin_ = end + 1 + kSumDigits;
  // A packet with a bad sum may have been cut short. Then another packet begins in the place of the
  // sum.
  if (high < 0 || low < 0) begin_ = std::min(begin_, bytes_.find(kBegin, end + 1));
  return item;
}

std::string frame(std::string_view payload) {
  std::string raw;
  for (const char byte : payload) {
    // The character `*` would begin a run-length.
    if (byte == kBegin || byte == kEnd || byte == kEscape || byte == '*') {
      raw += kEscape;
      raw += static_cast<char>(byte ^ kEscapeBit);
    } else {
      raw += byte;
    }
  }
  return kBegin + raw + kEnd + to_hex(sum_of(raw), 1);
}

std::string to_hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += to_hex(static_cast<std::uint8_t>(byte), 1);
  return text;
}

std::string to_hex(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += to_hex(byte, 1);
  return text;
}

std::string to_hex(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i, value >>= 8) {
    text += kDigits[value >> 4 & 0xF];
    text += kDigits[value & 0xF];
  }
  return text;
}

std::optional<std::string> from_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const int high = digit(digits[i]);
    const int low = digit(digits[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t value = 0;
  std::size_t count = 0;
  while (count < text.size() && digit(text[count]) >= 0) {
    if (count == kNumberDigits) return std::nullopt;
    value = value << 4 | static_cast<std::uint64_t>(digit(text[count]));
    ++count;
  }
  if (count == 0) return std::nullopt;
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, std::string_view expected) {
  if (text.substr(0, expected.size()) != expected) return false;
  text.remove_prefix(expected.size());
  return true;
}

}  // namespace headstack::debug
