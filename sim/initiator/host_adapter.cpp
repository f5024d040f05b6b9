#include "sim/initiator/host_adapter.hpp"

#include <algorithm>

#include "sim/assert.hpp"

namespace headstack::initiator {
namespace {

constexpr std::uint8_t kCheckCondition = 0x02;
constexpr std::uint8_t kOpRequestSense = 0x03;
constexpr std::uint8_t kOpInquiry = 0x12;

std::uint8_t message_code(ManagementKind kind) {
  switch (kind) {
    case ManagementKind::kAbort: return message::kAbort;
    case ManagementKind::kAbortTag: return message::kAbortTag;
    case ManagementKind::kClearQueue: return message::kClearQueue;
    case ManagementKind::kBusDeviceReset: return message::kBusDeviceReset;
  }
  HEADSTACK_ASSERT(false, "all kinds have a message");
}

/// Sense data tell that the drive has forgotten its commands: power on or reset (29h), or cleared
/// by another initiator (2Fh). Fixed format 70h/71h and descriptor format 72h/73h.
bool tells_of_lost_commands(const std::vector<std::uint8_t>& sense) {
  constexpr std::uint8_t kUnitAttention = 6;
  if (sense.size() < 4) return false;
  const bool descriptor = (sense[0] & 0x7E) == 0x72;
  const std::size_t asc_at = descriptor ? 2 : 12;
  if (sense.size() <= asc_at) return false;
  const std::uint8_t key = (descriptor ? sense[1] : sense[2]) & 0x0F;
  return key == kUnitAttention && (sense[asc_at] == 0x29 || sense[asc_at] == 0x2F);
}

/// B/4E/00: the drive has aborted all of this nexus (SCSI-2 7.5.2).
bool tells_of_overlap(const std::vector<std::uint8_t>& sense) {
  constexpr std::uint8_t kAbortedCommand = 0xB;
  constexpr std::uint8_t kOverlappedCommands = 0x4E;
  return sense.size() > 13 && (sense[2] & 0x0F) == kAbortedCommand &&
         sense[12] == kOverlappedCommands;
}

/// The host's own REQUEST SENSE has brought sense data.
bool is_sense_of_host(const Task& task) {
  constexpr std::uint32_t kToldBytes = 14;
  return !task.management && task.command.cdb[0] == kOpRequestSense && task.result.status == 0 &&
         task.command.direction == Direction::kIn && task.data_pointer >= kToldBytes;
}

}  // namespace

HostAdapter::HostAdapter(const Config& config)
    : config_(config), connection_(tasks_, [this] { reset_bus(); }) {
  // By target id; a Negotiator is small, and looked up for every command.
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
  auto task = std::make_unique<Task>();
  task->id = ++last_id_;
  task->command = std::move(command);
  task->result.id = task->id;
  task->result.times.submitted = access_->now();
  task->result.data.resize(task->data_length(Direction::kIn));
  tasks_.wait(std::move(task));
  kick();
  return last_id_;
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
      kick();  // perhaps nobody wants the bus any more
      return last_id_;
    }
  }
  task->command.messages = {{code}};
  const CommandId id = task->id;
  task->management = std::move(management);
  if (rides(*task->management)) {
    riding_ = std::move(task);
    connection_.send({code});
  } else {
    tasks_.wait_first(std::move(task));
    kick();
  }
  return id;
}

