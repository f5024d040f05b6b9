// SPDX-License-Identifier: Apache-2.0
// The waiting requests with their prices, for a reference scheduler.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/queue/policy.h"

namespace headstack::reference_scheduler {

/// Times in units of 1/512 tick, as in the drive's seek table.
using Parts = std::uint64_t;
constexpr Parts kNever = UINT64_MAX;

struct Request {
  ::candidate* candidate;
  std::uint32_t cylinder;
  Parts fixed;     // time of the access without the seek
  Parts due;       // time left; 0: past; kNever: best effort
  bool real_time;  // real-time class, and not excluded
};

/// The requests, and the place and time at which the arm is next free.
class Waiting {
 public:
  explicit Waiting(const ::policy_view& view);

  const std::vector<Request>& requests() const { return requests_; }  // oldest first
  std::uint32_t arm() const { return arm_; }
  Parts seek(std::uint32_t from, std::uint32_t to) const {
    return seek_part_[from < to ? to - from : from - to];
  }
  /// The end of a request that is served next, as a time from now.
  Parts end(const Request& request) const { return seek(arm_, request.cylinder) + request.fixed; }
  bool is_hopeless(const Request& request) const {
    return request.real_time && end(request) > request.due;
  }

 private:
  const std::uint32_t* seek_part_;
  std::uint32_t arm_;
  std::vector<Request> requests_;
};

/// Whether `one` is due before `other`: by deadline, then by age. Best effort comes last, by age.
bool is_due_first(const Request& one, const Request& other);

/// An order of requests with the least sum of seeks.
struct Order {
  std::vector<std::size_t> places;  // indices into the given requests; empty: no order exists
  Parts seeks = 0;
};

/// @param keeps_deadlines  Whether each real-time request must end by its deadline.
/// @param exact_up_to      Most requests for an exact search. For more, a beam search with kBeam
///                         beginnings gives a good order, perhaps not the best. It may miss an
///                         order that keeps all deadlines.
constexpr std::size_t kBeam = 32;
Order least_seeks(const Waiting& waiting, const std::vector<Request>& requests,
                  bool keeps_deadlines, std::size_t exact_up_to);

/// The order in which the most requests end by their deadlines, without the other requests. Of
/// several such orders, the one that ends first.
Order most_in_time(const Waiting& waiting, const std::vector<Request>& requests);

}  // namespace headstack::reference_scheduler
