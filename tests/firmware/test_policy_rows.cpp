// SPDX-License-Identifier: Apache-2.0
// Checks that every policy of firmware/queue/policies.def has its tests, and lists the missing
// ones. Also properties that all policies share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "host/options/policy_option.hpp"
#include "tests/firmware/policy_bench.hpp"
#include "tests/firmware/policy_queues.hpp"
#include "tests/firmware/policy_rows.hpp"
#include "tests/policy_selections.hpp"

namespace headstack::test {
namespace {

using testing::Contains;
using testing::ContainsRegex;
using testing::Each;
using testing::HasSubstr;

const char* selection_of(const TextCase& row) { return row.given; }
template <class Row>
const char* selection_of(const Row& row) {
  return row.policy;
}

bool is_of(const std::string& selection, const std::string& policy) {
  return selection.substr(0, selection.find(':')) == policy;
}

/// Whether a row of the table is for the policy, and has a word: all of it, or up to its `=`.
template <class Row>
bool has_row(const std::string& policy, const std::string& word = "") {
  const std::vector<Row>& rows = rows_of<Row>();
  return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
    const std::string selection = selection_of(row);
    return is_of(selection, policy) && selection.find(word, policy.size()) != std::string::npos;
  });
}

/// Whether a table has a row for the policy without parameters.
template <class Row>
bool has_plain_row(const std::string& policy) {
  const std::vector<Row>& rows = rows_of<Row>();
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Row& row) { return selection_of(row) == policy; });
}

/// Whether a row has a value of the parameter that is out of its range.
bool has_range(const std::string& policy, const std::string& word) {
  const std::vector<WrongTextCase>& rows = rows_of<WrongTextCase>();
  return std::any_of(rows.begin(), rows.end(), [&](const WrongTextCase& row) {
    return is_of(row.given, policy) && std::string(row.given).find(word) != std::string::npos &&
           std::string(row.said).find("is not possible") != std::string::npos;
  });
}

/// Whether there is a TEST(Wscan, ...) or TEST_F for the policy.
bool has_tests(const std::string& policy) {
  std::string suite = policy;
  suite[0] = static_cast<char>(std::toupper(suite[0]));
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i) {
    if (suite == all.GetTestSuite(i)->name()) return true;
  }
  return false;
}

/// The missing tests of a policy. @param random  Selections that are compared with the definition
/// on random queues.
std::vector<std::string> missing_tests(const ::policy& policy,
                                       const std::vector<std::string>& random) {
  const std::string name = policy.name;
  const std::string file = "tests/firmware/policies/" + name + ".cpp";
  std::vector<std::string> missing;
  const auto want = [&](bool there, const std::string& what) {
    if (!there) missing.push_back("write into " + file + ": " + what);
  };
  const std::string cases = "tests/regress/policies/" + name + ".py: ";
  const auto is_random = [&](const std::string& word) {
    return std::any_of(random.begin(), random.end(), [&](const std::string& selection) {
      return selection.find(word, name.size()) != std::string::npos;
    });
  };
  if (std::find(random.begin(), random.end(), name) == random.end()) {
    missing.push_back("write into " + cases + "RANDOM with '" + name +
                      "', and the policy's definition; start from the most similar file there");
  }
  want(has_row<OrderCase>(name) || has_row<GroupCase>(name) || has_tests(name),
       "orders worked out by hand, rows of OrderCase, or a TEST whose suite has the policy's name");
  want(has_plain_row<TextCase>(name),
       "a row of TextCase for '" + name + "', with its number on the mode page");
  std::vector<std::string> words;
  for (std::uint32_t i = 0; i < policy_parameter_count(&policy); ++i) {
    words.push_back(std::string(policy.parameters[i].name) + "=");
    want(has_range(name, words.back()),
         "a row of WrongTextCase with a '" + words.back() + "' just out of its range");
  }
  for (std::uint32_t i = 0; i < policy_flag_count(&policy); ++i) {
    words.emplace_back(policy.flags[i].name);
  }
  for (const std::string& word : words) {
    if (!is_random(word)) missing.push_back("write into " + cases + "RANDOM with '" + word + "'");
    want(has_row<TextCase>(name, word), "a row of TextCase with '" + word + "'");
  }
  return missing;
}

TEST(PolicyTable, EveryPolicy_HasACase) {
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    const ::policy& policy = *policy_row(row);
    for (const std::string& missing : missing_tests(policy, random_selections(policy.name))) {
      ADD_FAILURE() << missing;
    }
  }
}

