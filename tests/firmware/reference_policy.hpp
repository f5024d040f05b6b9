// SPDX-License-Identifier: Apache-2.0
// Definitions of the policies that have none in Python (host/regress/expect/policies), for
// comparison with the firmware's searches. This is their common part; each is in its policy's own
// test file (policies/NAME.cpp).
//
// It shares no code, type or data structure with firmware/queue. A queue is a vector; every choice
// examines every request, as often as needed. Ties go to the oldest, in one place (least()).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace headstack::reference {

/// One waiting request. Times are clock periods since power-on; a transfer is in the unit of
/// Moment::access. Other properties that a definition uses become members here, which
/// PolicyBench::request_of fills in.
struct Request {
  std::uint32_t cylinder = 0;
  std::uint64_t order = 0;  // of arrival; no two are equal
  std::uint64_t arrival_tick = 0;
  std::uint64_t transfer = 0;  // from the start of its first sector to the end of its last
  std::optional<std::uint64_t> due_tick = std::nullopt;  // deadline; none: best effort
};

using Queue = std::vector<Request>;

/// The time and the position of a choice.
struct Moment {
  std::uint64_t now_tick = 0;
  std::uint32_t cylinder = 0;  // under the heads
  /// Time from now until a request's transfer has ended.
  std::function<std::uint64_t(const Request&)> access;
  /// The same for the last of several requests that are served one after the other.
  std::function<std::uint64_t(const Queue&)> access_path;
  /// Time from now until a deadline, in the unit of `access`: 0 when it is past, kNever when it is
  /// later than any access.
  std::function<std::uint64_t(const Request&)> due;
  std::uint64_t margin = 0;  // added to each access, in the unit of `access`
};
constexpr std::uint64_t kNever = UINT64_MAX;

/// A policy's knowledge of its drive.
struct Drive {
  std::uint32_t cylinders = 0;
  double turn_ticks = 0;
  std::function<double(std::uint32_t)> seek_ticks;  // by distance
  double mean_access_ticks = 0;                     // a mean seek and half a turn
  std::uint64_t margin_ticks = 0;                   // added to each access
};

class Policy {
 public:
  virtual ~Policy() = default;
  /// The request to serve next; `waiting` is not empty. Changes nothing.
  virtual Request choose(const Queue& waiting, const Moment& moment) const = 0;
  /// `request`, chosen at `moment`, begins; `others` still wait.
  virtual void served(const Request& request, const Queue& others, const Moment& moment) {
    (void)request, (void)others, (void)moment;
  }
};

// ------------------------------------------------------------------ parts of definitions

using Measure = std::int64_t;  // a weight times an access is below 2^31 times 2^32

/// The request with the least measure; of several, the oldest.
Request least(const Queue& queue, const std::function<Measure(const Request&)>& measure);

/// The requests of a queue that satisfy a condition.
Queue those(const Queue& queue, const std::function<bool(const Request&)>& which);

Measure distance(Measure a, Measure b);

/// The request with the shortest access.
Request cheapest(const Queue& queue, const Moment& moment);

/// The earliest deadline; without deadlines, the oldest.
Request earliest_due(const Queue& queue);

}  // namespace headstack::reference
