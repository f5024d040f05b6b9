// What waits in one host: requests that are to be sent, again or for the first time, and errands of
// the host's own (TEST UNIT READY, MODE SELECT). First come, first out.
//
// A host does not mix untagged commands with tagged ones, which would be overlapped commands
// (SCSI-2 7.5.2): an untagged one goes when nothing else of the host is out, and stays alone. BUSY
// holds the host back for a while, QUEUE FULL until one of its commands is done.
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

/// A command that is no request: without a tag, which it gets on the way.
struct Errand {
  initiator::Command command;
  std::function<void(const initiator::Completion&)> answer;
};

struct Job {
  RunRequest request;  // unless it is an errand
  std::shared_ptr<Errand> errand;
  bool warm_up = false;
  bool given_up = false;            // its host has sent an abort for it
  std::uint32_t tries = 0;          // so far
  Picoseconds arrived = 0;          // in its host: in an open loop, when the trace says
  Picoseconds first_submitted = 0;  // with the first of them
  DataCheck::Attempt attempt;       // the last one

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
  /// Ahead of all that wait.
  void add_first(Job job) { jobs_.push_front(std::move(job)); }
  /// A request that is to be sent again: ahead of those with higher numbers.
  void add_again(Job job);

  /// May the first go now? Errands may while `requests_wait`.
  bool may_go(Picoseconds now, bool requests_wait) const;
  /// The first, which goes.
  Job take();
  /// One that went is over.
  void ended(const Job& job);

  void hold_until(Picoseconds time) { not_before_ = time; }
  void hold_until_one_ends() { awaits_end_ = true; }
  /// When the first may go at the earliest, if nothing but time holds it back.
  std::optional<Picoseconds> due(Picoseconds now) const;

 private:
  std::deque<Job> jobs_;
  std::uint32_t tagged_out_ = 0;
  std::uint32_t untagged_out_ = 0;
  Picoseconds not_before_ = 0;
  bool awaits_end_ = false;
};

}  // namespace headstack::replay
