// SPDX-License-Identifier: Apache-2.0
// Messages that a raw host receives from the drive, and the ends of its connections and commands.
#include <algorithm>

#include "tests/fuzz/drive/raw_host.hpp"

namespace headstack::fuzz {
namespace {

using initiator::Direction;
using initiator::ManagementKind;
using initiator::Message;
using initiator::Outcome;
using initiator::TagType;
namespace message = initiator::message;

constexpr std::uint8_t kCheckCondition = 0x02;
constexpr std::uint8_t kOpRequestSense = 0x03;
constexpr std::uint8_t kSenseBytes = 18;

}  // namespace

// ---------------------------------------------------------------------------- messages from the
// drive

void RawHost::take_message(const Message& message) {
  if (const auto tag = initiator::tag_of(message)) return take_nexus(tag);
  if ((message[0] & message::kIdentify) != 0) {
    if (!reselected_ || lun_) return say({message::kMessageReject});
    lun_ = static_cast<std::uint8_t>(message[0] & message::kIdentifyLunMask);
    return take_nexus(std::nullopt);
  }
  switch (message[0]) {
    case message::kCommandComplete:
      if (job_ != nullptr && job_->has_status) {
        end_ = End::kComplete;
        job_->result.times.complete = access_->now();
      }
      return;
    case message::kDisconnect: {
      const bool refuses =
          job_ != nullptr && (!job_->command.may_disconnect ||
                              (job_->action != nullptr && job_->action->refuses_disconnect));
      const Message answer = refuses ? refusal() : Message{};
      say(answer);
      if (!answer.empty() && answer[0] == message::kMessageReject) return;
      end_ = End::kDisconnect;
      if (job_ == nullptr) return;
      job_->result.times.disconnected.push_back(access_->now());
      job_->result.bytes_before_leave.push_back(job_->pointer);
      return;
    }
    case message::kSaveDataPointer:
      if (job_ != nullptr) job_->saved_pointer = job_->pointer;
      return;
    case message::kRestorePointers:
      if (job_ != nullptr) job_->pointer = job_->saved_pointer;
      return;
    case message::kIgnoreWideResidue:
      if (job_ != nullptr && message[1] <= job_->pointer) job_->pointer -= message[1];
      return;
    case message::kExtended: return take_extended(message);
    case message::kMessageReject:
      // The agreement after a rejected WDTR or SDTR is that before any (6.6.21, 6.6.23).
      if (initiator::is_extended(last_sent_, message::kExtendedWide, 2)) agreement_ = {};
      if (initiator::is_extended(last_sent_, message::kExtendedSynchronous, 3)) {
        agreement_.offset = 0;
      }
      return;
    case message::kNoOperation: return;
    default: return say({message::kMessageReject});
  }
}

/// The answer of the present command's host to DISCONNECT.
Message RawHost::refusal() const {
  const bool is_own = job_->action != nullptr && !job_->action->refusal.empty();
  return is_own ? job_->action->refusal : Message{message::kMessageReject};
}

void RawHost::take_extended(const Message& message) {
  if (initiator::is_extended(message, message::kExtendedWide, 2) && asked_width_) {
    agreement_ = {};
    agreement_.wide = message[3] != 0;
    return asked_width_.reset();
  }
  if (initiator::is_extended(message, message::kExtendedSynchronous, 3) && asked_speed_) {
    agreement_.period_factor = message[3];
    agreement_.offset = message[4];
    return asked_speed_.reset();
  }
  say({message::kMessageReject});
}

/// IDENTIFY, and perhaps a tag after it, name the command that is reconnected.
void RawHost::take_nexus(std::optional<std::uint16_t> tag) {
  if (tag && !nexus_asked_) return say({message::kMessageReject});
  nexus_asked_ = !tag.has_value();
  job_ = find_active(*lun_, tag);
  if (job_ != nullptr) {
    job_->pointer = job_->saved_pointer;
    job_->result.times.reselected.push_back(access_->now());
  } else if (tag) {
    ++unknown_nexus_count_;
    say({message::kAbortTag});
  }
}

/// The newest command of a nexus: a raw host may have two.
RawHost::Job* RawHost::find_active(std::uint8_t lun, std::optional<std::uint16_t> tag) {
  const auto found = std::find_if(active_.rbegin(), active_.rend(), [&](const JobPtr& job) {
    const initiator::Command& command = job->command;
    const bool tagged = command.tag_type != TagType::kUntagged;
    return command.lun == lun && tagged == tag.has_value() && (!tag || command.tag == *tag);
  });
  return found == active_.rend() ? nullptr : found->get();
}

/// `job` is only compared. The result is null if it is none of the active ones.
RawHost::JobPtr RawHost::take_active(const Job* job) {
  const auto found = std::find_if(active_.begin(), active_.end(),
                                  [job](const JobPtr& one) { return one.get() == job; });
  if (found == active_.end()) return nullptr;
  JobPtr taken = std::move(*found);
  active_.erase(found);
  return taken;
}

// ------------------------------------------------------------------------------------------ the
// end

/// ABORT TAG names a tag (SCSI-2 6.6.2). On an untagged connection it means that command alone.
bool RawHost::has_same_tag(const Job& a, const Job& b) {
  if (&a == &b) return true;
  return a.command.tag_type != TagType::kUntagged && b.command.tag_type != TagType::kUntagged &&
         a.command.lun == b.command.lun && a.command.tag == b.command.tag;
}

/// The drive released the bus after ABORT or a similar message, so the commands that it names are
/// gone.
void RawHost::end_aborted(const Job* message_job) {
  std::list<JobPtr> gone;
  const Job* one = job_;
  if (message_job != nullptr && message_job->command.tag_type != TagType::kUntagged) {
    one = find_active(message_job->command.lun, message_job->command.tag);
  }
  const std::uint8_t code = ending_.front();
  const bool whole_drive = code == message::kBusDeviceReset;
  for (auto it = active_.begin(); it != active_.end();) {
    // A raw host may have several commands with one tag: the message means all of them.
    const bool is_meant = code == message::kAbortTag ? one != nullptr && has_same_tag(**it, *one)
                                                     : whole_drive || (*it)->command.lun == lun_;
    if (!is_meant) {
      ++it;
      continue;
    }
    gone.push_back(std::move(*it));
    it = active_.erase(it);
  }
  if (whole_drive) agreement_ = {};
  for (JobPtr& job : gone) finish(std::move(job), Outcome::kAborted);
}

void RawHost::bus_freed() {
  const End end = end_;
  Job* job = job_;
  JobPtr message_job = std::move(message_job_);
  std::vector<initiator::Management> riding = std::move(riding_);
  riding_.clear();
  connected_ = false;
  // The drive frees the bus after the first of these messages, whatever was to follow. It also
  // takes messages after its own DISCONNECT and COMMAND COMPLETE.
  const bool certain = !ending_.empty() && !out_damaged_;
  std::uint8_t code = certain ? ending_.front() : std::uint8_t{0};
  if (certain && end == End::kComplete && job != nullptr) {
    if (JobPtr ended = take_active(job)) finish(std::move(ended), Outcome::kComplete);
    job_ = nullptr;
  }
  if (certain) end_aborted(message_job.get());
  if (end != End::kDisconnect) {
    if (JobPtr ended = take_active(job)) {
      finish(std::move(ended),
             end == End::kComplete ? Outcome::kComplete : Outcome::kUnexpectedBusFree);
    }
  }
  if (message_job) {
    finish(std::move(message_job), certain ? Outcome::kComplete : Outcome::kUnexpectedBusFree);
  }
  for (initiator::Management& management : riding) {
    initiator::Completion completion;
    const bool is_it = certain && code_of(management.kind) == code;
    if (is_it) code = 0;
    completion.outcome = is_it ? Outcome::kComplete : Outcome::kUnexpectedBusFree;
    completion.times.finished = access_->now();
    if (management.done) management.done(std::move(completion));
  }
  clear_connection();
  request_bus();
}

void RawHost::bus_was_reset() {
  std::list<JobPtr> gone = std::move(active_);
  active_.clear();
  if (message_job_) gone.push_back(std::move(message_job_));
  if (selecting_) gone.push_back(std::move(selecting_));
  std::list<JobPtr> kept = std::move(kept_);
  kept_.clear();
  // A REQUEST SENSE whose command no longer exists.
  const auto is_sense = [](const JobPtr& job) { return job->sense_for != nullptr; };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), is_sense), waiting_.end());
  gone.remove_if(is_sense);
  std::vector<initiator::Management> riding = std::move(riding_);
  riding_.clear();
  clear_connection();
  agreement_ = {};
  for (JobPtr& job : gone) finish(std::move(job), Outcome::kBusReset);
  for (JobPtr& job : kept) deliver(std::move(job), Outcome::kComplete);
  for (initiator::Management& management : riding) {
    initiator::Completion completion;
    completion.outcome = Outcome::kBusReset;
    completion.times.finished = access_->now();
    if (management.done) management.done(std::move(completion));
  }
  request_bus();
}

