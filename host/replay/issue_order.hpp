// SPDX-License-Identifier: Apache-2.0
// Issue times of the requests of a run: open loop, closed loop, or closed loop with think times.
//
// Open: request i is issued at its arrival divided by the speed-up. Closed: at once. Think: every
// initiator of the trace has one request outstanding, the first at the start. The next one is
// issued a think time after that has completed. The think time is that of the completed request (or
// ReplayOptions::think_time) times the scale, 11 days at most. The replayer limits the number of
// all outstanding requests.
//
// With think times the trace is read ahead, to find requests of initiators with nothing
// outstanding. At most kReadAhead requests are held; a request farther ahead in the trace comes
// later.
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
  /// The earliest time at which the next request may be issued. Nothing while there is none; a
  /// completion may change that.
  virtual std::optional<Picoseconds> due() = 0;
  /// Takes the request that due() refers to.
  virtual RunRequest take() = 0;
  virtual void completed(const RunRequest& request, Picoseconds at) = 0;
  /// Whether no request is left, not even after a completion.
  virtual bool ended() = 0;
};

/// Makes the order. `start` is the trace's time 0. Both references must outlive it.
std::unique_ptr<IssueOrder> make_issue_order(const ReplayOptions& options, traces::Loop loop,
                                             RequestSource& source, Picoseconds start);

}  // namespace headstack::replay
