// When the requests of a run may go to the drive: open loop, closed loop, or closed with think
// times.
//
// Open: request i at its arrival divided by the speed-up. Closed: at once. Think: every initiator
// of the trace has one request out; its next one goes when that has completed and the initiator has
// thought, for the time that the completed request brings (or ReplayOptions::think_time) times the
// scale, 11 days at most. Their first ones go at the start. How many may be out in all is the
// replayer's.
//
// With think times the trace is read ahead, for a request of an initiator that has nothing to wait
// for; kReadAhead requests at most are held, so one that stands farther behind comes later.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "host/replay/request_source.hpp"

namespace headstack::replay {

class IssueOrder {
 public:
  static constexpr std::size_t kReadAhead = 4096;

  virtual ~IssueOrder() = default;
  /// From when on the next request may go; nothing when there is none now, which may change with a
  /// completion.
  virtual std::optional<Picoseconds> due() = 0;
  /// The request that due() is about.
  virtual RunRequest take() = 0;
  virtual void completed(const RunRequest& request, Picoseconds at) = 0;
  /// No request is left, whatever completes.
  virtual bool ended() = 0;
};

/// `start` is the trace's time 0. Both references must outlive it.
std::unique_ptr<IssueOrder> make_issue_order(const ReplayOptions& options, traces::Loop loop,
                                             RequestSource& source, Picoseconds start);

}  // namespace headstack::replay
