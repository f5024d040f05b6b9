// SPDX-License-Identifier: Apache-2.0
// Tests of `msedf`: its definition, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <tuple>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// msedf: MS-EDF as Kim, Bahn and Won sort it (table I). Settled here:
//  - of more than 22 a batch has the earliest deadlines, then the oldest best effort;
//  - it is fixed when its first request is served, for the moment at which that begins;
//  - a request is live if an access at once, of half a turn, would serve it in time;
//  - seeks are all that the heads move: head switches and a write's settling, too;
//  - equal orders, and equal beginnings in the beam, are compared from the end: where they part,
//    the one with the younger request is taken;
//  - of beginnings of the same requests with the same last the lesser goes on. After a beam,
//    requests of the same blocks and deadline go by age.
class Msedf : public Policy {
 public:
  Request choose(const Queue& waiting, const Moment& moment) const override {
    const Queue left = left_of_batch(waiting);
    if (!left.empty()) return left[0];
    found_ = make_order(waiting, moment);
    return found_[0];
  }

  void served(const Request& request, const Queue& others, const Moment& /*moment*/) override {
    Queue all = others;
    all.push_back(request);
    if (left_of_batch(all).empty()) batch_ = found_;
  }

 private:
  static constexpr std::size_t kBatch = 22, kExact = 11, kPermuted = 6, kBeam = 32;
  static constexpr std::uint64_t kNone = UINT64_MAX;
  using Stops = std::vector<std::size_t>;

  /// A batch by age: what its orders are priced by.
  struct Question {
    Queue batch;
    std::vector<bool> is_live;
    std::vector<std::uint64_t> fixed, due, from_heads;
    std::vector<std::vector<std::uint64_t>> move;
  };

  struct Path {
    std::uint64_t moves = 0, fixed = 0;
    std::uint32_t members = 0;
    std::size_t length = 0;
    std::array<std::uint8_t, kBatch> stops{};
    std::uint8_t last() const { return stops[length - 1]; }
    long end() const { return static_cast<long>(length); }
    bool operator<(const Path& other) const {
      if (moves != other.moves) return moves < other.moves;
      // Both are as long: the younger goes later, seen from the end.
      return std::lexicographical_compare(other.stops.rend() - end(), other.stops.rend(),
                                          stops.rend() - end(), stops.rend());
    }
  };

  Queue left_of_batch(const Queue& waiting) const {
    Queue left;
    for (const Request& one : batch_) {
      const bool waits = std::any_of(waiting.begin(), waiting.end(),
                                     [&](const Request& r) { return r.order == one.order; });
      if (waits) left.push_back(one);
    }
    return left;
  }

  static std::uint64_t due_of(const Request& r) { return r.due_tick.value_or(kNone); }

  static Queue make_order(const Queue& waiting, const Moment& moment) {
    const Question question = ask(take_batch(waiting), moment);
    const auto least = question.batch.size() <= kPermuted ? least_of_all(question)
                       : question.batch.size() <= kExact  ? least_of_subsets(question)
                                                          : beam(question);
    Queue order;
    if (!least) {
      order = question.batch;
      std::stable_sort(order.begin(), order.end(), [](const Request& a, const Request& b) {
        return std::make_tuple(due_of(a), a.cylinder) < std::make_tuple(due_of(b), b.cylinder);
      });
      return order;
    }
    for (const std::size_t stop : *least) order.push_back(question.batch[stop]);
    return order.size() > kExact ? older_first(order) : order;
  }

  /// Those of the same blocks and deadline by age, in the places that they have together.
  static Queue older_first(const Queue& order) {
    const auto kind = [](const Request& r) {
      return std::make_tuple(r.cylinder, r.head, r.angle, r.transfer, r.is_write, due_of(r));
    };
    Queue by_age = order, result;
    std::sort(by_age.begin(), by_age.end(),
              [](const Request& a, const Request& b) { return a.order < b.order; });
    for (const Request& place : order) {
      const auto oldest = std::find_if(by_age.begin(), by_age.end(),
                                       [&](const Request& r) { return kind(r) == kind(place); });
      result.push_back(*oldest);
      by_age.erase(oldest);
    }
    return result;
  }

  static Queue take_batch(Queue batch) {
    const auto older = [](const Request& a, const Request& b) { return a.order < b.order; };
    std::sort(batch.begin(), batch.end(), older);
    std::stable_sort(batch.begin(), batch.end(),
                     [](const Request& a, const Request& b) { return due_of(a) < due_of(b); });
    batch.resize(std::min(batch.size(), kBatch));
    std::sort(batch.begin(), batch.end(), older);
    return batch;
  }

  static Question ask(const Queue& batch, const Moment& moment) {
    Question question{batch, {}, {}, {}, {}, {}};
    for (const Request& one : batch) {
      const std::uint64_t half_turn = 1 << 23;
      const std::uint64_t move = moment.move(nullptr, one);
      const std::uint64_t fixed = moment.margin + half_turn + one.transfer;
      const std::uint64_t due = one.due_tick ? moment.due(one) : kNone;
      question.is_live.push_back(one.due_tick && move + fixed <= due);
      question.fixed.push_back(fixed);
      question.due.push_back(due);
      question.from_heads.push_back(move);
      question.move.emplace_back();
      for (const Request& to : batch) question.move.back().push_back(moment.move(&one, to));
    }
    return question;
  }

