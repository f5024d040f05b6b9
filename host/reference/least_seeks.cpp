// SPDX-License-Identifier: Apache-2.0
// Orders by dynamic programming over subsets (Held and Karp 1962), and by a beam.
//
// The time of an access without its seek does not depend on the order. Take two orders of the same
// requests that end with the same request. The one with the shorter seeks also ends earlier, so it
// is no worse for any continuation.
#include <algorithm>

#include "host/reference/waiting.hpp"

namespace headstack::reference_scheduler {
namespace {

struct Cell {
  Parts seeks = kNever;  // kNever: there is no such order
  std::size_t before = 0;
};

/// All subsets of the requests, each with every possible last request.
class Subsets {
 public:
  Subsets(const Waiting& waiting, const std::vector<Request>& requests, bool keeps_deadlines)
      : waiting_(waiting),
        requests_(requests),
        keeps_deadlines_(keeps_deadlines),
        count_(requests.size()),
        cells_((std::size_t{1} << count_) * count_),
        fixed_(std::size_t{1} << count_) {
    for (std::size_t set = 1; set < fixed_.size(); ++set) fill(set);
  }

  /// The place of the last request in a subset's best order; count_ if there is no order.
  std::size_t best_last(std::size_t set) const {
    std::size_t best = count_;
    for (std::size_t last = 0; last < count_; ++last) {
      if ((set >> last & 1) == 0 || at(set, last).seeks == kNever) continue;
      // If several are equal, the youngest comes last.
      if (best == count_ || at(set, last).seeks <= at(set, best).seeks) best = last;
    }
    return best;
  }
  Parts seeks(std::size_t set, std::size_t last) const { return at(set, last).seeks; }
  Parts end(std::size_t set, std::size_t last) const { return at(set, last).seeks + fixed_[set]; }

  Order order(std::size_t set, std::size_t last) const {
    Order order;
    order.seeks = at(set, last).seeks;
    while (set != 0) {
      order.places.push_back(last);
      const std::size_t before = at(set, last).before;
      set &= ~(std::size_t{1} << last);
      last = before;
    }
    std::reverse(order.places.begin(), order.places.end());
    return order;
  }

 private:
  const Cell& at(std::size_t set, std::size_t last) const { return cells_[set * count_ + last]; }

  void fill(std::size_t set) {
    std::size_t lowest = 0;
    while ((set >> lowest & 1) == 0) ++lowest;
    fixed_[set] = fixed_[set & (set - 1)] + requests_[lowest].fixed;
    for (std::size_t last = 0; last < count_; ++last) {
      if ((set >> last & 1) != 0) fill_cell(set, last);
    }
  }

  void fill_cell(std::size_t set, std::size_t last) {
    Cell& cell = cells_[set * count_ + last];
    const std::size_t rest = set & ~(std::size_t{1} << last);
    const Request& request = requests_[last];
    if (rest == 0) {
      cell.seeks = waiting_.seek(waiting_.arm(), request.cylinder);
    }
    for (std::size_t before = 0; before < count_; ++before) {
      if ((rest >> before & 1) == 0 || at(rest, before).seeks == kNever) continue;
      const Parts seeks =
          at(rest, before).seeks + waiting_.seek(requests_[before].cylinder, request.cylinder);
      if (seeks <= cell.seeks) cell = {seeks, before};
    }
    if (keeps_deadlines_ && cell.seeks != kNever && cell.seeks + fixed_[set] > request.due) {
      cell.seeks = kNever;
    }
  }

  const Waiting& waiting_;
  const std::vector<Request>& requests_;
  bool keeps_deadlines_;
  std::size_t count_;
  std::vector<Cell> cells_;
  std::vector<Parts> fixed_;
};

/// The first part of an order.
struct Path {
  Parts seeks = 0;
  Parts fixed = 0;
  std::uint32_t members = 0;
  std::vector<std::size_t> places;
};

class Beam {
 public:
  Beam(const Waiting& waiting, const std::vector<Request>& requests, bool keeps_deadlines)
      : waiting_(waiting), requests_(requests), keeps_deadlines_(keeps_deadlines) {}

