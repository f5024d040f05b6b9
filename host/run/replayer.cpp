#include "host/run/replayer.hpp"

#include <fmt/format.h>

#include <utility>

#include "host/run/trace_command.hpp"
#include "sim/assert.hpp"

namespace headstack::run {
namespace {

using initiator::Completion;
using initiator::Outcome;
using replay::Operation;

// Status codes.
constexpr std::uint8_t kGood = 0x00;
constexpr std::uint8_t kBusy = 0x08;
constexpr std::uint8_t kQueueFull = 0x28;

// A trace begins with a whole millisecond: how long the drive took to become ready then shows in no
// request, and what arrives meets the platter at the same angle on every platform.
constexpr Picoseconds kStartGrid = kPicosecondsPerMillisecond;

/// Of what the request writes, where several hosts do. Blocks may be written 2^32 times.
std::uint32_t version_of(const RunRequest& request) {
  return static_cast<std::uint32_t>(request.number) + 1;
}

}  // namespace

Replayer::Replayer(const RunOptions& options, replay::Loop loop, RequestSource& source,
                   Platform& platform, StageLog& log, RecordAudit& audit, RunObserver& observer,
                   std::uint32_t block_bytes, std::uint8_t target_id,
                   std::vector<ModeChange> mode_changes,
                   std::function<void(const report::CommandRecord&)> record)
    : options_(options),
      loop_(loop),
      source_(source),
      platform_(platform),
      log_(log),
      audit_(audit),
      observer_(observer),
      block_bytes_(block_bytes),
      target_id_(target_id),
      record_(std::move(record)),
      setup_(
          platform, options.initiators, target_id, std::move(mode_changes),
          [this] { start_trace(); }, [this](const std::string& why) { fail(why); }),
      blocks_(options.seed, block_bytes),
      last_tags_(options.initiators) {
  if (options.initiators > 1) {
    log_.on_received([this](HostTag name, std::uint8_t code) { received(name, code); });
  }
  platform_.on_wake([this] { order_ ? pump() : setup_.woken(); });
}

void Replayer::start_trace() {
  started_ = (platform_.now() / kStartGrid + 1) * kStartGrid;
  order_ = make_issue_order(options_, loop_, source_, started_);
  platform_.wake_at(started_);
}

void Replayer::pump() {
  while (!finished_ && out_.size() < options_.queue_depth) {
    const std::optional<Picoseconds> due = order_->due();
    if (!due) break;
    if (*due > platform_.now()) {
      platform_.wake_at(*due);
      return;
    }
    Pending pending = prepare(order_->take());
    ++issued_;
    issue(std::move(pending));
  }
  if (out_.empty() && order_->ended()) finished_ = true;
}

Replayer::Pending Replayer::prepare(const RunRequest& next) {
  const replay::TraceRequest& request = next.request;
  const bool early = platform_.now() - started_ < options_.warm_up_time;
  Pending pending{next, next.number < options_.warm_up || early, {}, {}};
  const bool many_hosts = options_.initiators > 1;
  if (request.operation == Operation::kWrite) {
    pending.data = many_hosts ? blocks_.version(request.lba, request.blocks, version_of(next))
                              : blocks_.write(request.lba, request.blocks);
  } else if (!many_hosts && request.operation == Operation::kRead && options_.verify_data) {
    pending.expected = blocks_.expected(request.lba, request.blocks);
  }
  return pending;
}

std::uint16_t Replayer::take_tag(std::uint32_t host) {
  std::uint16_t& tag = last_tags_[host];
  do {
    ++tag;
  } while (out_.count(host_tag(host_scsi_id(host), tag)) != 0);
  return tag;
}

void Replayer::issue(Pending pending) {
  const replay::TraceRequest& request = pending.request.request;
  const std::uint32_t host = request.initiator;
  const std::uint16_t tag = take_tag(host);
  const HostTag name = host_tag(host_scsi_id(host), tag);
  initiator::Command command = trace_command(request, pending.data, target_id_, tag, block_bytes_);
  command.done = [this, name](Completion completion) {
    completed_one(name, std::move(completion));
  };
  log_.open(name, request.operation == Operation::kWrite);
  observer_.command_issued(platform_.now(), pending.request.number, tag, request);
  if (out_.empty()) waiting_since_ = platform_.now();
  out_.emplace(name, std::move(pending));
  platform_.adapter(host).submit(std::move(command));
}

/// Of several hosts. REQUEST SENSE may come by a name that a request has, too.
void Replayer::received(HostTag name, std::uint8_t operation_code) {
  const auto found = out_.find(name);
  if (found == out_.end()) return;
  Pending& pending = found->second;
  const replay::TraceRequest& request = pending.request.request;
  if (request.operation == Operation::kWrite && operation_code == kWrite10) {
    blocks_.note(request.lba, request.blocks, version_of(pending.request));
  } else if (request.operation == Operation::kRead && operation_code == kRead10 &&
             options_.verify_data) {
    pending.expected = blocks_.expected(request.lba, request.blocks);
  }
}

void Replayer::completed_one(HostTag name, Completion completion) {
  const auto found = out_.find(name);
  HEADSTACK_ASSERT(found != out_.end(), "a command completes once");
  Pending pending = std::move(found->second);
  out_.erase(found);
  waiting_since_.reset();
  if (!out_.empty()) waiting_since_ = platform_.now();
  const std::uint64_t number = pending.request.number;
  report::CommandRecord record = log_.close(name, number, pending.request.request, completion);
  if (const std::string misfit = audit_.check(record, name, completion); !misfit.empty()) {
    record.note_fault(misfit);
  }
  if (completion.outcome != Outcome::kComplete) {
    return fail(fmt::format("command {}: {}", number, outcome_name(completion.outcome)));
  }
  if (completion.status == kQueueFull || completion.status == kBusy) {
    ++requeued_;
    issue(std::move(pending));
    return;
  }
  ++completed_;
  check(pending, completion);
  order_->completed(pending.request, platform_.now());
  observer_.command_completed(platform_.now(), static_cast<std::uint16_t>(name), record);
  if (pending.warm_up) {
    ++warmed_up_;
    if (const std::string fault = record.find_fault(); !fault.empty()) fail(fault);
  } else {
    record_(record);
  }
  platform_.wake_at(platform_.now());
}

void Replayer::check(const Pending& pending, const Completion& completion) {
  if (pending.expected.empty() || completion.status != kGood) return;
  const replay::TraceRequest& request = pending.request.request;
  const auto difference = blocks_.first_difference(completion.data, pending.expected, request.lba);
  if (difference) {
    return fail(fmt::format("command {}: wrong data: {}", pending.request.number, *difference));
  }
  verified_blocks_ += request.blocks;
}

void Replayer::fail(const std::string& why) {
  if (failure_.empty()) failure_ = why;
  if (!drive_failed_) failed_at_ = platform_.now();
  finished_ = drive_failed_ = true;
}

}  // namespace headstack::run