  /// The path, if its last stop is in time.
  static std::optional<Path> extended(const Question& question, const Path& path,
                                      std::size_t next) {
    Path longer = path;
    longer.moves += path.length == 0 ? question.from_heads[next] : question.move[path.last()][next];
    longer.fixed += question.fixed[next];
    longer.members |= 1U << next;
    longer.stops[longer.length++] = static_cast<std::uint8_t>(next);
    if (question.is_live[next] && longer.moves + longer.fixed > question.due[next]) return {};
    return longer;
  }

  /// Every order.
  static std::optional<Stops> least_of_all(const Question& question) {
    Stops stops(question.batch.size());
    std::iota(stops.begin(), stops.end(), 0U);
    std::optional<Path> best;
    do {
      std::optional<Path> path = Path{};
      for (const std::size_t stop : stops) {
        path = extended(question, *path, stop);
        if (!path) break;
      }
      if (path && (!best || *path < *best)) best = path;
    } while (std::next_permutation(stops.begin(), stops.end()));
    if (!best) return {};
    return Stops(best->stops.begin(), best->stops.begin() + static_cast<long>(best->length));
  }

  /// Subset by subset: movements, and the stops as digits, the last the highest; the younger, the
  /// less.
  static std::optional<Stops> least_of_subsets(const Question& question) {
    const std::size_t count = question.batch.size();
    using Best = std::pair<std::uint64_t, std::uint64_t>;
    std::vector<std::vector<Best>> best(1U << count, std::vector<Best>(count, {kNone, 0}));
    for (std::uint32_t members = 1; members < best.size(); ++members) {
      std::uint64_t fixed = 0, size = 0;
      for (std::size_t i = 0; i < count; ++i) {
        if ((members >> i & 1) != 0) fixed += question.fixed[i], ++size;
      }
      for (std::size_t last = 0; last < count; ++last) {
        if ((members >> last & 1) == 0) continue;
        const std::uint32_t rest = members & ~(1U << last);
        const std::uint64_t digit = (15 - last) << 4 * size;
        Best found = {kNone, 0};
        if (rest == 0) found = {question.from_heads[last], digit};
        for (std::size_t before = 0; before < count; ++before) {
          const Best& begin = best[rest][before];
          if ((rest >> before & 1) == 0 || begin.first == kNone) continue;
          found =
              std::min(found, {begin.first + question.move[before][last], begin.second | digit});
        }
        const bool late = question.is_live[last] && found.first != kNone &&
                          found.first + fixed > question.due[last];
        if (!late) best[members][last] = found;
      }
    }
    const Best least = *std::min_element(best.back().begin(), best.back().end());
    if (least.first == kNone) return {};
    Stops stops;
    for (std::size_t size = 1; size <= count; ++size) {
      stops.push_back(15 - (least.second >> 4 * size & 15));
    }
    return stops;
  }

  static std::optional<Stops> beam(const Question& question) {
    std::vector<Path> paths(1);
    for (std::size_t length = 0; length < question.batch.size(); ++length) {
      std::vector<Path> longer;
      for (const Path& path : paths) {
        for (std::size_t next = 0; next < question.batch.size(); ++next) {
          if ((path.members >> next & 1) != 0) continue;
          if (const std::optional<Path> more = extended(question, path, next)) {
            longer.push_back(*more);
          }
        }
      }
      // The least first: then of like ones the first stays.
      std::sort(longer.begin(), longer.end());
      paths.clear();
      for (const Path& path : longer) {
        const bool is_like = std::any_of(paths.begin(), paths.end(), [&](const Path& one) {
          return one.members == path.members && one.last() == path.last();
        });
        if (!is_like && paths.size() < kBeam) paths.push_back(path);
      }
    }
    if (paths.empty()) return {};
    return Stops(paths[0].stops.begin(),
                 paths[0].stops.begin() + static_cast<long>(paths[0].length));
  }

  mutable Queue found_;  // by choose(), which is asked before each service
  Queue batch_;
};

}  // namespace
}  // namespace headstack::reference

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<RandomCase> kRandom{
    {"Msedf", "msedf", as<reference::Msedf>()},
};

const Rows<OrderCase> kOrders{
    // Movements of 5 + 5 + 50 cylinders; upward first it would be 40 + 45 + 5.
    {"Msedf_LeastSeeks", "msedf", 50, {90, 45, 40}, {45, 40, 90}},
    // 60 and 40 are as far: the older goes first.
    {"Msedf_EqualOrders", "msedf", 50, {40, 60}, {40, 60}},
    {"Msedf_EqualOrders_OtherWay", "msedf", 50, {60, 40}, {60, 40}},
    // The same track: by age.
    {"Msedf_SameTrack", "msedf", 50, {60, 60, 60}, {60, 60, 60}},
};

