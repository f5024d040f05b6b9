// SPDX-License-Identifier: Apache-2.0
// The words of --policy, the values on the scheduler mode page, and the firmware's table, which
// must agree with both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "host/options/policy_option.hpp"
#include "tests/firmware/policy_rows.hpp"
#include "tests/support.hpp"

namespace headstack::options {
namespace {

using test::FaultCase;
using test::Rows;
using test::TextCase;
using test::WrongTextCase;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t kZero = POLICY_PARAMETER_ZERO;

const Rows<TextCase> kTexts{
    {"Plain", "fcfs", 0, 0, 0, 0, "fcfs"},
    {"AnyOrder", "gstf:frozen,bounce,group=7", 9, 3, 7, 0, "gstf:group=7,bounce,frozen"},
    {"LeadingZeros", "gstf:group=010", 9, 0, 10, 0, "gstf:group=10"},
    {"Decimals", "vr:r=0.25", 6, 0, 250, 0, "vr:r=0.25"},
    {"AllDecimals", "vr:r=0.001", 6, 0, 1, 0, "vr:r=0.001"},
    {"Zero", "vr:r=0", 6, 0, kZero, 0, "vr:r=0"},
    {"ZeroWithDecimals", "vr:r=0.000", 6, 0, kZero, 0, "vr:r=0"},
    {"One", "vr:r=1.0", 6, 0, 1000, 0, "vr:r=1"},
    {"DefaultOfAFlag", "fdscan:price=mean", 13, 0, 0, 0, "fdscan"},
    {"DefaultBesideAFlag", "fdscan:price=mean,target=slack,idle=sstf", 13, 2, 0, 0,
     "fdscan:target=slack"},
};

class PolicyText : public testing::TestWithParam<TextCase> {};

TEST_P(PolicyText, BecomesASelection_AndBack) {
  const ::policy_selection selection = parse_policy(GetParam().given);
  EXPECT_EQ(selection.number, GetParam().number);
  EXPECT_EQ(selection.flags, GetParam().flags);
  EXPECT_THAT(selection.parameter, ElementsAre(GetParam().first, GetParam().second,
                                               GetParam().third, GetParam().fourth));
  EXPECT_EQ(policy_find_fault(&selection), POLICY_FAULT_NONE);
  EXPECT_EQ(policy_text(selection, 840), GetParam().canonical);
  EXPECT_EQ(policy_text(parse_policy(GetParam().canonical), 840), GetParam().canonical);
}

INSTANTIATE_TEST_SUITE_P(Run, PolicyText, testing::ValuesIn(test::rows_of<TextCase>()),
                         test::case_name<TextCase>);

const Rows<WrongTextCase> kWrong{
    {"UnknownPolicy", "sttf", "unknown policy 'sttf'; did you mean 'sstf'?"},
    {"NoPolicy", "", "unknown policy ''"},
    {"UnknownKey", "gstf:grup=3", "policy 'gstf': 'grup=3' is unknown; did you mean 'group'?"},
    {"UnknownFlag", "gstf:bounced", "policy 'gstf': 'bounced' is unknown; did you mean 'bounce'?"},
    {"EmptyWord", "gstf:", "policy 'gstf': '' is unknown"},
    {"EmptySecondWord", "gstf:frozen,", "policy 'gstf': '' is unknown"},
    {"Enormous", "gstf:group=4294967297", "is not possible"},
    {"LongerThanAnyNumber", "gstf:group=99999999999999999999999", "is not possible"},
    {"Negative", "gstf:group=-1", "is not possible"},
    {"NotANumber", "gstf:group=ten", "is not possible"},
    {"Exponent", "gstf:group=1e2", "is not possible"},
    {"Blank", "gstf:group= 1", "is not possible"},
    {"NothingBehindEquals", "gstf:group=", "is not possible"},
    {"NoDecimals", "gstf:group=1.0", "is not possible"},
    {"PointOnly", "vr:r=.5", "is not possible"},
    {"PointAtTheEnd", "vr:r=1.", "is not possible"},
    {"TwoPoints", "vr:r=0.1.2", "is not possible"},
    {"NoValue", "gstf:group", "policy 'gstf': 'group' needs a value: 1 to 65535 cylinders"},
    {"ValueOfAFlag", "gstf:frozen=1", "policy 'gstf': 'frozen' takes no value"},
    {"KeyTwice", "gstf:group=3,group=4", "policy 'gstf': 'group' is given twice"},
    {"FlagTwice", "gstf:frozen,frozen", "policy 'gstf': 'frozen' is given twice"},
    {"FlagAndItsDefault", "fdscan:price=exact,price=mean", "'price' is given twice"},
    {"DefaultAndItsFlag", "cello:price=mean,price=exact", "'price' is given twice"},
    {"DefaultTwice", "cello:price=mean,price=mean", "'price=mean' is given twice"},
    {"OtherPrice", "fdscan:price=meen", "'price=meen' is unknown"},
    {"DefaultOfAnotherPolicy", "cello:idle=sstf", "'idle=sstf' is unknown"},
};

class WrongPolicyText : public testing::TestWithParam<WrongTextCase> {};

TEST_P(WrongPolicyText, IsExplained) {
  try {
    (void)parse_policy(GetParam().given);
    ADD_FAILURE() << "taken";
  } catch (const PolicyError& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().said));
  }
}