TEST(PolicyTable, PolicyWithoutTests_NamesTheMissingTests) {
  ::policy_parameter parameters[2] = {};
  parameters[0].name = "share";
  ::policy_flag flags[2] = {};
  flags[0].name = "frozen";
  ::policy nobody = {};
  nobody.name = "nobody";
  nobody.parameters = parameters;
  nobody.flags = flags;
  const std::vector<std::string> missing = missing_tests(nobody, {});
  EXPECT_EQ(missing.size(), 8U);
  EXPECT_THAT(missing, Each(ContainsRegex("write into tests/.*/policies/nobody\\.(cpp|py): ")));
  for (const char* part :
       {"definition", "orders worked out by hand", "TextCase for 'nobody'", "just out of its range",
        "RANDOM with 'share='", "TextCase with 'share='", "RANDOM with 'frozen'",
        "TextCase with 'frozen'"}) {
    EXPECT_THAT(missing, Contains(HasSubstr(part)));
  }
}

// The selections of a policy's row: the policy without parameters first, and none of another
// policy.
TEST(PolicyTable, Selections_AreOfTheirPolicies) {
  const std::vector<std::string> selections = policy_selections();
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    EXPECT_THAT(selections, Contains(policy_row(row)->name));
  }
  for (const std::string& selection : selections) {
    EXPECT_NO_THROW((void)options::parse_policy(selection)) << selection;
  }
}

/// Every selection in policies.def and in rows.
std::set<std::string> all_selections() {
  const std::vector<std::string> listed = policy_selections();
  std::set<std::string> all(listed.begin(), listed.end());
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    const std::vector<std::string> random = random_selections(policy_row(row)->name);
    all.insert(random.begin(), random.end());
  }
  for (const OrderCase& row : rows_of<OrderCase>()) all.insert(row.policy);
  for (const TextCase& row : rows_of<TextCase>()) all.insert(row.given);
  return all;
}

// A HEAD OF QUEUE task goes ahead of all. The policy gets its service, perhaps without its arrival.
// Others are withdrawn, announced or not.
TEST(EveryPolicysRule, HeadOfQueueOrWithdrawal_LosesNoOtherRequest) {
  for (const std::string& policy : all_selections()) {
    SCOPED_TRACE(policy);
    PolicyBench bench(hundred_cylinders());
    bench.select(policy);
    bench.place_heads(50);
    std::vector<::candidate*> told;
    for (const std::uint32_t cylinder : {60U, 40U, 70U, 30U, 61U}) {
      told.push_back(&bench.add(cylinder));
      bench.make_due(*told.back(), cylinder * kMs);
    }
    ::candidate* chosen = bench.choose();
    ::candidate& untold = bench.add(55);
    ::candidate& untold_too = bench.add(20);
    bench.add(80);
    bench.serve(untold);
    bench.withdraw(untold_too);
    bench.withdraw(*chosen);
    std::vector<std::uint32_t> left = {80};
    for (const ::candidate* item : told) {
      if (item != chosen) left.push_back(item->cylinder);
    }
    EXPECT_THAT(bench.cylinders_served(), testing::UnorderedElementsAreArray(left));
  }
}

TEST(EveryPolicysRule, OneWaits_ItIsServed) {
  for (const std::string& policy : all_selections()) {
    for (const std::uint32_t cylinder : {0U, 49U, 50U, 51U, 99U}) {
      PolicyBench bench(hundred_cylinders());
      bench.select(policy);
      bench.place_heads(50);
      ::candidate& first = bench.add(cylinder);
      EXPECT_EQ(bench.choose(), &first) << policy << " " << cylinder;
      bench.serve(first);
      EXPECT_EQ(bench.choose(), nullptr) << policy;
      ::candidate& second = bench.add(99 - cylinder);
      EXPECT_EQ(bench.choose(), &second) << policy << " " << cylinder;
    }
  }
}

bool goes_by_arrival(const std::string& selection) {
  const std::vector<ByArrivalCase>& rows = rows_of<ByArrivalCase>();
  return std::any_of(rows.begin(), rows.end(),
                     [&](const ByArrivalCase& row) { return is_of(selection, row.policy); });
}

// There are more than a search compares one by one, so that bands are walked, too.
TEST(EveryPolicysRule, EqualRequests_AreServedByArrival) {
  for (const std::string& policy : all_selections()) {
    if (goes_by_arrival(policy)) continue;
    for (const std::uint32_t cylinder : {40U, 50U, 60U}) {
      PolicyBench bench(hundred_cylinders());
      bench.select(policy);
      bench.place_heads(50);
      std::vector<::candidate*> added;
      for (int i = 0; i < 40; ++i) added.push_back(&bench.add(cylinder));
      for (::candidate* oldest : added) {
        ASSERT_EQ(bench.choose(), oldest)
            << policy
            << " passes the oldest of 40 equals; if it goes by arrival itself, write a row "
            << "of ByArrivalCase into its file";
        bench.serve(*oldest);
      }
    }
  }
}

}  // namespace
}  // namespace headstack::test