  Order find() const {
    std::vector<Path> paths(1);
    for (std::size_t length = 0; length < requests_.size(); ++length) {
      paths = extend(paths);
      if (paths.empty()) return {};
    }
    return {paths.front().places, paths.front().seeks};
  }

 private:
  /// The best kBeam paths that are one request longer, sorted. Of paths with the same requests and
  /// the same last one, only the best is kept.
  std::vector<Path> extend(const std::vector<Path>& paths) const {
    struct Step {
      std::size_t path;
      std::size_t place;
      Parts seeks;
      std::uint32_t members;
    };
    std::vector<Step> steps;
    for (std::size_t path = 0; path < paths.size(); ++path) {
      for (std::size_t place = 0; place < requests_.size(); ++place) {
        if ((paths[path].members >> place & 1) != 0) continue;
        steps.push_back({path, place, paths[path].seeks + seek_to(paths[path], place),
                         paths[path].members | std::uint32_t{1} << place});
      }
    }
    // Paths are sorted, and places are by age: so a stable sort puts the older of equals first.
    std::stable_sort(steps.begin(), steps.end(),
                     [](const Step& one, const Step& other) { return one.seeks < other.seeks; });
    std::vector<Path> longer;
    std::vector<Step> taken;
    for (const Step& step : steps) {
      if (longer.size() == kBeam) break;
      const bool known = std::any_of(taken.begin(), taken.end(), [&](const Step& other) {
        return other.members == step.members && other.place == step.place;
      });
      if (known) continue;
      Path path = paths[step.path];
      path.seeks = step.seeks;
      path.fixed += requests_[step.place].fixed;
      path.members = step.members;
      path.places.push_back(step.place);
      if (keeps_deadlines_ && !may_keep(path)) continue;
      taken.push_back(step);
      longer.push_back(std::move(path));
    }
    return longer;
  }

  std::uint32_t cylinder_behind(const Path& path) const {
    return path.places.empty() ? waiting_.arm() : requests_[path.places.back()].cylinder;
  }
  Parts seek_to(const Path& path, std::size_t place) const {
    return waiting_.seek(cylinder_behind(path), requests_[place].cylinder);
  }

  /// Whether the path can keep all deadlines: its last request is in time, and so would each
  /// remaining one be if it were next.
  bool may_keep(const Path& path) const {
    const Parts now = path.seeks + path.fixed;
    if (now > requests_[path.places.back()].due) return false;
    for (std::size_t place = 0; place < requests_.size(); ++place) {
      if ((path.members >> place & 1) != 0 || requests_[place].due == kNever) continue;
      if (now + seek_to(path, place) + requests_[place].fixed > requests_[place].due) return false;
    }
    return true;
  }

  const Waiting& waiting_;
  const std::vector<Request>& requests_;
  bool keeps_deadlines_;
};

}  // namespace

Order least_seeks(const Waiting& waiting, const std::vector<Request>& requests,
                  bool keeps_deadlines, std::size_t exact_up_to) {
  if (requests.empty()) return {};
  if (requests.size() > exact_up_to) return Beam(waiting, requests, keeps_deadlines).find();
  const Subsets subsets(waiting, requests, keeps_deadlines);
  const std::size_t all = (std::size_t{1} << requests.size()) - 1;
  const std::size_t last = subsets.best_last(all);
  return last == requests.size() ? Order{} : subsets.order(all, last);
}

Order most_in_time(const Waiting& waiting, const std::vector<Request>& requests) {
  if (requests.empty()) return {};
  const Subsets subsets(waiting, requests, true);
  std::size_t best_set = 0, best_last = 0;
  int best_count = 0;
  Parts best_end = kNever;
  for (std::size_t set = 1; set < std::size_t{1} << requests.size(); ++set) {
    const int count = __builtin_popcountll(set);
    if (count < best_count) continue;
    const std::size_t last = subsets.best_last(set);
    if (last == requests.size()) continue;
    const Parts end = subsets.end(set, last);
    if (count == best_count && end >= best_end) continue;
    best_set = set;
    best_last = last;
    best_count = count;
    best_end = end;
  }
  return best_count == 0 ? Order{} : subsets.order(best_set, best_last);
}

}  // namespace headstack::reference_scheduler
