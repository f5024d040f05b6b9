// SPDX-License-Identifier: Apache-2.0
#include "host/replay/host_queue.hpp"

#include <algorithm>

#include "sim/assert.hpp"

namespace headstack::replay {

void HostQueue::add_first(Job job) {
  auto place = jobs_.begin();
  while (!job.recovers() && place != jobs_.end() && place->recovers()) ++place;
  jobs_.insert(place, std::move(job));
}

void HostQueue::add_again(Job job) {
  const auto place = std::find_if(jobs_.begin(), jobs_.end(), [&job](const Job& other) {
    return !other.errand && other.request.number > job.request.number;
  });
  jobs_.insert(place, std::move(job));
}

bool HostQueue::may_go(Picoseconds now, Admits admits) const {
  if (jobs_.empty() || now < not_before_) return false;
  const Job& first = jobs_.front();
  // The commands that filled the drive's queue may have been cleared. Only an errand detects that,
  // so it may be sent.
  if (awaits_end_ && out() != 0 && !first.errand) return false;
  if (admits != Admits::kAll && !first.errand) return false;
  if (admits == Admits::kRecovery && !first.recovers()) return false;
  return first.is_tagged() ? untagged_out_ == 0 : out() == 0;
}

Job HostQueue::take() {
  HEADSTACK_ASSERT(!jobs_.empty(), "a job is taken that waits");
  Job job = std::move(jobs_.front());
  jobs_.pop_front();
  ++(job.is_tagged() ? tagged_out_ : untagged_out_);
  return job;
}

void HostQueue::ended(const Job& job) {
  --(job.is_tagged() ? tagged_out_ : untagged_out_);
  awaits_end_ = false;
}

std::optional<Picoseconds> HostQueue::due(Picoseconds now) const {
  if (jobs_.empty() || not_before_ <= now) return std::nullopt;
  return not_before_;
}

}  // namespace headstack::replay