void RawHost::finish(JobPtr job, Outcome outcome) {
  if (job->sense_for != nullptr) {
    const auto found = std::find_if(kept_.begin(), kept_.end(),
                                    [&](const JobPtr& one) { return one.get() == job->sense_for; });
    if (found == kept_.end()) return;
    JobPtr asked = std::move(*found);
    kept_.erase(found);
    if (outcome == Outcome::kComplete && job->result.status == 0) {
      job->result.data.resize(std::min<std::size_t>(job->pointer, kSenseBytes));
      asked->result.sense = std::move(job->result.data);
    }
    const Bytes told = asked->result.sense;
    const Picoseconds selected = asked->result.times.selected;
    const std::uint8_t lun = asked->command.lun;
    deliver(std::move(asked), Outcome::kComplete);
    return end_lost(lun, selected, told);
  }
  const bool check =
      !job->management && outcome == Outcome::kComplete && job->result.status == kCheckCondition;
  if (check) in_doubt_ = true;
  if (check && job->command.auto_sense) return request_sense(std::move(job));
  const bool is_sense = !job->management && job->command.cdb[0] == kOpRequestSense &&
                        outcome == Outcome::kComplete && job->command.direction == Direction::kIn;
  const Bytes told = is_sense ? job->result.data : Bytes();
  const Picoseconds selected = job->result.times.selected;
  const std::uint8_t lun = job->command.lun;
  deliver(std::move(job), outcome);
  end_lost(lun, selected, told);
}

