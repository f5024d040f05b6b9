// The scheduling policies once more, from their definitions and without any cleverness: what the
// firmware's searches are held against.
//
// Shares no code, type or idea of a data structure with firmware/queue. A queue is a vector; every
// choice looks at every request, as often as it likes. Ties go to the oldest, in one place (least()
// in the .cpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace headstack::reference {

/// One waiting request. Times are clock periods since power-on; a transfer is in the unit of
/// Moment::access.
struct Request {
  std::uint32_t cylinder = 0;
  std::uint32_t head = 0;
  std::uint32_t angle = 0;  // of its first sector
  std::uint32_t kind = 0;   // read or write, as the pricing wants it
  std::uint64_t order = 0;  // of arrival; no two are equal
  std::uint64_t arrival_tick = 0;
  std::uint64_t transfer = 0;  // from its first sector's start to its last one's end
};

using Queue = std::vector<Request>;

/// When and from where a choice is made.
struct Moment {
  std::uint64_t now_tick = 0;
  std::uint32_t cylinder = 0;  // under the heads
  /// Time from now until a request's transfer has ended.
  std::function<std::uint64_t(const Request&)> access;
};

/// What a policy may know about its drive.
struct Drive {
  std::uint32_t cylinders = 0;
  double turn_ticks = 0;
  std::function<double(std::uint32_t)> seek_ticks;  // by distance
};

/// As on the command line; what is empty has the policy's default.
struct Options {
  std::optional<std::uint32_t> r_thousandths;      // vr
  std::optional<std::uint32_t> window;             // wscan
  std::optional<std::uint32_t> order;              // eschenbach
  std::optional<std::uint32_t> group;              // gstf
  bool bounce = false;                             // gstf
  bool frozen = false;                             // gstf
  std::optional<std::uint32_t> m_ms;               // wstf
  std::optional<std::uint32_t> floor_thousandths;  // wstf
  bool floor_none = false;                         // wstf
  std::optional<double> m_each_64ticks;            // wstf: M for each request that waits
  bool age_from_choice = false;                    // wstf
};

class Policy {
 public:
  virtual ~Policy() = default;
  /// The request to serve next; `waiting` is not empty. Changes nothing.
  virtual Request choose(const Queue& waiting, const Moment& moment) const = 0;
  /// `request`, chosen at `moment`, begins; `others` go on waiting.
  virtual void served(const Request& request, const Queue& others, const Moment& moment) {
    (void)request, (void)others, (void)moment;
  }
};

/// Throws std::out_of_range for a name that is not defined.
std::unique_ptr<Policy> make_policy(const std::string& name, const Options& options,
                                    const Drive& drive);

/// `wstf` with m_per_request: M for each request that waits, 1.5 mean accesses without their
/// transfers, in units of 64 ticks. It goes through all pairs of cylinders.
double m_each_64ticks(const Drive& drive);

}  // namespace headstack::reference
