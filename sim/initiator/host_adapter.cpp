// SPDX-License-Identifier: Apache-2.0
#include "sim/initiator/host_adapter.hpp"

#include <algorithm>

#include "sim/assert.hpp"
#include "sim/initiator/operation_code.hpp"

namespace headstack::initiator {
namespace {

constexpr std::uint8_t kCheckCondition = 0x02;

std::uint8_t message_code(ManagementKind kind) {
  switch (kind) {
    case ManagementKind::kAbort: return message::kAbort;
    case ManagementKind::kAbortTag: return message::kAbortTag;
    case ManagementKind::kClearQueue: return message::kClearQueue;
    case ManagementKind::kBusDeviceReset: return message::kBusDeviceReset;
  }
  HEADSTACK_ASSERT(false, "all kinds have a message");
}

// Sense keys and additional sense codes (SCSI-2 8.2.14).
constexpr std::uint8_t kUnitAttention = 0x6;
constexpr std::uint8_t kAbortedCommand = 0xB;
constexpr std::uint8_t kReset = 0x29;
constexpr std::uint8_t kParametersChanged = 0x2A;
constexpr std::uint8_t kClearedByAnother = 0x2F;
constexpr std::uint8_t kOverlapped = 0x4E;

// MODE SENSE may get the unit attentions that are pending for this host.
constexpr unsigned kMostQuestions = 8;

}  // namespace

HostAdapter::HostAdapter(const Config& config)
    : config_(config), connection_(tasks_, [this] { reset_bus(); }) {
  // Negotiators are indexed by target id; they are small, and looked up for every command.
  negotiators_.resize(kTargetCount, Negotiator(config.agreement));
  for (Negotiator& negotiator : negotiators_) negotiator.require();
}

void HostAdapter::attach(BusAccess& access) {
  access_ = &access;
  connection_.use(access);
}

CommandId HostAdapter::submit(Command command) {
  HEADSTACK_ASSERT(!command.cdb.empty() && command.lun <= message::kIdentifyLunMask,
                   "a command has a CDB and a LUN below 8");
  HEADSTACK_ASSERT(command.direction == Direction::kOut || command.data.empty(),
                   "only Direction::kOut brings data");
  TaskPtr task = make_task(std::move(command));
  const CommandId id = task->id;
  tasks_.wait(std::move(task));
  request_bus();
  return id;
}

TaskPtr HostAdapter::make_task(Command command) {
  auto task = std::make_unique<Task>();
  task->id = ++last_id_;
  task->command = std::move(command);
  task->result.id = task->id;
  task->result.times.submitted = access_->now();
  task->result.data.resize(task->data_length(Direction::kIn));
  return task;
}

CommandId HostAdapter::manage(Management management) {
  auto task = std::make_unique<Task>();
  task->id = ++last_id_;
  task->result.id = task->id;
  task->result.times.submitted = access_->now();
  const std::uint8_t code = message_code(management.kind);
  task->command.target = management.target;
  task->command.lun = management.lun;
  task->command.may_disconnect = false;
  if (management.kind == ManagementKind::kAbortTag) {
    task->command.tag_type = TagType::kSimple;
    task->command.tag = management.tag;
    if (TaskPtr waiting = tasks_.take_waiting(task->nexus())) {
      finish(std::move(waiting), Outcome::kAborted);
      task->management = std::move(management);
      finish(std::move(task), Outcome::kComplete);
      request_bus();  // the bus may no longer be needed
      return last_id_;
    }
  }
  task->command.messages = {{code}};
  const CommandId id = task->id;
  task->management = std::move(management);
  if (rides(*task->management) && access_->interject()) {
    riding_ = std::move(task);
    connection_.add({code});
  } else {
    tasks_.wait_first(std::move(task));
    request_bus();
  }
  return id;
}

bool HostAdapter::rides(const Management& management) const {
  const Task* task = connection_.task();
  if (!access_->connected() || riding_ || task == nullptr || task->management ||
      connection_.end() == ConnectionEnd::kMessage) {
    return false;
  }
  const Nexus nexus = task->nexus();
  if (nexus.target != management.target || nexus.lun != management.lun) return false;
  return management.kind != ManagementKind::kAbortTag || nexus.tag == management.tag;
}

void HostAdapter::reset_bus() { access_->reset_bus(); }

std::optional<Completion> HostAdapter::take(CommandId id) {
  const auto found = completions_.find(id);
  if (found == completions_.end()) return std::nullopt;
  Completion completion = std::move(found->second);
  completions_.erase(found);
  return completion;
}

void HostAdapter::request_bus() { access_->want_bus(tasks_.next() != nullptr); }

std::optional<unsigned> HostAdapter::arbitration_won(Picoseconds at) {
  Task* next = tasks_.next();
  if (next == nullptr) return std::nullopt;
  TaskPtr task = tasks_.take_waiting(*next);
  selecting_ = next;
  next->result.times.arbitration_won = at;
  if (next->management) {
    managing_ = std::move(task);
  } else {
    // These commands get an answer without reporting a unit attention first. After a reset by
    // another initiator, their data would use an agreement that the drive no longer has. So they
    // negotiate.
    if (passes_attention(next->command.cdb)) {
      negotiator(next->command.target).require();
    }
    tasks_.activate(std::move(task));
  }
  return next->command.target;
}

TaskPtr HostAdapter::take_selecting() {
  Task* task = selecting_;
  selecting_ = nullptr;
  return task->management ? std::move(managing_) : tasks_.take_active(task->nexus());
}

void HostAdapter::selection_answered() {
  selecting_->result.times.selected = access_->now();
  connection_.begin_selected(*selecting_, negotiator(selecting_->command.target));
  selecting_ = nullptr;
}

void HostAdapter::selection_timed_out() {
  finish(take_selecting(), Outcome::kSelectionTimeOut);
  request_bus();
}

void HostAdapter::reselection_answered(unsigned target) {
  connection_.begin_reselected(target, negotiator(static_cast<std::uint8_t>(target)));
}

void HostAdapter::bus_freed() {
  Task* task = connection_.task();
  const ConnectionEnd end = connection_.end();
  const std::uint8_t code = connection_.ending_message();
  const auto target = static_cast<std::uint8_t>(connection_.target());
  const std::optional<std::uint8_t> lun = connection_.lun();
  const bool is_complete = connection_.command_is_complete();
  TaskPtr management = std::move(managing_ ? managing_ : riding_);
  const bool own_connection = management && management.get() == task;
  connection_.clear();
  negotiator(target).cut_off();
  if (end == ConnectionEnd::kMessage) {
    // A message after COMMAND COMPLETE no longer applies to that command. The consequences of its
    // status hold for the others, too (contingent allegiance, SCSI-2 7.6).
    TaskPtr complete = is_complete ? tasks_.take_active(task->nexus()) : nullptr;
    if (complete) task = nullptr;
    const bool one = code == message::kAbortTag && task != nullptr;
    const bool whole_target = code == message::kBusDeviceReset;
    std::list<TaskPtr> gone;
    if (one) {
      if (TaskPtr aborted = tasks_.take_active(task->nexus())) gone.push_back(std::move(aborted));
    } else if (code != message::kAbortTag && (lun || whole_target)) {
      gone = tasks_.take_active(target, whole_target ? std::nullopt : lun);
    }
    if (whole_target) {
      negotiator(target).forget();
      queue_errors_.forget(target);  // its mode pages are the saved ones again
      const auto first = questions_.lower_bound({target, std::uint8_t{0}});
      questions_.erase(first, questions_.upper_bound({target, UINT8_MAX}));
    }
    finish_all(std::move(gone), Outcome::kAborted);
    if (complete) finish(std::move(complete), Outcome::kComplete);
    if (management) finish(std::move(management), Outcome::kComplete);
  } else if (own_connection) {
    finish(std::move(management), Outcome::kUnexpectedBusFree);
  } else {
    // The command was over before the drive took the message, which now gets its own connection.
    if (management) tasks_.wait_first(std::move(management));
    if (task != nullptr && end != ConnectionEnd::kDisconnect) {
      finish(tasks_.take_active(task->nexus()),
             end == ConnectionEnd::kComplete ? Outcome::kComplete : Outcome::kUnexpectedBusFree);
    }
  }
  request_bus();
}

void HostAdapter::bus_was_reset() {
  connection_.clear();
  selecting_ = nullptr;
  for (Negotiator& negotiator : negotiators_) negotiator.forget();
  queue_errors_.forget_all();
  questions_.clear();
  tasks_.drop_waiting_senses();
  std::list<TaskPtr> gone = tasks_.take_active(std::nullopt, std::nullopt);
  gone.remove_if([](const TaskPtr& task) { return task->sense_for != 0; });
  if (managing_) gone.push_back(std::move(managing_));
  if (riding_) gone.push_back(std::move(riding_));
  std::list<TaskPtr> kept = tasks_.take_all_kept();
  finish_all(std::move(gone), Outcome::kBusReset);
  for (TaskPtr& task : kept) deliver(std::move(task), Outcome::kComplete);  // without sense data
  request_bus();
}

void HostAdapter::finish_all(std::list<TaskPtr> tasks, Outcome outcome) {
  for (TaskPtr& task : tasks) finish(std::move(task), outcome);
}

void HostAdapter::finish(TaskPtr task, Outcome outcome) {
  if (task->sense_for != 0) return finish_sense(std::move(task), outcome);
  const Lun lun{task->command.target, task->command.lun};
  const bool complete = !task->management && outcome == Outcome::kComplete;
  std::list<Dropped> dropped;
  const bool fails = !task->management && task->result.status == kCheckCondition;
  // The cause may be a unit attention, after which no agreement holds (6.6.21). So the initiator
  // negotiates again, even if an ABORT has followed the status.
  if (fails) negotiator(task->command.target).require();
  if (complete && fails) {
    // A drive that accepts another command while it has an untagged one has aborted that (7.5.2).
    // Its nexus is free for the REQUEST SENSE, which is untagged, too.
    TaskPtr untagged = tasks_.take_active({lun.first, lun.second, Nexus::kNoTag});
    if (untagged) finish(std::move(untagged), Outcome::kClearedByOverlap);
    if (task->command.auto_sense) return request_sense(std::move(task));
    // The sense data may report that another host has changed the page: until then QERR is unknown.
    const Picoseconds failed = task->result.times.status;
    if (tasks_.has_active_before(lun.first, lun.second, failed)) {
      question(lun, failed).is_untold = true;
    }
  }
  const bool good = complete && task->result.status == kGood;
  if (good && task->command.cdb[0] == operation_code::kRequestSense) {
    const auto asked = questions_.find(lun);
    if (asked != questions_.end()) asked->second.is_untold = false;
    take_by_sense(lun, task->result.data, task->result.times.selected, dropped);
  }
  deliver(std::move(task), outcome);
  finish_dropped(std::move(dropped));
  if (good) ask_queue_error(lun);
}

void HostAdapter::request_sense(TaskPtr task) {
  auto sense = std::make_unique<Task>();
  sense->id = ++last_id_;
  sense->sense_for = task->id;
  sense->command.target = task->command.target;
  sense->command.lun = task->command.lun;
  // IDENTIFY names the logical unit (SCSI-2 7.2.2); later standards reserve bits 7-5 of byte 1.
  sense->command.cdb = {operation_code::kRequestSense, 0, 0, 0, config_.sense_length, 0};
  sense->command.direction = Direction::kIn;
  sense->command.length = config_.sense_length;
  sense->command.may_disconnect = task->command.may_disconnect;
  sense->command.auto_sense = false;
  sense->result.data.resize(config_.sense_length);
  tasks_.keep_for_sense(std::move(task));
  tasks_.wait_first(std::move(sense));
}

void HostAdapter::finish_sense(TaskPtr sense, Outcome outcome) {
  TaskPtr task = tasks_.take_kept(sense->sense_for);
  HEADSTACK_ASSERT(task != nullptr, "a REQUEST SENSE is for a command that waits for it");
  if (outcome == Outcome::kComplete && sense->result.status == 0) {
    sense->result.data.resize(std::min<std::size_t>(sense->data_pointer, config_.sense_length));
    task->result.sense = std::move(sense->result.data);
  }
  const Lun lun{task->command.target, task->command.lun};
  std::list<Dropped> dropped;
  take_by_sense(lun, task->result.sense, task->result.times.selected, dropped);
  take_by_queue_error(lun, task->result.times.status, dropped);
  deliver(std::move(task), Outcome::kComplete);
  finish_dropped(std::move(dropped));
  ask_queue_error(lun);
}

// ------------------------------------------------------------ commands that a drive drops silently

/// Takes commands that sense data report as dropped. The drive got the command of the sense data at
/// `reported`.
void HostAdapter::take_by_sense(Lun lun, const std::vector<std::uint8_t>& sense,
                                Picoseconds reported, std::list<Dropped>& dropped) {
  const std::optional<SenseCodes> codes = sense_codes(sense);
  if (!codes) return;
  const auto [target, number] = lun;
  const bool attention = codes->key == kUnitAttention;
  if (attention && codes->asc == kReset) queue_errors_.forget(target);
  if (attention && codes->asc == kParametersChanged) {
    note_changed(lun, access_->now());
    queue_errors_.forget(target, number);
  }
  if (attention && (codes->asc == kReset || codes->asc == kClearedByAnother)) {
    // A unit attention is reported to the first command after its cause (7.9). Commands that the
    // drive got earlier are lost, later ones are queued.
    dropped.push_back(
        {tasks_.take_active_before(target, number, reported), Outcome::kClearedByUnitAttention});
  }
  if (codes->key == kAbortedCommand && codes->asc == kOverlapped && !codes->is_deferred) {
    // 7.5.2: all commands of this initiator for the logical unit are aborted.
    dropped.push_back(
        {tasks_.take_active_before(target, number, reported), Outcome::kClearedByOverlap});
  }
}

/// Takes the commands that QERR ended, if QERR is known, after a command failed with its status at
/// `failed`.
void HostAdapter::take_by_queue_error(Lun lun, Picoseconds failed, std::list<Dropped>& dropped) {
  const auto [target, number] = lun;
  if (!tasks_.has_active_before(target, number, failed)) return;
  if (tasks_.may_change_queue_error(target, number, failed)) {
    // A drive may apply a new page before the status of its MODE SELECT, such as while it saves it.
    Question& open = question(lun, failed);
    open.has_changed = open.may_end = true;
    return;
  }
  switch (queue_errors_.of(target, number)) {
    case QueueError::kContinue: return;
    case QueueError::kAbort:
      dropped.push_back(
          {tasks_.take_active_before(target, number, failed), Outcome::kClearedByQueueError});
      return;
    case QueueError::kUnknown: question(lun, failed); return;
  }
}

HostAdapter::Question& HostAdapter::question(Lun lun, Picoseconds failed) {
  Question& question = questions_[lun];
  question.failed_at = std::max(question.failed_at, failed);
  return question;
}

/// Notes that the control page may have changed since `at`.
void HostAdapter::note_changed(Lun lun, Picoseconds at) {
  const auto found = questions_.find(lun);
  if (found == questions_.end() || at <= found->second.failed_at) return;
  const QueueError before = queue_errors_.of(lun.first, lun.second);
  found->second.may_end = found->second.may_end || before == QueueError::kAbort;
  found->second.has_changed = true;
}

/// Notes a MODE SELECT of the control page that was in the drive from `selected` to `ended`. If
/// several overlap, a host cannot tell which one the drive carried out last.
void HostAdapter::note_selected(Lun lun, Picoseconds selected, Picoseconds ended) {
  const auto other = page_selected_at_.find(lun);
  const bool overlaps = tasks_.may_change_queue_error(lun.first, lun.second, ended) ||
                        (other != page_selected_at_.end() && selected <= other->second);
  if (overlaps) queue_errors_.forget(lun.first, lun.second);
  page_selected_at_[lun] = ended;
}

void HostAdapter::finish_dropped(std::list<Dropped> dropped) {
  for (Dropped& some : dropped) finish_all(std::move(some.tasks), some.outcome);
}

/// Queues a MODE SENSE for QERR. It is tagged, since it must not overlap with commands that may
/// still be in the drive. The logical unit has no sense data left to lose.
void HostAdapter::ask_queue_error(Lun lun) {
  const auto found = questions_.find(lun);
  if (found == questions_.end() || found->second.is_asked) return;
  Question& question = found->second;
  const auto [target, number] = lun;
  // Sense data that were not fetched may have reported another page.
  if (question.is_untold) queue_errors_.forget(target, number);
  if (queue_errors_.of(target, number) != QueueError::kUnknown) return settle(lun);
  const std::optional<std::uint16_t> tag = tasks_.free_tag(target, number);
  const bool wanted = tasks_.has_active_before(target, number, question.failed_at);
  if (!wanted || !tag || ++question.tries > kMostQuestions) {
    questions_.erase(found);
    return;
  }
  question.is_asked = true;
  ++question_count_;
  Command command = sense_control_page(target, number);
  command.tag_type = TagType::kSimple;
  command.tag = *tag;
  command.done = [this, lun](const Completion& answer) { take_queue_error(lun, answer); };
  tasks_.wait_first(make_task(std::move(command)));
}

void HostAdapter::take_queue_error(Lun lun, const Completion& answer) {
  if (!answer.sense.empty()) overheard_.push_back(answer.sense);
  const auto found = questions_.find(lun);
  if (found == questions_.end()) return;  // a reset has ended all commands concerned
  found->second.is_asked = false;
  const std::optional<SenseCodes> codes = sense_codes(answer.sense);
  // Such sense data are not about this MODE SENSE: finish_sense() asks again.
  if (codes && (codes->key == kUnitAttention || codes->is_deferred)) return;
  settle(lun);
}

/// Closes a question once QERR is known as far as possible, and ends the commands that QERR ended.
void HostAdapter::settle(Lun lun) {
  const auto [target, number] = lun;
  const auto found = questions_.find(lun);
  const Question question = found->second;
  questions_.erase(found);
  // A drive without such a page does not end any command.
  const bool ends = queue_errors_.of(target, number) == QueueError::kAbort;
  if (!question.has_changed) {
    if (!ends) return;
    return finish_all(tasks_.take_active_before(target, number, question.failed_at),
                      Outcome::kClearedByQueueError);
  }
  if (!ends && !question.may_end) return;
  for (const Nexus& nexus : tasks_.active_before(target, number, question.failed_at)) {
    end_by_message(nexus);
  }
  request_bus();
}

/// Sends ABORT TAG or ABORT for a command that the drive may have, or has ended by QERR. Then it is
/// over.
void HostAdapter::end_by_message(const Nexus& nexus) {
  tasks_.active(nexus)->may_be_dropped = true;
  Command command;
  command.target = nexus.target;
  command.lun = nexus.lun;
  command.may_disconnect = false;
  const bool tagged = nexus.tag != Nexus::kNoTag;
  if (tagged) {
    command.tag_type = TagType::kSimple;
    command.tag = static_cast<std::uint16_t>(nexus.tag);
  }
  command.messages = {{tagged ? message::kAbortTag : message::kAbort}};
  TaskPtr task = make_task(std::move(command));
  task->management.emplace();
  task->management->done = [](const Completion&) {};
  tasks_.wait_first(std::move(task));
}

void HostAdapter::deliver(TaskPtr task, Outcome outcome) {
  Completion& result = task->result;
  if (outcome == Outcome::kAborted && task->may_be_dropped) outcome = Outcome::kClearedByQueueError;
  result.outcome = outcome;
  result.times.finished = access_->now();
  const std::uint32_t length = task->data_length(task->command.direction);
  result.bytes_moved = std::min(task->data_pointer, length);
  result.bytes_beyond = task->data_pointer - result.bytes_moved;
  result.bytes_reached = std::min(result.bytes_reached, length);
  if (task->command.direction == Direction::kIn) result.data.resize(result.bytes_moved);
  if (!task->management) {
    const Lun lun{task->command.target, task->command.lun};
    const bool complete = outcome == Outcome::kComplete;
    const Picoseconds ended = complete ? result.times.status : access_->now();
    const bool selects = selects_queue_error(task->command);
    if (selects) note_changed(lun, ended);
    queue_errors_.learn_from(task->command, result);
    if (selects) note_selected(lun, result.times.selected, ended);
  }
  const auto done =
      task->management ? std::move(task->management->done) : std::move(task->command.done);
  if (done) {
    done(std::move(result));
  } else {
    completions_.emplace(task->id, std::move(result));
  }
}

}  // namespace headstack::initiator
