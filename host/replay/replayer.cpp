// SPDX-License-Identifier: Apache-2.0
#include "host/replay/replayer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/replay/trace_command.hpp"
#include "host/replay/urgency_message.hpp"
#include "sim/assert.hpp"
#include "sim/initiator/queue_error.hpp"

namespace headstack::replay {
namespace {

using initiator::Completion;
using initiator::Outcome;

// A trace begins at a whole millisecond. So no request depends on the time that the drive took to
// become ready. Arrivals meet the platter at the same angle on every platform.
constexpr Picoseconds kStartGrid = kPicosecondsPerMillisecond;

// Most tries of a request whose command was lost.
constexpr std::uint32_t kMostTries = 20;

constexpr std::uint16_t kLargestShortTag = 0xFF;
constexpr std::uint16_t kLargestLongTag = 0xFFFF;
/// Most outstanding commands for which tags of 8 bits are used, with some left for the hosts' own
/// commands.
constexpr std::uint32_t kShortTagsDepth = 224;
constexpr std::uint16_t kUntaggedName = 0;  // tag of untagged commands in the drive's events
constexpr std::uint32_t kQueueErrorAll = 1;
constexpr std::uint8_t kCheckCondition = 0x02;

std::optional<initiator::Command> own_pages(const ReplayOptions& options,
                                            const DurationLimits& limits) {
  if (options.deadlines != DeadlineUse::kCdl) return std::nullopt;
  return select_limits(limits, options.duration_policy);
}

}  // namespace

Replayer::Replayer(const ReplayOptions& options, traces::Loop loop, RequestSource& source,
                   session::Session& session, observe::StageLog& log, observe::RecordAudit& audit,
                   observe::RunObserver& observer, std::uint32_t block_bytes,
                   std::uint8_t target_id, std::vector<ModeChange> mode_changes,
                   SettingChanges setting_changes,
                   std::function<void(const report::CommandRecord&)> record)
    : options_(options),
      loop_(loop),
      source_(source),
      session_(session),
      log_(log),
      audit_(audit),
      observer_(observer),
      block_bytes_(block_bytes),
      target_id_(target_id),
      record_(std::move(record)),
      duration_limits_(options.deadlines == DeadlineUse::kCdl ? find_duration_limits(options)
                                                              : DurationLimits{}),
      setup_(
          session, options.initiators, target_id, std::move(mode_changes), source.may_reset(),
          own_pages(options, duration_limits_), [this] { start_trace(); },
          [this](const std::string& why) { fail(why); }),
      check_(options, block_bytes),
      agenda_(options.habits, options.initiators),
      queues_(options.initiators),
      last_tags_(options.initiators),
      resets_seen_(options.initiators) {
  for (std::size_t i = 0; i < options::kSettings; ++i) {
    cycles_[i].changes = std::move(setting_changes[i]);
  }
  if (options.verify_data) {
    log_.on_received([this](observe::HostTag name, std::uint8_t code) { received(name, code); });
  }
  session_.on_wake([this] { order_ ? pump() : setup_.woken(); });
}

void Replayer::start_trace() {
  started_ = (session_.now() / kStartGrid + 1) * kStartGrid;
  order_ = make_issue_order(options_, loop_, source_, started_);
  agenda_.begin(started_);
  session_.wake_at(started_);
}

void Replayer::pump() {
  if (finished_ || !session_.has_power()) return;
  // An act may be due when its request is issued. It comes before the adapter arbitrates for the
  // bus.
  do {
    while (const std::optional<DueAct> act = agenda_.take(session_.now())) perform(*act);
    issue_waiting();
    take_new();
  } while (!finished_ && agenda_.next().value_or(session_.now() + 1) <= session_.now());
  format_if_due();
  if (in_flight_ == 0 && order_->ended() && !formats_) {
    finished_ = true;
    finished_at_ = session_.now();
  }
  if (!finished_) wake_for_next();
}

void Replayer::take_new() {
  while (!finished_ && in_flight_ < options_.queue_depth) {
    const std::optional<Picoseconds> due = order_->due();
    if (!due || *due > session_.now()) return;
    Job job;
    // A closed loop has no arrivals: a request arrives when the queue has room for it.
    job.arrived = loop_ == traces::Loop::kClosed ? session_.now() : *due;
    job.request = order_->take();
    const bool early = session_.now() - started_ < options_.warm_up_time;
    job.warm_up = job.request.number < options_.warm_up || early;
    const std::uint32_t host = job.request.request.initiator;
    if (in_flight_++ == 0) waiting_since_ = session_.now();
    ++issued_;
    queues_[host].add(std::move(job));
    issue_waiting(host);
  }
}

void Replayer::wake_for_next() {
  std::optional<Picoseconds> next = agenda_.next();
  const auto consider = [&next](const std::optional<Picoseconds>& time) {
    if (time && (!next || *time < *next)) next = time;
  };
  if (in_flight_ < options_.queue_depth) consider(order_->due());
  for (const HostQueue& queue : queues_) consider(queue.due(session_.now()));
  if (next) session_.wake_at(std::max(*next, session_.now()));
}

// ------------------------------------------------------------------------------------------- issue

void Replayer::issue_waiting() {
  for (std::uint32_t host = 0; host < queues_.size(); ++host) issue_waiting(host);
}

void Replayer::issue_waiting(std::uint32_t host) {
  HostQueue& queue = queues_[host];
  while (!finished_ && has_free_tag(queue) && queue.may_go(session_.now(), admitted())) {
    Job job = queue.take();
    job.errand ? issue_errand(host, std::move(job)) : issue(host, std::move(job));
  }
}

HostQueue::Admits Replayer::admitted() const {
  if (recovering_ != 0) return HostQueue::Admits::kRecovery;
  return formats_ ? HostQueue::Admits::kErrands : HostQueue::Admits::kAll;
}

/// Tags of SCSI-2 have 8 bits (6.6.17). Those of 16 bits take a longer message, so they are used
/// only if more commands may be outstanding.
std::uint16_t Replayer::largest_tag() const {
  return options_.queue_depth <= kShortTagsDepth ? kLargestShortTag : kLargestLongTag;
}

/// Whether a tag is free. After resets in quick succession a host may have sent many errands. Some
/// tags stay free for requests that messages still name.
bool Replayer::has_free_tag(const HostQueue& queue) const {
  constexpr std::uint32_t kTagsOfMessages = 16;
  return queue.out() + kTagsOfMessages < largest_tag();
}

/// Takes a free tag, which is never that of untagged commands.
std::uint16_t Replayer::take_tag(std::uint32_t host) {
  const std::uint16_t largest = largest_tag();
  std::uint16_t& tag = last_tags_[host];
  const auto name = [&] { return observe::host_tag(observe::host_scsi_id(host), tag); };
  do {
    tag = tag >= largest ? 0 : static_cast<std::uint16_t>(tag + 1);
  } while (tag == kUntaggedName || out_.count(name()) != 0 || reserved_tags_.count(name()) != 0);
  return tag;
}

void Replayer::issue(std::uint32_t host, Job job) {
  traces::TraceRequest& request = job.request.request;
  if (job.tries == 0) {
    job.first_submitted = session_.now();
    // The deadline is measured from the submission below. The time that the request waited in its
    // host is deducted.
    if (request.deadline) *request.deadline -= session_.now() - job.arrived;
  }
  const std::uint16_t tag = job.is_tagged() ? take_tag(host) : kUntaggedName;
  const observe::HostTag name = observe::host_tag(observe::host_scsi_id(host), tag);
  job.attempt = check_.begin(job.request, job.tries != 0);
  initiator::Command command = trace_command(request, check_.data_of(job.request, job.attempt),
                                             target_id_, tag, block_bytes_, take_duration(job));
  command.done = [this, name](Completion completion) {
    completed_one(name, std::move(completion));
  };
  add_urgency(command, job, observe::host_scsi_id(host));
  log_.open(name, request.operation);
  observer_.command_issued(session_.now(), job.request.number, tag, seen_now(job));
  const bool is_first = job.tries++ == 0;
  if (is_first) {
    agenda_.request_issued(session_.now(), job.request.number, request);
    keep_up(host, job.request);
  }
  out_.emplace(name, Out{std::move(job), command.cdb[0]});
  session_.adapter(host).submit(std::move(command));
}

/// The request, with a deadline that is measured from now, also when it is sent again.
traces::TraceRequest Replayer::seen_now(const Job& job) const {
  traces::TraceRequest request = job.request.request;
  if (request.deadline) *request.deadline -= session_.now() - job.first_submitted;
  return request;
}

/// The number of the duration limit descriptor for the time left until the deadline.
unsigned Replayer::take_duration(const Job& job) {
  if (options_.deadlines != DeadlineUse::kCdl) return 0;
  const traces::TraceRequest request = seen_now(job);
  if (!request.deadline) return 0;
  const unsigned number = duration_limits_.number_for(request, *request.deadline);
  if (job.tries != 0) return number;  // the first try was counted
  if (number == 0) {
    ++duration_rounding_.untold;
  } else {
    const Duration& duration = duration_limits_.of(request.operation)[number - 1];
    duration_rounding_.add(*request.deadline, duration);
  }
  return number;
}

void Replayer::add_urgency(initiator::Command& command, const Job& job,
                           std::uint8_t scsi_id) const {
  const traces::TraceRequest& request = job.request.request;
  if (options_.deadlines != DeadlineUse::kMessage || !wants_urgency(request)) return;
  const Picoseconds due = job.first_submitted + request.deadline.value_or(0);
  command.dated_message = [request, due, scsi_id](Picoseconds now) {
    return urgency_message(request, due - now, scsi_id);
  };
}

void Replayer::issue_errand(std::uint32_t host, Job job) {
  const std::uint16_t tag = take_tag(host);
  const observe::HostTag name = observe::host_tag(observe::host_scsi_id(host), tag);
  reserved_tags_.insert(name);
  initiator::Command command = job.errand->command;
  command.target = target_id_;
  command.tag_type = initiator::TagType::kSimple;
  command.tag = tag;
  command.extended_tag = tag > kLargestShortTag;
  command.done = [this, host, name, job = std::move(job)](const Completion& completion) {
    reserved_tags_.erase(name);
    queues_[host].ended(job);
    session_.wake_at(session_.now());
    const std::optional<report::Sense> sense = take_sense(completion);
    if (!job.recovers()) failed_for_others(host, completion);
    restore_settings(host, sense);
    job.errand->answer(completion);
  };
  session_.adapter(host).submit(std::move(command));
}

// --------------------------------------------------------------------------------------------- end

/// Notes that the drive has received a command. The operation code is compared, because REQUEST
/// SENSE may have the same name as an untagged request.
void Replayer::received(observe::HostTag name, std::uint8_t operation_code) {
  const auto found = out_.find(name);
  if (found == out_.end() || found->second.operation_code != operation_code) return;
  check_.received(found->second.job.request, found->second.job.attempt);
}

void Replayer::completed_one(observe::HostTag name, Completion completion) {
  if (!session_.has_power()) return;
  const auto found = out_.find(name);
  HEADSTACK_ASSERT(found != out_.end(), "a command completes once");
  Job job = std::move(found->second.job);
  out_.erase(found);
  const std::uint64_t number = job.request.number;
  const std::uint32_t host = job.request.request.initiator;
  queues_[host].ended(job);
  session_.wake_at(session_.now());

  take_overheard();  // reports made before this command ended count for its data
  const std::optional<report::Sense> sense = take_sense(completion);
  const Ending ending = ending_of(completion, job.given_up);
  const std::string wrong = check_.ended(job.request, job.attempt, ending, completion);
  // Since its first try, the request has waited in its host.
  completion.times.submitted = job.first_submitted;
  report::CommandRecord record = log_.close(name, number, job.request.request, completion);
  record.note_fault(audit_.check(record, name, completion));
  record.set_arrived(job.arrived);
  record.set_sense(sense);
  record.set_ending(outcome_word(completion.outcome), job.tries);
  if (!wrong.empty()) fail(wrong);
  const bool unasked = completion.outcome != Outcome::kComplete && !source_.may_lose_commands();
  if (ending.kind == EndKind::kBroken || unasked) {
    return fail(fmt::format("command {}: {}", number, outcome_name(completion.outcome)));
  }
  failed_for_others(host, completion);
  restore_settings(host, sense);
  if (!sends_again(job, ending)) return end(job, name, record);
  if (const report::RecordFault fault = record.find_fault(); !fault.empty()) {
    return fail(fault.text, fault.at);
  }
  send_again(host, std::move(job), ending.kind);
}

/// With QERR the drive drops the commands of all hosts when one fails, whether it is a request or
/// an errand. Each other host learns of it only by its next command (SPC-2 8.3.6).
void Replayer::failed_for_others(std::uint32_t host, const Completion& completion) {
  const bool failed =
      completion.outcome == Outcome::kComplete && completion.status == kCheckCondition;
  if (!failed || options_.habits.queue_error != kQueueErrorAll) return;
  recovering_ == 0 ? recover() : poll_others(host);
}

/// Notes the sense data of a completion. CHECK CONDITION without sense data counts as NO SENSE.
std::optional<report::Sense> Replayer::take_sense(const Completion& completion) {
  const bool is_check =
      completion.outcome == Outcome::kComplete && completion.status == kCheckCondition;
  const auto codes = initiator::sense_codes(completion.sense);
  if (codes) note_sense(*codes);
  if (!codes && is_check) note_sense({});
  if (!codes || !is_check) return std::nullopt;
  return report::Sense{codes->key, codes->asc, codes->ascq, codes->is_deferred};
}

void Replayer::note_sense(const initiator::SenseCodes& codes) {
  report::Sense sense{codes.key, codes.asc, codes.ascq, codes.is_deferred};
  ++sense_[sense];
  if (!sense.is_deferred) return;
  sense.is_deferred = false;
  deferred_errors_.push_back({report::to_string(sense), codes.information});
  check_.deferred_error();
}

void Replayer::take_overheard() {
  for (std::uint32_t host = 0; host < queues_.size(); ++host) {
    for (const auto& sense : session_.adapter(host).take_overheard()) {
      if (const auto codes = initiator::sense_codes(sense)) note_sense(*codes);
    }
  }
}

bool Replayer::sends_again(const Job& job, const Ending& ending) const {
  const options::RetryPolicy policy = options_.habits.retry;
  if (!wants_retry(ending.kind, policy)) return false;
  if (job.given_up && policy != options::RetryPolicy::kAll) return false;  // whatever its ending
  const bool drive_is_full = ending.kind == EndKind::kBusy || ending.kind == EndKind::kQueueFull;
  return drive_is_full || job.tries < kMostTries;
}

void Replayer::send_again(std::uint32_t host, Job job, EndKind kind) {
  HostQueue& queue = queues_[host];
  const Picoseconds later = session_.now() + kBusyDelay;
  switch (kind) {
    case EndKind::kBusy:
      ++counters_.requeued;
      queue.hold_until(later);
      break;
    case EndKind::kQueueFull:
      ++counters_.requeued;
      queue.out() == 0 ? queue.hold_until(later) : queue.hold_until_one_ends();
      break;
    default: ++counters_.sent_again;
  }
  job.given_up = false;
  queue.add_again(std::move(job));
}

/// Ends a request.
void Replayer::end(const Job& job, observe::HostTag name, const report::CommandRecord& record) {
  ++completed_;
  waiting_since_.reset();
  if (--in_flight_ != 0) waiting_since_ = session_.now();
  order_->completed(job.request, session_.now());
  observer_.command_completed(session_.now(), static_cast<std::uint16_t>(name), record);
  if (job.warm_up) {
    ++warmed_up_;
    if (const report::RecordFault fault = record.find_fault(); !fault.empty()) {
      fail(fault.text, fault.at);
    }
  } else {
    record_(record);
  }
}

void Replayer::power_lost() {
  if (!finished_) finished_at_ = session_.power_lost_at();
  finished_ = true;
  check_.media().power_lost();
}

void Replayer::fail(const std::string& why, std::optional<Picoseconds> since) {
  if (failure_.empty()) failure_ = why;
  if (!drive_failed_) failed_at_ = since.value_or(session_.now());
  finished_ = drive_failed_ = true;
}

}  // namespace headstack::replay
