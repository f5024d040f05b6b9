// SPDX-License-Identifier: Apache-2.0
// The queue of one host, first in, first out. It holds requests to be sent, for the first time or
// again, and the host's own errands (TEST UNIT READY, MODE SELECT).
//
// A host does not mix untagged commands with tagged ones, which would be overlapped commands
// (SCSI-2 7.5.2). An untagged one is sent when the host has no outstanding command, and stays
// alone. BUSY delays the host for a while, QUEUE FULL until one of its commands has ended.
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

/// The time for which a host waits after BUSY. After QUEUE FULL it waits as long if it has no
/// outstanding command whose end it could await.
constexpr Picoseconds kBusyDelay = kPicosecondsPerMillisecond;

/// A command that is no request of the trace. Its tag is assigned at its issue.
struct Errand {
  initiator::Command command;
  bool recovers = false;  // queries which commands the drive has cleared
  std::function<void(const initiator::Completion&)> answer;
};

struct Job {
  RunRequest request;  // the request, if the job is no errand
  std::shared_ptr<Errand> errand;
  bool warm_up = false;
  bool given_up = false;            // its host has sent an abort for the job
  std::uint32_t tries = 0;          // number of tries up to now
  Picoseconds arrived = 0;          // arrival at its host; in an open loop, the trace's arrival
  Picoseconds first_submitted = 0;  // time at which the first try was submitted
  DataCheck::Attempt attempt;       // the job's last try

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
  /// Adds a job at the front. If it does not recover, it goes behind those that do.
  void add_first(Job job);
  /// Adds a request that is to be sent again, ahead of requests with higher numbers.
  void add_again(Job job);

  /// The kinds of jobs that may be sent, if time and tags allow it.
  enum class Admits { kAll, kErrands, kRecovery };
  /// Whether the first job may be sent at this time.
  bool may_go(Picoseconds now, Admits admits) const;
  /// Removes the first job, which is sent to the drive.
  Job take();
  /// Called when a job that was sent to the drive has ended.
  void ended(const Job& job);

  void hold_until(Picoseconds time) { not_before_ = time; }
  void hold_until_one_ends() { awaits_end_ = true; }
  /// Earliest time at which the first job may be sent, if only time delays it.
  std::optional<Picoseconds> due(Picoseconds now) const;

 private:
  std::deque<Job> jobs_;
  std::uint32_t tagged_out_ = 0;
  std::uint32_t untagged_out_ = 0;
  Picoseconds not_before_ = 0;
  bool awaits_end_ = false;
};

}  // namespace headstack::replay
