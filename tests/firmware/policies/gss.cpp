// SPDX-License-Identifier: Apache-2.0
// Tests of `gss`: its definition, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// gss: streams are groups in fixed cyclic order, from stream 0 on; a visit takes the oldest q of
// its group and scans them. Settled here: the visit's requests are those that wait when the first
// of them is served, and the direction carries over from visit to visit.
class Gss : public Directed {
 public:
  explicit Gss(std::size_t q = 4) : q_(q) {}

  Request choose(const Queue& waiting, const Moment& moment) const override {
    const Queue visited = those(waiting, [&](const Request& r) { return visit_.count(r.order); });
    return scan(visited.empty() ? next_visit(waiting) : visited, moment.cylinder);
  }

  void served(const Request& request, const Queue& others, const Moment& moment) override {
    Directed::served(request, others, moment);
    if (visit_.count(request.order) != 0) return;
    Queue waiting = others;
    waiting.push_back(request);
    visit_.clear();
    for (const Request& r : next_visit(waiting)) visit_.insert(r.order);
    stream_ = request.stream;
  }

 private:
  Queue next_visit(const Queue& waiting) const {
    for (std::uint32_t k = 1;; ++k) {
      const std::uint32_t stream = (stream_ + k) % 256;
      Queue group = those(waiting, [&](const Request& r) { return r.stream == stream; });
      std::sort(group.begin(), group.end(),
                [](const Request& a, const Request& b) { return a.order < b.order; });
      if (group.size() > q_) group.resize(q_);
      if (!group.empty()) return group;
    }
  }

  std::size_t q_;
  std::uint32_t stream_ = 255;  // of the last visit
  std::set<std::uint64_t> visit_;
};

}  // namespace
}  // namespace headstack::reference

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<RandomCase> kRandom{
    {"Gss", "gss", as<reference::Gss>()},
    {"Gss_Q1", "gss:q=1", as<reference::Gss>(std::size_t{1})},
    {"Gss_Q256", "gss:q=256", as<reference::Gss>(std::size_t{256})},
};

const Rows<WaitCase> kWaits{
    // A visit has the four oldest: all that are older, and three that are younger and in the same
    // visit.
    {"Gss", "gss", kQueueThatWaits + 2},
};

const Rows<TextCase> kTexts{
    {"Gss", "gss", 23, 0, 0, 0, "gss:q=4"},
    {"GssQ", "gss:q=9", 23, 0, 9, 0, "gss:q=9"},
};

const Rows<WrongTextCase> kWrongTexts{{"GssQ257", "gss:q=257", "is not possible"}};

void add(PolicyBench& bench, std::uint32_t cylinder, std::uint8_t stream) {
  bench.add(cylinder).stream = stream;
}

// Stream 3 begins with its two oldest; then 9, and 3 again.
TEST(Gss, StreamsInTurn_TheOldestOfEach) {
  PolicyBench bench(hundred_cylinders());
  bench.select("gss:q=2");
  bench.place_heads(50);
  add(bench, 52, 9);
  add(bench, 90, 3);
  add(bench, 70, 3);
  add(bench, 51, 3);
  add(bench, 10, 9);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(70, 90, 52, 10, 51));
}

// Who arrives during a visit waits for the next, even of the same stream.
TEST(Gss, ArrivalsWaitForTheNextVisit) {
  PolicyBench bench(hundred_cylinders());
  bench.select("gss");
  bench.place_heads(50);
  add(bench, 60, 3);
  add(bench, 70, 3);
  bench.serve(*bench.choose());
  add(bench, 61, 3);
  add(bench, 62, 1);
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(70, 62, 61));
}

}  // namespace
}  // namespace headstack::test