const Rows<WaitCase> kWaits{
    // The rest of a batch, and a batch of its own: all that wait, as they are no more than 22.
    {"Msedf", "msedf", 2 * kQueueThatWaits - 1},
};

const Rows<TextCase> kTexts{
    {"Msedf", "msedf", 22, 0, 0, 0, "msedf"},
};

// Waits are half a turn here: an access takes 7 ms and 0.1 ms a cylinder. On the own cylinder it
// takes 5 ms. Its transfer takes 2.4 ticks. The least movements are 45, 40, 62 (5 + 5 + 22
// cylinders). They end at 7.5, 15 and 24.2 ms. Then come 62, 45, 40 (12 + 17 + 5).
TEST(Msedf, DeadlineJustInTime_AndJustLate) {
  for (const bool in_time : {true, false}) {
    PolicyBench bench(without_angles());
    bench.select("msedf");
    bench.place_heads(50);
    bench.make_due(bench.add(62), 24 * kMs + kMs / 5 + (in_time ? 64 : 0));
    bench.add(45);
    bench.add(40);
    if (in_time) {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(45, 40, 62));
    } else {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(62, 45, 40));
    }
  }
}

// An access at once takes 8.2 ms: with 64 ticks more it binds, without them it is hopeless.
TEST(Msedf, HopelessDeadline_DoesNotBind) {
  for (const bool live : {true, false}) {
    PolicyBench bench(without_angles());
    bench.select("msedf");
    bench.place_heads(50);
    bench.make_due(bench.add(62), 8 * kMs + kMs / 5 + (live ? 64 : 0));
    bench.add(45);
    bench.add(40);
    if (live) {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(62, 45, 40));
    } else {
      EXPECT_THAT(bench.cylinders_served(), ElementsAre(45, 40, 62));
    }
  }
}

// Each of 60 and 40 takes 8 ms from 50, and both are due before two accesses can end: by deadline,
// then best effort upward.
TEST(Msedf, NoOrderMeetsAll_ByDeadlineThenByCylinder) {
  PolicyBench bench(without_angles());
  bench.select("msedf");
  bench.place_heads(50);
  bench.add(55);
  bench.make_due(bench.add(60), 10 * kMs);
  bench.add(45);
  bench.make_due(bench.add(40), 9 * kMs);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(40, 60, 45, 55));
}

// An arrival after the first choice waits for the next batch, however near and urgent.
TEST(Msedf, BatchIsServedToItsEnd) {
  PolicyBench bench(without_angles());
  bench.select("msedf");
  bench.place_heads(50);
  bench.add(60);
  bench.add(80);
  bench.serve(*bench.choose());
  bench.make_due(bench.add(60), 8 * kMs);
  bench.add(62);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(80, 62, 60));
}

// ... and an arrival before it does not.
TEST(Msedf, BatchIsFixedWhenItsFirstIsServed) {
  PolicyBench bench(without_angles());
  bench.select("msedf");
  bench.place_heads(50);
  bench.add(60);
  bench.add(80);
  EXPECT_EQ(bench.choose()->cylinder, 60U);
  bench.add(70);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(60, 70, 80));
}

// The one that was chosen leaves, and so does one of the batch: nobody is forgotten.
TEST(Msedf, WhoLeaves_IsPassedOver) {
  PolicyBench bench(without_angles());
  bench.select("msedf");
  bench.place_heads(50);
  ::candidate& first = bench.add(60);
  ::candidate& second = bench.add(70);
  bench.add(80);
  bench.add(90);
  EXPECT_EQ(bench.choose(), &first);
  bench.withdraw(first);
  ::candidate* chosen = bench.choose();
  EXPECT_EQ(chosen, &second);
  bench.serve(*chosen);
  ::candidate* third = bench.choose();
  EXPECT_EQ(third->cylinder, 80U);
  bench.withdraw(*third);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(90));
}

// The drive serves another than the policy would (HEAD OF QUEUE): a batch begins with that one.
TEST(Msedf, ServedOtherwise_BatchGoesOnFromThere) {
  PolicyBench bench(without_angles());
  bench.select("msedf");
  bench.place_heads(50);
  bench.add(45);
  bench.add(40);
  ::candidate& far = bench.add(90);
  EXPECT_EQ(bench.choose()->cylinder, 45U);
  bench.serve(far);
  bench.add(91);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(45, 40, 91));
}

// Of 23 the youngest best effort is left out, and a deadline that came after it is not.
TEST(Msedf, BatchHas22_RealTimeFirst) {
  PolicyBench bench(without_angles());
  bench.select("msedf");
  bench.place_heads(20);
  for (std::uint32_t i = 0; i < 21; ++i) bench.add(20 + i);
  bench.add(19);
  bench.make_due(bench.add(50), 60'000 * kMs);
  std::vector<std::uint32_t> served = bench.cylinders_served();
  ASSERT_EQ(served.size(), 23U);
  EXPECT_EQ(served[21], 50U);
  EXPECT_EQ(served[22], 19U);
}

}  // namespace
}  // namespace headstack::test
