// SPDX-License-Identifier: Apache-2.0
// Message codes (SCSI-2 6.5) and the bytes of messages.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/initiator/agreement.hpp"
#include "sim/initiator/command.hpp"

namespace headstack::initiator {

namespace message {
constexpr std::uint8_t kCommandComplete = 0x00;
constexpr std::uint8_t kExtended = 0x01;
constexpr std::uint8_t kSaveDataPointer = 0x02;
constexpr std::uint8_t kRestorePointers = 0x03;
constexpr std::uint8_t kDisconnect = 0x04;
constexpr std::uint8_t kInitiatorDetectedError = 0x05;
constexpr std::uint8_t kAbort = 0x06;
constexpr std::uint8_t kMessageReject = 0x07;
constexpr std::uint8_t kNoOperation = 0x08;
constexpr std::uint8_t kMessageParityError = 0x09;
constexpr std::uint8_t kBusDeviceReset = 0x0C;
constexpr std::uint8_t kAbortTag = 0x0D;
constexpr std::uint8_t kClearQueue = 0x0E;
constexpr std::uint8_t kIgnoreWideResidue = 0x23;
constexpr std::uint8_t kIdentify = 0x80;
constexpr std::uint8_t kIdentifyDisconnect = 0x40;
constexpr std::uint8_t kIdentifyLunMask = 0x07;
// Codes of extended messages.
constexpr std::uint8_t kExtendedSynchronous = 0x01;
constexpr std::uint8_t kExtendedWide = 0x03;
constexpr std::uint8_t kExtendedQueueTag = 0x80;  // vendor specific; see README.md
}  // namespace message

Message identify_message(std::uint8_t lun, bool may_disconnect);
/// A tag message: 20h-22h and the tag's byte. For tags above 255, or if `extended`, it is the
/// vendor's extended message.
Message tag_message(TagType type, std::uint16_t tag, bool extended);
Message width_message(std::uint8_t exponent);
Message synchronous_message(std::uint8_t period_factor, std::uint8_t offset);

/// The tag in a whole tag message of either form.
std::optional<std::uint16_t> tag_of(const Message& message);
/// Whether this is a whole extended message with this code and this many bytes after its length
/// byte.
bool is_extended(const Message& message, std::uint8_t code, std::size_t length);

/// Assembles messages from bytes.
class MessageAssembler {
 public:
  /// Adds a byte. @return the message that it completes, if any.
  std::optional<Message> push(std::uint8_t byte);
  void clear() { bytes_.clear(); }
  bool empty() const { return bytes_.empty(); }

 private:
  Message bytes_;
};

/// The messages that wait for MESSAGE OUT, and those already sent in the present phase. A target
/// that detected bad parity requests all of them again (SCSI-2 6.1.9.2).
class MessageOutQueue {
 public:
  void push(Message message) { waiting_.push_back(std::move(message)); }
  /// Reserves a place in the queue for a message that is made when it is sent.
  void push_unmade() { waiting_.emplace_back(); }
  bool is_unmade() const { return !waiting_.empty() && waiting_.front().empty(); }
  void make(Message message) { waiting_.front() = std::move(message); }
  bool empty() const { return waiting_.empty(); }
  void clear();
  void begin_phase() { sent_.clear(); }

  std::uint8_t peek() const { return waiting_.front()[position_]; }
  /// Whether peek() is the last byte of all waiting messages.
  bool at_last() const { return waiting_.size() == 1 && position_ + 1 == waiting_[0].size(); }
  /// The byte of peek() was sent. @return the message that it completes.
  std::optional<Message> take();
  /// Sends all messages of the phase again.
  void resend();

 private:
  std::vector<Message> waiting_;
  std::vector<Message> sent_;
  std::size_t position_ = 0;
};

}  // namespace headstack::initiator
