#include "tests/firmware/reference_policies.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

namespace headstack::reference {
namespace {

using Measure = std::int64_t;  // a weight times an access is below 2^31 times 2^32

Queue those(const Queue& queue, const std::function<bool(const Request&)>& which) {
  Queue result;
  std::copy_if(queue.begin(), queue.end(), std::back_inserter(result), which);
  return result;
}

/// The request of the least measure; of several, the oldest.
Request least(const Queue& queue, const std::function<Measure(const Request&)>& measure) {
  Request best = queue.at(0);
  for (const Request& request : queue) {
    const Measure here = measure(request);
    const Measure there = measure(best);
    if (here < there || (here == there && request.order < best.order)) best = request;
  }
  return best;
}

std::int64_t distance(std::int64_t a, std::int64_t b) { return std::abs(a - b); }

Request nearest(const Queue& queue, std::uint32_t cylinder) {
  return least(queue, [&](const Request& r) { return distance(r.cylinder, cylinder); });
}

Request cheapest(const Queue& queue, const Moment& moment) {
  return least(queue, [&](const Request& r) { return moment.access(r); });
}

std::uint64_t youngest(const Request& request, const Queue& others) {
  std::uint64_t order = request.order;
  for (const Request& other : others) order = std::max(order, other.order);
  return order;
}

// fcfs: the oldest.
class Fcfs : public Policy {
 public:
  Request choose(const Queue& waiting, const Moment&) const override {
    return least(waiting, [](const Request&) { return 0; });
  }
};

// sstf: the nearest cylinder. By cylinders, not by seek time.
class Sstf : public Policy {
 public:
  Request choose(const Queue& waiting, const Moment& moment) const override {
    return nearest(waiting, moment.cylinder);
  }
};

// A direction that the arm prefers. Settled here, for every policy that has one:
//  - it begins upward, to higher cylinders;
//  - the cylinder under the heads counts as ahead;
//  - "under the heads" is where they truly are, though the last request may have begun elsewhere;
//  - it turns when a request behind the heads is served, not before.
class Directed : public Policy {
 public:
  void served(const Request& request, const Queue&, const Moment& moment) override {
    if (is_behind(request, moment.cylinder)) up_ = !up_;
  }

 protected:
  bool is_behind(const Request& r, std::uint32_t from) const {
    return up_ ? r.cylinder < from : r.cylinder > from;
  }

  Request scan(const Queue& queue, std::uint32_t from) const {
    const Queue ahead = those(queue, [&](const Request& r) { return !is_behind(r, from); });
    return nearest(ahead.empty() ? queue : ahead, from);
  }

  bool up_ = true;
};

// scan: the nearest ahead; with none there, turn and take the nearest.
class Scan : public Directed {
 public:
  Request choose(const Queue& waiting, const Moment& moment) const override {
    return scan(waiting, moment.cylinder);
  }
};

// cscan: the nearest at or above the heads; with none there, the lowest of all.
class Cscan : public Policy {
 public:
  Request choose(const Queue& waiting, const Moment& moment) const override {
    const Queue above =
        those(waiting, [&](const Request& r) { return r.cylinder >= moment.cylinder; });
    return above.empty() ? nearest(waiting, 0) : nearest(above, moment.cylinder);
  }
};

// fscan: SCAN over a frozen set. Settled here: the set is what waits when its first request is
// served; it is served to the last one, with a turn inside it where SCAN turns; then the next set
// is taken. The direction carries over from set to set.
class Fscan : public Directed {
 public:
  Request choose(const Queue& waiting, const Moment& moment) const override {
    const Queue frozen = those(waiting, [&](const Request& r) { return is_frozen(r); });
    return scan(frozen.empty() ? waiting : frozen, moment.cylinder);
  }

  void served(const Request& request, const Queue& others, const Moment& moment) override {
    Directed::served(request, others, moment);
    if (!is_frozen(request)) last_frozen_ = youngest(request, others);
  }

