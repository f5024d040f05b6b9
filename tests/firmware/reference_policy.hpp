// The scheduling policies once more, from their definitions and without any cleverness: what the
// firmware's searches are held against. What all of them share; each stands in its policy's own
// test file (policies/NAME.cpp).
//
// Shares no code, type or idea of a data structure with firmware/queue. A queue is a vector; every
// choice looks at every request, as often as it likes. Ties go to the oldest, in one place
// (least()).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace headstack::reference {

/// One waiting request. Times are clock periods since power-on; a transfer is in the unit of
/// Moment::access. What else a policy goes by (a class, a stream) becomes a member here, which
/// PolicyBench::request_of fills in.
struct Request {
  std::uint32_t cylinder = 0;
  std::uint32_t head = 0;
  std::uint32_t angle = 0;  // of its first sector
  bool is_write = false;
  std::uint64_t order = 0;  // of arrival; no two are equal
  std::uint64_t arrival_tick = 0;
  std::uint64_t transfer = 0;  // from its first sector's start to its last one's end
  std::optional<std::uint64_t> due_tick = std::nullopt;  // its deadline; none: best effort
  std::uint32_t stream = 0;
  std::uint32_t priority = 0;  // 1 is the highest; 0: none was given
};

using Queue = std::vector<Request>;

/// When and from where a choice is made.
struct Moment {
  std::uint64_t now_tick = 0;
  std::uint32_t cylinder = 0;  // under the heads
  /// Time from now until a request's transfer has ended.
  std::function<std::uint64_t(const Request&)> access;
  /// The same of the last of several that are served one after the other.
  std::function<std::uint64_t(const Queue&)> access_path;
  /// The same of each of them; exact, or where each waits half a turn, whatever the angle.
  std::function<std::vector<std::uint64_t>(const Queue&)> access_ends;
  std::function<std::vector<std::uint64_t>(const Queue&)> mean_ends;
  /// Time from now until a deadline, in the unit of `access`: 0 when it is past, kNever when it is
  /// farther away than any access.
  std::function<std::uint64_t(const Request&)> due;
  /// When a request's transfer ends, and when it would after half a turn, whatever the angle.
  std::function<std::uint64_t(const Request&)> end_tick;
  std::function<std::uint64_t(const Request&)> mean_end_tick;
  std::uint64_t margin = 0;  // what each access pays, in the unit of `access`
  /// From where an access leaves the heads (nullptr: from where they are) to a request's first
  /// track, in the unit of `access`.
  std::function<std::uint64_t(const Request*, const Request&)> move;
};
constexpr std::uint64_t kNever = UINT64_MAX;

/// What a policy may know about its drive.
struct Drive {
  std::uint32_t cylinders = 0;
  double turn_ticks = 0;
  std::function<double(std::uint32_t)> seek_ticks;  // by distance
  double mean_access_ticks = 0;                     // a mean seek and half a turn
};

class Policy {
 public:
  virtual ~Policy() = default;
  /// The request to serve next; `waiting` is not empty. Changes nothing.
  virtual Request choose(const Queue& waiting, const Moment& moment) const = 0;
  /// `request` waits from now on, and so do `others`, which were told before. The oldest is told
  /// first, all before the next choice.
  virtual void arrived(const Request& request, const Queue& others, const Moment& moment) {
    (void)request, (void)others, (void)moment;
  }
  /// `request`, chosen at `moment`, begins; `others` go on waiting.
  virtual void served(const Request& request, const Queue& others, const Moment& moment) {
    (void)request, (void)others, (void)moment;
  }
};

// ------------------------------------------------------------------ what definitions are made of

using Measure = std::int64_t;  // a weight times an access is below 2^31 times 2^32

/// The request of the least measure; of several, the oldest.
Request least(const Queue& queue, const std::function<Measure(const Request&)>& measure);

/// Those of a queue.
Queue those(const Queue& queue, const std::function<bool(const Request&)>& which);

Measure distance(Measure a, Measure b);

/// The nearest to a cylinder.
Request nearest(const Queue& queue, std::uint32_t cylinder);

/// The one whose access is the shortest.
Request cheapest(const Queue& queue, const Moment& moment);

/// The earliest deadline; without deadlines, the oldest.
Request earliest_due(const Queue& queue);

/// The order of the youngest of all of these.
std::uint64_t youngest(const Request& request, const Queue& others);

/// Whether `one` has the earlier deadline, or is the older of equals.
bool is_due_before(const Request& one, const Request& other);

/// By deadline; those without one last, by arrival.
Queue by_deadline(Queue queue);

/// A direction that the arm prefers. Settled here, for every policy that has one:
///  - it begins upward, to higher cylinders;
///  - the cylinder under the heads counts as ahead;
///  - "under the heads" is where they truly are, though the last request may have begun elsewhere;
///  - it turns when a request behind the heads is served, not before.
class Directed : public Policy {
 public:
  void served(const Request& request, const Queue& others, const Moment& moment) override;

 protected:
  bool is_behind(const Request& request, std::uint32_t from) const;
  /// The nearest ahead; with none there, the nearest behind.
  Request scan(const Queue& queue, std::uint32_t from) const;
  /// The order in which scan() serves a queue that nobody joins.
  Queue scan_order(Queue queue, std::uint32_t from) const;
  /// The nearest on the side of `target`, the heads' own cylinder included; on the side ahead when
  /// the target is there.
  Request towards(const Request& target, const Queue& queue, std::uint32_t from) const;

  bool up_ = true;
};

}  // namespace headstack::reference
