// SPDX-License-Identifier: Apache-2.0
// Tests of `eschenbach`: its definition, and its rows of the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_rows.hpp"

namespace headstack::reference {
namespace {

// eschenbach: cylinders, or groups of `order` neighbouring cylinders counted from 0, in the order
// of C-SCAN; inside, rotational order. Settled here: rotational order is the first to come under
// the heads, so a transfer's own length does not count. The heads' own group is the first one, all
// of it, also cylinders below the heads. Default order 1.
class Eschenbach : public Policy {
 public:
  explicit Eschenbach(std::uint32_t order = 1) : order_(order) {}

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

}  // namespace
}  // namespace headstack::reference

namespace headstack::test {
namespace {

using testing::ElementsAre;

const Rows<RandomCase> kRandom{
    {"Eschenbach", "eschenbach", as<reference::Eschenbach>()},
    {"Eschenbach_7", "eschenbach:order=7", as<reference::Eschenbach>(7U)},
};

const Rows<GroupCase> kGroups{
    {"Eschenbach", "eschenbach:order=10", {50, 59, 60, 95, 20, 49}},
};

const Rows<SweepCase> kSweeps{{"eschenbach", true}};

const Rows<EqualPriceCase> kEqualPrices{{"Eschenbach", "eschenbach:order=100"}};

const Rows<TextCase> kTexts{
    {"Eschenbach", "eschenbach", 8, 0, 0, 0, "eschenbach:order=1"},
    {"Eschenbach_20", "eschenbach:order=20", 8, 0, 20, 0, "eschenbach:order=20"},
    {"Eschenbach_MostValue", "eschenbach:order=65535", 8, 0, 65535, 0, "eschenbach:order=65535"},
};

const Rows<WrongTextCase> kWrongTexts{
    {"Eschenbach_BelowTheRange", "eschenbach:order=0",
     "policy 'eschenbach': 'order=0' is not possible: 1 to 65535 cylinders"},
    {"Eschenbach_AboveTheRange", "eschenbach:order=65536", "'order=65536' is not possible"},
};

// Half a turn after the index: the long one begins first, the short one ends first.
TEST(Eschenbach, GoesByWhereSectorsBegin_GstfByWhereTheyEnd) {
  for (const bool eschenbach : {true, false}) {
    PolicyBench bench(hundred_cylinders());
    bench.select(eschenbach ? "eschenbach" : "gstf:group=1");
    bench.place_heads(50);
    ::candidate& brief = bench.add(50, 0, turn32(0.65), turn24(0.05));
    ::candidate& lengthy = bench.add(50, 0, turn32(0.6), turn24(0.5));
    EXPECT_EQ(bench.choose(), eschenbach ? &lengthy : &brief);
  }
}

// The own cylinder to its end, though the sector on the next one comes sooner; then the next above,
// though the one below is nearer.
TEST(Eschenbach, GoesByCylinderFirst) {
  PolicyBench bench(hundred_cylinders());
  bench.select("eschenbach");
  bench.place_heads(50);
  bench.add(49, 0, turn32(0.8));
  bench.add(51, 0, turn32(0.75));
  bench.add(50, 0, turn32(0.4));
  bench.add(50, 0, turn32(0.7));
  EXPECT_THAT(bench.cylinders_served(), ElementsAre(50, 50, 51, 49));
}

}  // namespace
}  // namespace headstack::test
