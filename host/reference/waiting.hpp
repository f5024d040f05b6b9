// The requests that wait, with prices, as a reference scheduler looks at them.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/queue/policy.h"

namespace headstack::reference_scheduler {

/// Times in parts: 1/512 tick, as the drive's table of seeks has them.
using Parts = std::uint64_t;
constexpr Parts kNever = UINT64_MAX;

struct Request {
  ::candidate* candidate;
  std::uint32_t cylinder;
  Parts fixed;     // of its access, but for the seek
  Parts due;       // from now; 0: past; kNever: best effort
  bool real_time;  // and not left out
};

/// From where and when the arm is next free.
class Waiting {
 public:
  explicit Waiting(const ::policy_view& view);

  const std::vector<Request>& requests() const { return requests_; }  // the oldest first
  std::uint32_t arm() const { return arm_; }
  Parts seek(std::uint32_t from, std::uint32_t to) const {
    return seek_part_[from < to ? to - from : from - to];
  }
  /// Served next, it ends so late.
  Parts end(const Request& request) const {
    return seek(arm_, request.cylinder) + request.fixed;
  }
  bool is_hopeless(const Request& request) const {
    return request.real_time && end(request) > request.due;
  }

 private:
  const std::uint32_t* seek_part_;
  std::uint32_t arm_;
  std::vector<Request> requests_;
};

/// Whether deadlines go first: least d, the oldest of equal ones; best effort behind, by age.
bool is_due_first(const Request& one, const Request& other);

/// The order of a number of requests with the least sum of seeks.
struct Order {
  std::vector<std::size_t> places;  // of the requests that were given; empty: there is none
  Parts seeks = 0;
};

/// @param keeps_deadlines  Each that is real time ends by its deadline; if not, nobody need.
/// @param exact_up_to      Of more, a beam of kBeam beginnings: the order is good, perhaps not the
///                         least, and of those that keep deadlines none may be found.
constexpr std::size_t kBeam = 32;
Order least_seeks(const Waiting& waiting, const std::vector<Request>& requests,
                  bool keeps_deadlines, std::size_t exact_up_to);

/// The order of most that end by their deadlines, of equally many the one that ends first: those
/// that do, no others.
Order most_in_time(const Waiting& waiting, const std::vector<Request>& requests);

}  // namespace headstack::reference_scheduler