 private:
  bool is_frozen(const Request& r) const { return last_frozen_ && r.order <= *last_frozen_; }

  std::optional<std::uint64_t> last_frozen_;
};

// vr: the least distance, with R times the whole stroke added behind the heads. In thousandths, so
// that nothing is rounded. Default 0.2.
class Vr : public Directed {
 public:
  Vr(const Options& options, const Drive& drive)
      : charge_(std::int64_t{options.r_thousandths.value_or(200)} * (drive.cylinders - 1)) {}

  Request choose(const Queue& waiting, const Moment& moment) const override {
    return least(waiting, [&](const Request& r) {
      return 1000 * distance(r.cylinder, moment.cylinder) +
             (is_behind(r, moment.cylinder) ? charge_ : 0);
    });
  }

 private:
  std::int64_t charge_;
};

// wscan: SCAN, but a request just behind goes first. Settled here:
//  - the sweep is where the heads are; while requests of the window are served, it stays where it
//    was when the first of them was chosen, and so does the window;
//  - the window is the `window` cylinders behind the sweep's own, which is not in it;
//  - of several in the window the one nearest to the heads goes first;
//  - a request of the window goes even before one on the sweep's own cylinder;
//  - the default window is a 64th of the cylinders, at least one.
class Wscan : public Directed {
 public:
  Wscan(const Options& options, const Drive& drive)
      : window_(options.window.value_or(std::max(1U, drive.cylinders / 64))) {}

  Request choose(const Queue& waiting, const Moment& moment) const override {
    const std::uint32_t sweep = sweep_at(moment);
    const Queue window = those(waiting, [&](const Request& r) { return in_window(r, sweep); });
    return window.empty() ? scan(waiting, sweep) : nearest(window, moment.cylinder);
  }

  void served(const Request& request, const Queue&, const Moment& moment) override {
    const std::uint32_t sweep = sweep_at(moment);
    if (in_window(request, sweep)) {
      held_at_ = sweep;
    } else {
      held_at_.reset();
      if (is_behind(request, sweep)) up_ = !up_;
    }
  }

 private:
  std::uint32_t sweep_at(const Moment& moment) const { return held_at_.value_or(moment.cylinder); }
  bool in_window(const Request& r, std::uint32_t sweep) const {
    return is_behind(r, sweep) && distance(r.cylinder, sweep) <= window_;
  }

  std::int64_t window_;
  std::optional<std::uint32_t> held_at_;
};

// eschenbach: cylinders, or groups of `order` neighbouring cylinders counted from 0, in the order
// of C-SCAN; inside, rotational order. Settled here: rotational order is the first to come under
// the heads, so a transfer's own length does not count; the heads' own group is the first one, all
// of it, also what lies below the heads. Default order 1.
class Eschenbach : public Policy {
 public:
  explicit Eschenbach(const Options& options) : order_(options.order.value_or(1)) {}

  Request choose(const Queue& waiting, const Moment& moment) const override {
    const std::uint32_t own = moment.cylinder / order_;
    const Queue above =
        those(waiting, [&](const Request& r) { return r.cylinder / order_ >= own; });
    const Queue& queue = above.empty() ? waiting : above;
    const std::uint32_t first = nearest(queue, 0).cylinder / order_;  // the lowest
    return least(those(queue, [&](const Request& r) { return r.cylinder / order_ == first; }),
                 [&](const Request& r) { return moment.access(r) - r.transfer; });
  }