INSTANTIATE_TEST_SUITE_P(Run, WrongPolicyText, testing::ValuesIn(test::rows_of<WrongTextCase>()),
                         test::case_name<WrongTextCase>);

// The core's store of policies has room for 64 schedules of 8 units (gscan.h). `native` has more,
// and all that is in the help's range is possible everywhere.
TEST(PolicyWords, ParametersTooLargeForTheCore_AreForNativeOnly) {
  const std::string possible = "gscan:tau=65535,u=64,l=64,kmax=8";
  EXPECT_NO_THROW(check_on_core(possible));
  const std::pair<const char*, const char*> refused[] = {
      {"gscan:u=65", "'u=65' is for --platform native: the drive's core has room for 1 to 64 "},
      {"gscan:l=65", "'l=65' is for --platform native"},
      {"gscan:kmax=9", "'kmax=9' is for --platform native: the drive's core has room for 1 to 8 "}};
  for (const auto& [text, said] : refused) {
    EXPECT_NO_THROW((void)parse_policy(text)) << "native has it";
    try {
      check_on_core(text);
      ADD_FAILURE() << text;
    } catch (const PolicyError& error) {
      EXPECT_THAT(error.what(), HasSubstr(said));
    }
  }
  EXPECT_THAT(policy_list(), HasSubstr("1 to 64 schedules: most schedules kept; default: 64; up to "
                                       "5000 on native"));
  EXPECT_THAT(policy_list(), HasSubstr("1 to 8 units: most units (groups, real-time requests) of a "
                                       "schedule; default: 8; up to 64 on native"));
}

// No other policy depends on the room: check_on_core() does not limit their ranges.
TEST(PolicyWords, MaximaOfTheCore_AreNoLargerThanThoseOfNative) {
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    const ::policy& policy = *policy_row(row);
    for (std::uint32_t i = 0; i < policy_parameter_count(&policy); ++i) {
      const ::policy_parameter& parameter = policy.parameters[i];
      EXPECT_GE(maximum_on_core(parameter), parameter.minimum) << policy.name;
      EXPECT_LE(maximum_on_core(parameter), parameter.maximum) << policy.name;
      EXPECT_GE(maximum_on_core(parameter), parameter.initial) << policy.name;
    }
  }
}

// A policy with a word for exact prices has one for mean prices, which is the default.
TEST(PolicyWords, EveryExactPriceHasAMeanOne) {
  unsigned found = 0;
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    const ::policy& policy = *policy_row(row);
    for (std::uint32_t i = 0; i < policy_flag_count(&policy); ++i) {
      if (policy.flags[i].name != std::string("price=exact")) continue;
      ++found;
      const ::policy_selection selection = parse_policy(policy.name + std::string(":price=mean"));
      EXPECT_EQ(policy_text(selection, 840), policy_text(parse_policy(policy.name), 840));
    }
  }
  EXPECT_EQ(found, 5U);
}

TEST(PolicyHelp, NamesEveryPolicyAndItsWords) {
  const std::string list = policy_list();
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    EXPECT_THAT(list, AllOf(HasSubstr(policy_row(row)->name), HasSubstr(policy_row(row)->text)));
  }
  EXPECT_THAT(list, HasSubstr("1 to 65535 cylinders: size of a group; default: the drive's "
                              "cylinders / 4"));
  EXPECT_THAT(list, HasSubstr("floor=none"));
}

