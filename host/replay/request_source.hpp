// SPDX-License-Identifier: Apache-2.0
// The requests of a run in order. They are the trace's: counted, mapped onto the drive if the
// options say so, and checked.
//
// Requests are numbered from 0 in the trace's order, together with the flushes that the hosts'
// habits insert (host_habits.hpp). A bad line ends them, and so does a request that the drive
// cannot carry out. Requests before it are served.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "host/replay/replay_options.hpp"
#include "host/traces/address_map.hpp"
#include "host/traces/trace.hpp"

namespace headstack::replay {

/// A request on its way to a host adapter.
struct RunRequest {
  std::uint64_t number = 0;
  std::uint32_t stream = 0;      // the initiator that the trace names
  traces::TraceRequest request;  // `initiator` is the host of the run
};

class RequestSource {
 public:
  /// All references must outlive this object. Throws what AddressMap and find_trace_end() throw.
  RequestSource(const ReplayOptions& options, traces::TraceReader& trace,
                std::uint64_t capacity_blocks);

  /// The next request, without taking it; null at the end.
  const RunRequest* peek();
  /// Takes the next request, which must exist.
  RunRequest take();
  /// Sentence with the reason why the requests ended before the trace's end; "" if they did not.
  const std::string& failure() const { return failure_; }
  /// Whether requests may have deadlines: the trace announces them, or its first request has one.
  bool has_deadlines();
  /// Number of requests up to now that had deadlines although has_deadlines() is false.
  std::uint64_t unannounced_deadlines() const { return unannounced_deadlines_; }
  /// Whether hosts may end commands early, or reset the drive. Habits cause that, or options of the
  /// trace's requests, of which only the header is known.
  bool may_lose_commands() const;
  bool may_reset() const;

 private:
  std::optional<traces::TraceRequest> next();
  void insert_flush(traces::TraceRequest& request);
  std::string find_objection(const traces::TraceRequest& request) const;

  const ReplayOptions& options_;
  traces::TraceReader& trace_;
  std::uint64_t capacity_;
  traces::AddressMap map_;
  std::optional<RunRequest> next_;
  bool first_read_ = false;
  bool has_deadlines_ = false;
  std::uint64_t unannounced_deadlines_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t from_trace_ = 0;               // requests taken from the trace
  std::optional<traces::TraceRequest> flush_;  // an inserted flush, which is the next request
  bool ended_ = false;
  std::string failure_;
};

/// The trace of the options, from its file or its text. Throws TraceError.
std::unique_ptr<traces::TraceReader> open_trace_of(const ReplayOptions& options);

/// Requires a trace that can be read twice. Throws TraceError for a pipe or standard input: "FILE:
/// WHY, and this can be read only once; REMEDY".
void require_read_twice(const std::string& trace, const char* why, const char* remedy);

/// The number after the last block that a trace names, found by reading it all; 1 if it names none.
/// Throws TraceError for a trace that can be read only once.
std::uint64_t find_trace_end(const ReplayOptions& options);

}  // namespace headstack::replay
