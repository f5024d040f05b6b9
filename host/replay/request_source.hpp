// The requests of a run, one after another: the trace's, counted, moved onto the drive where that
// is asked for, and checked.
//
// Requests are numbered from 0 in the trace's order, with the flushes that the hosts' habits put
// between them (host_habits.hpp). A bad line, or a request that the drive cannot
// be asked for, ends them: what came before it is served.
#pragma once

#include <cstdint>
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
  traces::TraceRequest request;  // its initiator is the host of the run that stands in for that one
};

class RequestSource {
 public:
  /// All must outlive it. Throws what AddressMap and find_trace_end() do.
  RequestSource(const ReplayOptions& options, traces::TraceReader& trace,
                std::uint64_t capacity_blocks);

  /// The next request, which stays the next one; null at the end.
  const RunRequest* peek();
  /// The next request, which must exist.
  RunRequest take();
  /// What ended the requests before the trace's end: a sentence, or "".
  const std::string& failure() const { return failure_; }
  /// Requests may have deadlines: the trace announces them, or its first request has one.
  bool has_deadlines();
  /// Deadlines of requests, so far, where has_deadlines() said that there are none.
  std::uint64_t unannounced_deadlines() const { return unannounced_deadlines_; }
  /// Commands may be ended before they are done, or the drive reset, as the hosts have it: by their
  /// habits, or by options of the trace's requests, of which the header alone is known.
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
  std::uint64_t from_trace_ = 0;               // of those
  std::optional<traces::TraceRequest> flush_;  // that goes next
  bool ended_ = false;
  std::string failure_;
};

/// Throws TraceError for a pipe or standard input: "FILE: WHY, and this can be read only once;
/// REMEDY".
void require_read_twice(const std::string& trace, const char* why, const char* remedy);

/// The block behind the last that a trace names, by reading it all; 1 where it names none. Throws
/// TraceError for a trace that can be read only once.
std::uint64_t find_trace_end(const ReplayOptions& options);

}  // namespace headstack::replay