TEST(PolicyHelp, HasARemarkUnderItsPolicy) {
  const std::string list = policy_list([](const char* name) {
    return name == std::string("scan") ? std::string("a remark") : std::string();
  });
  const std::size_t remark = list.find("    a remark\n");
  ASSERT_NE(remark, std::string::npos);
  EXPECT_LT(list.find("\n  scan "), remark);
  EXPECT_LT(remark, list.find("\n  cscan "));
}

// --------------------------------------------------------------- values that the firmware accepts

const Rows<FaultCase> kFaults{
    {"Initial", 9, 0, {0}, POLICY_FAULT_NONE},
    {"UnknownNumber", 200, 0, {0}, POLICY_FAULT_NUMBER},
    {"LargestNumber", 255, 0, {0}, POLICY_FAULT_NUMBER},
    {"FlagOfOneWithoutAny", 0, 1, {0}, POLICY_FAULT_FLAGS},
    {"HighestFlag", 0, 0x80, {0}, POLICY_FAULT_FLAGS},
    {"ParameterThatItDoesNotHave", 9, 0, {1, 1}, POLICY_FAULT_PARAMETER + 1},
    {"LastParameter", 0, 0, {0, 0, 0, 1}, POLICY_FAULT_PARAMETER + 3},
};

class PolicyFault : public testing::TestWithParam<FaultCase> {};

TEST_P(PolicyFault, IsFound) {
  ::policy_selection selection{};
  selection.number = GetParam().number;
  selection.flags = GetParam().flags;
  std::copy(GetParam().parameter.begin(), GetParam().parameter.end(), selection.parameter);
  EXPECT_EQ(policy_find_fault(&selection), GetParam().fault);
}

INSTANTIATE_TEST_SUITE_P(Run, PolicyFault, testing::ValuesIn(test::rows_of<FaultCase>()),
                         test::case_name<FaultCase>);

/// Help and JSON split the text of a parameter into "UNIT: MEANING".
TEST(PolicyTable, ParameterTexts_HaveUnitAndMeaning) {
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    const ::policy& policy = *policy_row(row);
    for (std::uint32_t i = 0; i < policy_parameter_count(&policy); ++i) {
      const ::policy_parameter& parameter = policy.parameters[i];
      EXPECT_EQ(unit_of(parameter) + ": " + meaning_of(parameter), parameter.unit)
          << policy.name << ", " << parameter.name;
      EXPECT_FALSE(meaning_of(parameter).empty()) << policy.name << ", " << parameter.name;
    }
  }
}

/// A policy that uses deadlines has the word in its text. A run without deadlines is warned by
/// that.
TEST(PolicyTable, TextsName_DeadlinesOfThePoliciesThatUseThem) {
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    const ::policy& policy = *policy_row(row);
    std::ifstream source(test::source_dir() / "firmware/queue" /
                         ("policy_" + std::string(policy.name) + ".c"));
    ASSERT_TRUE(source) << policy.name;
    bool uses = false;
    for (std::string line; std::getline(source, line);) {
      if (line.find("POLICY_TEXT(") != std::string::npos) continue;
      uses = uses || line.find("deadline") != std::string::npos;
    }
    EXPECT_EQ(goes_by_deadlines(policy), uses) << policy.name;
  }
}

// The mode page has four words and eight bits for parameters and flags, and 0 and FFFFFFFFh are
// special.
TEST(PolicyTable, ParametersAndFlags_FitTheModePage) {
  for (std::uint32_t row = 0; row < policy_count(); ++row) {
    const ::policy& policy = *policy_row(row);
    EXPECT_LE(policy_parameter_count(&policy), POLICY_PARAMETERS_MAX) << policy.name;
    EXPECT_LE(policy_flag_count(&policy), POLICY_FLAGS_MAX) << policy.name;
    for (std::uint32_t i = 0; i < policy_parameter_count(&policy); ++i) {
      const ::policy_parameter& parameter = policy.parameters[i];
      EXPECT_LT(parameter.maximum, POLICY_PARAMETER_ZERO) << parameter.name;
      if (parameter.initial_share != 0) continue;
      EXPECT_GE(parameter.initial, parameter.minimum) << parameter.name;
      EXPECT_LE(parameter.initial, parameter.maximum) << parameter.name;
    }
  }
}

}  // namespace
}  // namespace headstack::options
