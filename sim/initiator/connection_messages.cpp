// SPDX-License-Identifier: Apache-2.0
// Messages from the target (SCSI-2 6.6).
#include "sim/initiator/connection.hpp"

namespace headstack::initiator {

void Connection::take_message(const Message& message) {
  if (const auto tag = tag_of(message)) return take_tag(*tag);
  if (message[0] & message::kIdentify) return take_identify(message);
  switch (message[0]) {
    case message::kCommandComplete: return take_complete();
    case message::kDisconnect: return take_disconnect();
    case message::kExtended: return take_extended(message);
    case message::kMessageReject: return take_reject();
    case message::kNoOperation: return;
    case message::kSaveDataPointer:
      if (task_ != nullptr) task_->saved_pointer = task_->data_pointer;
      return;
    case message::kRestorePointers:
      if (task_ != nullptr) task_->data_pointer = task_->saved_pointer;
      status_known_ = false;
      return;
    case message::kIgnoreWideResidue:
      // 6.6.8: the message gives the number of bytes of the last word that are not data.
      if (task_ != nullptr && message[1] <= task_->data_pointer) {
        task_->data_pointer -= message[1];
      }
      return;
    default: return reject();
  }
}

void Connection::take_complete() {
  // Without a status the command is not complete, and the next bus free is unexpected.
  if (task_ == nullptr || !status_known_) return;
  end_ = ConnectionEnd::kComplete;
  command_is_complete_ = true;
  task_->result.times.complete = access_->now();
}

void Connection::take_disconnect() {
  if (task_ != nullptr && !task_->command.may_disconnect) return reject();
  end_ = ConnectionEnd::kDisconnect;
  if (task_ == nullptr) return;
  task_->result.times.disconnected.push_back(access_->now());
  task_->result.bytes_before_leave.push_back(task_->data_pointer);
}

void Connection::take_identify(const Message& message) {
  if (!reselected_ || lun_) return reject();
  lun_ = static_cast<std::uint8_t>(message[0] & message::kIdentifyLunMask);
  tag_may_follow_ = true;
  task_ = tasks_.active({static_cast<std::uint8_t>(target_), *lun_, Nexus::kNoTag});
  if (task_ == nullptr) return;  // a tag message names the task
  task_->result.times.reselected.push_back(reselected_at_);
  task_->data_pointer = task_->saved_pointer;  // 6.6.7: reconnection restores the pointers
}

void Connection::take_tag(std::uint16_t tag) {
  if (!tag_may_follow_) return reject();
  tag_may_follow_ = false;
  if (task_ != nullptr) task_->result.times.reselected.pop_back();  // not the untagged one
  task_ = tasks_.active({static_cast<std::uint8_t>(target_), *lun_, tag});
  if (task_ == nullptr) {
    ++unknown_nexus_count_;
    return send({message::kAbortTag});
  }
  task_->result.times.reselected.push_back(reselected_at_);
  task_->data_pointer = task_->saved_pointer;
}

// Takes an answer to a message that the host sent by itself. The initiator does not answer it,
// since that would begin a new negotiation, without end.
bool Connection::take_answer_by_hand(const Message& message) {
  if (negotiator_->under_way()) return false;
  if (is_extended(message, message::kExtendedWide, 2) && widths_by_hand_ > 0) {
    --widths_by_hand_;
    negotiator_->adopt_width(message[3]);
    return true;
  }
  if (is_extended(message, message::kExtendedSynchronous, 3) && synchronous_by_hand_ > 0) {
    --synchronous_by_hand_;
    negotiator_->adopt_synchronous(message[3], message[4]);
    return true;
  }
  return false;
}

void Connection::take_extended(const Message& message) {
  bool rejected = false;
  if (take_answer_by_hand(message)) return;
  if (is_extended(message, message::kExtendedWide, 2)) {
    Message next = negotiator_->take_width(message[3], &rejected);
    return reject_or_send(rejected, std::move(next));
  }
  if (is_extended(message, message::kExtendedSynchronous, 3)) {
    Message next = negotiator_->take_synchronous(message[3], message[4], &rejected);
    return reject_or_send(rejected, std::move(next));
  }
  reject();
}

void Connection::reject_or_send(bool rejected, Message next) {
  if (rejected) reject();
  if (!next.empty()) send(std::move(next));
}

// 6.6.14: the target rejects the last message that it got.
void Connection::take_reject() {
  if (negotiator_->under_way() && (is_extended(last_sent_, message::kExtendedWide, 2) ||
                                   is_extended(last_sent_, message::kExtendedSynchronous, 3))) {
    reject_or_send(false, negotiator_->take_reject());
    return;
  }
  // The rejection of a second tag message by hand leaves the first one in force.
  if (tag_of(last_sent_) && tags_sent_ == 1 && task_ != nullptr && !task_->management) {
    if (!tasks_.make_untagged(*task_)) send({message::kAbort});
  }
  if (end_ == ConnectionEnd::kMessage) end_ = ConnectionEnd::kNone;
}

}  // namespace headstack::initiator