 private:
  std::uint32_t order_;
};

// stf: the shortest access.
class Stf : public Policy {
 public:
  Request choose(const Queue& waiting, const Moment& moment) const override {
    return cheapest(waiting, moment);
  }
};

// gstf: STF inside one group of cylinders after the other. Settled here:
//  - groups are counted from cylinder 0; the last one may be smaller;
//  - the current group is that of the request served last, wherever its transfer ended; before the
//    first, the one under the heads;
//  - bounce: the next group is the nearest one in a direction that begins upward, and turns where
//    no group ahead has a request;
//  - frozen: what waits when the first request of a group is served is served; what comes later for
//    this group waits until every other group that has requests has been served. A group is entered
//    anew, when only it has requests.
// Default: a quarter of the cylinders, at least one.
class Gstf : public Policy {
 public:
  Gstf(const Options& options, const Drive& drive)
      : size_(options.group.value_or(std::max(1U, drive.cylinders / 4))),
        count_((drive.cylinders + size_ - 1) / size_),
        bounce_(options.bounce),
        frozen_(options.frozen) {}

  Request choose(const Queue& waiting, const Moment& moment) const override {
    const std::uint32_t group = group_now(moment);
    Queue inside = those(waiting, [&](const Request& r) { return takes_part(r, group); });
    if (inside.empty()) {
      const std::uint32_t next = next_group(waiting, group);
      inside = those(waiting, [&](const Request& r) { return group_of(r) == next; });
    }
    return cheapest(inside, moment);
  }

  void served(const Request& request, const Queue& others, const Moment& moment) override {
    const std::uint32_t before = group_now(moment);
    const bool entered = !current_ || !takes_part(request, before);
    const std::uint32_t group = group_of(request);
    if (group != before && (group > before) != up_) up_ = !up_;
    current_ = group;
    if (entered) last_frozen_ = youngest(request, others);
  }

 private:
  std::uint32_t group_of(const Request& r) const { return r.cylinder / size_; }
  std::uint32_t group_now(const Moment& moment) const {
    return current_.value_or(moment.cylinder / size_);
  }
  bool takes_part(const Request& r, std::uint32_t group) const {
    return group_of(r) == group && (!frozen_ || !current_ || r.order <= last_frozen_);
  }

  /// The group that comes first after `group` and has a request; `group` itself comes last.
  std::uint32_t next_group(const Queue& waiting, std::uint32_t group) const {
    std::vector<std::uint32_t> way;
    const std::uint32_t above = count_ - 1 - group;
    for (std::uint32_t i = 1; !bounce_ && i < count_; ++i) way.push_back((group + i) % count_);
    for (std::uint32_t i = 1; bounce_ && up_ && i <= above; ++i) way.push_back(group + i);
    for (std::uint32_t i = 1; bounce_ && i <= group; ++i) way.push_back(group - i);
    for (std::uint32_t i = 1; bounce_ && !up_ && i <= above; ++i) way.push_back(group + i);
    for (const std::uint32_t next : way) {
      if (!those(waiting, [&](const Request& r) { return group_of(r) == next; }).empty()) {
        return next;
      }
    }
    return group;
  }

