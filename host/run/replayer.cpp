#include "host/run/replayer.hpp"

#include <fmt/format.h>

#include <algorithm>

// In C a function may be called like a struct; in C++ it hides its constructor.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#include "firmware/kernel/bytes.h"
#include "firmware/scsi/mode_page.h"
#pragma GCC diagnostic pop
#include "sim/assert.hpp"

namespace headstack::run {
namespace {

using initiator::Command;
using initiator::Completion;
using initiator::Direction;
using initiator::Outcome;
using replay::Operation;

// SPC and SBC operation codes.
constexpr std::uint8_t kTestUnitReady = 0x00;
constexpr std::uint8_t kModeSelect6 = 0x15;
constexpr std::uint8_t kModeSense6 = 0x1A;
constexpr std::uint8_t kRead10 = 0x28;
constexpr std::uint8_t kWrite10 = 0x2A;
constexpr std::uint8_t kSynchronizeCache10 = 0x35;
// Status codes.
constexpr std::uint8_t kGood = 0x00;
constexpr std::uint8_t kBusy = 0x08;
constexpr std::uint8_t kQueueFull = 0x28;

// Mode parameter lists (SPC-2 8.3).
constexpr std::uint32_t kModeHeaderBytes = 4;
constexpr std::uint32_t kSchedulerPageBytes = 24;
constexpr std::uint8_t kDisableBlockDescriptors = 0x08;
constexpr std::uint8_t kPageFormat = 0x10;

// A drive that spins up takes 10 seconds or more.
constexpr Picoseconds kPollInterval = kPicosecondsPerMillisecond;
constexpr unsigned kMostPolls = 60'000;
// A trace begins with a whole millisecond: how long the drive took to become ready then shows in no
// request, and what arrives meets the platter at the same angle on every platform.
constexpr Picoseconds kStartGrid = kPicosecondsPerMillisecond;
constexpr std::uint32_t kMostBlocks10 = 65'535;  // the transfer length of a 10-byte command

std::vector<std::uint8_t> cdb10(std::uint8_t operation, std::uint64_t lba, std::uint32_t blocks) {
  return {operation,
          0,
          static_cast<std::uint8_t>(lba >> 24),
          static_cast<std::uint8_t>(lba >> 16),
          static_cast<std::uint8_t>(lba >> 8),
          static_cast<std::uint8_t>(lba),
          0,
          static_cast<std::uint8_t>(blocks >> 8),
          static_cast<std::uint8_t>(blocks),
          0};
}

}  // namespace

Replayer::Replayer(const RunOptions& options, replay::TraceReader& trace, Platform& platform,
                   StageLog& log, RunObserver& observer, std::uint64_t capacity_blocks,
                   std::uint32_t block_bytes, std::uint8_t target_id,
                   const ::policy_selection& policy,
                   std::function<void(const report::CommandRecord&)> record)
    : options_(options),
      trace_(trace),
      platform_(platform),
      adapter_(platform.adapter()),
      log_(log),
      observer_(observer),
      capacity_(capacity_blocks),
      block_bytes_(block_bytes),
      target_id_(target_id),
      policy_(policy),
      record_(std::move(record)),
      loop_(options.loop.value_or(trace.header().loop)),
      blocks_(options.seed, block_bytes) {
  platform_.on_wake([this] { ready_ ? pump() : poll_unit(); });
}

void Replayer::poll_unit() {
  if (++polls_ > kMostPolls) return fail("the drive does not become ready");
  Command command;
  command.target = target_id_;
  command.cdb.assign(6, 0);
  command.cdb[0] = kTestUnitReady;
  command.done = [this](const Completion& completion) {
    waiting_since_.reset();
    if (completion.outcome == Outcome::kSelectionTimeOut)
      return fail("no drive answers on the bus");
    if (completion.outcome != Outcome::kComplete) {
      return fail(fmt::format("TEST UNIT READY: {}", outcome_name(completion.outcome)));
    }
    if (completion.status == kGood) return sense_scheduler();
    platform_.wake_at(platform_.now() + kPollInterval);
  };
  waiting_since_ = platform_.now();
  adapter_.submit(std::move(command));
}

/// The vendor's scheduler page as it stands: only the policy in it, with its parameters, is going
/// to change, and the margin where one is asked for.
void Replayer::sense_scheduler() {
  Command command;
  command.target = target_id_;
  command.direction = Direction::kIn;
  command.length = kModeHeaderBytes + kSchedulerPageBytes;
  command.cdb = {kModeSense6,
                 kDisableBlockDescriptors,
                 MODE_PAGE_SCHEDULER,
                 0,
                 static_cast<std::uint8_t>(command.length),
                 0};
  command.done = [this](const Completion& completion) {
    waiting_since_.reset();
    const bool good = completion.outcome == Outcome::kComplete && completion.status == kGood;
    if (!good || completion.data.size() != kModeHeaderBytes + kSchedulerPageBytes) {
      return fail("the drive has no scheduler mode page");
    }
    select_scheduler(completion.data);
  };
  waiting_since_ = platform_.now();
  adapter_.submit(std::move(command));
}

void Replayer::select_scheduler(std::vector<std::uint8_t> list) {
  list[0] = 0;                     // mode data length is reserved in MODE SELECT (SPC-2 8.3.3)
  list[kModeHeaderBytes] &= 0x3F;  // and so is PS
  std::uint8_t* page = &list[kModeHeaderBytes];
  page[MODE_SCHEDULER_AT_POLICY] = policy_.number;
  page[MODE_SCHEDULER_AT_FLAGS] = policy_.flags;
  for (std::uint32_t i = 0; i < POLICY_PARAMETERS_MAX; ++i) {
    bytes_put_be32(page + MODE_SCHEDULER_AT_PARAMETERS + 4 * i, policy_.parameter[i]);
  }
  // Instructions that take no time need no margin, and a drive that allows for one prices a block
  // that goes on on the next track as if it missed it: no skew gives it the time.
  std::optional<std::uint32_t> margin_us = options_.predictor_margin_us;
  if (!margin_us && options_.ideal_electronics) margin_us = 0;
  if (margin_us) {
    bytes_put_be16(page + MODE_SCHEDULER_AT_MARGIN, static_cast<std::uint16_t>(*margin_us));
  }
  Command command;
  command.target = target_id_;
  command.direction = Direction::kOut;
  command.cdb = {kModeSelect6, kPageFormat, 0, 0, static_cast<std::uint8_t>(list.size()), 0};
  command.data = std::move(list);
  command.done = [this](const Completion& completion) {
    waiting_since_.reset();
    if (completion.outcome != Outcome::kComplete || completion.status != kGood) {
      return fail(fmt::format("the drive does not take policy '{}'", options_.policy));
    }
    ready_ = true;
    started_ = (platform_.now() / kStartGrid + 1) * kStartGrid;
    platform_.wake_at(started_);
  };
  waiting_since_ = platform_.now();
  adapter_.submit(std::move(command));
}

/// The trace cannot go on: what is out still comes back, then the run ends with this failure.
void Replayer::end_trace(const std::string& why) {
  trace_ended_ = true;
  if (failure_.empty()) failure_ = why;
}

/// Why the drive cannot be asked for this, or "".
std::string Replayer::find_objection(const replay::TraceRequest& request) const {
  const bool transfers = request.operation != Operation::kFlush;
  if (transfers && (request.lba >= capacity_ || request.blocks > capacity_ - request.lba)) {
    return fmt::format(
        "{}:{}: lba: blocks {}..{} lie past the drive's {}; use a larger drive or a trace that "
        "fits",
        options_.trace, trace_.line(), request.lba, request.lba + request.blocks - 1, capacity_);
  }
  if (request.blocks > kMostBlocks10) {
    return fmt::format("{}:{}: blocks: {} in one request; a 10-byte command moves at most {}",
                       options_.trace, trace_.line(), request.blocks, kMostBlocks10);
  }
  return "";
}

/// The next request into next_; false at the end.
bool Replayer::fetch() {
  if (next_) return true;
  if (trace_ended_ || (options_.limit != 0 && issued_ >= options_.limit)) return false;
  std::optional<replay::TraceRequest> request;
  std::string why;
  try {
    request = trace_.next();
    if (request) why = find_objection(*request);
  } catch (const replay::TraceError& error) {
    why = error.what();
  }
  if (!why.empty()) {
    end_trace(why);
    return false;
  }
  if (!request) {
    trace_ended_ = true;
    return false;
  }
  next_ = Pending{issued_, *request, {}, {}};
  return true;
}

void Replayer::pump() {
  while (!finished_ && out_.size() < options_.queue_depth && fetch()) {
    if (loop_ == replay::Loop::kOpen) {
      const auto due =
          started_ +
          static_cast<Picoseconds>(static_cast<double>(next_->request.arrival) / options_.speedup);
      const Picoseconds now = platform_.now();
      if (due > now) {
        platform_.wake_at(due);
        return;
      }
    }
    Pending pending = std::move(*next_);
    next_.reset();
    ++issued_;
    const replay::TraceRequest& request = pending.request;
    if (request.operation == Operation::kWrite) {
      pending.data = blocks_.write(request.lba, request.blocks);
    } else if (request.operation == Operation::kRead && options_.verify_data) {
      pending.expected = blocks_.expected(request.lba, request.blocks);
    }
    issue(std::move(pending));
  }
  if (out_.empty() && !next_) finished_ = true;
}

std::uint16_t Replayer::take_tag() {
  do {
    ++last_tag_;
  } while (out_.count(last_tag_) != 0);
  return last_tag_;
}

Command Replayer::command_for(const Pending& pending) const {
  const replay::TraceRequest& request = pending.request;
  Command command;
  command.target = target_id_;
  command.tag_type = initiator::TagType::kSimple;
  switch (request.operation) {
    case Operation::kRead:
      command.cdb = cdb10(kRead10, request.lba, request.blocks);
      command.direction = Direction::kIn;
      command.length = request.blocks * block_bytes_;
      break;
    case Operation::kWrite:
      command.cdb = cdb10(kWrite10, request.lba, request.blocks);
      command.direction = Direction::kOut;
      command.data = pending.data;
      break;
    case Operation::kFlush: command.cdb = cdb10(kSynchronizeCache10, 0, 0); break;
  }
  return command;
}

void Replayer::issue(Pending pending) {
  const std::uint16_t tag = take_tag();
  Command command = command_for(pending);
  command.tag = tag;
  command.extended_tag = tag > 0xFF;
  command.done = [this, tag](Completion completion) { completed_one(tag, std::move(completion)); };
  log_.open(tag, pending.request.operation == Operation::kWrite);
  observer_.command_issued(platform_.now(), pending.number, tag, pending.request);
  if (out_.empty()) waiting_since_ = platform_.now();
  out_.emplace(tag, std::move(pending));
  adapter_.submit(std::move(command));
}

void Replayer::completed_one(std::uint16_t tag, Completion completion) {
  const auto found = out_.find(tag);
  HEADSTACK_ASSERT(found != out_.end(), "a command completes once");
  Pending pending = std::move(found->second);
  out_.erase(found);
  waiting_since_.reset();
  if (!out_.empty()) waiting_since_ = platform_.now();
  const report::CommandRecord record = log_.close(tag, pending.number, pending.request, completion);
  if (completion.outcome != Outcome::kComplete) {
    return fail(fmt::format("command {}: {}", pending.number, outcome_name(completion.outcome)));
  }
  if (completion.status == kQueueFull || completion.status == kBusy) {
    ++requeued_;
    issue(std::move(pending));
    return;
  }
  ++completed_;
  check(pending, completion);
  observer_.command_completed(platform_.now(), tag, record);
  record_(record);
  platform_.wake_at(platform_.now());
}

void Replayer::check(const Pending& pending, const Completion& completion) {
  if (pending.expected.empty() || completion.status != kGood) return;
  const auto difference =
      blocks_.first_difference(completion.data, pending.expected, pending.request.lba);
  if (difference)
    return fail(fmt::format("command {}: wrong data: {}", pending.number, *difference));
  verified_blocks_ += pending.request.blocks;
}

void Replayer::fail(const std::string& why) {
  if (failure_.empty()) failure_ = why;
  if (!drive_failed_) failed_at_ = platform_.now();
  finished_ = drive_failed_ = true;
}

}  // namespace headstack::run