/// Sense data may report that the drive no longer has earlier commands (power-on, reset, cleared by
/// another host, overlapped). That ends those of this unit that it got earlier.
void RawHost::end_lost(std::uint8_t lun, Picoseconds selected, const Bytes& sense) {
  if (sense.size() < 14) return;
  const std::uint8_t key = sense[2] & 0x0FU;
  const bool cleared = key == 0x6 && (sense[12] == 0x29 || sense[12] == 0x2F);
  const bool overlap = key == 0xB && sense[12] == 0x4E;
  if (key == 0x6 && sense[12] == 0x29) in_doubt_ = true;
  if (!cleared && !overlap) return;
  std::list<JobPtr> gone;
  for (auto it = active_.begin(); it != active_.end();) {
    const Job& job = **it;
    if (job.command.lun != lun || job.result.times.selected >= selected) {
      ++it;
      continue;
    }
    gone.push_back(std::move(*it));
    it = active_.erase(it);
  }
  const Outcome outcome = overlap ? Outcome::kClearedByOverlap : Outcome::kClearedByUnitAttention;
  for (JobPtr& job : gone) deliver(std::move(job), outcome);
}

/// It goes before all else of this host: the next command would end the contingent allegiance.
void RawHost::request_sense(JobPtr job) {
  auto sense = std::make_unique<Job>();
  sense->sense_for = job.get();
  sense->command.lun = job->command.lun;
  sense->command.cdb = {kOpRequestSense, 0, 0, 0, kSenseBytes, 0};
  sense->command.direction = Direction::kIn;
  sense->command.length = kSenseBytes;
  sense->result.data.resize(kSenseBytes);
  sense->command.auto_sense = false;
  kept_.push_back(std::move(job));
  waiting_.push_front(std::move(sense));
}

void RawHost::deliver(JobPtr job, Outcome outcome) {
  initiator::Completion& result = job->result;
  result.outcome = outcome;
  result.times.finished = access_->now();
  const Direction direction = job->command.direction;
  const std::uint32_t length = direction == Direction::kOut
                                   ? static_cast<std::uint32_t>(job->command.data.size())
                               : direction == Direction::kIn ? job->command.length
                                                             : 0;
  result.bytes_moved = std::min(job->pointer, length);
  result.bytes_beyond = job->pointer - result.bytes_moved;
  result.bytes_reached = std::min(result.bytes_reached, length);
  if (direction == Direction::kIn) result.data.resize(result.bytes_moved);
  const auto done = job->management ? job->management->done : job->command.done;
  if (done) done(std::move(result));
}

}  // namespace headstack::fuzz