bool HostAdapter::rides(const Management& management) const {
  const Task* task = connection_.task();
  if (!access_->connected() || riding_ || task == nullptr || task->management ||
      connection_.end() != ConnectionEnd::kNone) {
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

void HostAdapter::kick() { access_->want_bus(tasks_.next() != nullptr); }

std::optional<unsigned> HostAdapter::arbitration_won(Picoseconds at) {
  Task* next = tasks_.next();
  if (next == nullptr) return std::nullopt;
  TaskPtr task = tasks_.take_waiting(*next);
  selecting_ = next;
  next->result.times.arbitration_won = at;
  if (next->management) {
    managing_ = std::move(task);
  } else {
    // These two answer without reporting a unit attention first: were the drive reset by another
    // initiator, their data would come by an agreement that it no longer knows. So they negotiate.
    const std::uint8_t operation = next->command.cdb[0];
    if (operation == kOpInquiry || operation == kOpRequestSense) {
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
  kick();
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
  TaskPtr management = std::move(managing_ ? managing_ : riding_);
  const bool own_connection = management && management.get() == task;
  connection_.clear();
  // The drive may have agreed without our hearing of it.
  if (negotiator(target).under_way()) {
    negotiator(target).abandon();
    negotiator(target).require();
  }
  if (end == ConnectionEnd::kMessage) {
    const bool one = code == message::kAbortTag && task != nullptr;
    const bool whole_target = code == message::kBusDeviceReset;
    std::list<TaskPtr> gone;
    if (one) {
      if (TaskPtr aborted = tasks_.take_active(task->nexus())) gone.push_back(std::move(aborted));
    } else if (code != message::kAbortTag && (lun || whole_target)) {
      gone = tasks_.take_active(target, whole_target ? std::nullopt : lun);
    }
    if (whole_target) negotiator(target).forget();
    finish_all(std::move(gone), Outcome::kAborted);
    if (management) finish(std::move(management), Outcome::kComplete);
  } else if (own_connection) {
    finish(std::move(management), Outcome::kUnexpectedBusFree);
  } else {
    // The command was over before the drive came for the message: it goes on its own way.
    if (management) tasks_.wait_first(std::move(management));
    if (task != nullptr && end != ConnectionEnd::kDisconnect) {
      finish(tasks_.take_active(task->nexus()),
             end == ConnectionEnd::kComplete ? Outcome::kComplete : Outcome::kUnexpectedBusFree);
    }
  }
  kick();
}

void HostAdapter::bus_was_reset() {
  connection_.clear();
  selecting_ = nullptr;
  for (Negotiator& negotiator : negotiators_) negotiator.forget();
  tasks_.drop_waiting_senses();
  std::list<TaskPtr> gone = tasks_.take_active(std::nullopt, std::nullopt);
  gone.remove_if([](const TaskPtr& task) { return task->sense_for != 0; });
  if (managing_) gone.push_back(std::move(managing_));
  if (riding_) gone.push_back(std::move(riding_));
  std::list<TaskPtr> kept = tasks_.take_all_kept();
  finish_all(std::move(gone), Outcome::kBusReset);
  for (TaskPtr& task : kept) deliver(std::move(task), Outcome::kComplete);  // without sense data
  kick();
}

void HostAdapter::finish_all(std::list<TaskPtr> tasks, Outcome outcome) {
  for (TaskPtr& task : tasks) finish(std::move(task), outcome);
}

void HostAdapter::finish(TaskPtr task, Outcome outcome) {
  if (task->sense_for != 0) return finish_sense(std::move(task), outcome);
  const bool check =
      !task->management && outcome == Outcome::kComplete && task->result.status == kCheckCondition;
  if (check) {
    // It may be a unit attention, after which no agreement holds (6.6.21): ask anew to be sure.
    negotiator(task->command.target).require();
    // A drive that takes another command while it has an untagged one has aborted that (7.5.2).
    // Its nexus is free for the REQUEST SENSE, which is untagged, too.
    TaskPtr untagged = tasks_.take_active(
        {task->command.target, task->command.lun, Nexus::kNoTag});
    if (untagged) finish(std::move(untagged), Outcome::kOverlapped);
    if (task->command.auto_sense) return request_sense(std::move(task));
  }
  std::list<TaskPtr> lost;
  if (outcome == Outcome::kComplete && is_sense_of_host(*task)) {
    lost = take_lost(*task, task->result.data);
  }
  deliver(std::move(task), outcome);
  finish_all(std::move(lost), Outcome::kClearedByUnitAttention);
}

/// A unit attention meets the first command after its cause (7.9), and overlapping commands end
/// those before: what the drive got earlier is lost, what it got later is queued.
std::list<TaskPtr> HostAdapter::take_lost(const Task& told, const std::vector<std::uint8_t>& sense) {
  if (!tells_of_lost_commands(sense) && !tells_of_overlap(sense)) return {};
  return tasks_.take_active_before(told.command.target, told.command.lun,
                                   told.result.times.selected);
}

void HostAdapter::request_sense(TaskPtr task) {
  auto sense = std::make_unique<Task>();
  sense->id = ++last_id_;
  sense->sense_for = task->id;
  sense->command.target = task->command.target;
  sense->command.lun = task->command.lun;
  const auto lun_field = static_cast<std::uint8_t>(task->command.lun << 5U);  // SCSI-2 7.2.2
  sense->command.cdb = {kOpRequestSense, lun_field, 0, 0, config_.sense_length, 0};
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
  const bool overlap = tells_of_overlap(task->result.sense);
  std::list<TaskPtr> lost = take_lost(*task, task->result.sense);
  deliver(std::move(task), Outcome::kComplete);
  finish_all(std::move(lost), overlap ? Outcome::kOverlapped : Outcome::kClearedByUnitAttention);
}

void HostAdapter::deliver(TaskPtr task, Outcome outcome) {
  Completion& result = task->result;
  result.outcome = outcome;
  result.times.finished = access_->now();
  const std::uint32_t length = task->data_length(task->command.direction);
  result.bytes_moved = std::min(task->data_pointer, length);
  result.bytes_beyond = task->data_pointer - result.bytes_moved;
  result.bytes_reached = std::min(result.bytes_reached, length);
  if (task->command.direction == Direction::kIn) result.data.resize(result.bytes_moved);
  const auto done =
      task->management ? std::move(task->management->done) : std::move(task->command.done);
  if (done) {
    done(std::move(result));
  } else {
    completions_.emplace(task->id, std::move(result));
  }
}

}  // namespace headstack::initiator
