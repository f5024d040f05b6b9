// SPDX-License-Identifier: Apache-2.0
// The queue of one host. It holds requests to be sent, for the first time or again, and errands of
// the host's own (TEST UNIT READY, MODE SELECT). First in, first out.
//
// A host does not mix untagged commands with tagged ones, which would be overlapped commands
// (SCSI-2 7.5.2). An untagged one goes when the host has no outstanding command, and stays alone.
// BUSY holds the host back for a while, QUEUE FULL until one of its commands has ended.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "host/replay/data_check.hpp"
#include "host/replay/request_source.hpp"
#include "sim/initiator/command.hpp"

namespace headstack::replay {

/// How long a host waits after BUSY. It waits as long after QUEUE FULL when it has no outstanding
/// command whose end it could wait for.
constexpr Picoseconds kBusyDelay = kPicosecondsPerMillisecond;

/// A command that is no request. It is sent with a tag, which is assigned at its issue.
struct Errand {
  initiator::Command command;
  bool recovers = false;  // queries which commands the drive has cleared
  std::function<void(const initiator::Completion&)> answer;
};

struct Job {
  RunRequest request;  // unless it is an errand
  std::shared_ptr<Errand> errand;
  bool warm_up = false;
  bool given_up = false;            // its host has sent an abort for it
  std::uint32_t tries = 0;          // number of tries so far
  Picoseconds arrived = 0;          // arrival at its host; in an open loop, the trace's arrival
  Picoseconds first_submitted = 0;  // when its first try was submitted
  DataCheck::Attempt attempt;       // the last try

  bool recovers() const { return errand && errand->recovers; }
  bool is_tagged() const {
    return errand || request.request.options.tagging != traces::Tagging::kUntagged;
  }
};

class HostQueue {
 public:
  bool empty() const { return jobs_.empty(); }
  std::size_t size() const { return jobs_.size(); }
  std::uint32_t out() const { return tagged_out_ + untagged_out_; }
  bool has_untagged_out() const { return untagged_out_ != 0; }

  void add(Job job) { jobs_.push_back(std::move(job)); }
  /// Adds a job ahead of all others, but after those that recover, unless it is one of them.
  void add_first(Job job);
  /// Adds a request that is to be sent again, ahead of requests with higher numbers.
  void add_again(Job job);

  /// Kinds of jobs that may go, if time and tags allow it.
  enum class Admits { kAll, kErrands, kRecovery };
  /// Whether the first job may go now.
  bool may_go(Picoseconds now, Admits admits) const;
  /// Removes the first job, which goes to the drive.
  Job take();
  /// Called when a job that went to the drive has ended.
  void ended(const Job& job);

  void hold_until(Picoseconds time) { not_before_ = time; }
  void hold_until_one_ends() { awaits_end_ = true; }
  /// Earliest time at which the first job may go, if nothing but time delays it.
  std::optional<Picoseconds> due(Picoseconds now) const;

 private:
  std::deque<Job> jobs_;
  std::uint32_t tagged_out_ = 0;
  std::uint32_t untagged_out_ = 0;
  Picoseconds not_before_ = 0;
  bool awaits_end_ = false;
};

}  // namespace headstack::replay