  std::uint32_t size_;
  std::uint32_t count_;
  bool bounce_;
  bool frozen_;
  bool up_ = true;
  std::optional<std::uint32_t> current_;
  std::uint64_t last_frozen_ = 0;
};

// wstf: the least access * (M - E) / M. M is the same for all of one choice, so access * (M - E) is
// compared, in whole numbers. Settled here:
//  - E and M are counted in 64 ticks, 1.6 us, and E is 0 at least and 2^31 - 1 (57 minutes) at
//  most;
//  - an access is the whole time from now, with whatever the drive itself takes to begin;
//  - floored (by default): M - E is `floor` * M at least, rounded down; 0.01 by default;
//  - m_per_request: M is for as many requests as waited when the last one was chosen, it included;
//    for one before the first. A mean access is the mean seek between two cylinders drawn at
//    random, half a turn, and the mean transfer of those served, of which each further one counts
//    for 1/64. Rounded down to a unit for each request.
//  - age=choice: E counts from the first choice behind a request's arrival, and is 0 for that one.
class Wstf : public Policy {
 public:
  Wstf(const Options& options, const Drive& drive)
      : floored_(!options.floor_none),
        floor_(options.floor_thousandths.value_or(10)),
        m_(std::int64_t{options.m_ms.value_or(30'000)} * kUnitsPerMillisecond),
        m_each_(options.m_each_64ticks),
        turn_ticks_(drive.turn_ticks),
        age_from_choice_(options.age_from_choice) {
    if (m_each_) m_ = static_cast<std::int64_t>(*m_each_);
  }

  Request choose(const Queue& waiting, const Moment& moment) const override {
    return least(waiting, [&](const Request& r) {
      const std::int64_t passed = units(moment.now_tick) - counts_from(r, moment);
      std::int64_t left = m_ - std::clamp<std::int64_t>(passed, 0, INT32_MAX);
      if (floored_) left = std::max(left, m_ * floor_ / 1000);
      return left * static_cast<Measure>(moment.access(r));
    });
  }

  void served(const Request& request, const Queue& others, const Moment& moment) override {
    for (const Request& r : others) chosen_from_.try_emplace(r.order, units(moment.now_tick));
    if (!m_each_) return;
    const auto transfer = static_cast<double>(request.transfer);
    mean_transfer_ =
        mean_transfer_ ? *mean_transfer_ + (transfer - *mean_transfer_) / 64 : transfer;
    const double each = *m_each_ + 1.5 * *mean_transfer_ / kTurn * turn_ticks_ / kUnitTicks;
    m_ = static_cast<std::int64_t>(each) * static_cast<std::int64_t>(others.size() + 1);
  }

 private:
  static std::int64_t units(std::uint64_t tick) {
    return static_cast<std::int64_t>(tick / kUnitTicks);
  }
  std::int64_t counts_from(const Request& r, const Moment& moment) const {
    if (!age_from_choice_) return units(r.arrival_tick);
    const auto found = chosen_from_.find(r.order);
    return found != chosen_from_.end() ? found->second : units(moment.now_tick);
  }

  static constexpr double kTurn = 1 << 24;  // of Request::transfer
  static constexpr std::int64_t kUnitTicks = 64;
  static constexpr std::int64_t kUnitsPerMillisecond = 40'000 / kUnitTicks;

  bool floored_;
  std::int64_t floor_;
  std::int64_t m_;
  std::optional<double> m_each_;  // without its transfer
  std::optional<double> mean_transfer_;
  double turn_ticks_;
  bool age_from_choice_;
  std::map<std::uint64_t, std::int64_t> chosen_from_;
};

}  // namespace

double m_each_64ticks(const Drive& drive) {
  double sum = 0;
  for (std::uint32_t from = 0; from < drive.cylinders; ++from) {
    for (std::uint32_t to = 0; to < drive.cylinders; ++to) {
      sum += drive.seek_ticks(from > to ? from - to : to - from);
    }
  }
  const double mean = sum / drive.cylinders / drive.cylinders;
  return 1.5 * (mean + drive.turn_ticks / 2) / 64;
}

std::unique_ptr<Policy> make_policy(const std::string& name, const Options& options,
                                    const Drive& drive) {
  const std::map<std::string, std::function<std::unique_ptr<Policy>()>> makers = {
      {"fcfs", [] { return std::make_unique<Fcfs>(); }},
      {"sstf", [] { return std::make_unique<Sstf>(); }},
      {"scan", [] { return std::make_unique<Scan>(); }},
      {"cscan", [] { return std::make_unique<Cscan>(); }},
      {"fscan", [] { return std::make_unique<Fscan>(); }},
      {"vr", [&] { return std::make_unique<Vr>(options, drive); }},
      {"wscan", [&] { return std::make_unique<Wscan>(options, drive); }},
      {"eschenbach", [&] { return std::make_unique<Eschenbach>(options); }},
      {"stf", [] { return std::make_unique<Stf>(); }},
      {"gstf", [&] { return std::make_unique<Gstf>(options, drive); }},
      {"wstf", [&] { return std::make_unique<Wstf>(options, drive); }},
  };
  return makers.at(name)();
}

}  // namespace headstack::reference
