// SPDX-License-Identifier: Apache-2.0
#include "sim/initiator/messages.hpp"

#include "sim/assert.hpp"

namespace headstack::initiator {
namespace {

/// Bytes of the whole message that begins with these, or 0 if that is not known yet (SCSI-2 6.5).
std::size_t message_length(const Message& bytes) {
  const std::uint8_t first = bytes[0];
  if (first == message::kExtended) {
    if (bytes.size() < 2) return 0;
    return bytes[1] == 0 ? 2 + 256U : 2U + bytes[1];
  }
  return first >= 0x20 && first <= 0x2F ? 2 : 1;
}

}  // namespace

Message identify_message(std::uint8_t lun, bool may_disconnect) {
  HEADSTACK_ASSERT(lun <= message::kIdentifyLunMask, "IDENTIFY has three bits for the LUN");
  const unsigned privilege = may_disconnect ? message::kIdentifyDisconnect : 0U;
  return {static_cast<std::uint8_t>(message::kIdentify | privilege | lun)};
}

Message tag_message(TagType type, std::uint16_t tag, bool extended) {
  const auto code = static_cast<std::uint8_t>(type);
  const auto high = static_cast<std::uint8_t>(tag >> 8U);
  const auto low = static_cast<std::uint8_t>(tag);
  if (high == 0 && !extended) return {code, low};
  return {message::kExtended, 4, message::kExtendedQueueTag, code, high, low};
}

Message width_message(std::uint8_t exponent) {
  return {message::kExtended, 2, message::kExtendedWide, exponent};
}

Message synchronous_message(std::uint8_t period_factor, std::uint8_t offset) {
  return {message::kExtended, 3, message::kExtendedSynchronous, period_factor, offset};
}

std::optional<std::uint16_t> tag_of(const Message& message) {
  const auto is_type = [](std::uint8_t code) { return code >= 0x20 && code <= 0x22; };
  if (message.size() == 2 && is_type(message[0])) return message[1];
  if (is_extended(message, message::kExtendedQueueTag, 4) && is_type(message[3])) {
    return static_cast<std::uint16_t>((unsigned{message[4]} << 8U) | message[5]);
  }
  return std::nullopt;
}

bool is_extended(const Message& message, std::uint8_t code, std::size_t length) {
  return message.size() == 2 + length && message[0] == message::kExtended && message[2] == code;
}

std::optional<Message> MessageAssembler::push(std::uint8_t byte) {
  bytes_.push_back(byte);
  if (bytes_.size() != message_length(bytes_)) return std::nullopt;
  Message whole;
  whole.swap(bytes_);
  return whole;
}

void MessageOutQueue::clear() {
  waiting_.clear();
  sent_.clear();
  position_ = 0;
}

std::optional<Message> MessageOutQueue::take() {
  HEADSTACK_ASSERT(!waiting_.empty(), "a byte is taken after it was seen");
  if (++position_ < waiting_.front().size()) return std::nullopt;
  position_ = 0;
  sent_.push_back(waiting_.front());
  waiting_.erase(waiting_.begin());
  return sent_.back();
}

void MessageOutQueue::resend() {
  HEADSTACK_ASSERT(position_ == 0, "a message is asked for again only when all were sent");
  waiting_.insert(waiting_.begin(), sent_.begin(), sent_.end());
  sent_.clear();
}

}  // namespace headstack::initiator
